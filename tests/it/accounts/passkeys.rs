//! Passkeys: registered with a fresh proof, used as second factor or alone, removed. The authenticator is software.

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use ring::digest::{SHA256, digest};
use ring::rand::SystemRandom;
use ring::signature::{ECDSA_P256_SHA256_ASN1_SIGNING, EcdsaKeyPair, KeyPair};
use rollcall_model::time::MINUTE;
use serde_json::{Value, json};

use super::{second_factor, stored_rows};
use crate::harness::{Browser, Engine, NOW, PASSWORD, PUBLIC_URL, Server, TestResponse};

pub const VERIFIED: u8 = 0x05;
const PRESENT: u8 = 0x01;

/// An authenticator with one ES256 key.
pub struct Authenticator {
    pair: EcdsaKeyPair,
    credential: Vec<u8>,
    pub counter: u32,
}

fn encode(bytes: &[u8]) -> String {
    URL_SAFE_NO_PAD.encode(bytes)
}

const HOST: &str = "rollcall.test";

fn client_data(kind: &str, challenge: &str, origin: &str) -> String {
    json!({"type": kind, "challenge": challenge, "origin": origin, "crossOrigin": false}).to_string()
}

/// Asks for a challenge as the script does.
pub async fn challenge(browser: &mut Browser<'_>, ceremony: &str) -> Value {
    let answer = browser.send("/passkeys/challenge", &[("for", ceremony)]).await;
    assert_eq!((answer.status, answer.header("cache-control")), (200, Some("no-store")));
    serde_json::from_slice(&answer.body).expect("JSON")
}

impl Authenticator {
    pub fn new(credential: &[u8]) -> Self {
        let random = SystemRandom::new();
        let pkcs8 = EcdsaKeyPair::generate_pkcs8(&ECDSA_P256_SHA256_ASN1_SIGNING, &random).unwrap();
        let pair = EcdsaKeyPair::from_pkcs8(&ECDSA_P256_SHA256_ASN1_SIGNING, pkcs8.as_ref(), &random).unwrap();
        Self { pair, credential: credential.to_vec(), counter: 0 }
    }

    fn data(&self, flags: u8, rest: &[u8]) -> Vec<u8> {
        [digest(&SHA256, HOST.as_bytes()).as_ref(), &[flags], &self.counter.to_be_bytes(), rest].concat()
    }

    /// The fields of a registration.
    pub fn create(&self, challenge: &str) -> Vec<(&'static str, String)> {
        let point = self.pair.public_key().as_ref();
        let key = [&[0xa5, 1, 2, 3, 0x26, 0x20, 1, 0x21, 0x58, 32][..], &point[1..33], &[0x22, 0x58, 32], &point[33..]];
        let length = u16::try_from(self.credential.len()).unwrap().to_be_bytes();
        let rest = [&[0; 16][..], &length, &self.credential, &key.concat()].concat();
        let data = self.data(0x45, &rest);
        let length = u16::try_from(data.len()).unwrap().to_be_bytes();
        let head =
            [&[0xa3, 0x63][..], b"fmt", &[0x64], b"none", &[0x67], b"attStmt", &[0xa0, 0x68], b"authData", &[0x59]];
        let object = [&head.concat()[..], &length, &data].concat();
        let client = client_data("webauthn.create", challenge, PUBLIC_URL);
        vec![("client", encode(client.as_bytes())), ("attestation", encode(&object)), ("name", "laptop".to_owned())]
    }

    /// The fields of a sign-in.
    pub fn get(&mut self, challenge: &str, flags: u8, origin: &str) -> Vec<(&'static str, String)> {
        self.counter += 1;
        let data = self.data(flags, &[]);
        let client = client_data("webauthn.get", challenge, origin);
        let signed = [&data[..], digest(&SHA256, client.as_bytes()).as_ref()].concat();
        let signature = self.pair.sign(&SystemRandom::new(), &signed).unwrap();
        vec![
            ("credential", encode(&self.credential)),
            ("client", encode(client.as_bytes())),
            ("data", encode(&data)),
            ("signature", encode(signature.as_ref())),
        ]
    }
}

async fn send(browser: &mut Browser<'_>, path: &str, fields: &[(&'static str, String)]) -> TestResponse {
    let fields: Vec<(&str, &str)> = fields.iter().map(|(name, value)| (*name, value.as_str())).collect();
    browser.send(path, &fields).await
}

const PASSKEYS: &str = "/dashboard/account/passkeys";
const SIGN_IN: &str = "/sign-in/passkey";
const REJECTED: &str = "This passkey was not accepted. Try again, or sign in with your password.";

