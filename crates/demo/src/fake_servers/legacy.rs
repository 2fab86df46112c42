//! The server side of the pings before 1.7. Every response is a kick packet with a text.

use super::status::FakeStatus;
use rollcall_model::motd;

/// The first byte of every legacy ping. A modern handshake of 254 bytes would start with it too, but the game has the
/// same ambiguity.
pub const PING_BYTE: u8 = 0xfe;
pub const SECOND_BYTE_SINCE_1_4: u8 = 0x01;
const KICK_ID: u8 = 0xff;
/// Limit for the MOTD, in characters. Our client reads at most 1,024 of the whole text.
const MAX_MOTD: usize = 900;

/// For 1.4 to 1.6: fields separated by NUL.
pub fn encode_since_1_4(status: &FakeStatus) -> Vec<u8> {
    let motd = truncate(&status.motd_with_codes().replace('\0', ""));
    let FakeStatus { version, protocol, players, max_players, .. } = status;
    encode_kick(&format!("§1\0{protocol}\0{version}\0{motd}\0{players}\0{max_players}"))
}

/// For Beta 1.8 to 1.3: fields separated by `§`, so the MOTD must have no formatting codes.
pub fn encode_beta(status: &FakeStatus) -> Vec<u8> {
    let motd = truncate(&motd::plain(&status.motd_with_codes()));
    encode_kick(&format!("{motd}§{}§{}", status.players, status.max_players))
}

fn truncate(text: &str) -> String {
    text.chars().take(MAX_MOTD).collect()
}

fn encode_kick(text: &str) -> Vec<u8> {
    let units: Vec<u16> = text.encode_utf16().collect();
    let mut out = vec![KICK_ID];
    out.extend_from_slice(&u16::try_from(units.len()).unwrap_or(u16::MAX).to_be_bytes());
    out.extend(units.into_iter().flat_map(u16::to_be_bytes));
    out
}
