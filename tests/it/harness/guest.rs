//! A person with a browser: cookies, the page in front of them, and an address they come from.

use std::collections::BTreeMap;
use std::net::Ipv4Addr;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU32, Ordering};

use percent_encoding::{NON_ALPHANUMERIC, utf8_percent_encode};
use reqwest::Method;
use rollcall::accounts::passwords;
use rollcall_store::accounts::{self, NewAccount};
use rollcall_store::audit::Author;

use super::{Answer, NOW, PUBLIC_URL, Server};

const FORWARDED_FOR: &str = "x-forwarded-for";

/// Of everyone, unless a test says otherwise.
pub const PASSWORD: &str = "correct horse battery staple";

#[derive(Clone)]
pub struct Guest<'a> {
    pub server: &'a Server,
    pub jar: BTreeMap<String, String>,
    /// What the forms on the page in front of them bring along.
    pub token: String,
    headers: Vec<(&'static str, String)>,
}

impl<'a> Guest<'a> {
    /// A stranger. Each comes from an address of their own, where a proxy is believed: tests that share a server do not share
    /// what an address may do at once.
    pub fn new(server: &'a Server) -> Self {
        static STRANGERS: AtomicU32 = AtomicU32::new(0);
        let address = Ipv4Addr::from(0x0a00_0001 + STRANGERS.fetch_add(1, Ordering::Relaxed));
        let headers = vec![("user-agent", "Mozilla/5.0 (X11; Linux x86_64) Firefox/140.0".to_owned())];
        let guest = Self { server, jar: BTreeMap::new(), token: String::new(), headers };
        guest.at(&address.to_string())
    }

    /// Someone who has just signed up and looks at their keys.
    pub async fn signed_up(server: &'a Server, name: &str) -> Self {
        let mut guest = Self::new(server);
        let answer = guest.sign_up(name).await;
        assert_eq!(answer.leads_to(), "/dashboard?done=welcome", "{}", answer.notice());
        guest.get("/dashboard").await;
        guest
    }

    /// Someone who runs the service.
    pub async fn operator(server: &'a Server, name: &str) -> Self {
        static HASH: OnceLock<String> = OnceLock::new();
        let password = HASH.get_or_init(|| passwords::hash(PASSWORD));
        let id = format!("operator-{name}");
        let new = NewAccount { id: &id, username: name, avatar: "", password, operator: true };
        server.store.change(|conn| accounts::create(conn, &new, &Author::command_line(NOW)));
        Self::signed_in(server, name).await
    }

    /// Someone who has an account and signed in with a browser of their own.
    pub async fn signed_in(server: &'a Server, name: &str) -> Self {
        let mut guest = Self::new(server);
        let answer = guest.sign_in(name, PASSWORD).await;
        assert_eq!(answer.leads_to(), "/dashboard", "{}", answer.notice());
        guest.get("/dashboard").await;
        guest
    }

    /// Comes from this address, as a proxy says.
    pub fn at(self, address: &str) -> Self {
        self.with(FORWARDED_FOR, address)
    }

    pub fn address(&self) -> &str {
        self.headers.iter().find(|(name, _)| *name == FORWARDED_FOR).map_or("", |(_, address)| address)
    }

    /// Sends this header with everything.
    pub fn with(mut self, name: &'static str, value: &str) -> Self {
        self.headers.retain(|(other, _)| *other != name);
        self.headers.push((name, value.to_owned()));
        self
    }

    pub async fn sign_up(&mut self, name: &str) -> Answer {
        self.get("/sign-up").await;
        self.send("/sign-up", &[("username", name), ("password", PASSWORD), ("again", PASSWORD)]).await
    }

    pub async fn sign_in(&mut self, name: &str, password: &str) -> Answer {
        self.get("/sign-in").await;
        self.send("/sign-in", &[("username", name), ("password", password)]).await
    }

    /// Makes a key: its id and its secret.
    pub async fn make_key(&mut self, name: &str) -> (String, String) {
        let id = self.get("/dashboard").await.field("id");
        let answer = self.send("/dashboard/keys", &[("id", &id), ("name", name)]).await;
        assert_eq!(answer.status, 200, "{}", answer.notice());
        (id, answer.secret())
    }

    pub async fn get(&mut self, path: &str) -> Answer {
        self.ask(Method::GET, path, &[], Vec::new()).await
    }

