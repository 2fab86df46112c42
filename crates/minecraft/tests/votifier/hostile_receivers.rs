//! Receivers that break the protocol. Each is a script of what to write and when to close; it also counts what it was sent.

use std::net::SocketAddr;
use std::sync::{Arc, LazyLock};
use std::time::Duration;

use rollcall_minecraft::votifier::test_keys::TestKey;
use rollcall_minecraft::votifier::{NotSent, Outcome, Protocol, Receiver, Rejected, Uncertain, Vote, send};
use rollcall_minecraft::{Resolver, SsrfGuard};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::task::JoinHandle;
use tokio::time::Instant;

static KEY: LazyLock<Arc<TestKey>> = LazyLock::new(|| Arc::new(TestKey::generate()));
/// Long enough for a busy machine; no test waits for it.
const TIMEOUT: Duration = Duration::from_secs(60);
const GREETING: &[u8] = b"VOTIFIER 2 0123456789abcdef\n";

#[derive(Clone, Copy)]
enum Step {
    Write(&'static [u8]),
    /// Writes the same bytes until the other side closes.
    Flood(&'static [u8]),
    /// Reads a v1 block or a whole v2 frame.
    ReadVote,
    /// Reads only this many bytes of the vote.
    ReadSome(usize),
    /// Closes with a reset instead of properly.
    Reset,
}

/// Serves one connection, and returns all bytes that it was sent.
async fn serve(steps: Vec<Step>) -> (SocketAddr, JoinHandle<Vec<u8>>) {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    let serving = tokio::spawn(async move {
        let (mut stream, _) = listener.accept().await.unwrap();
        let mut read = Vec::new();
        for step in steps {
            if play(&mut stream, step, &mut read).await.is_err() {
                return read;
            }
            if matches!(step, Step::Reset) {
                return read;
            }
        }
        // Whatever else the sender writes, until it closes.
        let _ = stream.shutdown().await;
        let _ = stream.read_to_end(&mut read).await;
        read
    });
    (address, serving)
}

async fn play(stream: &mut TcpStream, step: Step, read: &mut Vec<u8>) -> std::io::Result<()> {
    match step {
        Step::Write(bytes) => stream.write_all(bytes).await,
        Step::Flood(bytes) => loop {
            stream.write_all(bytes).await?;
        },
        Step::ReadVote => {
            let mut start = [0; 4];
            stream.read_exact(&mut start).await?;
            read.extend(start);
            let is_v2 = start[..2] == [0x73, 0x3a];
            let rest = if is_v2 { usize::from(u16::from_be_bytes([start[2], start[3]])) } else { 252 };
            let mut bytes = vec![0; rest];
            stream.read_exact(&mut bytes).await?;
            read.extend(bytes);
            Ok(())
        }
        Step::ReadSome(count) => {
            let mut bytes = vec![0; count];
            stream.read_exact(&mut bytes).await?;
            read.extend(bytes);
            Ok(())
        }
        Step::Reset => stream.set_zero_linger(),
    }
}

async fn send_to(address: SocketAddr, protocol: Protocol) -> Outcome {
    let receiver = Receiver { host: "127.0.0.1".parse().unwrap(), port: address.port(), protocol };
    let vote = Vote::new("Rollcall", "Notch", "198.51.100.7", 1_767_225_600_999, None).unwrap();
    let resolver = Resolver::dns(Some(([127, 0, 0, 1], 9).into())).unwrap();
    send(&vote, &receiver, &resolver, &SsrfGuard::new(true), Instant::now() + TIMEOUT).await
}

fn v1() -> Protocol {
    Protocol::V1(Box::new(KEY.public_key().parse().unwrap()))
}

fn v2() -> Protocol {
    Protocol::V2("s3cr3t".parse().unwrap())
}

/// Plays the steps against a sender; returns the outcome and the bytes that the receiver was sent.
async fn deliver(protocol: Protocol, steps: &[Step]) -> (Outcome, Vec<u8>) {
    let (address, serving) = serve(steps.to_vec()).await;
    let outcome = send_to(address, protocol).await;
    (outcome, serving.await.unwrap())
}

#[tokio::test]
async fn a_wrong_greeting_gets_no_vote() {
    let wrong = |text: &str| NotSent::WrongGreeting(text.into());
    let long: &'static [u8] = b"VOTIFIER 2 xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx";
    let cases: [(&[Step], NotSent); 8] = [
        (&[], NotSent::Closed),
        (&[Step::Reset], NotSent::Closed),
        (&[Step::Write(b"VOTIFIER 2 012345")], NotSent::Closed),
        (&[Step::Write(b"SSH-2.0-OpenSSH_9.2\r\n")], wrong("SSH-2.0-OpenSSH_9.2")),
        (&[Step::Write(b"VOTIFIER 2 a\n{\"status\":\"ok\"}\n")], wrong("VOTIFIER 2 a{\"status\":\"ok\"}")),
        (&[Step::Write(b"VOTIFIER 3 a\n")], NotSent::NoV2("3".into())),
        (&[Step::Write(b"VOTIFIER 2\n")], NotSent::NoV2("2".into())),
        (&[Step::Flood(long)], NotSent::NoGreeting),
    ];
    for (steps, expected) in cases {
        let (outcome, read) = deliver(v2(), steps).await;
        match (&expected, &outcome) {
            // The flood has no line break: only that it was noticed counts here.
            (NotSent::NoGreeting, Outcome::NotSent(NotSent::WrongGreeting(shown))) => assert!(shown.len() <= 60),
            _ => assert_eq!(outcome, Outcome::NotSent(expected)),
        }
        assert_eq!(read, b"", "{outcome:?}");
    }
}

#[tokio::test]
async fn a_challenge_that_does_not_fit_gets_no_vote() {
    let greeting = format!("VOTIFIER 2 {}\n", "\"".repeat(244)).into_bytes();
    let (outcome, read) = deliver(v2(), &[Step::Write(greeting.leak())]).await;
    assert_eq!(outcome, Outcome::NotSent(NotSent::WrongGreeting("the challenge is too long".into())));
    assert_eq!(read, b"");
}

#[tokio::test]
async fn a_bad_answer_leaves_the_vote_uncertain_and_sent_once() {
    let invalid = Uncertain::InvalidAnswer;
    let cases: [(&[Step], Uncertain); 8] = [
        (&[], Uncertain::Closed),
        (&[Step::Write(b"{\"status\":\"ok\"")], Uncertain::Closed),
        (&[Step::Write(b"OK\r\n")], invalid("the answer is not JSON")),
        (&[Step::Write(b"{\"status\":\"maybe\"}\r\n")], invalid("the answer has no known status")),
        (&[Step::Write(b"[1]")], invalid("the answer has no known status")),
        (&[Step::Write(b"{\"status\":7}")], invalid("the answer has no known status")),
        (&[Step::Flood(b"                                ")], invalid("the answer is too long")),
        (
            &[Step::Write(b"{\"status\":\"error\",\"error\":\""), Step::Flood(b"xxxxxxxx")],
            invalid("the answer is too long"),
        ),
    ];
    for (answer, expected) in cases {
        let steps = [&[Step::Write(GREETING), Step::ReadVote], answer].concat();
        let (outcome, read) = deliver(v2(), &steps).await;
        assert_eq!(outcome, Outcome::Uncertain(expected));
        assert_one_frame(&read);
    }
}

#[tokio::test]
async fn a_reset_after_the_vote_leaves_it_uncertain() {
    for protocol in [v1(), v2()] {
        let (outcome, _) = deliver(protocol, &[Step::Write(GREETING), Step::ReadSome(100), Step::Reset]).await;
        assert!(matches!(outcome, Outcome::Uncertain(Uncertain::Broken(_))), "{outcome:?}");
    }
}

#[tokio::test]
async fn greeting_and_answer_may_come_in_pieces() {
    let steps = [
        Step::Write(b"VOTIF"),
        Step::Write(b"IER 2 0123"),
        Step::Write(b"456789abcdef\n"),
        Step::ReadVote,
        Step::Write(b"{\"sta"),
        Step::Write(b"tus\":\"ok\"}"),
    ];
    let (outcome, read) = deliver(v2(), &steps).await;
    assert_eq!(outcome, Outcome::Delivered);
    assert_one_frame(&read);
}

#[tokio::test]
async fn the_answer_of_a_v1_receiver_is_accepted_if_there_is_one() {
    let error = b"{\"status\":\"error\",\"cause\":\"\",\"error\":\"Full\"}\r\n";
    let cases: [(&[u8], Outcome); 3] = [
        (b"{\"status\":\"ok\"}\r\n", Outcome::Delivered),
        (error, Outcome::Rejected(Rejected::Other("Full".into()))),
        (b"thanks", Outcome::Delivered),
    ];
    for (answer, expected) in cases {
        let (outcome, read) = deliver(v1(), &[Step::Write(GREETING), Step::ReadVote, Step::Write(answer)]).await;
        assert_eq!((outcome, read.len()), (expected, 256));
    }
}

#[tokio::test]
async fn a_v1_receiver_decides_by_how_it_closes() {
    let start = [Step::Write(b"VOTIFIER 1.9\n"), Step::ReadVote];
    let (outcome, read) = deliver(v1(), &start).await;
    assert_eq!((outcome, read.len()), (Outcome::Delivered, 256));
    let text = KEY.decrypt(&read.try_into().unwrap()).unwrap();
    assert_eq!(text, b"VOTE\nRollcall\nNotch\n198.51.100.7\n1767225600\n");
    let (outcome, read) = deliver(v1(), &[&start[..], &[Step::Reset]].concat()).await;
    assert!(matches!(outcome, Outcome::Uncertain(Uncertain::Broken(_))), "{outcome:?}");
    assert_eq!(read.len(), 256);
    let (outcome, read) = deliver(v1(), &[&start[..], &[Step::Flood(b"thanks ")]].concat()).await;
    assert_eq!(outcome, Outcome::Uncertain(Uncertain::InvalidAnswer("the receiver sends data without end")));
    assert_eq!(read.len(), 256);
}

/// The receiver was sent exactly one frame and nothing after it.
fn assert_one_frame(read: &[u8]) {
    assert_eq!(&read[..2], [0x73, 0x3a]);
    assert_eq!(usize::from(u16::from_be_bytes([read[2], read[3]])) + 4, read.len());
}
