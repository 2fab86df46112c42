//! Deliveries through the public door, over real sockets: to a receiver that behaves or fails in known ways.

use std::collections::HashMap;
use std::net::SocketAddr;
use std::sync::{Arc, LazyLock};
use std::time::Duration;

use rollcall_minecraft::votifier::fake_receiver::{Behaviour, FakeReceiver, ReceivedVote, Settings};
use rollcall_minecraft::votifier::test_keys::TestKey;
use rollcall_minecraft::votifier::{NotSent, Outcome, Protocol, Receiver, Rejected, Uncertain, Vote, send};
use rollcall_minecraft::{ForbiddenAddress, ForbiddenPort, PingError, Resolver, SsrfGuard};
use tokio::time::Instant;
use uuid::Uuid;

static KEY: LazyLock<Arc<TestKey>> = LazyLock::new(|| Arc::new(TestKey::generate()));
const TOKEN: &str = "s3cr3t";
/// Long enough for a busy machine; no test waits for it.
const TIMEOUT: Duration = Duration::from_secs(60);
/// For receivers that never answer: the test waits for all of it.
const SHORT: Duration = Duration::from_millis(300);

fn vote() -> Vote {
    let uuid = Uuid::try_parse("069a79f444e94726a5befca90e38aaf5").unwrap();
    Vote::new("Rollcall", "Notch", "198.51.100.7", 1_767_225_600_999, Some(uuid)).unwrap()
}

fn received(version: u8) -> ReceivedVote {
    ReceivedVote {
        version,
        service: "Rollcall".into(),
        username: "Notch".into(),
        address: "198.51.100.7".into(),
        timestamp: if version == 1 { "1767225600" } else { "1767225600999" }.into(),
        uuid: (version == 2).then(|| "069a79f4-44e9-4726-a5be-fca90e38aaf5".into()),
    }
}

fn v1() -> Protocol {
    Protocol::V1(Box::new(KEY.public_key().parse().unwrap()))
}

fn v2() -> Protocol {
    Protocol::V2(TOKEN.parse().unwrap())
}

fn both_versions() -> Settings {
    let key = KEY.clone();
    Settings { decrypt: Some(Arc::new(move |block| key.decrypt(block))), ..Settings::with_token(TOKEN) }
}

async fn send_to(address: SocketAddr, protocol: Protocol, timeout: Duration) -> Outcome {
    let receiver = Receiver { host: address.ip().to_string().parse().unwrap(), port: address.port(), protocol };
    send(&vote(), &receiver, &resolver(), &SsrfGuard::new(true), Instant::now() + timeout).await
}

/// Sends no query: only names need a name server.
fn resolver() -> Resolver {
    Resolver::dns(Some(([127, 0, 0, 1], 9).into())).unwrap()
}

#[tokio::test]
async fn votes_of_both_versions_arrive_once() {
    let receiver = FakeReceiver::start(both_versions()).await.unwrap();
    for protocol in [v2(), v1(), v2()] {
        assert_eq!(send_to(receiver.address(), protocol, TIMEOUT).await, Outcome::Delivered);
    }
    assert_eq!(receiver.votes(), [received(2), received(1), received(2)]);
    assert_eq!(receiver.connections(), 3);
}

#[tokio::test]
async fn an_old_receiver_gets_v1_and_never_a_token() {
    let settings = Settings { tokens: HashMap::new(), ..both_versions() };
    let receiver = FakeReceiver::start(settings).await.unwrap();
    assert_eq!(send_to(receiver.address(), v1(), TIMEOUT).await, Outcome::Delivered);
    let outcome = send_to(receiver.address(), v2(), TIMEOUT).await;
    assert_eq!(outcome, Outcome::NotSent(NotSent::NoV2("1.9".into())));
    assert_eq!(receiver.votes(), [received(1)]);
}

#[tokio::test]
async fn errors_of_the_receiver_are_put_in_words() {
    let receiver = FakeReceiver::start(Settings::with_token("another")).await.unwrap();
    let outcome = send_to(receiver.address(), v2(), TIMEOUT).await;
    assert_eq!(outcome, Outcome::Rejected(Rejected::WrongToken));
    let tokens = HashMap::from([("Another list".to_owned(), TOKEN.to_owned())]);
    let strict = FakeReceiver::start(Settings { tokens, decrypt: None }).await.unwrap();
    let outcome = send_to(strict.address(), v2(), TIMEOUT).await;
    assert_eq!(outcome, Outcome::Rejected(Rejected::UnknownService));
    for (error, expected) in [
        ("Challenge is not valid", Rejected::WrongChallenge),
        ("No space left", Rejected::Other("No space left (IOException)".into())),
    ] {
        receiver.set_behaviour(Behaviour::ErrorAnswer { cause: "IOException".into(), error: error.into() });
        assert_eq!(send_to(receiver.address(), v2(), TIMEOUT).await, Outcome::Rejected(expected));
    }
    assert_eq!((receiver.votes(), strict.votes()), (vec![], vec![]));
}

