//! Turnstile and hCaptcha, against a fake service.

use std::io::{Read, Write};
use std::net::TcpListener;
use std::sync::Mutex;

use rollcall::config::Check;

use super::*;

const SITE_KEY: &str = "site-key";
const SECRET_KEY: &str = "secret & key";

/// Answers every request with the same bytes and records the requests.
struct Service {
    url: String,
    asked: Arc<Mutex<Vec<String>>>,
}

impl Service {
    /// `None`: accepts connections and never answers.
    fn answering(answer: Option<Vec<u8>>) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let url = format!("http://{}/siteverify", listener.local_addr().unwrap());
        let asked = Arc::new(Mutex::new(Vec::new()));
        let heard = asked.clone();
        std::thread::spawn(move || {
            let mut silent = Vec::new();
            for mut stream in listener.incoming().map(|stream| stream.unwrap()) {
                let Some(answer) = &answer else {
                    silent.push(stream);
                    continue;
                };
                let mut bytes = Vec::new();
                let mut part = [0; 4096];
                while !is_complete(&bytes) {
                    match stream.read(&mut part).unwrap() {
                        0 => break,
                        read => bytes.extend_from_slice(&part[..read]),
                    }
                }
                heard.lock().unwrap().push(String::from_utf8(bytes).unwrap());
                let _ = stream.write_all(answer);
            }
        });
        Self { url, asked }
    }

    fn saying(json: &Value) -> Self {
        Self::answering(Some(response("200 OK", &json.to_string())))
    }

    /// A server that uses this fake service.
    fn server(&self, engine: Engine, check: Check) -> Server {
        let url = self.url.clone();
        behind_proxy(engine, move |config| {
            config.playground.check = check;
            config.playground.site_key = SITE_KEY.into();
            config.playground.secret_key = SECRET_KEY.into();
            config.playground.verify_url = url.clone();
        })
    }
}

fn response(status: &str, body: &str) -> Vec<u8> {
    format!("HTTP/1.1 {status}\r\ncontent-length: {}\r\ncontent-type: application/json\r\n\r\n{body}", body.len())
        .into()
}

fn is_complete(request: &[u8]) -> bool {
    let text = String::from_utf8_lossy(request);
    let Some((head, body)) = text.split_once("\r\n\r\n") else { return false };
    let length = head.lines().find_map(|line| line.to_lowercase().strip_prefix("content-length: ")?.parse().ok());
    body.len() >= length.unwrap_or(0usize)
}

const CHECKS: [Check; 2] = [Check::Turnstile, Check::Hcaptcha];

#[tokio::test]
async fn an_accepted_token_buys_one_pass() {
    for (check, engine) in CHECKS.into_iter().zip(Engine::BOTH) {
        let service = Service::saying(&json!({"success": true, "hostname": "rollcall.test"}));
        let server = service.server(engine, check);
        let whose = [("x-forwarded-for", "192.0.2.7")];
        let answer = send_solution(&server, "to ken/é", &whose).await;
        assert_eq!(answer.status, 200, "{}", String::from_utf8_lossy(&answer.body));
        let token = answer.data()["pass"].as_str().unwrap().to_owned();
        assert_eq!(run_as(&server, &token, "/servers", &whose).await.status, 200);
        let asked = service.asked.lock().unwrap()[0].clone();
        assert!(asked.starts_with("POST /siteverify HTTP/1.1\r\n"), "{asked}");
        let form = "secret=secret%20%26%20key&response=to%20ken%2F%C3%A9&remoteip=192%2E0%2E2%2E7&sitekey=site%2Dkey";
        assert!(asked.ends_with(form), "{asked}");
        // The provider accepts a token once; we check it ourselves as well.
        assert_eq!(error_of(&send_solution(&server, "to ken/é", &whose).await).0, 409);
        assert_eq!(send_solution(&server, "another", &whose).await.status, 200);
    }
}

