//! A browser: cookies, the CSRF token of the current page, and a client IP.

use std::collections::BTreeMap;
use std::net::Ipv4Addr;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU32, Ordering};

use percent_encoding::{NON_ALPHANUMERIC, utf8_percent_encode};
use reqwest::Method;
use rollcall::accounts::passwords;
use rollcall_store::accounts::{self, NewAccount};
use rollcall_store::audit::Author;

use super::server::PASSWORD_MEMORY_KIB;
use super::{NOW, PUBLIC_URL, Server, TestResponse};

const FORWARDED_FOR: &str = "x-forwarded-for";

/// The password of all accounts, unless a test sets another.
pub const PASSWORD: &str = "correct horse battery staple";

#[derive(Clone)]
pub struct Browser<'a> {
    pub server: &'a Server,
    pub jar: BTreeMap<String, String>,
    /// The CSRF token of the current page.
    pub token: String,
    headers: Vec<(&'static str, String)>,
}

impl<'a> Browser<'a> {
    /// Not signed in. Each has its own client IP (behind a trusted proxy), so that tests on one server share no limits per IP.
    pub fn new(server: &'a Server) -> Self {
        static COUNT: AtomicU32 = AtomicU32::new(0);
        let address = Ipv4Addr::from(0x0a00_0001 + COUNT.fetch_add(1, Ordering::Relaxed));
        let headers = vec![("user-agent", "Mozilla/5.0 (X11; Linux x86_64) Firefox/140.0".to_owned())];
        let browser = Self { server, jar: BTreeMap::new(), token: String::new(), headers };
        browser.at(&address.to_string())
    }

    /// Signed up, on the dashboard.
    pub async fn signed_up(server: &'a Server, name: &str) -> Self {
        let mut browser = Self::new(server);
        let response = browser.sign_up(name).await;
        assert_eq!(response.redirect_target(), "/dashboard?done=welcome", "{}", response.notice());
        browser.get("/dashboard").await;
        browser
    }

    /// Signed in as an admin.
    pub async fn operator(server: &'a Server, name: &str) -> Self {
        static HASH: OnceLock<String> = OnceLock::new();
        let password = HASH.get_or_init(|| passwords::hash(PASSWORD, PASSWORD_MEMORY_KIB));
        let id = format!("operator-{name}");
        let new =
            NewAccount { id: &id, username: name, avatar: "", password, operator: true, password_expires_at: None };
        server.store.change(|conn| accounts::create(conn, &new, &Author::command_line(NOW)));
        Self::signed_in(server, name).await
    }

    /// Signed in to an existing account.
    pub async fn signed_in(server: &'a Server, name: &str) -> Self {
        let mut browser = Self::new(server);
        let response = browser.sign_in(name, PASSWORD).await;
        assert_eq!(response.redirect_target(), "/dashboard", "{}", response.notice());
        browser.get("/dashboard").await;
        browser
    }

