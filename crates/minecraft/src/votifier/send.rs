//! One delivery: connect, read the greeting, write the vote once, read the answer.

use crate::{Resolver, SsrfGuard, connect};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::time::{Instant, timeout_at};

use super::answer::{MAX_ANSWER, decode_answer};
use super::greeting::{Greeting, MAX_GREETING, decode_greeting};
use super::outcome::{NotSent, Outcome, Uncertain};
use super::receiver::{Protocol, Receiver};
use super::v1::encode_block;
use super::v2::encode_frame;
use super::vote::Vote;

/// How far a delivery came. It outlives a cancelled exchange.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Stage {
    Connecting,
    /// Connected; no byte of the vote is written.
    Greeting,
    /// At least one byte of the vote is written.
    Sending,
}

/// Sends the vote at most once. `deadline` covers everything from the DNS lookup to the answer. If this future is dropped or
/// the process dies before it ends, the caller must take the vote for [`Outcome::Uncertain`].
pub async fn send(
    vote: &Vote,
    receiver: &Receiver,
    resolver: &Resolver,
    guard: &SsrfGuard,
    deadline: Instant,
) -> Outcome {
    let mut stage = Stage::Connecting;
    let exchange = async {
        let (stream, _) = match connect(resolver, guard, &receiver.host, receiver.port, deadline).await {
            Ok(connection) => connection,
            Err(error) => return Outcome::NotSent(error.into()),
        };
        exchange(stream, vote, &receiver.protocol, &mut stage).await
    };
    match timeout_at(deadline, exchange).await {
        Ok(outcome) => outcome,
        Err(_) => match stage {
            Stage::Connecting => Outcome::NotSent(NotSent::ConnectTimedOut),
            Stage::Greeting => Outcome::NotSent(NotSent::NoGreeting),
            Stage::Sending => Outcome::Uncertain(Uncertain::TimedOut),
        },
    }
}

async fn exchange(mut stream: TcpStream, vote: &Vote, protocol: &Protocol, stage: &mut Stage) -> Outcome {
    *stage = Stage::Greeting;
    let message = match read_greeting(&mut stream).await.and_then(|greeting| encode(vote, protocol, &greeting)) {
        Ok(message) => message,
        Err(reason) => return Outcome::NotSent(reason),
    };
    if let Err(error) = write(&mut stream, &message, stage).await {
        return match stage {
            Stage::Sending => Outcome::Uncertain(Uncertain::Broken(error.to_string())),
            Stage::Connecting | Stage::Greeting => Outcome::NotSent(NotSent::Closed),
        };
    }
    match protocol {
        Protocol::V1(_) => read_end(&mut stream).await,
        Protocol::V2(_) => read_answer(&mut stream).await,
    }
    .unwrap_or_else(Outcome::Uncertain)
}

async fn read_greeting(stream: &mut TcpStream) -> Result<Greeting, NotSent> {
    let mut buffer = Vec::new();
    loop {
        // One byte more than allowed, so that a longer line is noticed.
        let space = MAX_GREETING + 1 - buffer.len();
        match (&mut *stream).take(space as u64).read_buf(&mut buffer).await {
            Ok(0) | Err(_) => return Err(NotSent::Closed),
            Ok(_) => {}
        }
        if let Some(greeting) = decode_greeting(&buffer).map_err(NotSent::WrongGreeting)? {
            return Ok(greeting);
        }
    }
}

fn encode(vote: &Vote, protocol: &Protocol, greeting: &Greeting) -> Result<Vec<u8>, NotSent> {
    match protocol {
        // Receivers of v2 accept v1, too.
        Protocol::V1(key) => Ok(encode_block(vote, key).to_vec()),
        Protocol::V2(token) => {
            let challenge = greeting.v2_challenge().ok_or_else(|| NotSent::NoV2(greeting.version.clone()))?;
            encode_frame(vote, token, challenge)
                .ok_or_else(|| NotSent::WrongGreeting("the challenge is too long".into()))
        }
    }
}

/// Writes the message once. A single `write` is either done or, if cancelled, has written nothing, so `stage` is exact.
async fn write(stream: &mut TcpStream, message: &[u8], stage: &mut Stage) -> std::io::Result<()> {
    let mut written = 0;
    while written < message.len() {
        match stream.write(&message[written..]).await? {
            0 => return Err(std::io::ErrorKind::WriteZero.into()),
            count => written += count,
        }
        *stage = Stage::Sending;
    }
    Ok(())
}

/// Reads the answer of a v2 receiver. Closing earlier would make some receivers drop the vote.
async fn read_answer(stream: &mut TcpStream) -> Result<Outcome, Uncertain> {
    let mut buffer = Vec::new();
    loop {
        let is_open = read_more(stream, &mut buffer).await?;
        match decode_answer(&buffer).map_err(Uncertain::InvalidAnswer)? {
            Some(answer) => return Ok(answer.into()),
            None if is_open => {}
            None => return Err(Uncertain::Closed),
        }
    }
}

/// Waits until a v1 receiver closes the connection, which it does after reading the vote. VotifierPlus answers as in v2 first;
/// anything else that it says is not part of a protocol.
async fn read_end(stream: &mut TcpStream) -> Result<Outcome, Uncertain> {
    let mut buffer = Vec::new();
    while read_more(stream, &mut buffer).await? {
        if let Ok(Some(answer)) = decode_answer(&buffer) {
            return Ok(answer.into());
        }
        if buffer.len() > MAX_ANSWER {
            return Err(Uncertain::InvalidAnswer("the receiver sends data without end"));
        }
    }
    Ok(Outcome::Delivered)
}

/// Appends what comes next, up to one byte more than an answer may have. False at the end of the stream.
async fn read_more(stream: &mut TcpStream, buffer: &mut Vec<u8>) -> Result<bool, Uncertain> {
    let space = MAX_ANSWER + 1 - buffer.len();
    match stream.take(space as u64).read_buf(buffer).await {
        Ok(count) => Ok(count > 0),
        Err(error) => Err(Uncertain::Broken(error.to_string())),
    }
}