    /// Sends a form of the page in front of them. A token among the fields is taken instead of the page's.
    pub async fn send(&mut self, path: &str, fields: &[(&str, &str)]) -> Answer {
        let token = self.token.clone();
        let given = fields.iter().any(|(name, _)| *name == "token");
        let fields: Vec<_> = fields.iter().copied().chain((!given).then_some(("token", token.as_str()))).collect();
        self.post(path, &[("origin", PUBLIC_URL)], form(&fields).into_bytes()).await
    }

    /// A form with these headers and this body, whatever they are.
    pub async fn post(&mut self, path: &str, headers: &[(&str, &str)], body: Vec<u8>) -> Answer {
        let kind = ("content-type", "application/x-www-form-urlencoded");
        let given = headers.iter().any(|(name, _)| *name == kind.0);
        let headers: Vec<_> = headers.iter().copied().chain((!given).then_some(kind)).collect();
        self.ask(Method::POST, path, &headers, body).await
    }

    async fn ask(&mut self, method: Method, path: &str, headers: &[(&str, &str)], body: Vec<u8>) -> Answer {
        let cookies: Vec<String> = self.jar.iter().map(|(name, value)| format!("{name}={value}")).collect();
        let cookies = cookies.join("; ");
        let mut headers = headers.to_vec();
        headers.extend(self.headers.iter().map(|(name, value)| (*name, value.as_str())));
        headers.extend((!cookies.is_empty()).then_some(("cookie", cookies.as_str())));
        let answer = self.server.exchange(method, path, &headers, body).await;
        for cookie in answer.cookies() {
            let (name, value) = cookie.split(';').next().and_then(|pair| pair.split_once('=')).expect("a pair");
            match cookie.contains("Max-Age=0;") {
                true => self.jar.remove(name),
                false => self.jar.insert(name.to_owned(), value.to_owned()),
            };
        }
        if let Some(token) = attribute(&answer.html(), "name=\"token\" value=\"") {
            self.token = token;
        }
        answer
    }
}

/// Fields as a form sends them.
fn form(fields: &[(&str, &str)]) -> String {
    let part = |text: &str| utf8_percent_encode(text, NON_ALPHANUMERIC).to_string();
    let pairs: Vec<String> = fields.iter().map(|(name, value)| format!("{}={}", part(name), part(value))).collect();
    pairs.join("&")
}

/// What stands after `mark`, up to the next quote.
fn attribute(html: &str, mark: &str) -> Option<String> {
    html.split(mark).nth(1).and_then(|rest| rest.split('"').next()).map(str::to_owned)
}

/// The value of the page's first field of this name.
fn field(html: &str, name: &str) -> String {
    let tag = html.split(&format!(" name=\"{name}\"")).nth(1).and_then(|rest| rest.split('>').next());
    tag.and_then(|tag| attribute(tag, " value=\"")).unwrap_or_else(|| panic!("no {name} in {html}"))
}

impl Answer {
    pub fn html(&self) -> String {
        String::from_utf8_lossy(&self.body).into_owned()
    }

    /// Where it sends whoever asked.
    pub fn leads_to(&self) -> &str {
        assert_eq!(self.status, 303, "{}", self.html());
        self.header("location").expect("a place")
    }

    /// Every `Set-Cookie`.
    pub fn cookies(&self) -> Vec<&str> {
        self.headers.get_all("set-cookie").iter().map(|value| value.to_str().expect("plain text")).collect()
    }

    /// What the page says was done or not done; empty when it says nothing.
    pub fn notice(&self) -> String {
        let html = self.html();
        let rest = html.split("role=\"alert\">").nth(1).or_else(|| html.split("role=\"status\">").nth(1));
        rest.and_then(|rest| rest.split("</p>").next()).unwrap_or_default().to_owned()
    }

    /// The value of the page's first field of this name.
    pub fn field(&self, name: &str) -> String {
        field(&self.html(), name)
    }

    /// The secret that the page shows.
    pub fn secret(&self) -> String {
        let html = self.html();
        let rest = html.split("<code id=\"secret\">").nth(1).unwrap_or_else(|| panic!("no secret in {html}"));
        rest.split('<').next().expect("an end").to_owned()
    }

    /// The page's heading.
    pub fn heading(&self) -> String {
        let html = self.html();
        html.split("<h1>").nth(1).and_then(|rest| rest.split("</h1>").next()).unwrap_or_default().to_owned()
    }
}
