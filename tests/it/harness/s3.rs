//! A bucket of a real S3 server, and connections to it that a test can cut.

use std::io::{Read, Write};
use std::net::{Shutdown, SocketAddr, TcpListener, TcpStream};
use std::path::Path;
use std::process::Command;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

/// A prefix of its own in the bucket that all tests share.
pub struct Bucket {
    pub url: String,
    endpoint: String,
    key: String,
    secret: String,
}

impl Bucket {
    pub fn new() -> Self {
        static COUNT: AtomicUsize = AtomicUsize::new(0);
        let number = COUNT.fetch_add(1, Ordering::Relaxed);
        let server = server().strip_prefix("http://").expect("TEST_S3_URL is http://KEY:SECRET@HOST:PORT");
        let (credentials, host) = server.rsplit_once('@').expect("TEST_S3_URL has credentials");
        let (key, secret) = credentials.split_once(':').expect("TEST_S3_URL has a key and a secret");
        Self {
            url: format!("s3://pictures/test-{}-{number}", std::process::id()),
            endpoint: format!("http://{host}"),
            key: key.to_owned(),
            secret: secret.to_owned(),
        }
    }

    /// The address of the server.
    pub fn address(&self) -> SocketAddr {
        self.endpoint["http://".len()..].parse().expect("an IP address and a port")
    }

    /// The same bucket through a proxy.
    pub fn behind(mut self, proxy: &Proxy) -> Self {
        self.endpoint = format!("http://{}", proxy.address);
        self
    }

    pub fn with_secret(mut self, secret: &str) -> Self {
        secret.clone_into(&mut self.secret);
        self
    }

    /// Gives a command the settings for the bucket, except that its pictures are there.
    pub fn allow(&self, command: &mut Command) {
        command.env("ROLLCALL_MEDIA_ENDPOINT", &self.endpoint);
        command.env("AWS_ACCESS_KEY_ID", &self.key).env("AWS_SECRET_ACCESS_KEY", &self.secret);
    }

    /// Lets a command have its pictures in the bucket.
    pub fn set(&self, mut command: Command) -> Command {
        self.allow(&mut command);
        command.env("ROLLCALL_MEDIA_URL", &self.url);
        command
    }
}

/// The server of `TEST_S3_URL`, or a temporary one.
#[expect(clippy::disallowed_methods, reason = "a setting of the tests, not of the program")]
fn server() -> &'static str {
    static URL: OnceLock<String> = OnceLock::new();
    URL.get_or_init(|| {
        if let Ok(url) = std::env::var("TEST_S3_URL") {
            return url;
        }
        let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("scripts/s3");
        let output = Command::new(script).arg("start").output().expect("scripts/s3 runs");
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8(output.stdout).expect("a URL").trim().to_owned()
    })
}

/// Forwards connections until it is cut.
pub struct Proxy {
    pub address: SocketAddr,
    is_cut: Arc<AtomicBool>,
    open: Arc<Mutex<Vec<TcpStream>>>,
}

impl Proxy {
    pub fn to(target: SocketAddr) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a free port");
        let address = listener.local_addr().expect("bound");
        let (is_cut, open) = (Arc::new(AtomicBool::new(false)), Arc::new(Mutex::new(Vec::new())));
        let (cut, streams) = (is_cut.clone(), open.clone());
        std::thread::spawn(move || {
            for client in listener.incoming().flatten() {
                if cut.load(Ordering::SeqCst) {
                    continue;
                }
                let Ok(server) = TcpStream::connect(target) else { continue };
                streams.lock().unwrap().extend([client.try_clone().unwrap(), server.try_clone().unwrap()]);
                let reverse = (server.try_clone().unwrap(), client.try_clone().unwrap());
                std::thread::spawn(move || forward(client, server));
                std::thread::spawn(move || forward(reverse.0, reverse.1));
            }
        });
        Self { address, is_cut, open }
    }

    /// Closes all connections; new ones are closed at once.
    pub fn cut(&self) {
        self.is_cut.store(true, Ordering::SeqCst);
        for stream in self.open.lock().unwrap().drain(..) {
            let _ = stream.shutdown(Shutdown::Both);
        }
    }

    pub fn mend(&self) {
        self.is_cut.store(false, Ordering::SeqCst);
    }
}

fn forward(mut from: TcpStream, mut to: TcpStream) {
    let mut buffer = [0; 16 * 1024];
    while let Ok(length @ 1..) = from.read(&mut buffer) {
        if to.write_all(&buffer[..length]).is_err() {
            break;
        }
    }
    let _ = to.shutdown(Shutdown::Both);
}
