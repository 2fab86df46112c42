//! Who looks at a page: what a handler's signature says about who may come in.

use std::net::IpAddr;
use std::sync::Arc;

use axum::body::Body;
use axum::extract::{FromRequestParts, Path};
use axum::http::request::Parts;
use axum::http::{Response, header};

use super::cookies::{self, Cookie};
use super::page::{self, Told};
use crate::app::App;
use crate::error::ApiError;
use crate::http::client_ip::ClientAddress;
use rollcall_model::time::{DAY, MINUTE};
use rollcall_model::token;
use rollcall_store::accounts::{self, Account};
use rollcall_store::audit::Author;
use rollcall_store::login_sessions::{self, SignIn};

/// A sign-in that nobody uses ends after a while, and every sign-in ends some day.
const IDLE: i64 = 14 * DAY;
const LONGEST: i64 = 60 * DAY;
/// How long the second factor may take.
const HALF: i64 = 10 * MINUTE;
/// How often it is noted that somebody is still there.
const NOTED_EVERY: i64 = 5 * MINUTE;
/// How long a browser is remembered by an account that signed in with it.
const BROWSER_KNOWN: i64 = 365 * DAY;
/// Characters of a browser's name that are kept.
const AGENT: usize = 200;

/// Anyone.
pub struct Visitor {
    pub app: Arc<App>,
    pub now: i64,
    pub address: IpAddr,
    agent: String,
    cookie: String,
    /// He came without a cookie that we could have given him.
    is_new: bool,
    browser: Option<String>,
    sign_in: Option<(SignIn, Account)>,
}

impl Visitor {
    pub async fn of(parts: &Parts, app: &Arc<App>) -> Result<Self, ApiError> {
        let cookie = cookies::find(&parts.headers, &app.public_url, Cookie::SignIn);
        let client = parts.extensions.get::<ClientAddress>().map(|client| client.0);
        let agent = parts.headers.get(header::USER_AGENT).and_then(|agent| agent.to_str().ok()).unwrap_or_default();
        let mut visitor = Self {
            app: app.clone(),
            now: app.clock.now(),
            address: client.unwrap_or(IpAddr::from([0, 0, 0, 0])),
            agent: agent.chars().take(AGENT).collect(),
            is_new: cookie.is_none(),
            cookie: cookie.unwrap_or_else(token::generate),
            browser: cookies::find(&parts.headers, &app.public_url, Cookie::Browser),
            sign_in: None,
        };
        if !visitor.is_new {
            visitor.sign_in = visitor.find().await?;
        }
        Ok(visitor)
    }

    async fn find(&self) -> Result<Option<(SignIn, Account)>, ApiError> {
        let (hash, now) = (token::hash(&self.cookie), self.now);
        let Some(sign_in) = self.app.ledger.read(move |conn| login_sessions::find(conn, &hash, now)).await? else {
            return Ok(None);
        };
        let account_n = sign_in.account_n;
        let account = self.app.pool.read(move |conn| accounts::by_number(conn, account_n)).await?;
        let Some(account) = account.filter(|account| account.generation == sign_in.generation && !account.disabled)
        else {
            return Ok(None);
        };
        if !sign_in.half && now - sign_in.seen_at > NOTED_EVERY {
            let (hash, ends_at) = (sign_in.hash.clone(), (now + IDLE).min(sign_in.created_at + LONGEST));
            self.app.ledger.write(move |conn| login_sessions::touch(conn, &hash, now, ends_at)).await?;
        }
        Ok(Some((sign_in, account)))
    }

    /// What a form of his must bring back. Nobody else can know it.
    pub fn token(&self) -> String {
        token::hash(&format!("form {}", self.cookie))
    }

    /// Whose password he gave, while the second factor is still to come.
    pub fn half(&self) -> Option<&Account> {
        self.sign_in.as_ref().filter(|(sign_in, _)| sign_in.half).map(|(_, account)| account)
    }

    pub fn is_signed_in(&self) -> bool {
        self.sign_in.as_ref().is_some_and(|(sign_in, _)| !sign_in.half)
    }

    /// The hash of his browser's mark.
    pub fn browser(&self) -> Option<String> {
        self.browser.as_deref().map(token::hash)
    }

    pub fn as_author(&self, name: &str) -> Author {
        Author { name: name.to_owned(), address: Some(self.address), at: self.now }
    }

