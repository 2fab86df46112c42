//! The browser session behind a request. A handler's signature says who may call it: [`Session`] anyone, [`CurrentUser`]
//! signed-in users, [`Admin`] operators.

use std::net::IpAddr;
use std::sync::Arc;

use axum::body::Body;
use axum::extract::{FromRequestParts, Path};
use axum::http::request::Parts;
use axum::http::{Response, header};

use super::cookies::{self, Cookie};
use super::error_page;
use super::page::{self, PageRejection};
use crate::accounts::policy;
use crate::app::App;
use crate::error::ApiError;
use crate::http::client_ip::ClientIp;
use rollcall_model::time::MINUTE;
use rollcall_model::token;
use rollcall_store::accounts::{self, Account};
use rollcall_store::audit::Author;
use rollcall_store::login_sessions::{self, LoginSession};

/// How often the last use of a session is written.
const TOUCH_EVERY: i64 = 5 * MINUTE;
/// Characters of the `User-Agent` header that are stored.
const MAX_USER_AGENT_CHARS: usize = 200;

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
    login: Option<(LoginSession, Account)>,
}

impl Session {
    pub async fn load(parts: &Parts, app: &Arc<App>) -> Result<Self, ApiError> {
        let cookie = cookies::find(&parts.headers, &app.public_url, Cookie::Session);
        let client = parts.extensions.get::<ClientIp>().map(|client| client.0);
        let user_agent =
            parts.headers.get(header::USER_AGENT).and_then(|agent| agent.to_str().ok()).unwrap_or_default();
        let mut session = Self {
            app: app.clone(),
            now: app.clock.now(),
            client: client.unwrap_or(IpAddr::from([0, 0, 0, 0])),
            user_agent: user_agent.chars().take(MAX_USER_AGENT_CHARS).collect(),
            is_new: cookie.is_none(),
            cookie: cookie.unwrap_or_else(token::generate),
            browser: cookies::find(&parts.headers, &app.public_url, Cookie::KnownBrowser),
            login: None,
        };
        if !session.is_new {
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
        let Some(account) = account.filter(|account| account.generation == login.generation && !account.disabled)
        else {
            return Ok(None);
        };
        if !login.half && now - login.seen_at > TOUCH_EVERY {
            let (hash, ends_at) = (login.hash.clone(), policy::extended_session_end(login.created_at, now));
            self.app.ledger.write(move |conn| login_sessions::touch(conn, &hash, now, ends_at)).await?;
        }
        Ok(Some((login, account)))
    }

    /// The token that each form of this session must send back. Other sites cannot know it.
    pub fn csrf_token(&self) -> String {
        token::hash(&format!("form {}", self.cookie))
    }

    /// The account whose password was accepted and whose second factor is missing.
    pub fn awaiting_second_factor(&self) -> Option<&Account> {
        self.login.as_ref().filter(|(login, _)| login.half).map(|(_, account)| account)
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
            cookies::set(&mut response, &self.app.public_url, Cookie::Session, &self.cookie);
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
        cookies::set(&mut response, &self.app.public_url, Cookie::Session, &cookie);
        if !awaits_second_factor {
            cookies::set(&mut response, &self.app.public_url, Cookie::KnownBrowser, &browser);
        }
        Ok(response)
    }

    pub async fn sign_out(&self, mut response: Response<Body>) -> Result<Response<Body>, ApiError> {
        let hash = token::hash(&self.cookie);
        self.app.ledger.write(move |conn| login_sessions::end(conn, &hash)).await?;
        cookies::clear(&mut response, &self.app.public_url, Cookie::Session);
        Ok(response)
    }
}

/// A signed-in user.
pub struct CurrentUser {
    pub session: Session,
    pub account: Account,
    pub login: LoginSession,
}

impl CurrentUser {
    pub fn author(&self) -> Author {
        self.session.author(&self.account.username)
    }
}

/// A signed-in operator.
pub struct Admin(pub CurrentUser);

/// Turns a session into the user that a handler requires, or rejects it.
pub trait Authorize: Sized + Send {
    /// `path` is where to return after signing in.
    fn authorize(session: Session, path: &str) -> Result<Self, PageRejection>;

    /// The account whose submitted forms are rate limited.
    fn limited_account(&self) -> Option<i64> {
        None
    }
}

impl Authorize for Session {
    fn authorize(session: Session, _: &str) -> Result<Self, PageRejection> {
        Ok(session)
    }
}

impl Authorize for CurrentUser {
    fn authorize(mut session: Session, path: &str) -> Result<Self, PageRejection> {
        match session.login.take() {
            Some((login, account)) if !login.half => Ok(Self { session, account, login }),
            _ => Err(page::redirect(&format!("/sign-in?next={path}")).into()),
        }
    }

    fn limited_account(&self) -> Option<i64> {
        Some(self.account.n)
    }
}

impl Authorize for Admin {
    /// 404 for everyone else, so that the operator pages do not reveal themselves.
    fn authorize(session: Session, path: &str) -> Result<Self, PageRejection> {
        let user = CurrentUser::authorize(session, path)?;
        if user.account.operator { Ok(Self(user)) } else { Err(error_page::not_found().into()) }
    }
}

async fn extract<U: Authorize>(parts: &mut Parts, app: &Arc<App>) -> Result<U, PageRejection> {
    let session = Session::load(parts, app).await?;
    U::authorize(session, parts.uri.path())
}

impl FromRequestParts<Arc<App>> for Session {
    type Rejection = PageRejection;

    async fn from_request_parts(parts: &mut Parts, app: &Arc<App>) -> Result<Self, Self::Rejection> {
        extract(parts, app).await
    }
}

impl FromRequestParts<Arc<App>> for CurrentUser {
    type Rejection = PageRejection;

    async fn from_request_parts(parts: &mut Parts, app: &Arc<App>) -> Result<Self, Self::Rejection> {
        extract(parts, app).await
    }
}

impl FromRequestParts<Arc<App>> for Admin {
    type Rejection = PageRejection;

    async fn from_request_parts(parts: &mut Parts, app: &Arc<App>) -> Result<Self, Self::Rejection> {
        extract(parts, app).await
    }
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
