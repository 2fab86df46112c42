//! Mutation tests of the codecs. Valid messages with a few changed bytes reach deeper into a decoder than random bytes.

use proptest::prelude::*;

use super::test_messages;
use rollcall_minecraft::codec::{self, FrameBuffer, flatten};
use rollcall_minecraft::{LegacyVersion, ServerStatus};
use rollcall_paint::sanitize_icon;

/// Cases per codec.
const CASES: u32 = 3_000;

/// One change to a message. Positions are taken modulo its length.
#[derive(Clone, Debug)]
enum Mutation {
    Flip(usize, u8),
    Set(usize, u8),
    Insert(usize, Vec<u8>),
    Delete(usize, usize),
    Repeat(usize, usize, usize),
    Truncate(usize),
}

fn mutation() -> impl Strategy<Value = Mutation> {
    // Bytes with a meaning in some protocol: terminators, lengths, markers, brackets.
    let special = prop::sample::select(b"\0\x01\x7f\x80\xff\xfe\x1c\t;\"{}[]:,\\\xa7\xc2\xd8-+e0".to_vec());
    prop_oneof![
        (any::<usize>(), 1..=255_u8).prop_map(|(at, bits)| Mutation::Flip(at, bits)),
        (any::<usize>(), special).prop_map(|(at, byte)| Mutation::Set(at, byte)),
        (any::<usize>(), prop::collection::vec(any::<u8>(), 1..9)).prop_map(|(at, bytes)| Mutation::Insert(at, bytes)),
        (any::<usize>(), 1..40_usize).prop_map(|(at, count)| Mutation::Delete(at, count)),
        (any::<usize>(), 1..40_usize, 1..60_usize).prop_map(|(at, count, times)| Mutation::Repeat(at, count, times)),
        any::<usize>().prop_map(Mutation::Truncate),
    ]
}

impl Mutation {
    fn apply(&self, message: &mut Vec<u8>) {
        let length = message.len();
        let position = |at: usize| at.checked_rem(length).unwrap_or(0);
        match self {
            Self::Flip(..) | Self::Set(..) if length == 0 => {}
            Self::Flip(at, bits) => message[position(*at)] ^= bits,
            Self::Set(at, byte) => message[position(*at)] = *byte,
            Self::Insert(at, bytes) => drop(message.splice(position(*at)..position(*at), bytes.iter().copied())),
            Self::Delete(at, count) => drop(message.drain(position(*at)..(position(*at) + count).min(length))),
            Self::Repeat(at, count, times) => {
                let part = message[position(*at)..(position(*at) + count).min(length)].repeat(*times);
                message.splice(position(*at)..position(*at), part);
            }
            Self::Truncate(at) => message.truncate(position(*at)),
        }
    }
}

fn mutants(valid: Vec<Vec<u8>>) -> impl Strategy<Value = Vec<u8>> {
    (prop::sample::select(valid), prop::collection::vec(mutation(), 1..6)).prop_map(|(mut message, mutations)| {
        mutations.iter().for_each(|mutation| mutation.apply(&mut message));
        message
    })
}

fn decode_mutants(valid: Vec<Vec<u8>>, decode: impl Fn(&[u8])) {
    let mut runner =
        proptest::test_runner::TestRunner::new(ProptestConfig { cases: CASES, ..ProptestConfig::default() });
    let outcome = runner.run(&mutants(valid), |mutant| {
        decode(&mutant);
        Ok(())
    });
    outcome.unwrap_or_else(|failure| panic!("{failure}"));
}

/// A status decoded from a mutant must respect all limits.
fn assert_bounded(status: &ServerStatus) {
    assert!(status.version.chars().count() <= 100 && status.motd_raw.chars().count() <= 4_096, "{status:?}");
    assert!(status.sample.len() <= 2_000 && i32::try_from(status.protocol).is_ok(), "{status:?}");
    let names = status.sample.iter().map(|player| player.name.as_str());
    for text in names.chain([status.version.as_str(), &status.motd_raw.replace('\n', "")]) {
        assert!(!text.contains(char::is_control), "{text:?}");
    }
}

const SESSION: u32 = 0x1234_5678;
const TIMESTAMP: u64 = 7;

#[test]
fn mutated_java_status() {
    let valid: Vec<Vec<u8>> = test_messages::statuses().iter().map(test_messages::java_status).collect();
    decode_mutants(valid, |mutant| {
        let mut frames = FrameBuffer::new(1 << 17);
        frames.push(mutant);
        while let Ok(Some(message)) = frames.next_message() {
            if let Ok(status) = codec::decode_status(message) {
                assert_bounded(&status);
            }
        }
        // Also without the length prefix, so that a broken frame does not hide the content.
        if let Ok(status) = codec::decode_status(mutant.get(3..).unwrap_or_default()) {
            assert_bounded(&status);
        }
    });
}

#[test]
fn mutated_chat_component() {
    let valid = [
        r##"{"text":"a","color":"red","bold":true,"extra":["b",{"text":"c","color":"#ff8800","extra":[7,true]}]}"##,
        r#"[{"text":"a","italic":"true"},"§lb",{"translate":"x","with":["y"]},[["z"]]]"#,
    ];
    decode_mutants(valid.map(|json| json.as_bytes().to_vec()).to_vec(), |mutant| {
        if let Ok(component) = serde_json::from_slice(mutant) {
            let text = flatten(&component);
            assert!(text.chars().count() <= 4_096 && !text.replace('\n', "").contains(char::is_control));
            rollcall_paint::motd(&text);
        }
    });
}

#[test]
fn mutated_legacy_reply() {
    let valid = test_messages::statuses().iter().flat_map(test_messages::legacy_replies).collect();
    decode_mutants(valid, |mutant| {
        if let Ok(Some(status)) = codec::decode_legacy_reply(mutant) {
            assert_bounded(&status);
        }
    });
}

#[test]
fn mutated_bedrock_pong() {
    let valid = test_messages::statuses().iter().map(|status| test_messages::bedrock_pong(status, TIMESTAMP)).collect();
    decode_mutants(valid, |mutant| {
        if let Ok(status) = codec::decode_pong(mutant, TIMESTAMP) {
            assert_bounded(&status);
        }
    });
}

#[test]
fn mutated_query_response() {
    let session = (SESSION & 0x0f0f_0f0f).to_be_bytes();
    let valid =
        test_messages::statuses().iter().flat_map(|status| test_messages::query_responses(status, session)).collect();
    decode_mutants(valid, |mutant| {
        let _ = codec::decode_challenge(mutant, SESSION);
        if let Ok(status) = codec::decode_full_stat(mutant, SESSION) {
            assert_bounded(&status);
        }
    });
}

#[test]
fn mutated_requests_to_fake_servers() {
    let valid = vec![
        codec::encode_handshake("play.example", 25_565, -1),
        codec::STATUS_REQUEST.to_vec(),
        codec::encode_legacy_request(LegacyVersion::V1_6, "play.example", 25_565),
        codec::encode_unconnected_ping(TIMESTAMP, 9),
        codec::encode_challenge_request(SESSION),
        codec::encode_full_stat_request(SESSION, -17),
    ];
    decode_mutants(valid, test_messages::parse_with_every_protocol);
}

#[test]
fn mutated_icon() {
    let valid = vec![rollcall_paint::icon("Emberfall", 7), rollcall_paint::icon("x", 1), rollcall_paint::motd("§ax")];
    decode_mutants(valid, |mutant| {
        if let Some(icon) = sanitize_icon(mutant) {
            assert_eq!(sanitize_icon(&icon).as_ref(), Some(&icon), "the result is a valid icon");
        }
    });
}
