//! No log line contains a secret, at any level and on both engines.

use std::collections::BTreeMap;
use std::io::{Read, Write};
use std::net::TcpListener;

use percent_encoding::{NON_ALPHANUMERIC, utf8_percent_encode};
use rollcall_model::time::SECOND;
use totp_rs::{Builder, Secret};

use super::{Program, complaint, printed, rollcall, stderr};
use crate::harness::{Engine, PASSWORD, Store, TestResponse};

/// A visitor of a running program: cookies, and the CSRF token of the current page.
struct Visitor<'a> {
    program: &'a Program,
    client: reqwest::Client,
    jar: BTreeMap<String, String>,
    token: String,
}

impl<'a> Visitor<'a> {
    fn new(program: &'a Program) -> Self {
        let client = reqwest::Client::builder().no_proxy().redirect(reqwest::redirect::Policy::none()).build().unwrap();
        Self { program, client, jar: BTreeMap::new(), token: String::new() }
    }

    async fn get(&mut self, path: &str) -> TestResponse {
        self.exchange(self.client.get(format!("{}{path}", self.program.url))).await
    }

    /// Submits a form.
    async fn send(&mut self, path: &str, fields: &[(&str, &str)]) -> TestResponse {
        let part = |text: &str| utf8_percent_encode(text, NON_ALPHANUMERIC).to_string();
        let token = self.token.clone();
        let fields = fields.iter().copied().chain([("token", token.as_str())]);
        let body: Vec<String> = fields.map(|(name, value)| format!("{}={}", part(name), part(value))).collect();
        let request = self.client.post(format!("{}{path}", self.program.url)).body(body.join("&"));
        let request = request.header("content-type", "application/x-www-form-urlencoded");
        self.exchange(request.header("origin", &self.program.url)).await
    }

    async fn exchange(&mut self, request: reqwest::RequestBuilder) -> TestResponse {
        let cookies: Vec<String> = self.jar.iter().map(|(name, value)| format!("{name}={value}")).collect();
        let response = request.header("cookie", cookies.join("; ")).send().await.expect("a response");
        let (status, headers) = (response.status().as_u16(), response.headers().clone());
        let response = TestResponse { status, headers, body: response.bytes().await.expect("a body").to_vec() };
        for cookie in response.cookies() {
            let (name, value) = cookie.split(';').next().and_then(|pair| pair.split_once('=')).expect("name=value");
            self.jar.insert(name.to_owned(), value.to_owned());
        }
        if response.html().contains("name=\"token\"") {
            self.token = response.field("token");
        }
        response
    }
}

/// Everything that someone with an account does with secrets. Returns them.
async fn use_secrets(program: &Program) -> Vec<String> {
    let mut ada = Visitor::new(program);
    ada.get("/sign-up").await;
    let fields = [("username", "ada"), ("password", PASSWORD), ("again", PASSWORD)];
    assert_eq!(ada.send("/sign-up", &fields).await.redirect_target(), "/dashboard?done=welcome");
    let id = ada.get("/dashboard").await.field("id");
    let key = ada.send("/dashboard/keys", &[("id", &id), ("name", "bot")]).await.secret();
    let totp = ada.get("/dashboard/account/second-factor").await.field("secret");
    let secret = Secret::try_from_base32(&totp).expect("base32");
    let app = Builder::new().with_secret(secret).build().expect("a sound secret");
    let code = app.generate((rollcall_model::clock::Clock::System.now() / SECOND) as u64).to_string();
    let fields = [("secret", totp.as_str()), ("code", &code), ("password", PASSWORD)];
    let codes = ada.send("/dashboard/account/second-factor", &fields).await.html();
    let codes = codes.split("<code>").nth(1).and_then(|rest| rest.split("</code>").next()).expect("recovery codes");
    let mut secrets: Vec<String> = codes.split_whitespace().map(str::to_owned).collect();
    assert_eq!(secrets.len(), 10);
    let wrong = "a wrong password";
    let mut again = Visitor::new(program);
    for password in [wrong, PASSWORD] {
        again.get("/sign-in").await;
        again.send("/sign-in", &[("username", "ada"), ("password", password)]).await;
    }
    again.get("/sign-in/code").await;
    let signed_in = again.send("/sign-in/code", &[("code", &secrets[0].clone())]).await;
    assert!(signed_in.html().contains("<h1>Changes to your account</h1>"), "{}", signed_in.html());
    call_with_key(program, &key).await;
    let cookies: Vec<String> = ada.jar.into_values().chain(again.jar.into_values()).collect();
    secrets.extend(cookies.into_iter().filter(|value| value.len() >= 16));
    secrets.extend([key[7..].to_owned(), key[7..20].to_owned(), totp, PASSWORD.to_owned(), wrong.to_owned()]);
    secrets.extend([ada.token, again.token]);
    secrets
}

