//! The server's side of RakNet's unconnected ping.

use super::status::Says;
use rollcall_ping::codec::Reader;

/// Any server may answer the first; the second is for those that have room.
const PINGS: [u8; 2] = [0x01, 0x02];
const PONG: u8 = 0x1c;
const MAGIC: [u8; 16] =
    [0x00, 0xff, 0xff, 0x00, 0xfe, 0xfe, 0xfe, 0xfe, 0xfd, 0xfd, 0xfd, 0xfd, 0x12, 0x34, 0x56, 0x78];
/// Characters of a line of the MOTD.
const LINE: usize = 900;

/// The stamp of a ping, which the answer repeats; `None` for whatever else is sent.
pub fn stamp(datagram: &[u8]) -> Option<u64> {
    let mut reader = Reader::new(datagram);
    PINGS.contains(&reader.byte().ok()?).then_some(())?;
    let stamp = reader.u64().ok()?;
    (reader.take(MAGIC.len()).ok()? == MAGIC).then_some(stamp)
}

/// `id` is the server's own, the same as long as it runs.
pub fn pong(says: &Says, stamp: u64, id: u64, port: u16) -> Vec<u8> {
    let motd = says.motd_with_codes();
    let (first, second) = motd.split_once('\n').unwrap_or((&motd, ""));
    let Says { version, protocol, players, max_players, .. } = says;
    let text = format!(
        "MCPE;{};{protocol};{};{players};{max_players};{id};{};Survival;1;{port};{port};",
        escaped(first),
        escaped(version),
        escaped(second)
    );
    let mut out = vec![PONG];
    out.extend_from_slice(&stamp.to_be_bytes());
    out.extend_from_slice(&id.to_be_bytes());
    out.extend_from_slice(&MAGIC);
    out.extend_from_slice(&u16::try_from(text.len()).unwrap_or(u16::MAX).to_be_bytes());
    out.extend_from_slice(text.as_bytes());
    out
}

/// Semicolons part the fields.
fn escaped(text: &str) -> String {
    text.chars().take(LINE).collect::<String>().replace('\\', "\\\\").replace(';', "\\;").replace('\n', " ")
}
