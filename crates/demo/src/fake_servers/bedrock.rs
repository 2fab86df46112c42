//! The server side of RakNet's unconnected ping (Bedrock Edition).

use super::status::FakeStatus;
use rollcall_minecraft::codec::Reader;

/// Unconnected ping, and unconnected ping to servers with open connections.
const PING_IDS: [u8; 2] = [0x01, 0x02];
const PONG_ID: u8 = 0x1c;
const MAGIC: [u8; 16] =
    [0x00, 0xff, 0xff, 0x00, 0xfe, 0xfe, 0xfe, 0xfe, 0xfd, 0xfd, 0xfd, 0xfd, 0x12, 0x34, 0x56, 0x78];
/// Limit for each text field, in characters.
const MAX_FIELD: usize = 900;

/// Returns the timestamp, which the pong must repeat. `None` when the datagram is not a ping.
pub fn parse_ping(datagram: &[u8]) -> Option<u64> {
    let mut reader = Reader::new(datagram);
    PING_IDS.contains(&reader.byte().ok()?).then_some(())?;
    let timestamp = reader.u64().ok()?;
    (reader.take(MAGIC.len()).ok()? == MAGIC).then_some(timestamp)
}

/// `server_id` must stay the same while the server runs.
pub fn encode_pong(status: &FakeStatus, timestamp: u64, server_id: u64, port: u16) -> Vec<u8> {
    let motd = status.motd_with_codes();
    let (first_line, second_line) = motd.split_once('\n').unwrap_or((&motd, ""));
    let FakeStatus { version, protocol, players, max_players, .. } = status;
    let text = format!(
        "MCPE;{};{protocol};{};{players};{max_players};{server_id};{};Survival;1;{port};{port};",
        escape(first_line),
        escape(version),
        escape(second_line)
    );
    let mut out = vec![PONG_ID];
    out.extend_from_slice(&timestamp.to_be_bytes());
    out.extend_from_slice(&server_id.to_be_bytes());
    out.extend_from_slice(&MAGIC);
    out.extend_from_slice(&u16::try_from(text.len()).unwrap_or(u16::MAX).to_be_bytes());
    out.extend_from_slice(text.as_bytes());
    out
}

/// Fields are separated by semicolons.
fn escape(text: &str) -> String {
    text.chars().take(MAX_FIELD).collect::<String>().replace('\\', "\\\\").replace(';', "\\;").replace('\n', " ")
}
