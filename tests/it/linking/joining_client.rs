//! A client that joins the listener as the game does, and a stand-in for the session server: the real one needs the internet.

use crate::harness::DEADLINE;
use std::collections::HashMap;
use std::io::{Read, Write};
use std::net::{Ipv4Addr, SocketAddr};
use std::sync::{Arc, Mutex};

use aes::Aes128;
use cfb8::Decryptor;
use cfb8::cipher::KeyIvInit;
use crypto_bigint::modular::{FixedMontyForm, FixedMontyParams};
use crypto_bigint::{Odd, U64, U1024};
use rollcall_minecraft::codec::{FrameBuffer, Reader, put_text, put_varint};
use rollcall_minecraft::join_verify::codec::{SECRET_LENGTH, server_hash};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

const PROTOCOL: i32 = 769;
const SECRET: [u8; SECRET_LENGTH] = *b"a shared secret!";

/// A game account.
#[derive(Clone, Copy)]
pub struct GameAccount {
    pub name: &'static str,
    /// Without hyphens, as session servers write it.
    pub id: &'static str,
}

/// Accounts by the digest of the connection with which they joined.
#[derive(Clone, Default)]
pub struct SessionServer {
    joined: Arc<Mutex<HashMap<String, GameAccount>>>,
}

impl SessionServer {
    /// Serves until the test program ends; returns its URL, too.
    pub fn start() -> (Self, String) {
        let server = Self::default();
        let listener = std::net::TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).expect("a free port");
        let url = format!("http://{}", listener.local_addr().expect("an address"));
        let joined = server.joined.clone();
        std::thread::spawn(move || {
            for mut stream in listener.incoming().flatten() {
                let mut request = [0; 4096];
                let length = stream.read(&mut request).unwrap_or(0);
                let answer = answer(&String::from_utf8_lossy(&request[..length]), &joined);
                let _ = stream.write_all(answer.as_bytes());
            }
        });
        (server, url)
    }
}

fn answer(request: &str, joined: &Mutex<HashMap<String, GameAccount>>) -> String {
    let target = request.split(' ').nth(1).unwrap_or_default();
    let query = target.strip_prefix("/session/minecraft/hasJoined?username=").unwrap_or_default();
    let (name, digest) = query.split_once("&serverId=").unwrap_or_default();
    let joined = joined.lock().expect("no panic while locked");
    let account = joined.get(&digest.replace("%2D", "-"));
    match account.filter(|account| account.name == name.replace("%5F", "_")) {
        Some(GameAccount { name, id }) => {
            let body = format!("{{\"id\":\"{id}\",\"name\":\"{name}\"}}");
            format!("HTTP/1.1 200 OK\r\ncontent-length: {}\r\n\r\n{body}", body.len())
        }
        None => "HTTP/1.1 204 No Content\r\n\r\n".to_owned(),
    }
}

/// Joins with a game account and returns the text that the player sees.
pub async fn join(listener: SocketAddr, sessions: &SessionServer, account: GameAccount) -> String {
    let attempt = async {
        let mut stream = TcpStream::connect(listener).await.expect("the listener listens");
        send(&mut stream, &handshake()).await;
        send(&mut stream, &login_start(account.name)).await;
        let (public_key, token) = encryption_request(&mut stream).await;
        // The game tells its session server first.
        sessions.joined.lock().expect("no panic while locked").insert(server_hash(&SECRET, &public_key), account);
        let mut response = vec![1];
        for bytes in [encrypt(&public_key, &SECRET), encrypt(&public_key, &token)] {
            put_varint(&mut response, i32::try_from(bytes.len()).expect("short"));
            response.extend_from_slice(&bytes);
        }
        send(&mut stream, &response).await;
        disconnect_text(stream).await
    };
    tokio::time::timeout(DEADLINE, attempt).await.expect("the listener answers")
}

async fn send(stream: &mut TcpStream, body: &[u8]) {
    let mut packet = Vec::new();
    put_varint(&mut packet, i32::try_from(body.len()).expect("short"));
    packet.extend_from_slice(body);
    stream.write_all(&packet).await.expect("the listener reads");
}

fn handshake() -> Vec<u8> {
    let mut body = vec![0];
    put_varint(&mut body, PROTOCOL);
    put_text(&mut body, "verify.example.org");
    body.extend_from_slice(&25_565_u16.to_be_bytes());
    put_varint(&mut body, 2);
    body
}

fn login_start(name: &str) -> Vec<u8> {
    let mut body = vec![0];
    put_text(&mut body, name);
    body.extend_from_slice(&[7; 16]);
    body
}

/// The public key and the verify token.
async fn encryption_request(stream: &mut TcpStream) -> (Vec<u8>, Vec<u8>) {
    let mut frames = FrameBuffer::new(4096);
    let message = loop {
        if let Some(message) = frames.next_message().expect("a packet") {
            break message.to_vec();
        }
        assert_ne!(stream.read_buf(frames.spare(512)).await.expect("a packet"), 0, "the listener hung up");
    };
    let mut reader = Reader::new(&message);
    assert_eq!((reader.varint(), reader.text(0).as_deref()), (Ok(1), Ok("")));
    let mut bytes = || {
        let length = reader.varint().expect("a length");
        reader.take(usize::try_from(length).expect("a length")).expect("bytes").to_vec()
    };
    (bytes(), bytes())
}

/// Encrypts with the listener's key, padded as PKCS#1 v1.5 says.
fn encrypt(public_key: &[u8], message: &[u8]) -> Vec<u8> {
    let mut padded = [0x5a; 128];
    padded[..2].copy_from_slice(&[0, 2]);
    padded[127 - message.len()] = 0;
    padded[128 - message.len()..].copy_from_slice(message);
    // The modulus stands before the exponent, which ends the key.
    let modulus = U1024::from_be_slice(&public_key[29..157]);
    let modulus = FixedMontyParams::new_vartime(Odd::new(modulus).into_option().expect("an odd modulus"));
    let number = FixedMontyForm::new(&U1024::from_be_slice(&padded), &modulus);
    number.pow(&U64::from_u32(65_537)).retrieve().to_be_bytes().as_ref().to_vec()
}

async fn disconnect_text(mut stream: TcpStream) -> String {
    let mut bytes = Vec::new();
    stream.read_to_end(&mut bytes).await.expect("the listener hangs up");
    Decryptor::<Aes128>::new(&SECRET.into(), &SECRET.into()).decrypt(&mut bytes);
    let mut frames = FrameBuffer::new(4096);
    frames.push(&bytes);
    let message = frames.next_message().expect("a packet").expect("a whole packet").to_vec();
    let mut reader = Reader::new(&message);
    assert_eq!(reader.varint(), Ok(0), "a disconnect");
    let json: serde_json::Value = serde_json::from_str(&reader.text(4096).expect("a text")).expect("JSON");
    json["text"].as_str().expect("a text").to_owned()
}
