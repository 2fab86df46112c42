//! Pings fake servers over real sockets, with the codecs of our own client.

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
use crate::rng::WorldSeed;
use crate::servers::{self, DemoServer};
use crate::{ServerIcons, WorldSize, start_demo_servers, vote_receivers};
use rollcall_minecraft::codec::{self, FrameBuffer};
use rollcall_minecraft::{LegacyVersion, ListedPlayer, ServerStatus};
use rollcall_model::clock::Clock;
use rollcall_model::time::MINUTE;

const LOCALHOST: IpAddr = IpAddr::V4(Ipv4Addr::LOCALHOST);
const UUID: &str = "069a79f4-44e9-4726-a5be-fca90e38aaf5";
const DEADLINE: Duration = Duration::from_secs(20);

fn status() -> FakeStatus {
    FakeStatus {
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

fn always_online() -> StatusSource {
    Arc::new(|| Some(status()))
}

fn expected() -> ServerStatus {
    let player = |name: &str| ListedPlayer { name: name.into(), uuid: Some(UUID.into()) };
    ServerStatus {
        version: "Paper 1.21.4".into(),
        protocol: 769,
        players: 2,
        max_players: 20,
        sample: vec![player("Notch"), player("jeb_")],
        motd_raw: "§aHello; \\ wörld\n§x§f§f§8§8§0§0second".into(),
        icon: Some(b"\x89PNG\r\n\x1a\nand more".to_vec()),
    }
}

/// What protocols without player lists and icons return.
fn expected_basic() -> ServerStatus {
    ServerStatus { sample: Vec::new(), icon: None, ..expected() }
}

async fn read_message(stream: &mut TcpStream, frames: &mut FrameBuffer) -> io::Result<Vec<u8>> {
    let mut buffer = [0; 4096];
    loop {
        if let Some(message) = frames.next_message().map_err(io::Error::other)? {
            return Ok(message.to_vec());
        }
        let read = stream.read(&mut buffer).await?;
        if read == 0 {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
        frames.push(&buffer[..read]);
    }
}

async fn ping_java(address: SocketAddr) -> io::Result<ServerStatus> {
    let mut stream = TcpStream::connect(address).await?;
    let mut frames = FrameBuffer::new(300_000);
    stream
        .write_all(&[codec::encode_handshake("play.example", 25_565, -1), codec::STATUS_REQUEST.to_vec()].concat())
        .await?;
    let status = codec::decode_status(&read_message(&mut stream, &mut frames).await?).map_err(io::Error::other)?;
    let ping = [9, 1, 0, 0, 0, 0, 0, 0, 0, 77];
    stream.write_all(&ping).await?;
    assert_eq!(read_message(&mut stream, &mut frames).await?, ping[1..]);
    assert_eq!(stream.read(&mut [0]).await?, 0, "the server closes the connection after the pong");
    Ok(status)
}

async fn ping_legacy(address: SocketAddr, version: LegacyVersion) -> ServerStatus {
    let mut stream = TcpStream::connect(address).await.unwrap();
    stream.write_all(&codec::encode_legacy_request(version, "play.example", 25_565)).await.unwrap();
    let mut reply = Vec::new();
    stream.read_to_end(&mut reply).await.unwrap();
    codec::decode_legacy_reply(&reply).unwrap().unwrap()
}

async fn exchange(socket: &UdpSocket, request: &[u8]) -> Vec<u8> {
    let mut buffer = vec![0; 65_536];
    socket.send(request).await.unwrap();
    let length = timeout(DEADLINE, socket.recv(&mut buffer)).await.expect("a response before the deadline").unwrap();
    buffer.truncate(length);
    buffer
}

async fn connect_udp(server: &FakeServer) -> UdpSocket {
    let socket = UdpSocket::bind((LOCALHOST, 0)).await.unwrap();
    socket.connect(server.address()).await.unwrap();
    socket
}

#[tokio::test]
async fn java_answers_server_list_and_legacy_pings() {
    let server = FakeServer::java(LOCALHOST, 0, always_online()).unwrap();
    assert_eq!(ping_java(server.address()).await.unwrap(), expected());
    assert_eq!(ping_legacy(server.address(), LegacyVersion::V1_6).await, expected_basic());
    assert_eq!(ping_legacy(server.address(), LegacyVersion::V1_4).await, expected_basic());
    let beta = ping_legacy(server.address(), LegacyVersion::Beta).await;
    let without_version = ServerStatus { version: String::new(), protocol: 0, ..expected_basic() };
    assert_eq!(beta, ServerStatus { motd_raw: "Hello; \\ wörld\nsecond".into(), ..without_version });
}

#[tokio::test]
async fn java_accepts_a_request_sent_byte_by_byte() {
    let server = FakeServer::java(LOCALHOST, 0, always_online()).unwrap();
    let mut stream = TcpStream::connect(server.address()).await.unwrap();
    stream.set_nodelay(true).unwrap();
    for byte in [codec::encode_handshake("play.example", 1, 47), codec::STATUS_REQUEST.to_vec()].concat() {
        stream.write_all(&[byte]).await.unwrap();
        sleep(Duration::from_millis(2)).await;
    }
    let response = read_message(&mut stream, &mut FrameBuffer::new(300_000)).await.unwrap();
    assert_eq!(codec::decode_status(&response).unwrap(), expected());
}

#[tokio::test]
async fn bedrock_answers_pings_and_ignores_garbage() {
    let server = FakeServer::bedrock(LOCALHOST, 0, always_online()).unwrap();
    let socket = connect_udp(&server).await;
    socket.send(b"nonsense").await.unwrap();
    let pong = exchange(&socket, &codec::encode_unconnected_ping(5, 6)).await;
    assert_eq!(codec::decode_pong(&pong, 5).unwrap(), expected_basic());
}

#[tokio::test]
async fn query_requires_the_challenge_token() {
    let server = FakeServer::query(LOCALHOST, 0, always_online()).unwrap();
    let socket = connect_udp(&server).await;
    let token = codec::decode_challenge(&exchange(&socket, &codec::encode_challenge_request(1)).await, 1).unwrap();
    // A wrong token gets no response, so the next datagram answers the right one.
    socket.send(&codec::encode_full_stat_request(2, token ^ 1)).await.unwrap();
    let status =
        codec::decode_full_stat(&exchange(&socket, &codec::encode_full_stat_request(1, token)).await, 1).unwrap();
    let names = expected().sample.into_iter().map(|player| ListedPlayer { uuid: None, ..player }).collect();
    // Our decoder drops the newline from a Query hostname.
    let motd_raw = expected().motd_raw.replace('\n', "");
    assert_eq!(status, ServerStatus { sample: names, motd_raw, protocol: 0, ..expected_basic() });
    let request = codec::encode_full_stat_request(1, token);
    let basic = exchange(&socket, &request[..request.len() - 4]).await;
    assert!(basic.starts_with(&request[2..7]), "same type and session");
    assert!(basic.windows(6).any(|part| part == b"\x002\x0020\0"), "player count and limit");
}

#[tokio::test]
async fn an_offline_server_refuses_and_returns_on_the_same_port() {
    let up = Arc::new(AtomicBool::new(false));
    let is_up = Arc::clone(&up);
    let source: StatusSource = Arc::new(move || is_up.load(Ordering::Relaxed).then(status));
    let (java, bedrock) = (
        FakeServer::java(LOCALHOST, 0, Arc::clone(&source)).unwrap(),
        FakeServer::bedrock(LOCALHOST, 0, source).unwrap(),
    );
    let refused = async || ping_java(java.address()).await.is_err_and(|e| e.kind() == io::ErrorKind::ConnectionRefused);
    let socket = connect_udp(&bedrock).await;
    let silent = async || {
        socket.send(&codec::encode_unconnected_ping(5, 6)).await.unwrap();
        timeout(Duration::from_millis(100), socket.recv(&mut [0; 1024])).await.is_err()
    };
    assert!(refused().await && silent().await);
    for wanted in [true, false, true] {
        up.store(wanted, Ordering::Relaxed);
        timeout(DEADLINE, async {
            while refused().await == wanted || silent().await == wanted {
                sleep(Duration::from_millis(20)).await;
            }
        })
        .await
        .expect("the server follows its source");
    }
    let address = java.address();
    drop(java);
    timeout(DEADLINE, async {
        while TcpStream::connect(address).await.is_ok() {
            sleep(Duration::from_millis(20)).await;
        }
    })
    .await
    .expect("a dropped server stops listening");
}

#[tokio::test]
async fn invalid_requests_close_the_connection() {
    let server = FakeServer::java(LOCALHOST, 0, always_online()).unwrap();
    let login = {
        let mut handshake = codec::encode_handshake("x", 1, 47);
        *handshake.last_mut().unwrap() = 2;
        handshake
    };
    for bytes in [&[0xff, 0xff, 0x7f][..], b"GET / HTTP/1.1\r\n\r\n", &[0], &codec::STATUS_REQUEST, &login] {
        let mut stream = TcpStream::connect(server.address()).await.unwrap();
        stream.write_all(bytes).await.unwrap();
        let ended = timeout(DEADLINE, stream.read(&mut [0; 64])).await.expect("the server closes the connection");
        assert!(matches!(ended, Ok(0) | Err(_)), "{bytes:?}");
    }
    assert!(ping_java(server.address()).await.is_ok());
}

#[tokio::test]
async fn responses_are_delayed_by_the_simulated_latency() {
    let delay = Duration::from_millis(60);
    let source: StatusSource = Arc::new(move || Some(FakeStatus { delay, ..status() }));
    let (java, bedrock) = (
        FakeServer::java(LOCALHOST, 0, Arc::clone(&source)).unwrap(),
        FakeServer::bedrock(LOCALHOST, 0, source).unwrap(),
    );
    let started = tokio::time::Instant::now();
    ping_java(java.address()).await.unwrap();
    assert!(started.elapsed() >= 2 * delay, "status and pong are delayed");
    let started = tokio::time::Instant::now();
    exchange(&connect_udp(&bedrock).await, &codec::encode_unconnected_ping(5, 6)).await;
    assert!(started.elapsed() >= delay);
}

#[tokio::test]
async fn demo_servers_follow_their_activity_curves() {
    const NOW: i64 = 1_763_200_000_000;
    let (size, clock) = (WorldSize::demo(), Clock::fixed(NOW));
    let servers = servers::generate(WorldSeed(1), NOW, &size);
    let icons = ServerIcons::from([(servers[0].id.clone(), status().icon.unwrap())]);
    let running = start_demo_servers(1, NOW, &size, &icons, &clock).unwrap();
    let is_game = |(_, port): &&(String, u16)| *port != vote_receivers::PORT;
    assert_eq!(running.games.keys().filter(is_game).count(), servers.len());
    let address = |server: &DemoServer| running.games[&(server.hostname(), server.port as u16)];
    for server in servers.iter().filter(|server| !server.version.bedrock).take(40) {
        let now = server.curve.at(NOW);
        let status = ping_java(address(server)).await;
        assert_eq!(status.is_ok(), now.online);
        let Ok(status) = status else { continue };
        assert_eq!(
            (status.players, status.max_players, status.protocol),
            (now.players, server.max_players, server.version.protocol)
        );
        assert_eq!((&*status.version, &status.motd_raw), (server.version.label, &server.motd_raw));
        assert!(status.sample.len() as i64 <= now.players && status.sample.iter().all(ListedPlayer::is_player));
        assert_eq!(status.icon.is_some(), icons.contains_key(&server.id));
    }
    let bedrock = servers.iter().find(|server| server.version.bedrock && !server.curve.is_offline(NOW)).unwrap();
    let socket = UdpSocket::bind((LOCALHOST, 0)).await.unwrap();
    socket.connect(address(bedrock)).await.unwrap();
    let status = codec::decode_pong(&exchange(&socket, &codec::encode_unconnected_ping(5, 6)).await, 5).unwrap();
    assert_eq!((status.motd_raw.as_str(), status.players), (&*bedrock.motd_raw, bedrock.curve.at(NOW).players));
    let queried = servers.iter().find(|server| server.query_port().is_some() && !server.curve.is_offline(NOW)).unwrap();
    let socket = UdpSocket::bind((LOCALHOST, 0)).await.unwrap();
    socket.connect(running.queries[&(queried.hostname(), queried.port as u16)]).await.unwrap();
    let token = codec::decode_challenge(&exchange(&socket, &codec::encode_challenge_request(1)).await, 1).unwrap();
    let status =
        codec::decode_full_stat(&exchange(&socket, &codec::encode_full_stat_request(1, token)).await, 1).unwrap();
    assert_eq!(status.players, queried.curve.at(NOW).players);
    assert!(status.sample.len() as i64 <= status.players);
    let down = (0..).map(|minute| NOW + minute * MINUTE).find(|at| queried.curve.is_offline(*at)).unwrap();
    clock.set(down);
    timeout(DEADLINE, async {
        while ping_java(address(queried)).await.is_ok() {
            sleep(Duration::from_millis(20)).await;
        }
    })
    .await
    .expect("the server goes offline with its curve");
}
