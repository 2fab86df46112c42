//! A vote receiver for other people's senders: `cargo run -p rollcall-minecraft --example receive_votes [-- --v1-only]`
//!
//! Prints one JSON line with its address, token and public key, and one for each vote. Ends when its input ends.

#![expect(clippy::print_stdout, reason = "a command-line example")]

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

use rollcall_minecraft::votifier::fake_receiver::{FakeReceiver, Settings};
use rollcall_minecraft::votifier::test_keys::TestKey;
use serde_json::json;

const TOKEN: &str = "n8arvfsbbbt0xqh4m3ko7tz1u2";
const POLL: Duration = Duration::from_millis(10);

#[tokio::main]
async fn main() -> std::io::Result<()> {
    let v1_only = std::env::args().any(|argument| argument == "--v1-only");
    let key = Arc::new(TestKey::generate());
    let public_key = key.public_key().to_owned();
    let tokens = if v1_only { HashMap::new() } else { Settings::with_token(TOKEN).tokens };
    let receiver =
        FakeReceiver::start(Settings { tokens, decrypt: Some(Arc::new(move |block| key.decrypt(block))) }).await?;
    let address = receiver.address();
    println!("{}", json!({"host": address.ip(), "port": address.port(), "token": TOKEN, "public_key": public_key}));
    std::thread::spawn(|| {
        let _ = std::io::copy(&mut std::io::stdin(), &mut std::io::sink());
        std::process::exit(0);
    });
    let mut printed = 0;
    loop {
        for vote in receiver.votes().iter().skip(printed) {
            println!("{}", json!(vote));
            printed += 1;
        }
        tokio::time::sleep(POLL).await;
    }
}