pub async fn register(browser: &mut Browser<'_>, authenticator: &Authenticator) {
    browser.get("/dashboard/account").await;
    let options = challenge(browser, "register").await;
    let fields = authenticator.create(options["challenge"].as_str().unwrap());
    let done = send(browser, PASSKEYS, &fields).await;
    assert_eq!((done.status, done.notice().as_str()), (303, ""));
    assert_eq!(done.redirect_target(), "/dashboard/account?done=passkey-added");
}

/// Signs a stranger in with the passkey.
async fn use_passkey(server: &Server, authenticator: &mut Authenticator, flags: u8) -> TestResponse {
    let mut browser = Browser::new(server);
    browser.get("/sign-in").await;
    let options = challenge(&mut browser, "sign-in").await;
    assert_eq!((&options["known"], &options["user"]), (&json!([]), &Value::Null), "nothing about accounts");
    let fields = authenticator.get(options["challenge"].as_str().unwrap(), flags, PUBLIC_URL);
    send(&mut browser, SIGN_IN, &fields).await
}

#[tokio::test]
async fn a_passkey_signs_in_alone_if_its_user_was_verified() {
    for engine in Engine::BOTH {
        let server = Server::empty(engine);
        let mut ada = Browser::signed_up(&server, "ada").await;
        let mut laptop = Authenticator::new(b"ada's laptop");
        register(&mut ada, &laptop).await;
        assert!(ada.get("/dashboard/account").await.html().contains("<strong>laptop</strong>"));
        let signed_in = use_passkey(&server, &mut laptop, VERIFIED).await;
        assert_eq!(signed_in.status, 200, "{}", signed_in.notice());
        assert!(signed_in.html().contains("passkey added"), "the next sign-in tells of it");
        assert_eq!(use_passkey(&server, &mut laptop, VERIFIED).await.redirect_target(), "/dashboard");
        let refused = use_passkey(&server, &mut laptop, PRESENT).await;
        assert_eq!((refused.status, refused.notice().as_str()), (422, REJECTED), "presence alone is one factor");
        // A copied authenticator has an old counter.
        laptop.counter = 0;
        assert_eq!(use_passkey(&server, &mut laptop, VERIFIED).await.status, 422);
        laptop.counter = 100;
        assert_eq!(use_passkey(&server, &mut laptop, VERIFIED).await.status, 303);
        let mut unknown = Authenticator::new(b"another");
        assert_eq!(use_passkey(&server, &mut unknown, VERIFIED).await.status, 422);
        let mut forged = Authenticator::new(b"ada's laptop");
        forged.counter = 200;
        assert_eq!(use_passkey(&server, &mut forged, VERIFIED).await.status, 422, "another key");
    }
}

#[tokio::test]
async fn a_challenge_is_answered_once_by_its_session_and_origin() {
    for engine in Engine::BOTH {
        let server = Server::empty(engine);
        let mut ada = Browser::signed_up(&server, "ada").await;
        let mut laptop = Authenticator::new(b"laptop");
        register(&mut ada, &laptop).await;
        let (mut browser, mut other) = (Browser::new(&server), Browser::new(&server));
        browser.get("/sign-in").await;
        other.get("/sign-in").await;
        let refused = async |browser: &mut Browser<'_>, fields: &[(&'static str, String)], why: &str| {
            assert_eq!(send(browser, SIGN_IN, fields).await.status, 422, "{why}");
        };
        let fresh = async |browser: &mut Browser<'_>, ceremony: &str| {
            challenge(browser, ceremony).await["challenge"].as_str().unwrap().to_owned()
        };
        let text = fresh(&mut browser, "sign-in").await;
        let fields = laptop.get(&text, VERIFIED, PUBLIC_URL);
        refused(&mut other, &fields, "another session").await;
        let elsewhere = laptop.get(&text, VERIFIED, "https://evil.example");
        refused(&mut browser, &elsewhere, "another origin").await;
        let registers = fresh(&mut browser, "register").await;
        let fields = laptop.get(&registers, VERIFIED, PUBLIC_URL);
        refused(&mut browser, &fields, "another ceremony").await;
        let late = fresh(&mut browser, "sign-in").await;
        server.clock.set(NOW + 5 * MINUTE);
        refused(&mut browser, &laptop.get(&late, VERIFIED, PUBLIC_URL), "too late").await;
        refused(&mut browser, &[], "nothing").await;
        let text = fresh(&mut browser, "sign-in").await;
        let mut wrong = laptop.get(&text, VERIFIED, PUBLIC_URL);
        wrong[3].1 = encode(b"no signature");
        refused(&mut browser, &wrong, "a wrong signature").await;
        refused(&mut browser, &laptop.get(&text, VERIFIED, PUBLIC_URL), "answered before").await;
        let text = fresh(&mut browser, "sign-in").await;
        let right = laptop.get(&text, VERIFIED, PUBLIC_URL);
        let mut twin = browser.clone();
        assert_eq!(send(&mut browser, SIGN_IN, &right).await.status, 200);
        assert_ne!(send(&mut twin, SIGN_IN, &right).await.status, 303, "replayed");
    }
}

