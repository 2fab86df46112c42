//! A vote receiver for tests and the demo: it speaks v1 and v2 on one port like NuVotifier, keeps the votes, and misbehaves on
//! request.

use std::collections::HashMap;
use std::net::{Ipv4Addr, SocketAddr};
use std::sync::{Arc, Mutex, MutexGuard};
use std::time::Duration;

use rand::RngExt;
use rand::distr::Alphanumeric;
use serde::{Deserialize, Serialize};
use serde_json::json;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::task::{JoinHandle, JoinSet};

use super::v1::BLOCK_LENGTH;
use super::v2::{FRAME_MAGIC, MAX_FRAME, sign};

/// Votes that are kept; older ones are forgotten.
const MAX_VOTES: usize = 10_000;
/// The token for services that have none of their own.
const DEFAULT_SERVICE: &str = "default";
/// In UTF-16, as Java counts.
const MAX_USERNAME_UNITS: usize = 16;

/// How the receiver is set up.
#[derive(Clone, Default)]
pub struct Settings {
    /// Tokens by service; `default` is for all others. Without any, the receiver greets as v1.
    pub tokens: HashMap<String, String>,
    /// Decrypts v1 blocks. Without it they are dropped.
    pub decrypt: Option<Decrypt>,
}

/// Returns the text of a v1 block, or `None` if it cannot be decrypted.
pub type Decrypt = Arc<dyn Fn(&[u8; BLOCK_LENGTH]) -> Option<Vec<u8>> + Send + Sync>;

impl Settings {
    /// Accepts v2 votes of every service that know this token.
    pub fn with_token(token: &str) -> Self {
        Self { tokens: HashMap::from([(DEFAULT_SERVICE.to_owned(), token.to_owned())]), decrypt: None }
    }
}

/// Behaviour of the receiver for the next connections.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Behaviour {
    #[default]
    Normal,
    /// Accepts connections and stays silent.
    NoGreeting,
    /// Keeps the vote, then closes without an answer.
    CloseAfterRead,
    /// Does not keep the vote, and answers with this error.
    ErrorAnswer { cause: String, error: String },
    /// Keeps the vote and stays silent.
    NeverAnswer,
    /// Behaves, but pauses before every byte that it sends.
    Slow(Duration),
}

/// A vote as the receiver understood it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct ReceivedVote {
    /// 1 or 2.
    pub version: u8,
    pub service: String,
    pub username: String,
    pub address: String,
    /// As sent: seconds in v1, milliseconds in v2.
    pub timestamp: String,
    pub uuid: Option<String>,
}

/// A running receiver. It stops soon after this is dropped.
pub struct FakeReceiver {
    address: SocketAddr,
    state: Arc<State>,
    accepting: JoinHandle<()>,
}

struct State {
    settings: Settings,
    behaviour: Mutex<Behaviour>,
    received: Mutex<Received>,
}

#[derive(Default)]
struct Received {
    connections: usize,
    votes: Vec<ReceivedVote>,
}

impl FakeReceiver {
    /// Listens on a free port of this machine.
    pub async fn start(settings: Settings) -> std::io::Result<Self> {
        Self::start_at((Ipv4Addr::LOCALHOST, 0).into(), settings).await
    }

    /// Listens there: on the port of an earlier receiver, for one that was offline.
    pub async fn start_at(address: SocketAddr, settings: Settings) -> std::io::Result<Self> {
        Self::serve(TcpListener::bind(address).await?, settings)
    }

    /// Serves a socket that is listening already. Must be called inside a Tokio runtime.
    pub fn over(listener: std::net::TcpListener, settings: Settings) -> std::io::Result<Self> {
        listener.set_nonblocking(true)?;
        Self::serve(TcpListener::from_std(listener)?, settings)
    }

    fn serve(listener: TcpListener, settings: Settings) -> std::io::Result<Self> {
        let address = listener.local_addr()?;
        let state = Arc::new(State { settings, behaviour: Mutex::default(), received: Mutex::default() });
        let accepting = tokio::spawn(accept(listener, state.clone()));
        Ok(Self { address, state, accepting })
    }

    /// Stops, and returns when the port is closed.
    pub async fn stop(mut self) {
        self.accepting.abort();
        let _ = (&mut self.accepting).await;
    }

    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// Connections that begin later behave like this.
    pub fn set_behaviour(&self, behaviour: Behaviour) {
        *lock(&self.state.behaviour) = behaviour;
    }

    /// The votes so far, oldest first.
    pub fn votes(&self) -> Vec<ReceivedVote> {
        lock(&self.state.received).votes.clone()
    }

    /// Connections so far.
    pub fn connections(&self) -> usize {
        lock(&self.state.received).connections
    }
}

impl Drop for FakeReceiver {
    fn drop(&mut self) {
        self.accepting.abort();
    }
}

