//! Sound messages with a few bytes flipped, cut, doubled or put in: what is almost right gets further into a codec than noise.

use proptest::prelude::*;

use super::testing;
use rollcall_paint::redraw_icon;
use rollcall_ping::codec::{self, Frames, flatten};
use rollcall_ping::{Legacy, Status};

/// Cases of each codec. A fixed number: the tests of every day must end.
const CASES: u32 = 3_000;

/// One change to a message; places are taken modulo its length.
#[derive(Clone, Debug)]
enum Change {
    Flip(usize, u8),
    Set(usize, u8),
    Insert(usize, Vec<u8>),
    Delete(usize, usize),
    Repeat(usize, usize, usize),
    Cut(usize),
}

fn change() -> impl Strategy<Value = Change> {
    // Bytes that mean something somewhere: ends, lengths, marks, brackets.
    let telling = prop::sample::select(b"\0\x01\x7f\x80\xff\xfe\x1c\t;\"{}[]:,\\\xa7\xc2\xd8-+e0".to_vec());
    prop_oneof![
        (any::<usize>(), 1..=255_u8).prop_map(|(at, bits)| Change::Flip(at, bits)),
        (any::<usize>(), telling).prop_map(|(at, byte)| Change::Set(at, byte)),
        (any::<usize>(), prop::collection::vec(any::<u8>(), 1..9)).prop_map(|(at, bytes)| Change::Insert(at, bytes)),
        (any::<usize>(), 1..40_usize).prop_map(|(at, count)| Change::Delete(at, count)),
        (any::<usize>(), 1..40_usize, 1..60_usize).prop_map(|(at, count, times)| Change::Repeat(at, count, times)),
        any::<usize>().prop_map(Change::Cut),
    ]
}

impl Change {
    fn apply(&self, message: &mut Vec<u8>) {
        let length = message.len();
        let place = |at: usize| at.checked_rem(length).unwrap_or(0);
        match self {
            Self::Flip(..) | Self::Set(..) if length == 0 => {}
            Self::Flip(at, bits) => message[place(*at)] ^= bits,
            Self::Set(at, byte) => message[place(*at)] = *byte,
            Self::Insert(at, bytes) => drop(message.splice(place(*at)..place(*at), bytes.iter().copied())),
            Self::Delete(at, count) => drop(message.drain(place(*at)..(place(*at) + count).min(length))),
            Self::Repeat(at, count, times) => {
                let part = message[place(*at)..(place(*at) + count).min(length)].repeat(*times);
                message.splice(place(*at)..place(*at), part);
            }
            Self::Cut(at) => message.truncate(place(*at)),
        }
    }
}

/// Mutants of one of these.
fn mutants(sound: Vec<Vec<u8>>) -> impl Strategy<Value = Vec<u8>> {
    (prop::sample::select(sound), prop::collection::vec(change(), 1..6)).prop_map(|(mut message, changes)| {
        changes.iter().for_each(|change| change.apply(&mut message));
        message
    })
}

fn try_all(sound: Vec<Vec<u8>>, read: impl Fn(&[u8])) {
    let mut runner =
        proptest::test_runner::TestRunner::new(ProptestConfig { cases: CASES, ..ProptestConfig::default() });
    let tried = runner.run(&mutants(sound), |mutant| {
        read(&mutant);
        Ok(())
    });
    tried.unwrap_or_else(|failure| panic!("{failure}"));
}

/// Whatever is read of a mutant has the bounds that everything has.
fn assert_bounded(status: &Status) {
    assert!(status.version.chars().count() <= 100 && status.motd_raw.chars().count() <= 4_096, "{status:?}");
    assert!(status.sample.len() <= 2_000 && i32::try_from(status.protocol).is_ok(), "{status:?}");
    let names = status.sample.iter().map(|seen| seen.name.as_str());
    for text in names.chain([status.version.as_str(), &status.motd_raw.replace('\n', "")]) {
        assert!(!text.contains(char::is_control), "{text:?}");
    }
}

const SESSION: u32 = 0x1234_5678;
const STAMP: u64 = 7;

#[test]
fn almost_a_status() {
    let sound: Vec<Vec<u8>> = testing::says().iter().map(testing::java).collect();
    try_all(sound, |mutant| {
        let mut frames = Frames::new(1 << 17);
        frames.push(mutant);
        while let Ok(Some(message)) = frames.message() {
            if let Ok(status) = codec::status(message) {
                assert_bounded(&status);
            }
        }
        // With its frame mended, so that what is inside is read.
        if let Ok(status) = codec::status(mutant.get(3..).unwrap_or_default()) {
            assert_bounded(&status);
        }
    });
}

#[test]
fn almost_a_text_component() {
    let sound = [
        r##"{"text":"a","color":"red","bold":true,"extra":["b",{"text":"c","color":"#ff8800","extra":[7,true]}]}"##,
        r#"[{"text":"a","italic":"true"},"§lb",{"translate":"x","with":["y"]},[["z"]]]"#,
    ];
    try_all(sound.map(|json| json.as_bytes().to_vec()).to_vec(), |mutant| {
        if let Ok(component) = serde_json::from_slice(mutant) {
            let text = flatten(&component);
            assert!(text.chars().count() <= 4_096 && !text.replace('\n', "").contains(char::is_control));
            rollcall_paint::motd(&text);
        }
    });
}

#[test]
fn almost_an_old_answer() {
    let sound = testing::says().iter().flat_map(testing::legacy).collect();
    try_all(sound, |mutant| {
        if let Ok(Some(status)) = codec::legacy_reply(mutant) {
            assert_bounded(&status);
        }
    });
}

#[test]
fn almost_a_pong() {
    let sound = testing::says().iter().map(|says| testing::bedrock(says, STAMP)).collect();
    try_all(sound, |mutant| {
        if let Ok(status) = codec::pong(mutant, STAMP) {
            assert_bounded(&status);
        }
    });
}

#[test]
fn almost_an_answer_to_a_query() {
    let session = (SESSION & 0x0f0f_0f0f).to_be_bytes();
    let sound = testing::says().iter().flat_map(|says| testing::query(says, session)).collect();
    try_all(sound, |mutant| {
        let _ = codec::challenge(mutant, SESSION);
        if let Ok(status) = codec::full_stat(mutant, SESSION) {
            assert_bounded(&status);
        }
    });
}

#[test]
fn almost_a_question_to_a_server_of_our_own() {
    let sound = vec![
        codec::handshake("play.example", 25_565, -1),
        codec::STATUS_REQUEST.to_vec(),
        codec::legacy_request(Legacy::V1_6, "play.example", 25_565),
        codec::unconnected_ping(STAMP, 9),
        codec::query_challenge(SESSION),
        codec::query_request(SESSION, -17),
    ];
    try_all(sound, testing::hear);
}

#[test]
fn almost_an_icon() {
    let sound = vec![rollcall_paint::icon("Emberfall", 7), rollcall_paint::icon("x", 1), rollcall_paint::motd("§ax")];
    try_all(sound, |mutant| {
        if let Some(drawn) = redraw_icon(mutant) {
            assert_eq!(redraw_icon(&drawn).as_ref(), Some(&drawn), "what is drawn is an icon");
        }
    });
}