    /// Gives the cookie that he needs for forms.
    pub fn welcome(&self, mut response: Response<Body>) -> Response<Body> {
        if self.is_new {
            cookies::give(&mut response, &self.app.public_url, Cookie::SignIn, &self.cookie);
        }
        response
    }

    /// Lets him in under a new cookie, so that nobody who knew the old one comes along.
    pub async fn sign_in(
        &self,
        account: &Account,
        half: bool,
        mut response: Response<Body>,
    ) -> Result<Response<Body>, ApiError> {
        let (cookie, now) = (token::generate(), self.now);
        let mark = self.browser.clone().unwrap_or_else(token::generate);
        let new = SignIn {
            hash: token::hash(&cookie),
            id: rollcall_model::id::encode(rand::random()),
            account_n: account.n,
            generation: account.generation,
            half,
            created_at: now,
            seen_at: now,
            ends_at: now + if half { HALF } else { IDLE },
            agent: self.agent.clone(),
            address: self.address.to_string(),
        };
        let (before, mark_hash) = (token::hash(&self.cookie), token::hash(&mark));
        self.app
            .ledger
            .write(move |conn| {
                login_sessions::end(conn, &before)?;
                login_sessions::forget(conn, now)?;
                if !half {
                    login_sessions::know_browser(conn, &mark_hash, new.account_n, now + BROWSER_KNOWN)?;
                }
                login_sessions::add(conn, &new)
            })
            .await?;
        cookies::give(&mut response, &self.app.public_url, Cookie::SignIn, &cookie);
        if !half {
            cookies::give(&mut response, &self.app.public_url, Cookie::Browser, &mark);
        }
        Ok(response)
    }

    pub async fn sign_out(&self, mut response: Response<Body>) -> Result<Response<Body>, ApiError> {
        let hash = token::hash(&self.cookie);
        self.app.ledger.write(move |conn| login_sessions::end(conn, &hash)).await?;
        cookies::take(&mut response, &self.app.public_url, Cookie::SignIn);
        Ok(response)
    }
}

/// Someone who is signed in.
pub struct Holder {
    pub visitor: Visitor,
    pub account: Account,
    pub sign_in: SignIn,
}

impl Holder {
    pub fn author(&self) -> Author {
        self.visitor.as_author(&self.account.username)
    }
}

/// Someone who is signed in and runs the service.
pub struct Operator(pub Holder);

/// Who may come in. Whoever may not gets the answer that tells him so.
pub trait Who: Sized + Send {
    fn admit(visitor: Visitor, path: &str) -> Result<Self, Told>;

    /// Whose changes are counted.
    fn counted(&self) -> Option<i64> {
        None
    }
}

impl Who for Visitor {
    fn admit(visitor: Visitor, _: &str) -> Result<Self, Told> {
        Ok(visitor)
    }
}

impl Who for Holder {
    fn admit(mut visitor: Visitor, path: &str) -> Result<Self, Told> {
        match visitor.sign_in.take() {
            Some((sign_in, account)) if !sign_in.half => Ok(Self { visitor, account, sign_in }),
            _ => Err(page::go(&format!("/sign-in?next={path}")).into()),
        }
    }

    fn counted(&self) -> Option<i64> {
        Some(self.account.n)
    }
}

impl Who for Operator {
    fn admit(visitor: Visitor, path: &str) -> Result<Self, Told> {
        let holder = Holder::admit(visitor, path)?;
        if holder.account.operator { Ok(Self(holder)) } else { Err(page::nothing_here().into()) }
    }
}

/// Who looks at a page.
pub struct By<W>(pub W);

impl<W: Who> FromRequestParts<Arc<App>> for By<W> {
    type Rejection = Told;

    async fn from_request_parts(parts: &mut Parts, app: &Arc<App>) -> Result<Self, Self::Rejection> {
        let visitor = Visitor::of(parts, app).await?;
        W::admit(visitor, parts.uri.path()).map(Self)
    }
}

/// The id in a path. What is no text, or has a NUL in it, which PostgreSQL cannot even look for, is nobody's.
pub struct Named(pub String);

impl<S: Send + Sync> FromRequestParts<S> for Named {
    type Rejection = Told;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self, Self::Rejection> {
        let id = Path::<String>::from_request_parts(parts, state).await.ok().map(|Path(id)| id);
        found(id.filter(|id| !id.contains('\0'))).map(Self)
    }
}

/// `404` for what is not his, so that nobody learns what others have.
pub fn found<T>(thing: Option<T>) -> Result<T, Told> {
    thing.ok_or_else(|| page::nothing_here().into())
}
