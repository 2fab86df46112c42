//! The browser session behind a request.

use std::net::IpAddr;
use std::sync::Arc;

use axum::body::Body;
use axum::extract::{FromRequestParts, Path};
use axum::http::request::Parts;
use axum::http::{HeaderName, HeaderValue, Response, header};

use super::error_page;
use super::page::PageRejection;
use super::session_cookies::{self, Cookie};
use crate::accounts::policy;
use crate::app::App;
use crate::error::ApiError;
use crate::http::client_ip::ClientIp;
use crate::security_log::{EventFields, SecurityEventKind};
use rollcall_model::time::MINUTE;
use rollcall_model::token;
use rollcall_store::accounts::{self, Account};
use rollcall_store::audit::Author;
use rollcall_store::login_sessions::{self, LoginSession};

/// How often the last use of a session is written.
const TOUCH_EVERY: i64 = 5 * MINUTE;
/// Characters of the `User-Agent` header that are stored.
const MAX_USER_AGENT_CHARS: usize = 200;
const CLEAR_SITE_DATA: HeaderName = HeaderName::from_static("clear-site-data");

/// A browser, signed in or not.
pub struct Session {
    pub app: Arc<App>,
    pub now: i64,
    pub client: IpAddr,
    user_agent: String,
    cookie: String,
    /// The request had no valid session cookie; `cookie` is fresh.
    is_new: bool,
    browser: Option<String>,
    pub(super) login: Option<(LoginSession, Account)>,
}

impl Session {
    pub async fn load(parts: &Parts, app: &Arc<App>) -> Result<Self, ApiError> {
        let cookie = session_cookies::find(&parts.headers, &app.public_url, Cookie::Session);
        let client = parts.extensions.get::<ClientIp>().map(|client| client.0);
        let user_agent =
            parts.headers.get(header::USER_AGENT).and_then(|agent| agent.to_str().ok()).unwrap_or_default();
        let mut session = Self {
            app: app.clone(),
            now: app.clock.now(),
            client: client.unwrap_or(IpAddr::from([0, 0, 0, 0])),
            user_agent: user_agent.chars().take(MAX_USER_AGENT_CHARS).collect(),
            is_new: cookie.is_none(),
            cookie: cookie.unwrap_or_else(session_cookies::new_visitor),
            browser: session_cookies::find(&parts.headers, &app.public_url, Cookie::KnownBrowser),
            login: None,
        };
        if !session_cookies::is_visitor(&session.cookie) {
            session.login = session.load_login().await?;
        }
        Ok(session)
    }

    async fn load_login(&self) -> Result<Option<(LoginSession, Account)>, ApiError> {
        let (hash, now) = (token::hash(&self.cookie), self.now);
        let Some(login) = self.app.ledger.read(move |conn| login_sessions::find(conn, &hash, now)).await? else {
            return Ok(None);
        };
        let account_n = login.account_n;
        let account = self.app.pool.read(move |conn| accounts::by_number(conn, account_n)).await?;
        let is_valid = |account: &Account| {
            let is_expired = account.password_expires_at.is_some_and(|ends_at| ends_at <= now);
            account.generation == login.generation && !account.disabled && !is_expired
        };
        let Some(account) = account.filter(is_valid) else { return Ok(None) };
        if !login.half && now - login.seen_at > TOUCH_EVERY {
            let (hash, ends_at) = (login.hash.clone(), policy::extended_session_end(login.created_at, now));
            self.app.ledger.write(move |conn| login_sessions::touch(conn, &hash, now, ends_at)).await?;
        }
        Ok(Some((login, account)))
    }

    /// The token that each form of this session must send back. Other sites cannot know it.
    pub fn csrf_token(&self) -> String {
        csrf_token(&self.cookie)
    }

    /// Names this session where its cookie must not be.
    pub fn cookie_hash(&self) -> String {
        token::hash(&self.cookie)
    }

    /// The account whose password was accepted and whose second factor is missing.
    pub fn awaiting_second_factor(&self) -> Option<&Account> {
        self.login.as_ref().filter(|(login, _)| login.half).map(|(_, account)| account)
    }

    /// The account of this session, also while its second factor is missing.
    pub fn account(&self) -> Option<&Account> {
        self.login.as_ref().map(|(_, account)| account)
    }

    pub fn is_signed_in(&self) -> bool {
        self.login.as_ref().is_some_and(|(login, _)| !login.half)
    }

    /// The hash of the known-browser cookie.
    pub fn browser_hash(&self) -> Option<String> {
        self.browser.as_deref().map(token::hash)
    }