/// The key in the header, in the query and, by mistake, in the path: plain, encoded and cut off.
async fn call_with_key(program: &Program, key: &str) {
    assert_eq!(program.get("/v1/servers", &[("x-api-key", key)]).await.status, 200);
    assert_eq!(program.get(&format!("/v1/servers?api_key={key}"), &[]).await.status, 200);
    let each: String = key.bytes().map(|byte| format!("%{byte:02X}")).collect();
    for written in [key.to_owned(), key.replace('_', "%5F"), key.replace('_', "%255f"), each, key[..25].to_owned()] {
        for path in ["/v1/servers/", "/v1/players/", "/v1/", "/", "/media/icon/", "/playground/v1/servers/"] {
            let status = program.get(&format!("{path}{written}"), &[("x-api-key", key)]).await.status;
            assert!((400..500).contains(&status), "{path}: {status}");
        }
    }
    program.get("/v1/after-the-keys", &[]).await;
}

#[tokio::test]
async fn no_secret_is_logged_at_any_level() {
    for engine in Engine::BOTH {
        let store = Store::new(engine);
        let password = printed(&store.rollcall(&["account", "create", "operator", "--admin"])).trim().to_owned();
        let mut command = store.command(&["serve", "--listen", "127.0.0.1:0"]);
        command.env("ROLLCALL_LOG_FILTER", "trace").env("ROLLCALL_ACCOUNTS_SIGN_UP_CHECK", "off");
        let program = Program::start(command);
        let mut secrets = use_secrets(&program).await;
        secrets.push(password);
        program.until_logged("/v1/after-the-keys");
        let hashes: Vec<String> = store.change(|conn| conn.query("select password from logins", &[], |row| row.get(0)));
        assert_eq!(hashes.len(), 2);
        secrets.extend(hashes);
        let log = program.log();
        assert!(log.contains("\"DEBUG\"") && log.contains("/v1/servers/rc_"), "{log}");
        if engine == Engine::Postgres {
            assert!(log.contains("with parameters: "), "the driver no longer logs statements");
        }
        for secret in secrets {
            assert!(secret.len() >= 8, "{secret}");
            let line = log.lines().find(|line| line.contains(&secret));
            assert_eq!(line, None, "{secret} is logged");
        }
    }
}

/// What a client sends first if it would like TLS: the length, and a number in place of the protocol's version.
const SSL_REQUEST: &[u8] = &[0, 0, 0, 8, 0x04, 0xd2, 0x16, 0x2f];

/// A PostgreSQL server that asks for the password and refuses it.
fn refusing_postgres() -> u16 {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    std::thread::spawn(move || {
        for stream in listener.incoming() {
            let Ok(mut stream) = stream else { return };
            let mut message = [0; 1024];
            let _ = stream.read(&mut message);
            if message.starts_with(SSL_REQUEST) {
                // It has no TLS.
                let _ = stream.write_all(b"N");
                let _ = stream.read(&mut message);
            }
            // AuthenticationCleartextPassword
            let _ = stream.write_all(b"R\0\0\0\x08\0\0\0\x03");
            let _ = stream.read(&mut message);
            let fields = b"SFATAL\0VFATAL\0C28P01\0Mpassword authentication failed for user \"roll\"\0\0";
            let length = u32::try_from(fields.len() + 4).unwrap().to_be_bytes();
            let _ = stream.write_all(&[b"E", &length[..], fields].concat());
        }
    });
    port
}

#[test]
fn a_refused_database_password_is_neither_logged_nor_printed() {
    let folder = tempfile::tempdir().unwrap();
    let port = refusing_postgres();
    let url = format!("postgres://roll:first%40tail@127.0.0.1:{port}/db");
    for args in [&["serve", "--listen", "127.0.0.1:0"][..], &["demo", "--listen", "127.0.0.1:0"], &["key", "list"]] {
        let output =
            rollcall(folder.path(), args).env("ROLLCALL_DATABASE", &url).env("ROLLCALL_LOG_FILTER", "trace").output();
        let output = output.unwrap();
        assert_eq!(output.status.code(), Some(1));
        let last = stderr(&output).lines().last().unwrap();
        let expected =
            format!("rollcall: cannot open postgres://127.0.0.1:{port}/db: PostgreSQL: password authentication failed");
        assert!(last.starts_with(&expected), "{last}");
        for part in ["first", "tail", "%40"] {
            assert!(!stderr(&output).contains(part), "{}", stderr(&output));
        }
    }
    let output = rollcall(folder.path(), &["key", "list", "--database", &url]).output().unwrap();
    assert!(!complaint(&output, 1).contains("first"));
}