#[tokio::test]
async fn a_passkey_is_a_second_factor_of_its_own_account_only() {
    for engine in Engine::BOTH {
        let server = Server::empty(engine);
        let mut authenticators = Vec::new();
        for name in ["ada", "bob"] {
            let mut browser = Browser::signed_up(&server, name).await;
            let authenticator = Authenticator::new(name.as_bytes());
            register(&mut browser, &authenticator).await;
            if name == "ada" {
                second_factor::enable(&mut browser).await;
            }
            authenticators.push(authenticator);
        }
        for (authenticator, status) in authenticators.iter_mut().rev().zip([422, 200]) {
            let mut half = Browser::new(&server);
            assert_eq!(half.sign_in("ada", PASSWORD).await.redirect_target(), "/sign-in/code?next=/dashboard");
            half.get("/sign-in/code").await;
            let options = challenge(&mut half, "sign-in").await;
            assert_eq!(options["known"], json!([encode(b"ada")]));
            let text = options["challenge"].as_str().unwrap().to_owned();
            let fields = authenticator.get(&text, PRESENT, PUBLIC_URL);
            let answer = send(&mut half, SIGN_IN, &fields).await;
            assert_eq!(answer.status, status, "{}", answer.notice());
        }
    }
}

#[tokio::test]
async fn adding_and_removing_need_a_fresh_proof() {
    for engine in Engine::BOTH {
        let server = Server::empty(engine);
        let mut ada = Browser::signed_up(&server, "ada").await;
        let laptop = Authenticator::new(b"laptop");
        register(&mut ada, &laptop).await;
        let page = ada.get("/dashboard/account").await.html();
        let remove = page.split(&format!("action=\"{PASSKEYS}/")).nth(1).unwrap().split('"').next().unwrap().to_owned();
        let remove = format!("{PASSKEYS}/{remove}");
        let mut eve = Browser::signed_up(&server, "eve").await;
        assert_eq!(eve.send(&remove, &[]).await.status, 404, "of another account");
        server.clock.set(NOW + 5 * MINUTE);
        let options = challenge(&mut ada, "register").await;
        assert_eq!(options["known"], json!([encode(b"laptop")]));
        let phone = Authenticator::new(b"phone").create(options["challenge"].as_str().unwrap());
        let before = stored_rows(&server.store);
        let confirm = "/dashboard/confirm?next=/dashboard/account";
        assert_eq!(send(&mut ada, PASSKEYS, &phone).await.redirect_target(), confirm);
        assert_eq!(ada.send(&remove, &[]).await.redirect_target(), confirm);
        assert_eq!(stored_rows(&server.store), before);
        ada.get("/dashboard/confirm").await;
        assert_eq!(ada.send("/dashboard/confirm", &[("password", PASSWORD)]).await.status, 303);
        ada.get("/dashboard/account").await;
        assert_eq!(send(&mut ada, PASSKEYS, &phone).await.status, 422, "the challenge of the old session");
        assert_eq!(ada.send(&remove, &[]).await.redirect_target(), "/dashboard/account?done=passkey-removed");
        let mut laptop = laptop;
        assert_eq!(use_passkey(&server, &mut laptop, VERIFIED).await.status, 422);
        let options = challenge(&mut ada, "register").await;
        let mut fields = laptop.create(options["challenge"].as_str().unwrap());
        fields[2].1 = String::new();
        let unnamed = send(&mut ada, PASSKEYS, &fields).await;
        assert_eq!(unnamed.notice(), "The name of a passkey must have 1 to 60 characters.");
    }
}

#[tokio::test]
async fn a_new_password_from_the_command_line_may_drop_passkeys() {
    for engine in Engine::BOTH {
        let server = Server::empty(engine);
        let mut ada = Browser::signed_up(&server, "ada").await;
        let mut bob = Browser::signed_up(&server, "bob").await;
        let (mut laptop, mut other) = (Authenticator::new(b"laptop"), Authenticator::new(b"bob's"));
        register(&mut ada, &laptop).await;
        register(&mut bob, &other).await;
        let password = |more: &[&str]| {
            let output = server.store.rollcall(&[&["account", "password", "ada"], more].concat());
            assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        };
        password(&[]);
        let kept = use_passkey(&server, &mut laptop, VERIFIED).await;
        assert_ne!(kept.status, 422, "it stays unless asked otherwise: {}", kept.notice());
        password(&["--without-second-factor"]);
        let refused = use_passkey(&server, &mut laptop, VERIFIED).await;
        assert_eq!((refused.status, refused.notice().as_str()), (422, REJECTED));
        assert_eq!(use_passkey(&server, &mut other, VERIFIED).await.status, 200, "those of others stay");
    }
}