    pub fn author(&self, username: &str) -> Author {
        Author { name: username.to_owned(), address: Some(self.client), at: self.now }
    }

    /// Sets the session cookie on the first visit: forms need it.
    pub fn with_cookie(&self, mut response: Response<Body>) -> Response<Body> {
        if self.is_new {
            session_cookies::set(&mut response, &self.app.public_url, Cookie::Session, &self.cookie);
        }
        response
    }

    /// Signs in under a new cookie, which prevents session fixation.
    pub async fn sign_in(
        &self,
        account: &Account,
        awaits_second_factor: bool,
        mut response: Response<Body>,
    ) -> Result<Response<Body>, ApiError> {
        self.start_login(account, awaits_second_factor).await?.set_cookies(&mut response);
        Ok(response)
    }

    /// [`Self::sign_in`] for a response that contains forms: they need the CSRF token of the new session.
    pub async fn start_login(&self, account: &Account, awaits_second_factor: bool) -> Result<NewLogin, ApiError> {
        let (cookie, now) = (token::generate(), self.now);
        let browser = self.browser.clone().unwrap_or_else(token::generate);
        let new = LoginSession {
            hash: token::hash(&cookie),
            id: rollcall_model::id::encode(rand::random()),
            account_n: account.n,
            generation: account.generation,
            half: awaits_second_factor,
            created_at: now,
            seen_at: now,
            ends_at: policy::new_session_end(now, awaits_second_factor),
            agent: self.user_agent.clone(),
            address: self.client.to_string(),
        };
        let (old_hash, browser_hash) = (token::hash(&self.cookie), token::hash(&browser));
        self.app
            .ledger
            .write(move |conn| {
                login_sessions::end(conn, &old_hash)?;
                login_sessions::delete_expired(conn, now)?;
                if !awaits_second_factor {
                    let known_until = now + policy::KNOWN_BROWSER;
                    login_sessions::remember_browser(conn, &browser_hash, new.account_n, known_until)?;
                }
                login_sessions::add(conn, &new)
            })
            .await?;
        let browser = (!awaits_second_factor).then_some(browser);
        Ok(NewLogin { public_url: self.app.public_url.clone(), cookie, browser })
    }

    /// Cookies are cleared one by one: the header would clear those of other hosts of the domain, and the mark of this browser.
    pub async fn sign_out(&self, mut response: Response<Body>) -> Result<Response<Body>, ApiError> {
        let hash = token::hash(&self.cookie);
        self.app.ledger.write(move |conn| login_sessions::end(conn, &hash)).await?;
        session_cookies::clear(&mut response, &self.app.public_url, Cookie::Session);
        response.headers_mut().insert(CLEAR_SITE_DATA, HeaderValue::from_static("\"cache\", \"storage\""));
        Ok(response)
    }

    /// Records a security event of this client.
    pub fn record(&self, kind: SecurityEventKind, account: Option<&Account>, detail: Option<&str>) {
        let account = account.map(|account| account.id.as_str());
        let fields = EventFields { client: Some(self.client), account, detail, key: None };
        self.app.security_log.record(kind, fields, self.now);
    }
}

/// A session that has just begun.
pub struct NewLogin {
    public_url: String,
    cookie: String,
    /// `None` while the second factor is missing.
    browser: Option<String>,
}

impl NewLogin {
    pub fn csrf_token(&self) -> String {
        csrf_token(&self.cookie)
    }

    pub fn set_cookies(&self, response: &mut Response<Body>) {
        session_cookies::set(response, &self.public_url, Cookie::Session, &self.cookie);
        if let Some(browser) = &self.browser {
            session_cookies::set(response, &self.public_url, Cookie::KnownBrowser, browser);
        }
    }
}

fn csrf_token(cookie: &str) -> String {
    token::hash(&format!("form {cookie}"))
}

/// The id in a path. 404 if it is not UTF-8 or contains NUL, which PostgreSQL rejects.
pub struct PathId(pub String);

impl<S: Send + Sync> FromRequestParts<S> for PathId {
    type Rejection = PageRejection;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self, Self::Rejection> {
        let id = Path::<String>::from_request_parts(parts, state).await.ok().map(|Path(id)| id);
        or_not_found(id.filter(|id| !id.contains('\0'))).map(Self)
    }
}

/// 404 for `None`, also for what belongs to another user, so that its existence is not revealed.
pub fn or_not_found<T>(found: Option<T>) -> Result<T, PageRejection> {
    found.ok_or_else(|| error_page::not_found().into())
}
