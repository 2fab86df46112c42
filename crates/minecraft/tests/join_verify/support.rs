//! A client that can do everything wrong, a session server, and a callback that remembers.

use std::collections::HashSet;
use std::net::{IpAddr, Ipv4Addr};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use aes::Aes128;
use cfb8::Decryptor;
use cfb8::cipher::KeyIvInit;
use crypto_bigint::modular::{FixedMontyForm, FixedMontyParams};
use crypto_bigint::{Odd, U64, U1024};
use rollcall_minecraft::codec::{FrameBuffer, Reader, put_text, put_varint};
use rollcall_minecraft::join_verify::codec::{SECRET_LENGTH, server_hash};
use rollcall_minecraft::join_verify::{Failure, Limits, OnVerified, SessionServer, Settings, Verifier};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::mpsc;
use uuid::Uuid;

pub const LATEST: i32 = 769;
pub const NAME: &str = "Notch";
pub const SECRET: [u8; SECRET_LENGTH] = *b"a shared secret!";
const ID: &str = "069a79f444e94726a5befca90e38aaf5";
/// Nothing here takes long; this only ends a test that hangs.
const TIMEOUT: Duration = Duration::from_secs(20);

/// The arguments of the callback.
#[derive(Debug, PartialEq, Eq)]
pub enum Event {
    Verified(Uuid, String, IpAddr),
    Failed(Failure),
}

