//! Those who ask in Rust: we, craftping, and the least that any client on tokio can do.

use std::io::{self, BufRead};
use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use rollcall_ping::{Asker, Edition, Form, Host, Names, Question};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::time::timeout;

use super::hosts::PLAYERS;

pub const ARGUMENT: &str = "--ask";
pub const CRAFTPING: &str = "craftping 0.8";
/// As the table calls them, and as arguments.
pub const NAMES: [(&str, &str); 4] = [
    ("ours", "ours"),
    (CRAFTPING, "craftping"),
    ("craftping + deadline", "craftping-deadline"),
    ("bare, nothing read", "bare"),
];
const PATIENCE: Duration = Duration::from_secs(5);

#[derive(Clone, Copy)]
enum Way {
    Ours,
    Craftping,
    /// It has none of its own; whoever asks strangers puts one around it.
    CraftpingInTime,
    Bare,
}

struct Asking {
    way: Way,
    addresses: Vec<SocketAddr>,
    questions: Vec<Question>,
    asker: Asker,
    left: AtomicUsize,
}

/// `WAY AT_ONCE HOST:PORT...`; then reads a number of asks per line and says how many seconds they took.
pub fn run(args: &[String]) {
    let way = match args[0].as_str() {
        "ours" => Way::Ours,
        "craftping" => Way::Craftping,
        "craftping-deadline" => Way::CraftpingInTime,
        _ => Way::Bare,
    };
    let at_once: usize = args[1].parse().expect("a number");
    let addresses: Vec<SocketAddr> = args[2..].iter().map(|address| address.parse().expect("an address")).collect();
    let nobody = "127.0.0.1:1".parse().expect("an address");
    let asking = Arc::new(Asking {
        way,
        questions: addresses.iter().map(|address| question(*address)).collect(),
        addresses,
        asker: Asker { names: Names::dns(Some(nobody)).expect("names"), allow_private: true, deadline: PATIENCE },
        left: AtomicUsize::new(0),
    });
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
    println!("ready");
    for line in io::stdin().lock().lines() {
        let count = line.expect("orders").parse().expect("a number");
        println!("{}", runtime.block_on(ask(&asking, at_once, count)).as_secs_f64());
    }
}

/// As the tracker asks whom it has asked before.
fn question(address: SocketAddr) -> Question {
    Question {
        host: Host::Address(address.ip()),
        port: address.port(),
        edition: Edition::Java,
        query_port: None,
        form: Some(Form::Modern),
        only_form: false,
    }
}

async fn ask(asking: &Arc<Asking>, at_once: usize, count: usize) -> Duration {
    asking.left.store(count, Ordering::Relaxed);
    let began = Instant::now();
    let tasks: Vec<_> = (0..at_once).map(|_| tokio::spawn(asking.clone().one_after_the_other())).collect();
    for task in tasks {
        task.await.expect("all answers are good");
    }
    began.elapsed()
}

impl Asking {
    async fn one_after_the_other(self: Arc<Self>) {
        while let Ok(left) = self.left.try_update(Ordering::Relaxed, Ordering::Relaxed, |left| left.checked_sub(1)) {
            let place = left % self.addresses.len();
            let address = self.addresses[place];
            match self.way {
                Way::Ours => {
                    let answer = self.asker.ask(&self.questions[place]).await.expect("an answer");
                    assert_eq!(answer.status.players, PLAYERS);
                }
                Way::Craftping => craftping(address).await,
                Way::CraftpingInTime => timeout(PATIENCE, craftping(address)).await.expect("an answer"),
                Way::Bare => assert!(bare(address).await.expect("an answer") > 0),
            }
        }
    }
}

async fn craftping(address: SocketAddr) {
    let mut stream = TcpStream::connect(address).await.expect("a connection");
    let host = address.ip().to_string();
    let answer = craftping::tokio::ping(&mut stream, &host, address.port(), craftping::PROTOCOL_VERSION_NOT_SET);
    assert_eq!(answer.await.expect("an answer").online_players as i64, PLAYERS);
}

/// Connects, says hello and reads until the length that stands in front is reached. Gives that length.
pub async fn bare(address: SocketAddr) -> io::Result<usize> {
    let mut stream = TcpStream::connect(address).await?;
    let mut hello = vec![0, 0, 0xff, 0xff, 0xff, 0xff, 0x0f, 7];
    hello.extend_from_slice(b"0.0.0.0");
    hello.extend_from_slice(&address.port().to_be_bytes());
    hello.extend_from_slice(&[1, 1, 0]);
    hello[0] = (hello.len() - 3) as u8;
    stream.write_all(&hello).await?;
    let mut buffer = [0; 16 * 1024];
    let mut filled = 0;
    loop {
        let read = stream.read(&mut buffer[filled..]).await?;
        if read == 0 {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
        filled += read;
        let (mut length, mut place) = (0, 0);
        while place < filled {
            length |= usize::from(buffer[place] & 0x7f) << (7 * place);
            place += 1;
            if buffer[place - 1] & 0x80 == 0 {
                break;
            }
        }
        if filled >= length + place {
            return Ok(length);
        }
    }
}
