//! The sender of a request. A handler's signature says who may call it: [`Session`] anyone, [`CurrentUser`] signed-in
//! users, [`ProvedUser`] those who have just entered their password, [`Moderator`] moderators and operators, [`Admin`] operators.

use std::sync::Arc;

use axum::body::Body;
use axum::extract::FromRequestParts;
use axum::http::Response;
use axum::http::request::Parts;

use super::error_page;
use super::page::{self, PageRejection};
use super::session::Session;
use crate::accounts::{Duty, policy};
use crate::app::App;
use crate::security_log::SecurityEventKind;
use rollcall_store::accounts::Account;
use rollcall_store::audit::Author;
use rollcall_store::login_sessions::LoginSession;

/// A signed-in user who may use all pages of an account.
pub struct CurrentUser {
    pub session: Session,
    pub account: Account,
    pub login: LoginSession,
}

impl CurrentUser {
    pub fn author(&self) -> Author {
        self.session.author(&self.account.username)
    }

    /// Whether the user entered the password, and the code if there is a second factor, within the last minutes.
    pub fn is_freshly_proved(&self) -> bool {
        policy::is_freshly_proved(self.login.created_at, self.session.now)
    }

    /// Whether the password in a form is not enough, because the code was entered too long ago.
    pub fn must_confirm(&self) -> bool {
        self.account.second_factor.is_some() && !self.is_freshly_proved()
    }

    pub fn duty(&self) -> Option<Duty> {
        self.session.app.accounts.duty(&self.account)
    }

    /// Redirects a user with a duty to its page, unless this is the page.
    pub fn check_duty(&self, page: Option<Duty>) -> Result<(), PageRejection> {
        match self.duty() {
            Some(duty) if Some(duty) != page => Err(page::redirect(duty_page(duty)).into()),
            _ => Ok(()),
        }
    }

    pub fn record(&self, kind: SecurityEventKind, detail: Option<&str>) {
        self.session.record(kind, Some(&self.account), detail);
    }
}

fn duty_page(duty: Duty) -> &'static str {
    match duty {
        Duty::ChangePassword => "/dashboard/account/password",
        Duty::EnableSecondFactor => "/dashboard/account/second-factor",
    }
}

/// A signed-in user who may have a duty; the handler checks it.
pub struct SignedInUser(pub CurrentUser);

/// A signed-in user whose forms have a limit of their own: likes and favorites are many, and cheap.
pub struct ActingUser(pub CurrentUser);

/// A user who has just proved who they are.
pub struct ProvedUser(pub CurrentUser);

/// A signed-in moderator or operator.
pub struct Moderator(pub CurrentUser);

/// A signed-in operator.
pub struct Admin(pub CurrentUser);

/// An operator who has just proved who they are.
pub struct ProvedAdmin(pub CurrentUser);

/// The page where a user proves who they are; then they return to `path`.
pub fn redirect_to_proof(path: &str) -> Response<Body> {
    page::redirect(&format!("/dashboard/confirm?next={path}"))
}

/// Turns a session into the user that a handler requires, or rejects it.
pub trait Authorize: Sized + Send {
    /// `page` is where a user returns who must sign in or prove who they are first.
    fn authorize(session: Session, page: &str) -> Result<Self, PageRejection>;

    /// The account whose submitted forms are rate limited.
    fn limited_account(&self) -> Option<&CurrentUser> {
        None
    }
}

impl Authorize for Session {
    fn authorize(session: Session, _: &str) -> Result<Self, PageRejection> {
        Ok(session)
    }
}

impl Authorize for SignedInUser {
    fn authorize(mut session: Session, page: &str) -> Result<Self, PageRejection> {
        match session.login.take() {
            Some((login, account)) if !login.half => Ok(Self(CurrentUser { session, account, login })),
            _ => Err(page::redirect(&format!("/sign-in?next={page}")).into()),
        }
    }

    fn limited_account(&self) -> Option<&CurrentUser> {
        Some(&self.0)
    }
}

impl Authorize for CurrentUser {
    fn authorize(session: Session, page: &str) -> Result<Self, PageRejection> {
        let SignedInUser(user) = SignedInUser::authorize(session, page)?;
        user.check_duty(None)?;
        Ok(user)
    }

    fn limited_account(&self) -> Option<&CurrentUser> {
        Some(self)
    }
}

impl Authorize for ActingUser {
    fn authorize(session: Session, page: &str) -> Result<Self, PageRejection> {
        CurrentUser::authorize(session, page).map(Self)
    }
}

impl Authorize for ProvedUser {
    fn authorize(session: Session, page: &str) -> Result<Self, PageRejection> {
        let user = CurrentUser::authorize(session, page)?;
        if user.is_freshly_proved() { Ok(Self(user)) } else { Err(redirect_to_proof(page).into()) }
    }

    fn limited_account(&self) -> Option<&CurrentUser> {
        Some(&self.0)
    }
}

impl Authorize for Moderator {
    /// 404 for everyone else, so that the moderation pages do not reveal themselves.
    fn authorize(session: Session, page: &str) -> Result<Self, PageRejection> {
        let user = CurrentUser::authorize(session, page)?;
        if user.account.is_moderator() { Ok(Self(user)) } else { Err(error_page::not_found().into()) }
    }
}

impl Authorize for Admin {
    /// 404 for everyone else, so that the operator pages do not reveal themselves.
    fn authorize(session: Session, page: &str) -> Result<Self, PageRejection> {
        let user = CurrentUser::authorize(session, page)?;
        if user.account.operator { Ok(Self(user)) } else { Err(error_page::not_found().into()) }
    }
}

impl Authorize for ProvedAdmin {
    fn authorize(session: Session, page: &str) -> Result<Self, PageRejection> {
        let Admin(user) = Admin::authorize(session, page)?;
        if user.is_freshly_proved() { Ok(Self(user)) } else { Err(redirect_to_proof(page).into()) }
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

impl FromRequestParts<Arc<App>> for SignedInUser {
    type Rejection = PageRejection;

    async fn from_request_parts(parts: &mut Parts, app: &Arc<App>) -> Result<Self, Self::Rejection> {
        extract(parts, app).await
    }
}

impl FromRequestParts<Arc<App>> for Moderator {
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