impl State {
    fn keep(&self, vote: ReceivedVote) {
        let mut received = lock(&self.received);
        if received.votes.len() == MAX_VOTES {
            received.votes.remove(0);
        }
        received.votes.push(vote);
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().expect("nothing panics under this lock")
}

async fn accept(listener: TcpListener, state: Arc<State>) {
    // Dropped with this task, which ends all connections.
    let mut connections = JoinSet::new();
    loop {
        let Ok((stream, _)) = listener.accept().await else {
            // Too many open files, for example: others must close some first.
            tokio::time::sleep(Duration::from_millis(100)).await;
            continue;
        };
        lock(&state.received).connections += 1;
        let state = state.clone();
        connections.spawn(async move {
            // A sender that breaks off is no fault of the receiver.
            let _ = serve(stream, &state).await;
        });
        while connections.try_join_next().is_some() {}
    }
}

async fn serve(mut stream: TcpStream, state: &State) -> std::io::Result<()> {
    let behaviour = lock(&state.behaviour).clone();
    if behaviour == Behaviour::NoGreeting {
        return wait_for_close(&mut stream).await;
    }
    let challenge: String = rand::rng().sample_iter(Alphanumeric).take(26).map(char::from).collect();
    let greeting = match state.settings.tokens.is_empty() {
        true => "VOTIFIER 1.9\n".to_owned(),
        false => format!("VOTIFIER 2 {challenge}\n"),
    };
    write(&mut stream, greeting.as_bytes(), &behaviour).await?;
    let mut start = [0; 2];
    stream.read_exact(&mut start).await?;
    let result = match start == FRAME_MAGIC {
        true => read_v2(&mut stream, &state.settings, &challenge).await?,
        false => Ok(read_v1(&mut stream, start, &state.settings).await?),
    };
    let is_v2 = start == FRAME_MAGIC;
    let refusal = match &behaviour {
        Behaviour::ErrorAnswer { cause, error } => Some((cause.clone(), error.clone())),
        _ => result.as_ref().err().map(|error| ("CorruptedFrameException".to_owned(), error.clone())),
    };
    if let (None, Ok(Some(vote))) = (&refusal, result) {
        state.keep(vote);
    }
    match behaviour {
        Behaviour::CloseAfterRead => return Ok(()),
        Behaviour::NeverAnswer => return wait_for_close(&mut stream).await,
        _ if !is_v2 => return Ok(()),
        _ => {}
    }
    let answer = match refusal {
        Some((cause, error)) => json!({"status": "error", "cause": cause, "error": error}),
        None => json!({"status": "ok"}),
    };
    write(&mut stream, format!("{answer}\r\n").as_bytes(), &behaviour).await
}

async fn write(stream: &mut TcpStream, bytes: &[u8], behaviour: &Behaviour) -> std::io::Result<()> {
    let Behaviour::Slow(pause) = behaviour else { return stream.write_all(bytes).await };
    stream.set_nodelay(true)?;
    for byte in bytes {
        tokio::time::sleep(*pause).await;
        stream.write_all(&[*byte]).await?;
    }
    Ok(())
}

async fn wait_for_close(stream: &mut TcpStream) -> std::io::Result<()> {
    let mut ignored = [0; 256];
    while stream.read(&mut ignored).await? > 0 {}
    Ok(())
}

/// The vote of a v1 block. `None` if it cannot be decrypted or is no vote: v1 has no way to say so.
async fn read_v1(stream: &mut TcpStream, start: [u8; 2], settings: &Settings) -> std::io::Result<Option<ReceivedVote>> {
    let mut block = [0; BLOCK_LENGTH];
    block[..2].copy_from_slice(&start);
    stream.read_exact(&mut block[2..]).await?;
    let text = settings.decrypt.as_ref().and_then(|decrypt| decrypt(&block));
    let Some(text) = text.and_then(|text| String::from_utf8(text).ok()) else { return Ok(None) };
    let mut lines = text.split('\n').map(str::to_owned);
    let mut next = || lines.next().filter(|line| !line.is_empty());
    let vote = match (next(), next(), next(), next(), next()) {
        (Some(opcode), Some(service), Some(username), Some(address), Some(timestamp)) if opcode == "VOTE" => {
            Some(ReceivedVote { version: 1, service, username, address, timestamp, uuid: None })
        }
        _ => None,
    };
    Ok(vote)
}

#[derive(Deserialize)]
struct Message {
    payload: String,
    signature: String,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Payload {
    service_name: String,
    username: String,
    address: String,
    timestamp: i64,
    challenge: String,
    uuid: Option<String>,
}

/// The vote of a v2 frame, or the error that NuVotifier would answer.
async fn read_v2(
    stream: &mut TcpStream,
    settings: &Settings,
    challenge: &str,
) -> std::io::Result<Result<Option<ReceivedVote>, String>> {
    let length = usize::from(stream.read_u16().await?);
    if length + 4 > MAX_FRAME {
        return Ok(Err(format!("Adjusted frame length exceeds {MAX_FRAME}: {} - discarded", length + 4)));
    }
    let mut message = vec![0; length];
    stream.read_exact(&mut message).await?;
    Ok(check_v2(&message, settings, challenge).map(Some))
}

/// The checks of NuVotifier, in its order and words.
fn check_v2(message: &[u8], settings: &Settings, challenge: &str) -> Result<ReceivedVote, String> {
    let message: Message = serde_json::from_slice(message).map_err(|error| error.to_string())?;
    let payload: Payload = serde_json::from_str(&message.payload).map_err(|error| error.to_string())?;
    if payload.challenge != challenge {
        return Err("Challenge is not valid".into());
    }
    let tokens = &settings.tokens;
    let token = tokens.get(&payload.service_name).or_else(|| tokens.get(DEFAULT_SERVICE));
    let token = token.ok_or_else(|| format!("Unknown service '{}'", payload.service_name))?;
    if message.signature != sign(token, &message.payload) {
        return Err("Signature is not valid (invalid token?)".into());
    }
    if payload.username.encode_utf16().count() > MAX_USERNAME_UNITS {
        return Err("Username too long".into());
    }
    Ok(ReceivedVote {
        version: 2,
        service: payload.service_name,
        username: payload.username,
        address: payload.address,
        timestamp: payload.timestamp.to_string(),
        uuid: payload.uuid,
    })
}
