//! Why a submitted form is rejected, and the CAPTCHA of forms that anyone may send.

use axum::body::Body;
use axum::http::{Response, StatusCode};

use super::csrf_form::CsrfForm;
use super::page::{with_retry_after, with_status};
use super::session::Session;
use crate::app::App;
use crate::captcha::{Purpose, TOO_MANY_ATTEMPTS};
use crate::limits::bucket;
use crate::security_log::SecurityEventKind;
use rollcall_model::message::{Message, translatable};

const CAPTCHA_MISSING: &str =
    translatable("Your browser must solve a CAPTCHA, which needs JavaScript. Submit the form again.");

pub struct FormRejection {
    pub status: StatusCode,
    pub message: Message,
    /// Seconds.
    pub retry_after: Option<i64>,
}

impl FormRejection {
    pub fn new(status: StatusCode, message: impl Into<Message>) -> Self {
        Self { status, message: message.into(), retry_after: None }
    }

    pub fn invalid(message: impl Into<Message>) -> Self {
        Self::new(StatusCode::UNPROCESSABLE_ENTITY, message)
    }

    pub fn too_many(message: impl Into<Message>, seconds: i64) -> Self {
        Self { retry_after: Some(seconds), ..Self::new(StatusCode::TOO_MANY_REQUESTS, message) }
    }

    /// The page that shows the form again, with the status of the rejection.
    pub fn respond(&self, page: Response<Body>) -> Response<Body> {
        let response = with_status(page, self.status);
        match self.retry_after {
            Some(seconds) => with_retry_after(response, seconds),
            None => response,
        }
    }
}

/// Checks the solution in the field `human`, which is valid once: call it after all other checks.
pub async fn check_captcha(app: &App, form: &CsrfForm<Session>, purpose: Purpose) -> Result<(), FormRejection> {
    let (session, solution) = (&form.sender, form.raw("human"));
    if solution.is_empty() {
        return Err(FormRejection::invalid(CAPTCHA_MISSING));
    }
    if let Some(seconds) = app.captcha.count_attempt(bucket(session.client), session.now) {
        session.record(SecurityEventKind::CaptchaThrottled, None, None);
        return Err(FormRejection::too_many(TOO_MANY_ATTEMPTS, seconds));
    }
    app.captcha.verify_and_spend(solution, purpose, session.now).await.map_err(|error| {
        session.record(SecurityEventKind::CaptchaFailed, None, None);
        FormRejection::new(error.status(), error.message())
    })
}
