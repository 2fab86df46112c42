//! Bytes that are no message, connections that lead nowhere, and those who take their time.

use std::time::Duration;

use super::{End, Kind, borne, java};
use crate::hostile::host::Tcp;
use crate::hostile::wire::{framed, good, status, varint};

/// What the longest message may say of itself.
const LONGEST: usize = 3 * 32_767;

pub fn kinds() -> Vec<Kind> {
    let second = Duration::from_secs(1);
    // Each arrives before the deadline it would have alone.
    let in_time = Duration::from_millis(450);
    let noise: Vec<u8> = (0..8192_u32).map(|i| (i.wrapping_mul(2_654_435_761) >> 13) as u8 | 0x80).collect();
    let text = |length: i32| framed(&[&[0], varint(length).as_slice(), b"{}"].concat());
    let most = varint(LONGEST as i32 + 4);
    vec![
        java("silent once connected", Tcp::Says(vec![]), End::Late),
        java("never accepting", Tcp::NeverAccepts, End::Late),
        java("not there", Tcp::Absent, End::Refused),
        java("hanging up at once", Tcp::HangsUp, End::Closed),
        java("resetting at once", Tcp::Drops, End::Closed),
        java("hanging up when asked", Tcp::Closes(vec![]), End::Closed),
        java("resetting when asked", Tcp::Resets(vec![]), End::Closed),
        java("hanging up half-way", Tcp::Closes(good()[..60].to_vec()), End::Closed),
        java("resetting half-way", Tcp::Resets(good()[..60].to_vec()), End::Closed),
        java("a byte a second", Tcp::Drips(good(), second), End::Late),
        java("a byte before every deadline", Tcp::Drips(good(), in_time), End::Late),
        java("a number that drips and does not end", Tcp::Drips(vec![0x80; 100], in_time), End::Late),
        java("a number that does not end", Tcp::Endless(vec![], vec![0xff; 4096]), End::Strange),
        java("a length of 2 GiB", Tcp::Says(varint(i32::MAX)), End::Strange),
        java("a length of 2 GiB that is kept", Tcp::Endless(varint(i32::MAX), vec![b'x'; 1 << 16]), End::Strange),
        java("a negative length", Tcp::Says(varint(-1)), End::Strange),
        java("no length", Tcp::Says(vec![0]), End::Strange),
        java("no lengths without end", Tcp::Endless(vec![], vec![0; 4096]), End::Strange),
        java("the longest message, without it", Tcp::Says(most.clone()), End::Late),
        java(
            "a byte before every deadline, of the longest",
            Tcp::Drips([&most, &[0; 99][..]].concat(), in_time),
            End::Late,
        ),
        java(
            "the longest message but for its last byte",
            Tcp::Says([&most, &[0][..], vec![b' '; LONGEST + 2].as_slice()].concat()),
            End::Late,
        ),
        java("the longest message, of noise", Tcp::Endless([&most, &[0][..]].concat(), noise.clone()), End::Strange),
        java("letters without end", Tcp::Endless(vec![], vec![b'A'; 1 << 16]), End::Strange),
        java("noise without end", Tcp::Endless(vec![], noise), End::Strange),
        java("another packet", Tcp::Says(framed(&[1, 0, 0, 0, 0, 0, 0, 0, 7])), End::Strange),
        java("a packet of a negative number", Tcp::Says(framed(&varint(-1))), End::Strange),
        java("a text longer than its message", Tcp::Says(text(100)), End::Strange),
        java("a text of negative length", Tcp::Says(text(-2)), End::Strange),
        java("a text of 2 GiB", Tcp::Says(text(i32::MAX)), End::Strange),
        java("two answers at once", Tcp::Says([good(), status(b"{}")].concat()), End::Told(borne)),
        java("an answer in single bytes", Tcp::Drips(good(), Duration::ZERO), End::Told(borne)),
        java("an answer before the question", Tcp::SaysFirst(good()), End::Told(borne)),
        java("an answer and a stream after it", Tcp::Endless(good(), vec![0xff; 1 << 16]), End::Told(borne)),
        java("an echo", Tcp::Echoes, End::Strange),
        java("HTTP", Tcp::Closes(b"HTTP/1.1 400 Bad Request\r\ncontent-length: 0\r\n\r\n".to_vec()), End::Strange),
        java("TLS", Tcp::Closes(vec![0x15, 3, 1, 0, 2, 2, 70]), End::Strange),
        java("SSH", Tcp::Says(b"SSH-2.0-OpenSSH_9.9\r\n".to_vec()), End::Strange),
        java("FTP, line by line", Tcp::Drips(b"220-Welcome\r\n".repeat(40), Duration::ZERO), End::Strange),
    ]
}
