//! Bedrock Edition: RakNet's unconnected ping, over UDP.

use super::status::Status;
use super::wire::{Reader, Wrong};

/// Of a request.
const PING_ID: u8 = 0x01;
const PONG_ID: u8 = 0x1c;
const MAGIC: [u8; 16] =
    [0x00, 0xff, 0xff, 0x00, 0xfe, 0xfe, 0xfe, 0xfe, 0xfd, 0xfd, 0xfd, 0xfd, 0x12, 0x34, 0x56, 0x78];
/// Bytes of the text; a datagram could bring 64 KiB.
const LONGEST: usize = 4096;

/// `stamp` comes back in the answer: whoever does not know it has not seen our question.
pub fn unconnected_ping(stamp: u64, client: u64) -> Vec<u8> {
    let mut out = vec![PING_ID];
    out.extend_from_slice(&stamp.to_be_bytes());
    out.extend_from_slice(&MAGIC);
    out.extend_from_slice(&client.to_be_bytes());
    out
}

/// What the server says in answer to the ping of this stamp.
pub fn pong(datagram: &[u8], stamp: u64) -> Result<Status, Wrong> {
    let mut reader = Reader::new(datagram);
    if reader.byte()? != PONG_ID {
        return Err(Wrong::Other("it answers with another packet than a pong"));
    }
    if reader.u64()? != stamp {
        return Err(Wrong::Other("it answers another question than ours"));
    }
    reader.u64()?;
    if reader.take(MAGIC.len())? != MAGIC {
        return Err(Wrong::Other("it does not speak RakNet"));
    }
    let length = usize::from(reader.u16()?);
    if length > LONGEST {
        return Err(Wrong::TooLong(length as u64, LONGEST));
    }
    read(&String::from_utf8_lossy(reader.take(length)?))
}

/// `MCPE;motd;protocol;version;players;most;server id;second line;mode;…`; what comes later is not always there.
fn read(text: &str) -> Result<Status, Wrong> {
    let fields = split(text);
    let field = |place: usize| fields.get(place).map_or("", String::as_str);
    let number = |place: usize| field(place).trim().parse::<i64>().ok();
    let (Some(players), Some(max_players), "MCPE" | "MCEE") = (number(4), number(5), field(0)) else {
        return Err(Wrong::Other("its answer is no status of Bedrock Edition"));
    };
    let lines: Vec<&str> = [field(1), field(7)].into_iter().filter(|line| !line.is_empty()).collect();
    Ok(Status {
        version: Status::cut_version(field(3)),
        protocol: Status::cut_protocol(number(2).unwrap_or(0)),
        players,
        max_players,
        motd_raw: Status::cut_motd(&lines.join("\n")),
        ..Status::default()
    })
}

/// A semicolon within a field has a backslash in front.
fn split(text: &str) -> Vec<String> {
    let mut fields = vec![String::new()];
    let mut escaped = false;
    for c in text.chars() {
        let last = fields.len() - 1;
        match c {
            '\\' if !escaped => {
                escaped = true;
                continue;
            }
            ';' if !escaped => fields.push(String::new()),
            _ => {
                if escaped && c != ';' && c != '\\' {
                    fields[last].push('\\');
                }
                fields[last].push(c);
            }
        }
        escaped = false;
    }
    fields
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn answer(stamp: u64, text: &str) -> Vec<u8> {
        let mut out = vec![PONG_ID];
        out.extend_from_slice(&stamp.to_be_bytes());
        out.extend_from_slice(&9u64.to_be_bytes());
        out.extend_from_slice(&MAGIC);
        out.extend_from_slice(&(text.len() as u16).to_be_bytes());
        out.extend_from_slice(text.as_bytes());
        out
    }

    #[test]
    fn what_is_sent() {
        let bytes = unconnected_ping(1, 2);
        assert_eq!((bytes.len(), bytes[0], bytes[8], bytes[32]), (33, 1, 1, 2));
        assert_eq!(bytes[9..25], MAGIC);
    }

    #[test]
    fn a_whole_answer_and_a_short_one() {
        let text =
            "MCPE;§aDedicated\\; Server;390;1.14.60;5;10;13253860892328930865;Bedrock level;Survival;1;19132;19133;";
        let told = pong(&answer(7, text), 7).unwrap();
        let expected = Status {
            version: "1.14.60".into(),
            protocol: 390,
            players: 5,
            max_players: 10,
            motd_raw: "§aDedicated; Server\nBedrock level".into(),
            ..Status::default()
        };
        assert_eq!(told, expected);
        let short = pong(&answer(7, "MCPE;x;1;1.0;0;1"), 7).unwrap();
        assert_eq!((short.motd_raw.as_str(), short.max_players), ("x", 1));
    }

    #[test]
    fn whoever_did_not_hear_the_question_is_not_believed() {
        assert!(pong(&answer(8, "MCPE;x;1;1.0;0;1"), 7).is_err());
        for text in ["", "MCPE", "HTTP;x;1;1.0;0;1", "MCPE;x;1;1.0;many;1", "MCPE;x;1;1.0;1"] {
            assert!(pong(&answer(7, text), 7).is_err(), "{text}");
        }
        let whole = answer(7, "MCPE;x;1;1.0;0;1");
        assert!((0..whole.len()).all(|end| pong(&whole[..end], 7).is_err()));
        let mut long = answer(7, "");
        let end = long.len();
        long[end - 2..].copy_from_slice(&[0xff, 0xff]);
        assert_eq!(pong(&long, 7), Err(Wrong::TooLong(65_535, LONGEST)));
    }

    proptest! {
        #[test]
        fn no_bytes_bring_it_down(bytes in proptest::collection::vec(any::<u8>(), 0..200), text in "\\PC{0,100}") {
            let _ = (pong(&bytes, 0), pong(&answer(7, &text), 7), pong(&answer(7, &format!("MCPE;{text}")), 7));
        }
    }
}
