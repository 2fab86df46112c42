//! The running service of the tests (TEST_URL), whose keys TEST_PROGRAM makes, and services on this machine that answer as they are
//! told.
#![allow(dead_code)]

use std::process::Command;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use rollcall_client::{Client, ClientBuilder};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};

pub const ROOMY: [&str; 6] = ["--per-minute", "10000", "--per-day", "100000", "--per-month", "1000000"];

pub fn base_url() -> String {
    format!("{}/v1", std::env::var("TEST_URL").expect("TEST_URL: run scripts/clients"))
}

pub fn command(arguments: &[&str]) -> String {
    let program = std::env::var("TEST_PROGRAM").expect("TEST_PROGRAM");
    let output = Command::new(program).args(arguments).output().expect("the program runs");
    assert!(output.status.success(), "{arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).expect("UTF-8")
}

/// A new key and its id, when the service knows it: within a second.
pub async fn known_key(limits: &[&str]) -> (String, String) {
    let printed = command(&[&["key", "create", "--json"], limits].concat());
    let printed: serde_json::Value = serde_json::from_str(&printed).expect("JSON");
    let text = |name: &str| printed[name].as_str().expect(name).to_owned();
    let client = Client::builder(&base_url(), &text("key")).retries(0).build().unwrap();
    let deadline = Instant::now() + Duration::from_secs(60);
    while let Err(error) = client.key_status().await {
        assert!(error.status() == Some(401) && Instant::now() < deadline, "{error}");
        tokio::time::sleep(Duration::from_millis(100)).await;
    }
    (text("key"), text("id"))
}

pub async fn client() -> Client {
    Client::new(&base_url(), &known_key(&ROOMY).await.0).unwrap()
}

/// Answers each connection with the next of some texts, and keeps what was asked.
pub struct Fake {
    pub url: String,
    asked: Arc<Mutex<Vec<String>>>,
}

impl Fake {
    pub async fn start(answers: Vec<String>) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = format!("http://{}/v1", listener.local_addr().unwrap());
        let asked = Arc::new(Mutex::new(Vec::new()));
        let heads = asked.clone();
        tokio::spawn(async move {
            for answer in answers {
                let (mut stream, _) = listener.accept().await.unwrap();
                let head = read_head(&mut stream).await;
                heads.lock().unwrap().push(head);
                stream.write_all(answer.as_bytes()).await.unwrap();
            }
        });
        Self { url, asked }
    }

    pub fn client(&self) -> ClientBuilder {
        Client::builder(&self.url, "rc_x")
    }

    /// The heads of the requests, in lower case.
    pub fn asked(&self) -> Vec<String> {
        self.asked.lock().unwrap().clone()
    }
}

/// A way to the service on which each connection breaks after some bytes.
pub async fn breaking(bytes: u64) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}/v1", listener.local_addr().unwrap());
    let service = base_url().trim_start_matches("http://").trim_end_matches("/v1").to_owned();
    tokio::spawn(async move {
        loop {
            let (mut near, _) = listener.accept().await.unwrap();
            let head = read_head(&mut near).await;
            let mut far = TcpStream::connect(&service).await.unwrap();
            far.write_all(head.as_bytes()).await.unwrap();
            tokio::spawn(async move { tokio::io::copy(&mut far.take(bytes), &mut near).await });
        }
    });
    url
}

async fn read_head(stream: &mut TcpStream) -> String {
    let mut head = Vec::new();
    while !head.ends_with(b"\r\n\r\n") {
        head.push(stream.read_u8().await.unwrap());
    }
    String::from_utf8(head).unwrap()
}

pub fn answer(status: u16, headers: &str, body: &str) -> String {
    let length = body.len();
    format!("HTTP/1.1 {status} X\r\nconnection: close\r\ncontent-length: {length}\r\n{headers}\r\n{body}")
}