#[tokio::test]
async fn a_vote_without_an_answer_is_uncertain_and_was_sent_once() {
    let receiver = FakeReceiver::start(both_versions()).await.unwrap();
    receiver.set_behaviour(Behaviour::CloseAfterRead);
    assert_eq!(send_to(receiver.address(), v2(), TIMEOUT).await, Outcome::Uncertain(Uncertain::Closed));
    receiver.set_behaviour(Behaviour::NeverAnswer);
    assert_eq!(send_to(receiver.address(), v2(), SHORT).await, Outcome::Uncertain(Uncertain::TimedOut));
    assert_eq!(send_to(receiver.address(), v1(), SHORT).await, Outcome::Uncertain(Uncertain::TimedOut));
    assert_eq!(receiver.votes(), [received(2), received(2), received(1)]);
    assert_eq!(receiver.connections(), 3);
}

#[tokio::test]
async fn a_silent_receiver_was_sent_nothing() {
    let receiver = FakeReceiver::start(both_versions()).await.unwrap();
    receiver.set_behaviour(Behaviour::NoGreeting);
    for protocol in [v1(), v2()] {
        assert_eq!(send_to(receiver.address(), protocol, SHORT).await, Outcome::NotSent(NotSent::NoGreeting));
    }
    assert_eq!(receiver.votes(), []);
}

#[tokio::test]
async fn a_slow_receiver_has_until_the_deadline() {
    let receiver = FakeReceiver::start(both_versions()).await.unwrap();
    receiver.set_behaviour(Behaviour::Slow(Duration::from_millis(1)));
    for protocol in [v1(), v2()] {
        assert_eq!(send_to(receiver.address(), protocol, TIMEOUT).await, Outcome::Delivered);
    }
    receiver.set_behaviour(Behaviour::Slow(TIMEOUT));
    assert_eq!(send_to(receiver.address(), v2(), SHORT).await, Outcome::NotSent(NotSent::NoGreeting));
    assert_eq!(receiver.votes(), [received(1), received(2)]);
}

#[tokio::test]
async fn a_receiver_that_was_offline_gets_the_vote_when_it_is_back() {
    let receiver = FakeReceiver::start(both_versions()).await.unwrap();
    let address = receiver.address();
    receiver.stop().await;
    let outcome = send_to(address, v2(), TIMEOUT).await;
    assert_eq!(outcome, Outcome::NotSent(NotSent::NoConnection(PingError::Refused(address.ip()))));
    let receiver = FakeReceiver::start_at(address, both_versions()).await.unwrap();
    assert_eq!(send_to(address, v2(), TIMEOUT).await, Outcome::Delivered);
    assert_eq!(receiver.votes(), [received(2)]);
}

#[tokio::test]
async fn the_ssrf_guard_stops_a_delivery_before_it_connects() {
    let receiver = FakeReceiver::start(both_versions()).await.unwrap();
    let target = |host: &str, port| Receiver { host: host.parse().unwrap(), port, protocol: v2() };
    let deadline = Instant::now() + TIMEOUT;
    for host in ["127.0.0.1", "::ffff:127.0.0.1", "10.0.0.1", "169.254.169.254"] {
        let to = target(host, receiver.address().port());
        let outcome = send(&vote(), &to, &resolver(), &SsrfGuard::new(false), deadline).await;
        let Outcome::NotSent(NotSent::NoConnection(PingError::Forbidden(ForbiddenAddress { .. }))) = outcome else {
            panic!("{host}: {outcome:?}");
        };
    }
    let outcome = send(&vote(), &target("1.1.1.1", 25), &resolver(), &SsrfGuard::new(false), deadline).await;
    assert_eq!(outcome, Outcome::NotSent(NotSent::NoConnection(PingError::ForbiddenPort(ForbiddenPort(25)))));
    assert_eq!(receiver.connections(), 0);
}

#[tokio::test]
async fn hosts_are_found_by_the_resolver_of_the_pings() {
    let receiver = FakeReceiver::start(both_versions()).await.unwrap();
    let games = HashMap::from([(("votes.example".to_owned(), 8192), receiver.address())]);
    let resolver = Resolver::Static { games, queries: HashMap::new() };
    let deadline = Instant::now() + TIMEOUT;
    let target = |host: &str| Receiver { host: host.parse().unwrap(), port: 8192, protocol: v2() };
    let guard = SsrfGuard::new(false);
    assert_eq!(send(&vote(), &target("votes.example"), &resolver, &guard, deadline).await, Outcome::Delivered);
    let outcome = send(&vote(), &target("other.example"), &resolver, &guard, deadline).await;
    assert_eq!(outcome, Outcome::NotSent(NotSent::NoConnection(PingError::NameNotFound("other.example".into()))));
}

#[tokio::test]
async fn simultaneous_deliveries_do_not_mix() {
    let receiver = FakeReceiver::start(both_versions()).await.unwrap();
    let deliveries: Vec<_> = (0..64).map(|_| tokio::spawn(send_to(receiver.address(), v2(), TIMEOUT))).collect();
    for delivery in deliveries {
        assert_eq!(delivery.await.unwrap(), Outcome::Delivered);
    }
    assert_eq!(receiver.votes(), vec![received(2); 64]);
}