    /// The same browser on another node of the service.
    pub fn on<'b>(self, server: &'b Server) -> Browser<'b> {
        Browser { server, jar: self.jar, token: self.token, headers: self.headers }
    }

    /// Sends this client IP in `X-Forwarded-For`.
    pub fn at(self, address: &str) -> Self {
        self.with(FORWARDED_FOR, address)
    }

    pub fn address(&self) -> &str {
        self.headers.iter().find(|(name, _)| *name == FORWARDED_FOR).map_or("", |(_, address)| address)
    }

    /// Sends this header with every request.
    pub fn with(mut self, name: &'static str, value: &str) -> Self {
        self.headers.retain(|(other, _)| *other != name);
        self.headers.push((name, value.to_owned()));
        self
    }

    pub async fn sign_up(&mut self, name: &str) -> TestResponse {
        self.get("/sign-up").await;
        self.send("/sign-up", &[("username", name), ("password", PASSWORD), ("again", PASSWORD)]).await
    }

    pub async fn sign_in(&mut self, name: &str, password: &str) -> TestResponse {
        self.get("/sign-in").await;
        self.send("/sign-in", &[("username", name), ("password", password)]).await
    }

    /// Creates a key; returns its id and its secret.
    pub async fn make_key(&mut self, name: &str) -> (String, String) {
        let id = self.get("/dashboard").await.field("id");
        let response = self.send("/dashboard/keys", &[("id", &id), ("name", name)]).await;
        assert_eq!(response.status, 200, "{}", response.notice());
        (id, response.secret())
    }

    pub async fn get(&mut self, path: &str) -> TestResponse {
        self.request(Method::GET, path, &[], Vec::new()).await
    }

    /// Submits a form with the CSRF token of the current page, unless the fields contain one.
    pub async fn send(&mut self, path: &str, fields: &[(&str, &str)]) -> TestResponse {
        let token = self.token.clone();
        let given = fields.iter().any(|(name, _)| *name == "token");
        let fields: Vec<_> = fields.iter().copied().chain((!given).then_some(("token", token.as_str()))).collect();
        self.post(path, &[("origin", PUBLIC_URL)], form(&fields).into_bytes()).await
    }

    /// Posts any body with any headers.
    pub async fn post(&mut self, path: &str, headers: &[(&str, &str)], body: Vec<u8>) -> TestResponse {
        let kind = ("content-type", "application/x-www-form-urlencoded");
        let given = headers.iter().any(|(name, _)| *name == kind.0);
        let headers: Vec<_> = headers.iter().copied().chain((!given).then_some(kind)).collect();
        self.request(Method::POST, path, &headers, body).await
    }

    async fn request(&mut self, method: Method, path: &str, headers: &[(&str, &str)], body: Vec<u8>) -> TestResponse {
        let cookies: Vec<String> = self.jar.iter().map(|(name, value)| format!("{name}={value}")).collect();
        let cookies = cookies.join("; ");
        let mut headers = headers.to_vec();
        headers.extend(self.headers.iter().map(|(name, value)| (*name, value.as_str())));
        headers.extend((!cookies.is_empty()).then_some(("cookie", cookies.as_str())));
        let response = self.server.exchange(method, path, &headers, body).await;
        for cookie in response.cookies() {
            let (name, value) = cookie.split(';').next().and_then(|pair| pair.split_once('=')).expect("name=value");
            match cookie.contains("Max-Age=0;") {
                true => self.jar.remove(name),
                false => self.jar.insert(name.to_owned(), value.to_owned()),
            };
        }
        if let Some(token) = attribute(&response.html(), "name=\"token\" value=\"") {
            self.token = token;
        }
        response
    }
}

/// URL-encodes form fields.
fn form(fields: &[(&str, &str)]) -> String {
    let part = |text: &str| utf8_percent_encode(text, NON_ALPHANUMERIC).to_string();
    let pairs: Vec<String> = fields.iter().map(|(name, value)| format!("{}={}", part(name), part(value))).collect();
    pairs.join("&")
}

/// The text between `mark` and the next quote.
fn attribute(html: &str, mark: &str) -> Option<String> {
    html.split(mark).nth(1).and_then(|rest| rest.split('"').next()).map(str::to_owned)
}

/// The value of the first form field of this name.
fn field(html: &str, name: &str) -> String {
    let tag = html.split(&format!(" name=\"{name}\"")).nth(1).and_then(|rest| rest.split('>').next());
    tag.and_then(|tag| attribute(tag, " value=\"")).unwrap_or_else(|| panic!("no {name} in {html}"))
}

impl TestResponse {
    pub fn html(&self) -> String {
        String::from_utf8_lossy(&self.body).into_owned()
    }

    /// The target of a redirect.
    pub fn redirect_target(&self) -> &str {
        assert_eq!(self.status, 303, "{}", self.html());
        self.header("location").expect("a Location header")
    }

    /// Every `Set-Cookie`.
    pub fn cookies(&self) -> Vec<&str> {
        self.headers.get_all("set-cookie").iter().map(|value| value.to_str().expect("plain text")).collect()
    }

    /// The success or error message of the page; empty if there is none.
    pub fn notice(&self) -> String {
        let html = self.html();
        let rest = html.split("role=\"alert\">").nth(1).or_else(|| html.split("role=\"status\">").nth(1));
        rest.and_then(|rest| rest.split("</p>").next()).unwrap_or_default().to_owned()
    }

    /// The value of the first form field of this name.
    pub fn field(&self, name: &str) -> String {
        field(&self.html(), name)
    }

    /// The API key that the page shows.
    pub fn secret(&self) -> String {
        let html = self.html();
        let rest = html.split("<code id=\"secret\">").nth(1).unwrap_or_else(|| panic!("no secret in {html}"));
        rest.split('<').next().expect("an end").to_owned()
    }

    /// The heading of the page.
    pub fn heading(&self) -> String {
        let html = self.html();
        html.split("<h1>").nth(1).and_then(|rest| rest.split("</h1>").next()).unwrap_or_default().to_owned()
    }
}
