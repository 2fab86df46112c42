//! A stand-in for a session server with its account server and textures: the real one needs the internet.

use std::collections::HashMap;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{Ipv4Addr, TcpStream};
use std::sync::{Arc, Mutex};

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Value, json};

pub const NOTCH: &str = "069a79f444e94726a5befca90e38aaf5";
pub const NAMES: &str = "/account/profiles/minecraft";
pub const PROFILE: &str = "/session/session/minecraft/profile/069a79f444e94726a5befca90e38aaf5";
pub const PICTURE: &str = "/textures/skin.png";

/// Answers by their path, each a whole HTTP response; 404 for others.
#[derive(Clone)]
pub struct FakeSessionServer {
    pub url: String,
    answers: Arc<Mutex<HashMap<String, Vec<u8>>>>,
    /// Method, path and body of each request.
    requests: Arc<Mutex<Vec<String>>>,
}

impl FakeSessionServer {
    /// Serves until the test program ends.
    pub fn start() -> Self {
        let listener = std::net::TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).expect("a free port");
        let url = format!("http://{}", listener.local_addr().expect("an address"));
        let server = Self { url, answers: Arc::default(), requests: Arc::default() };
        let own = server.clone();
        std::thread::spawn(move || listener.incoming().flatten().for_each(|stream| own.answer(stream)));
        server
    }

    /// One that knows Notch with this skin.
    pub fn with_notch(png: &[u8], model: Option<&str>) -> Self {
        let server = Self::start();
        server.know_notch(png, model);
        server
    }

    /// Gives the right answers about Notch.
    pub fn know_notch(&self, png: &[u8], model: Option<&str>) {
        self.set(NAMES, &json_response(&json!([{"id": NOTCH, "name": "Notch"}])));
        let mut skin = json!({"url": format!("{}{PICTURE}", self.url)});
        if let Some(model) = model {
            skin["metadata"] = json!({"model": model});
        }
        let textures = json!({"timestamp": 1, "textures": {"SKIN": skin}});
        self.set(PROFILE, &json_response(&profile(&textures.to_string())));
        self.set(PICTURE, &response("200 OK", "image/png", png));
    }

    pub fn set(&self, path: &str, answer: &[u8]) {
        self.answers.lock().expect("no panic while locked").insert(path.to_owned(), answer.to_vec());
    }

    pub fn requests(&self) -> Vec<String> {
        std::mem::take(&mut self.requests.lock().expect("no panic while locked"))
    }

    fn answer(&self, mut stream: TcpStream) {
        let mut reader = BufReader::new(&stream);
        let (mut first, mut length) = (String::new(), 0);
        let _ = reader.read_line(&mut first);
        loop {
            let mut line = String::new();
            if reader.read_line(&mut line).unwrap_or(0) <= 2 {
                break;
            }
            if let Some(value) = line.to_lowercase().strip_prefix("content-length:") {
                length = value.trim().parse().unwrap_or(0);
            }
        }
        let mut body = vec![0; length];
        let _ = reader.read_exact(&mut body);
        let target = first.rsplit_once(' ').map_or("", |(target, _)| target);
        let request = format!("{target} {}", String::from_utf8_lossy(&body)).trim_end().to_owned();
        self.requests.lock().expect("no panic while locked").push(request);
        let path = target.split(' ').nth(1).unwrap_or_default();
        let answer = self.answers.lock().expect("no panic while locked").get(path).cloned();
        let _ = stream.write_all(&answer.unwrap_or_else(|| response("404 Not Found", "text/plain", b"")));
    }
}

pub fn response(status: &str, content_type: &str, body: &[u8]) -> Vec<u8> {
    let length = body.len();
    let head = format!(
        "HTTP/1.1 {status}\r\ncontent-type: {content_type}\r\ncontent-length: {length}\r\nconnection: close\r\n\r\n"
    );
    [head.as_bytes(), body].concat()
}

pub fn json_response(json: &Value) -> Vec<u8> {
    response("200 OK", "application/json", json.to_string().as_bytes())
}

pub fn redirect(to: &str) -> Vec<u8> {
    format!("HTTP/1.1 302 Found\r\nlocation: {to}\r\ncontent-length: 0\r\nconnection: close\r\n\r\n").into_bytes()
}

/// The profile of Notch with a value of its property `textures`.
pub fn profile(textures: &str) -> Value {
    let value = STANDARD.encode(textures);
    json!({"id": NOTCH, "name": "Notch", "properties": [{"name": "textures", "value": value, "signature": "x"}]})
}
