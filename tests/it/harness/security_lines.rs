//! Captures the security log of all servers of this process.

use std::io::Write;
use std::sync::{Arc, Mutex, OnceLock};

use serde_json::Value;
use tracing_subscriber::EnvFilter;

#[derive(Clone, Default)]
struct Buffer(Arc<Mutex<Vec<u8>>>);

impl Write for Buffer {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.0.lock().expect("no test panics here").extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

fn buffer() -> &'static Buffer {
    static BUFFER: OnceLock<Buffer> = OnceLock::new();
    BUFFER.get_or_init(|| {
        let buffer = Buffer::default();
        let writer = buffer.clone();
        let filter = EnvFilter::new(format!("off,{}=info", rollcall::security_log::TARGET));
        let log = tracing_subscriber::fmt().with_env_filter(filter).with_writer(move || writer.clone());
        log.json().init();
        buffer
    })
}

/// Starts capturing; call it before the requests.
pub fn capture_security_lines() {
    buffer();
}

/// The fields of every captured line so far.
pub fn security_lines() -> Vec<Value> {
    let text = buffer().0.lock().expect("no test panics here").clone();
    let text = String::from_utf8(text).expect("plain text");
    text.lines().map(|line| serde_json::from_str::<Value>(line).expect("JSON")["fields"].clone()).collect()
}
