//! The server's side of the pings before 1.7: every answer is a kick with a text.

use super::status::Says;
use rollcall_model::motd;

/// What every old ping begins with. A handshake could, too, if it were 254 bytes long; the game itself bears that.
pub const ASK: u8 = 0xfe;
/// What follows it since 1.4.
pub const SINCE_1_4: u8 = 0x01;
const KICK: u8 = 0xff;
/// Characters of a MOTD: clients of that time read no more than 256 of the whole, ours 1,024.
const MOTD: usize = 900;

/// For 1.4 to 1.6: fields with zeros between.
pub fn marked(says: &Says) -> Vec<u8> {
    let motd = cut(&says.motd_with_codes().replace('\0', ""));
    let Says { version, protocol, players, max_players, .. } = says;
    kick(&format!("§1\0{protocol}\0{version}\0{motd}\0{players}\0{max_players}"))
}

/// For those before: the mark of formatting codes stands between the fields, so that none may be in the MOTD.
pub fn bare(says: &Says) -> Vec<u8> {
    let motd = cut(&motd::plain(&says.motd_with_codes()));
    kick(&format!("{motd}§{}§{}", says.players, says.max_players))
}

fn cut(text: &str) -> String {
    text.chars().take(MOTD).collect()
}

fn kick(text: &str) -> Vec<u8> {
    let units: Vec<u16> = text.encode_utf16().collect();
    let mut out = vec![KICK];
    out.extend_from_slice(&u16::try_from(units.len()).unwrap_or(u16::MAX).to_be_bytes());
    out.extend(units.into_iter().flat_map(u16::to_be_bytes));
    out
}