/// What the callback does.
#[derive(Clone, Copy)]
pub enum Answer {
    Text(&'static str),
    Refusal(&'static str),
    Never,
    Panic,
}

struct Callback {
    answer: Arc<Mutex<Answer>>,
    events: mpsc::UnboundedSender<Event>,
}

impl OnVerified for Callback {
    async fn on_verified(&self, uuid: Uuid, name: String, ip: IpAddr) -> Result<String, String> {
        self.events.send(Event::Verified(uuid, name, ip)).unwrap();
        let answer = *self.answer.lock().unwrap();
        match answer {
            Answer::Text(text) => Ok(text.to_owned()),
            Answer::Refusal(reason) => Err(reason.to_owned()),
            Answer::Never => std::future::pending().await,
            Answer::Panic => panic!("a fault of the callback"),
        }
    }

    fn on_failed(&self, _: IpAddr, failure: &Failure) {
        // The test may be over.
        let _ = self.events.send(Event::Failed(failure.clone()));
    }
}

/// A listener with its session server.
pub struct World {
    pub verifier: Verifier,
    pub answer: Arc<Mutex<Answer>>,
    pub joined: Arc<Mutex<HashSet<String>>>,
    events: mpsc::UnboundedReceiver<Event>,
}

impl World {
    pub async fn start() -> Self {
        Self::with(|_| {}).await
    }

    /// With limits that no test meets by accident.
    pub async fn with(change: impl FnOnce(&mut Settings)) -> Self {
        let joined = Arc::new(Mutex::new(HashSet::new()));
        let url = session_server(joined.clone()).await;
        let (sender, events) = mpsc::unbounded_channel();
        let answer = Arc::new(Mutex::new(Answer::Text("Your code: ABCD2345")));
        let mut settings = Settings::new(SessionServer::new(&url).unwrap(), "Join to get your code");
        settings.limits = Limits { connections: 100, connections_per_ip: 100, logins: 1000, logins_per_ip: 1000 };
        change(&mut settings);
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await.unwrap();
        let callback = Callback { answer: answer.clone(), events: sender };
        let verifier = Verifier::start(listener, settings, callback).await.unwrap();
        Self { verifier, answer, joined, events }
    }

    pub async fn client(&self) -> Client {
        let stream = TcpStream::connect(self.verifier.address()).await.unwrap();
        stream.set_nodelay(true).unwrap();
        Client { stream, frames: FrameBuffer::new(64 * 1024) }
    }

    /// A client that has received its encryption request.
    pub async fn client_in_login(&self) -> (Client, EncryptionRequest) {
        let mut client = self.client().await;
        client.send(&handshake(LATEST, 2)).await;
        client.send(&login_start(NAME)).await;
        let request = client.encryption_request().await;
        (client, request)
    }

    /// Lets the session server know of this secret, as the game does before it answers.
    pub fn join(&self, request: &EncryptionRequest) {
        self.joined.lock().unwrap().insert(server_hash(&SECRET, &request.public_key));
    }

    pub async fn next_event(&mut self) -> Event {
        tokio::time::timeout(TIMEOUT, self.events.recv()).await.expect("an event").unwrap()
    }
}

pub fn notch() -> Event {
    Event::Verified(Uuid::try_parse(ID).unwrap(), NAME.to_owned(), Ipv4Addr::LOCALHOST.into())
}

/// A session server that knows Notch by the digests in `joined`.
async fn session_server(joined: Arc<Mutex<HashSet<String>>>) -> String {
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await.unwrap();
    let url = format!("http://{}/session", listener.local_addr().unwrap());
    tokio::spawn(async move {
        while let Ok((mut stream, _)) = listener.accept().await {
            let mut request = vec![0; 4096];
            let length = stream.read(&mut request).await.unwrap_or(0);
            let request = String::from_utf8_lossy(&request[..length]).into_owned();
            let target = request.split(' ').nth(1).unwrap_or_default();
            let query = target.strip_prefix("/session/session/minecraft/hasJoined?username=Notch&serverId=");
            let digest = query.unwrap_or_default().replace("%2D", "-");
            let answer = match joined.lock().unwrap().contains(&digest) {
                true => format!("HTTP/1.1 200 OK\r\ncontent-length: 56\r\n\r\n{{\"id\":\"{ID}\",\"name\":\"{NAME}\"}}"),
                false => "HTTP/1.1 204 No Content\r\n\r\n".to_owned(),
            };
            let _ = stream.write_all(answer.as_bytes()).await;
        }
    });
    url
}

pub struct EncryptionRequest {
    pub public_key: Vec<u8>,
    pub token: Vec<u8>,
}

impl EncryptionRequest {
    /// Encrypts with the listener's key, padded as PKCS#1 v1.5 says.
    pub fn encrypt(&self, message: &[u8]) -> Vec<u8> {
        let mut padded = [0x5a; 128];
        padded[..2].copy_from_slice(&[0, 2]);
        padded[127 - message.len()] = 0;
        padded[128 - message.len()..].copy_from_slice(message);
        // The modulus stands before the exponent, which ends the key.
        let modulus = U1024::from_be_slice(&self.public_key[29..157]);
        let modulus = FixedMontyParams::new_vartime(Odd::new(modulus).into_option().unwrap());
        let number = FixedMontyForm::new(&U1024::from_be_slice(&padded), &modulus);
        number.pow(&U64::from_u32(65_537)).retrieve().to_be_bytes().as_ref().to_vec()
    }

    /// The encryption response of a proper client.
    pub fn response(&self) -> Vec<u8> {
        encryption_response(&self.encrypt(&SECRET), &self.encrypt(&self.token))
    }
}

pub struct Client {
    pub stream: TcpStream,
    frames: FrameBuffer,
}

impl Client {
    /// Sends a packet with its length. A listener that has hung up already is no fault of the test.
    pub async fn send(&mut self, body: &[u8]) {
        let mut packet = Vec::new();
        put_varint(&mut packet, i32::try_from(body.len()).unwrap());
        packet.extend_from_slice(body);
        let _ = self.stream.write_all(&packet).await;
    }

    pub async fn receive(&mut self) -> Vec<u8> {
        loop {
            if let Some(message) = self.frames.next_message().unwrap() {
                return message.to_vec();
            }
            let read = tokio::time::timeout(TIMEOUT, self.stream.read_buf(self.frames.spare(512))).await;
            assert_ne!(read.expect("a packet").unwrap(), 0, "the listener hung up");
        }
    }

    pub async fn encryption_request(&mut self) -> EncryptionRequest {
        let message = self.receive().await;
        let mut reader = Reader::new(&message);
        assert_eq!((reader.varint(), reader.text(0).as_deref()), (Ok(1), Ok("")));
        let length = reader.varint().unwrap();
        let public_key = reader.take(usize::try_from(length).unwrap()).unwrap().to_vec();
        let length = reader.varint().unwrap();
        let token = reader.take(usize::try_from(length).unwrap()).unwrap().to_vec();
        assert_eq!(reader.rest(), [1], "the client has to authenticate");
        EncryptionRequest { public_key, token }
    }

    /// Everything until the listener hangs up. Then the client hangs up, too.
    pub async fn rest(mut self) -> Vec<u8> {
        let mut bytes = Vec::new();
        // Hanging up by a reset is fine, too.
        let _ =
            tokio::time::timeout(TIMEOUT, self.stream.read_to_end(&mut bytes)).await.expect("the listener hangs up");
        bytes
    }

    /// The text of a disconnect that is not encrypted. Then the connection ends without a reset, which could take the text away.
    pub async fn disconnect(mut self) -> String {
        let text = text_of(&self.receive().await);
        let mut rest = Vec::new();
        let end = tokio::time::timeout(TIMEOUT, self.stream.read_to_end(&mut rest)).await;
        assert_eq!(end.expect("the listener hangs up").unwrap(), 0);
        text
    }

    /// The text of a disconnect that is encrypted with [`SECRET`]; nothing else follows.
    pub async fn encrypted_disconnect(mut self) -> String {
        let mut bytes = Vec::new();
        let read = tokio::time::timeout(TIMEOUT, self.stream.read_to_end(&mut bytes)).await;
        read.expect("the listener hangs up").unwrap();
        Decryptor::<Aes128>::new(&SECRET.into(), &SECRET.into()).decrypt(&mut bytes);
        let mut frames = FrameBuffer::new(1024);
        frames.push(&bytes);
        let text = text_of(frames.next_message().unwrap().expect("a whole packet"));
        assert_eq!(frames.next_message(), Ok(None));
        text
    }
}

fn text_of(message: &[u8]) -> String {
    let mut reader = Reader::new(message);
    assert_eq!(reader.varint(), Ok(0), "a disconnect");
    let json: serde_json::Value = serde_json::from_str(&reader.text(4096).unwrap()).unwrap();
    json["text"].as_str().unwrap().to_owned()
}

pub fn handshake(protocol: i32, next_state: i32) -> Vec<u8> {
    let mut body = vec![0];
    put_varint(&mut body, protocol);
    put_text(&mut body, "verify.example.org");
    body.extend_from_slice(&25_565_u16.to_be_bytes());
    put_varint(&mut body, next_state);
    body
}

pub fn login_start(name: &str) -> Vec<u8> {
    let mut body = vec![0];
    put_text(&mut body, name);
    body.extend_from_slice(&[7; 16]);
    body
}

pub fn encryption_response(secret: &[u8], token: &[u8]) -> Vec<u8> {
    let mut body = vec![1];
    for bytes in [secret, token] {
        put_varint(&mut body, i32::try_from(bytes.len()).unwrap());
        body.extend_from_slice(bytes);
    }
    body
}
