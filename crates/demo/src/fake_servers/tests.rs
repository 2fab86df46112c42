//! The hosts asked by our own clients' codecs, over real sockets.

use std::io;
use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use serde_json::json;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpStream, UdpSocket};
use tokio::time::{sleep, timeout};

use super::*;
use crate::Scale;
use crate::rng::Seed;
use crate::servers::{self, Server};
use rollcall_model::clock::Clock;
use rollcall_model::time::MINUTE;
use rollcall_ping::codec::Frames;
use rollcall_ping::{Legacy, Seen, Status};

const LOCAL: IpAddr = IpAddr::V4(Ipv4Addr::LOCALHOST);
const UUID: &str = "069a79f4-44e9-4726-a5be-fca90e38aaf5";
const PATIENCE: Duration = Duration::from_secs(20);

fn says() -> Says {
    Says {
        version: "Paper 1.21.4".into(),
        protocol: 769,
        players: 2,
        max_players: 20,
        sample: vec![("Notch".into(), UUID.into()), ("jeb_".into(), UUID.into())],
        motd: json!("§aHello; \\ wörld\n§x§f§f§8§8§0§0second"),
        icon: Some(Arc::from(*b"\x89PNG\r\n\x1a\nand more")),
        delay: Duration::ZERO,
    }
}

fn always() -> Source {
    Arc::new(|| Some(says()))
}

fn expected() -> Status {
    let seen = |name: &str| Seen { name: name.into(), uuid: Some(UUID.into()) };
    Status {
        version: "Paper 1.21.4".into(),
        protocol: 769,
        players: 2,
        max_players: 20,
        sample: vec![seen("Notch"), seen("jeb_")],
        motd_raw: "§aHello; \\ wörld\n§x§f§f§8§8§0§0second".into(),
        icon: Some(b"\x89PNG\r\n\x1a\nand more".to_vec()),
    }
}

/// What of it the protocols without lists and icons bring.
fn expected_short() -> Status {
    Status { sample: Vec::new(), icon: None, ..expected() }
}

