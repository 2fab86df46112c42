//! Invalid packets, broken connections and slow servers.

use std::time::Duration;

use super::{Expected, HostileCase, any_reply, java};
use crate::hostile_servers::listener::TcpBehavior;
use crate::hostile_servers::packets::{framed, status, valid_status, varint};

/// The longest accepted text, in bytes.
const LONGEST: usize = 3 * 32_767;

pub fn cases() -> Vec<HostileCase> {
    let second = Duration::from_secs(1);
    // Each byte arrives before a timeout per read would end.
    let in_time = Duration::from_millis(450);
    let noise: Vec<u8> = (0..8192_u32).map(|i| (i.wrapping_mul(2_654_435_761) >> 13) as u8 | 0x80).collect();
    let text = |length: i32| framed(&[&[0], varint(length).as_slice(), b"{}"].concat());
    let most = varint(LONGEST as i32 + 4);
    vec![
        java("no reply", TcpBehavior::Reply(vec![]), Expected::Timeout),
        java("never accepting", TcpBehavior::NeverAccepts, Expected::Timeout),
        java("nothing listens", TcpBehavior::NotListening, Expected::Refused),
        java("closes at once", TcpBehavior::Close, Expected::Closed),
        java("resets at once", TcpBehavior::Reset, Expected::Closed),
        java("closes after the request", TcpBehavior::ReplyAndClose(vec![]), Expected::Closed),
        java("resets after the request", TcpBehavior::ReplyAndReset(vec![]), Expected::Closed),
        java("closes within the reply", TcpBehavior::ReplyAndClose(valid_status()[..60].to_vec()), Expected::Closed),
        java("resets within the reply", TcpBehavior::ReplyAndReset(valid_status()[..60].to_vec()), Expected::Closed),
        java("a byte a second", TcpBehavior::ByteByByte(valid_status(), second), Expected::Timeout),
        java("a byte every 450 ms", TcpBehavior::ByteByByte(valid_status(), in_time), Expected::Timeout),
        java(
            "an endless varint, a byte every 450 ms",
            TcpBehavior::ByteByByte(vec![0x80; 100], in_time),
            Expected::Timeout,
        ),
        java("an endless varint", TcpBehavior::Endless(vec![], vec![0xff; 4096]), Expected::InvalidReply),
        java("a length of 2 GiB", TcpBehavior::Reply(varint(i32::MAX)), Expected::InvalidReply),
        java(
            "a length of 2 GiB and endless data",
            TcpBehavior::Endless(varint(i32::MAX), vec![b'x'; 1 << 16]),
            Expected::InvalidReply,
        ),
        java("a negative length", TcpBehavior::Reply(varint(-1)), Expected::InvalidReply),
        java("a length of zero", TcpBehavior::Reply(vec![0]), Expected::InvalidReply),
        java("endless zero lengths", TcpBehavior::Endless(vec![], vec![0; 4096]), Expected::InvalidReply),
        java("the longest length and no data", TcpBehavior::Reply(most.clone()), Expected::Timeout),
        java(
            "the longest length, a byte every 450 ms",
            TcpBehavior::ByteByByte([&most, &[0; 99][..]].concat(), in_time),
            Expected::Timeout,
        ),
        java(
            "the longest packet without its last byte",
            TcpBehavior::Reply([&most, &[0][..], vec![b' '; LONGEST + 2].as_slice()].concat()),
            Expected::Timeout,
        ),
        java(
            "the longest packet, of noise",
            TcpBehavior::Endless([&most, &[0][..]].concat(), noise.clone()),
            Expected::InvalidReply,
        ),
        java("endless letters", TcpBehavior::Endless(vec![], vec![b'A'; 1 << 16]), Expected::InvalidReply),
        java("endless noise", TcpBehavior::Endless(vec![], noise), Expected::InvalidReply),
        java("another packet id", TcpBehavior::Reply(framed(&[1, 0, 0, 0, 0, 0, 0, 0, 7])), Expected::InvalidReply),
        java("a negative packet id", TcpBehavior::Reply(framed(&varint(-1))), Expected::InvalidReply),
        java("a text longer than its packet", TcpBehavior::Reply(text(100)), Expected::InvalidReply),
        java("a text of negative length", TcpBehavior::Reply(text(-2)), Expected::InvalidReply),
        java("a text of 2 GiB", TcpBehavior::Reply(text(i32::MAX)), Expected::InvalidReply),
        java(
            "two replies at once",
            TcpBehavior::Reply([valid_status(), status(b"{}")].concat()),
            Expected::Reply(any_reply),
        ),
        java(
            "a reply in single bytes",
            TcpBehavior::ByteByByte(valid_status(), Duration::ZERO),
            Expected::Reply(any_reply),
        ),
        java("a reply before the request", TcpBehavior::ReplyFirst(valid_status()), Expected::Reply(any_reply)),
        java(
            "a reply and endless data",
            TcpBehavior::Endless(valid_status(), vec![0xff; 1 << 16]),
            Expected::Reply(any_reply),
        ),
        java("an echo", TcpBehavior::Echo, Expected::InvalidReply),
        java(
            "HTTP",
            TcpBehavior::ReplyAndClose(b"HTTP/1.1 400 Bad Request\r\ncontent-length: 0\r\n\r\n".to_vec()),
            Expected::InvalidReply,
        ),
        java("TLS", TcpBehavior::ReplyAndClose(vec![0x15, 3, 1, 0, 2, 2, 70]), Expected::InvalidReply),
        java("SSH", TcpBehavior::Reply(b"SSH-2.0-OpenSSH_9.9\r\n".to_vec()), Expected::InvalidReply),
        java(
            "FTP, line by line",
            TcpBehavior::ByteByByte(b"220-Welcome\r\n".repeat(40), Duration::ZERO),
            Expected::InvalidReply,
        ),
    ]
}