#[tokio::test]
async fn rejected_tokens_and_tokens_of_other_sites_buy_no_pass() {
    for answer in [
        json!({"success": false, "error-codes": ["invalid-input-response"]}),
        json!({"success": false, "error-codes": ["timeout-or-duplicate"]}),
        json!({"success": false}),
        json!({"success": true, "hostname": "evil.example"}),
    ] {
        let server = Service::saying(&answer).server(Engine::Sqlite, Check::Turnstile);
        let expected = (403, "The CAPTCHA was not passed; try again".to_owned());
        assert_eq!(error_of(&send_solution(&server, "token", &[]).await), expected, "{answer}");
        assert_eq!(rows(&server.store, "playground_passes"), 0);
    }
}

#[tokio::test]
async fn a_failing_provider_grants_no_pass() {
    let large = json!({"success": true, "padding": "x".repeat(16 * 1024)}).to_string();
    let gone = Service { url: unused(), asked: Arc::default() };
    for service in [
        gone,
        Service::answering(None),
        Service::answering(Some(b"".to_vec())),
        Service::answering(Some(b"nonsense\r\n\r\n".to_vec())),
        Service::answering(Some(response("200 OK", "yes"))),
        Service::answering(Some(response("200 OK", "true"))),
        Service::answering(Some(response("200 OK", "{\"success\": \"true\"}"))),
        Service::answering(Some(response("500 Internal Server Error", "{}"))),
        Service::answering(Some(response("302 Found\r\nlocation: http://127.0.0.1/", ""))),
        Service::answering(Some(response("200 OK", &large))),
        Service::answering(Some(response("200 OK", "{\"success\": true}")[..60].to_vec())),
        Service::saying(&json!({"success": false, "error-codes": ["invalid-input-secret"]})),
        Service::saying(&json!({"success": false, "error-codes": ["internal-error"]})),
    ] {
        let server = service.server(Engine::Sqlite, Check::Hcaptcha);
        let answer = send_solution(&server, "token", &[]).await;
        let expected = "The CAPTCHA cannot be verified right now, try again in a moment".to_owned();
        assert_eq!(error_of(&answer), (503, expected));
        assert_eq!(answer.header("retry-after"), Some("1"));
        assert_eq!(rows(&server.store, "playground_passes"), 0);
    }
}

/// A URL without a listener: its port was just released.
fn unused() -> String {
    let port = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
    format!("http://127.0.0.1:{port}/siteverify")
}

#[tokio::test]
async fn malformed_tokens_are_not_sent_to_the_provider() {
    let service = Service::saying(&json!({"success": true}));
    let server = service.server(Engine::Sqlite, Check::Turnstile);
    assert_eq!(error_of(&send_solution(&server, "", &[]).await).0, 400);
    assert_eq!(error_of(&send_solution(&server, &"x".repeat(13_000), &[]).await).0, 413);
    assert!(service.asked.lock().unwrap().is_empty());
    // With a provider configured, a proof of work is not accepted.
    let refusing = Service::saying(&json!({"success": false})).server(Engine::Sqlite, Check::Turnstile);
    assert_eq!(error_of(&send_solution(&refusing, &solution(&refusing).await, &[]).await).0, 403);
}

#[tokio::test]
async fn only_the_playground_allows_the_origins_of_the_configured_provider() {
    let policy = async |server: &Server, path: &str| {
        let answer = server.raw(Method::GET, path, &[]).await;
        answer.header("content-security-policy").expect("a policy").to_owned()
    };
    let service = Service::saying(&json!({"success": true}));
    for (check, origin, other) in
        [(Check::Turnstile, "cloudflare.com", "hcaptcha.com"), (Check::Hcaptcha, "hcaptcha.com", "cloudflare.com")]
    {
        let server = service.server(Engine::Sqlite, check);
        let wide = policy(&server, "/playground").await;
        assert!(wide.contains(origin) && !wide.contains(other) && !wide.contains("unsafe"), "{wide}");
        for path in ["/", "/docs", "/nothing"] {
            assert!(!policy(&server, path).await.contains("https:"), "{path}");
        }
        let page = server.raw(Method::GET, "/playground", &[]).await;
        let html = String::from_utf8(page.body).unwrap();
        assert!(html.contains(SITE_KEY) && !html.contains("secret"), "{html}");
    }
    let server = serving(Engine::Sqlite, |_| {});
    assert!(!policy(&server, "/playground").await.contains("https:"));
}