async fn message(stream: &mut TcpStream, frames: &mut Frames) -> io::Result<Vec<u8>> {
    let mut buffer = [0; 4096];
    loop {
        if let Some(message) = frames.message().map_err(io::Error::other)? {
            return Ok(message.to_vec());
        }
        let read = stream.read(&mut buffer).await?;
        if read == 0 {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
        frames.push(&buffer[..read]);
    }
}

async fn modern(address: SocketAddr) -> io::Result<Status> {
    let mut stream = TcpStream::connect(address).await?;
    let mut frames = Frames::new(300_000);
    stream
        .write_all(
            &[
                rollcall_ping::codec::handshake("play.example", 25_565, -1),
                rollcall_ping::codec::STATUS_REQUEST.to_vec(),
            ]
            .concat(),
        )
        .await?;
    let status = rollcall_ping::codec::status(&message(&mut stream, &mut frames).await?).map_err(io::Error::other)?;
    let question = [9, 1, 0, 0, 0, 0, 0, 0, 0, 77];
    stream.write_all(&question).await?;
    assert_eq!(message(&mut stream, &mut frames).await?, question[1..]);
    assert_eq!(stream.read(&mut [0]).await?, 0, "the host hangs up after the pong");
    Ok(status)
}

async fn old(address: SocketAddr, form: Legacy) -> Status {
    let mut stream = TcpStream::connect(address).await.unwrap();
    stream.write_all(&rollcall_ping::codec::legacy_request(form, "play.example", 25_565)).await.unwrap();
    let mut answer = Vec::new();
    stream.read_to_end(&mut answer).await.unwrap();
    rollcall_ping::codec::legacy_reply(&answer).unwrap().unwrap()
}

async fn datagram(socket: &UdpSocket, question: &[u8]) -> Vec<u8> {
    let mut buffer = vec![0; 65_536];
    socket.send(question).await.unwrap();
    let length = timeout(PATIENCE, socket.recv(&mut buffer)).await.expect("an answer").unwrap();
    buffer.truncate(length);
    buffer
}

async fn asking(host: &Host) -> UdpSocket {
    let socket = UdpSocket::bind((LOCAL, 0)).await.unwrap();
    socket.connect(host.address()).await.unwrap();
    socket
}

#[tokio::test]
async fn java_answers_in_every_form() {
    let host = Host::java(LOCAL, 0, always()).unwrap();
    assert_eq!(modern(host.address()).await.unwrap(), expected());
    assert_eq!(old(host.address(), Legacy::V1_6).await, expected_short());
    assert_eq!(old(host.address(), Legacy::V1_4).await, expected_short());
    let told = old(host.address(), Legacy::Beta).await;
    let plain = Status { version: String::new(), protocol: 0, ..expected_short() };
    assert_eq!(told, Status { motd_raw: "Hello; \\ wörld\nsecond".into(), ..plain });
}

#[tokio::test]
async fn java_hears_a_client_that_sends_byte_by_byte() {
    let host = Host::java(LOCAL, 0, always()).unwrap();
    let mut stream = TcpStream::connect(host.address()).await.unwrap();
    stream.set_nodelay(true).unwrap();
    for byte in
        [rollcall_ping::codec::handshake("play.example", 1, 47), rollcall_ping::codec::STATUS_REQUEST.to_vec()].concat()
    {
        stream.write_all(&[byte]).await.unwrap();
        sleep(Duration::from_millis(2)).await;
    }
    let told = message(&mut stream, &mut Frames::new(300_000)).await.unwrap();
    assert_eq!(rollcall_ping::codec::status(&told).unwrap(), expected());
}

#[tokio::test]
async fn bedrock_answers() {
    let host = Host::bedrock(LOCAL, 0, always()).unwrap();
    let socket = asking(&host).await;
    socket.send(b"nonsense").await.unwrap();
    let answer = datagram(&socket, &rollcall_ping::codec::unconnected_ping(5, 6)).await;
    assert_eq!(rollcall_ping::codec::pong(&answer, 5).unwrap(), expected_short());
}

#[tokio::test]
async fn query_answers_whoever_shows_that_his_address_is_his() {
    let host = Host::query(LOCAL, 0, always()).unwrap();
    let socket = asking(&host).await;
    let token = rollcall_ping::codec::challenge(&datagram(&socket, &rollcall_ping::codec::query_challenge(1)).await, 1)
        .unwrap();
    // One that is wrong gets no answer: the next one that comes is that to the right one.
    socket.send(&rollcall_ping::codec::query_request(2, token ^ 1)).await.unwrap();
    let told =
        rollcall_ping::codec::full_stat(&datagram(&socket, &rollcall_ping::codec::query_request(1, token)).await, 1)
            .unwrap();
    let names = expected().sample.into_iter().map(|seen| Seen { uuid: None, ..seen }).collect();
    // The newline is no sign of a name; our reader leaves it out.
    let motd_raw = expected().motd_raw.replace('\n', "");
    assert_eq!(told, Status { sample: names, motd_raw, protocol: 0, ..expected_short() });
    let request = rollcall_ping::codec::query_request(1, token);
    let basic = datagram(&socket, &request[..request.len() - 4]).await;
    assert!(basic.starts_with(&request[2..7]), "the same kind and session");
    assert!(basic.windows(6).any(|part| part == b"\x002\x0020\0"), "players and their limit");
}

#[tokio::test]
async fn a_server_that_is_down_refuses_and_comes_back_on_its_port() {
    let up = Arc::new(AtomicBool::new(false));
    let known = Arc::clone(&up);
    let source: Source = Arc::new(move || known.load(Ordering::Relaxed).then(says));
    let (java, bedrock) =
        (Host::java(LOCAL, 0, Arc::clone(&source)).unwrap(), Host::bedrock(LOCAL, 0, source).unwrap());
    let refused = async || modern(java.address()).await.is_err_and(|e| e.kind() == io::ErrorKind::ConnectionRefused);
    let socket = asking(&bedrock).await;
    let silent = async || {
        socket.send(&rollcall_ping::codec::unconnected_ping(5, 6)).await.unwrap();
        timeout(Duration::from_millis(100), socket.recv(&mut [0; 1024])).await.is_err()
    };
    assert!(refused().await && silent().await);
    for wanted in [true, false, true] {
        up.store(wanted, Ordering::Relaxed);
        timeout(PATIENCE, async {
            while refused().await == wanted || silent().await == wanted {
                sleep(Duration::from_millis(20)).await;
            }
        })
        .await
        .expect("the host follows its source");
    }
    let address = java.address();
    drop(java);
    timeout(PATIENCE, async {
        while TcpStream::connect(address).await.is_ok() {
            sleep(Duration::from_millis(20)).await;
        }
    })
    .await
    .expect("a host that is dropped is gone");
}

#[tokio::test]
async fn silly_clients_are_hung_up_on() {
    let host = Host::java(LOCAL, 0, always()).unwrap();
    let login = {
        let mut hello = rollcall_ping::codec::handshake("x", 1, 47);
        *hello.last_mut().unwrap() = 2;
        hello
    };
    for bytes in
        [&[0xff, 0xff, 0x7f][..], b"GET / HTTP/1.1\r\n\r\n", &[0], &rollcall_ping::codec::STATUS_REQUEST, &login]
    {
        let mut stream = TcpStream::connect(host.address()).await.unwrap();
        stream.write_all(bytes).await.unwrap();
        let ended = timeout(PATIENCE, stream.read(&mut [0; 64])).await.expect("the host hangs up");
        assert!(matches!(ended, Ok(0) | Err(_)), "{bytes:?}");
    }
    assert!(modern(host.address()).await.is_ok());
}

#[tokio::test]
async fn answers_take_their_time_where_they_should() {
    let delay = Duration::from_millis(60);
    let source: Source = Arc::new(move || Some(Says { delay, ..says() }));
    let (java, bedrock) =
        (Host::java(LOCAL, 0, Arc::clone(&source)).unwrap(), Host::bedrock(LOCAL, 0, source).unwrap());
    let begun = tokio::time::Instant::now();
    modern(java.address()).await.unwrap();
    assert!(begun.elapsed() >= 2 * delay, "a status and a pong");
    let begun = tokio::time::Instant::now();
    datagram(&asking(&bedrock).await, &rollcall_ping::codec::unconnected_ping(5, 6)).await;
    assert!(begun.elapsed() >= delay);
}

#[tokio::test]
async fn the_demos_world_answers_along_its_curves() {
    const NOW: i64 = 1_763_200_000_000;
    let (scale, clock) = (Scale::demo(), Clock::fixed(NOW));
    let servers = servers::imagine(Seed(1), NOW, &scale);
    let icons = Icons::from([(servers[0].id.clone(), says().icon.unwrap())]);
    let world = open_world(1, NOW, &scale, &icons, &clock).unwrap();
    assert_eq!(world.games.len(), servers.len());
    let at = |server: &Server| world.games[&(server.host(), server.port as u16)];
    for server in servers.iter().filter(|server| !server.edition.bedrock).take(40) {
        let now = server.curve.at(NOW);
        let told = modern(at(server)).await;
        assert_eq!(told.is_ok(), now.online);
        let Ok(told) = told else { continue };
        assert_eq!(
            (told.players, told.max_players, told.protocol),
            (now.players, server.max_players, server.edition.protocol)
        );
        assert_eq!((&*told.version, &told.motd_raw), (server.edition.label, &server.motd_raw));
        assert!(told.sample.len() as i64 <= now.players && told.sample.iter().all(Seen::is_player));
        assert_eq!(told.icon.is_some(), icons.contains_key(&server.id));
    }
    let bedrock = servers.iter().find(|server| server.edition.bedrock && !server.curve.is_out(NOW)).unwrap();
    let socket = UdpSocket::bind((LOCAL, 0)).await.unwrap();
    socket.connect(at(bedrock)).await.unwrap();
    let told =
        rollcall_ping::codec::pong(&datagram(&socket, &rollcall_ping::codec::unconnected_ping(5, 6)).await, 5).unwrap();
    assert_eq!((told.motd_raw.as_str(), told.players), (&*bedrock.motd_raw, bedrock.curve.at(NOW).players));
    let queried = servers.iter().find(|server| server.query_port().is_some() && !server.curve.is_out(NOW)).unwrap();
    let socket = UdpSocket::bind((LOCAL, 0)).await.unwrap();
    socket.connect(world.queries[&(queried.host(), queried.port as u16)]).await.unwrap();
    let token = rollcall_ping::codec::challenge(&datagram(&socket, &rollcall_ping::codec::query_challenge(1)).await, 1)
        .unwrap();
    let told =
        rollcall_ping::codec::full_stat(&datagram(&socket, &rollcall_ping::codec::query_request(1, token)).await, 1)
            .unwrap();
    assert_eq!(told.sample.len() as i64, queried.curve.at(NOW).players);
    let down = (0..).map(|minute| NOW + minute * MINUTE).find(|at| queried.curve.is_out(*at)).unwrap();
    clock.set(down);
    timeout(PATIENCE, async {
        while modern(at(queried)).await.is_ok() {
            sleep(Duration::from_millis(20)).await;
        }
    })
    .await
    .expect("it goes down with its curve");
}
