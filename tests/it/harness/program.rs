use std::fs::File;
use std::io::{BufRead, BufReader};
use std::path::PathBuf;
use std::process::{Child, ChildStdout, Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};

use reqwest::Method;

use super::{DEADLINE, TestResponse};

/// A running `rollcall` process. Dropping it kills it.
pub struct Program {
    child: Child,
    out: BufReader<ChildStdout>,
    log: PathBuf,
    /// `http://127.0.0.1:PORT`, with TLS `https://…`
    pub url: String,
}

impl Program {
    /// Starts it and waits for the line with its URL.
    pub fn start(mut command: Command) -> Self {
        let folder = command.get_current_dir().expect("a folder").to_owned();
        let log = folder.join(format!("log-{}", std::fs::read_dir(&folder).expect("the folder").count()));
        let err = File::create(&log).expect("a file for the log");
        let mut child = command.stdout(Stdio::piped()).stderr(err).spawn().expect("the program starts");
        let out = BufReader::new(child.stdout.take().expect("piped"));
        let mut program = Self { child, out, log, url: String::new() };
        let first = program.line();
        program.url = first.strip_prefix("Listening on ").unwrap_or_else(|| panic!("{first}")).to_owned();
        program
    }

    /// The next line of its output.
    pub fn line(&mut self) -> String {
        let mut line = String::new();
        self.out.read_line(&mut line).expect("plain text");
        assert!(line.ends_with('\n'), "the program ended: {}", self.log());
        line.trim_end().to_owned()
    }

    /// The log so far.
    pub fn log(&self) -> String {
        std::fs::read_to_string(&self.log).expect("the log is plain text")
    }

    pub fn address(&self) -> &str {
        self.url.split_once("://").expect("a whole address").1
    }

    pub async fn get(&self, path: &str, headers: &[(&str, &str)]) -> TestResponse {
        fetch(&format!("{}{path}", self.url), headers).await
    }

    /// Waits until the log contains this text.
    pub fn until_logged(&self, text: &str) {
        let started = Instant::now();
        while !self.log().contains(text) {
            assert!(started.elapsed() < DEADLINE, "\"{text}\" is not in the log: {}", self.log());
            #[expect(clippy::disallowed_methods, reason = "polls with a deadline in a blocking thread")]
            std::thread::sleep(Duration::from_millis(10));
        }
    }

    /// The URL of its metrics, from the log.
    pub fn metrics(&self) -> String {
        self.until_logged("metrics on ");
        let log = self.log();
        let url = log.split("metrics on ").nth(1).and_then(|rest| rest.split('"').next());
        url.expect("a whole line").to_owned()
    }

    pub fn pid(&self) -> u32 {
        self.child.id()
    }

    pub fn signal(&self, signal: &str) {
        let sent = Command::new("kill").args(["-s", signal, &self.pid().to_string()]).status();
        assert!(sent.expect("kill runs").success());
    }

    /// Sends a signal and waits for the exit; returns the status and the time that took.
    pub fn stop(mut self, signal: &str) -> (ExitStatus, Duration) {
        let started = Instant::now();
        self.signal(signal);
        let deadline = DEADLINE;
        loop {
            if let Some(status) = self.child.try_wait().expect("a child process") {
                return (status, started.elapsed());
            }
            assert!(started.elapsed() < deadline, "the program does not stop: {}", self.log());
            #[expect(clippy::disallowed_methods, reason = "polls with a deadline in a blocking thread")]
            std::thread::sleep(Duration::from_millis(10));
        }
    }
}

impl Drop for Program {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

pub async fn fetch(url: &str, headers: &[(&str, &str)]) -> TestResponse {
    let client = reqwest::Client::builder().no_proxy().build().expect("a client");
    let mut request = client.request(Method::GET, url);
    for (name, value) in headers {
        request = request.header(*name, *value);
    }
    let response = request.send().await.expect("a response");
    let (status, headers) = (response.status().as_u16(), response.headers().clone());
    TestResponse { status, headers, body: response.bytes().await.expect("the whole body").to_vec() }
}
