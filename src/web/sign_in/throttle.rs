//! Throttling of sign-ins: which counters an attempt belongs to, and the response to a throttled one.

use axum::body::Body;
use axum::http::{Response, StatusCode};

use crate::accounts::{CountedAttempt, Exhausted, LoginAttempt, LoginDecision};
use crate::app::App;
use crate::captcha::{Purpose, TOO_MANY_ATTEMPTS};
use crate::limits::bucket;
use crate::security_log::SecurityEventKind;
use crate::web::csrf_form::CsrfForm;
use crate::web::page::with_retry_after;
use crate::web::session::Session;
use crate::web::view::language;
use rollcall_model::message::translatable;
use rollcall_search::fold;
use rollcall_store::accounts::Account;
use rollcall_store::login_sessions;

const ACCOUNT_EXHAUSTED: &str = translatable(
    "There were many failed sign-ins to this account. Your browser must solve a CAPTCHA; submit the form again.",
);
const ADDRESS_EXHAUSTED: &str = translatable(
    "There were many failed sign-ins from your network. Your browser must solve a CAPTCHA; submit the form again.",
);

/// The CAPTCHA on a sign-in page.
pub struct ProofPrompt {
    /// After this time no proof is needed, for browsers without scripts.
    pub wait: String,
}

impl From<Exhausted> for ProofPrompt {
    fn from(exhausted: Exhausted) -> Self {
        Self { wait: minutes(exhausted.seconds()) }
    }
}

/// `guessed` says what is guessed and for whom, so that no username collides with a counter for codes. A browser counts as
/// known only for the account that it signed in to.
pub async fn count_attempt(
    app: &App,
    session: &Session,
    guessed: &str,
    account: Option<&Account>,
) -> rollcall_store::Result<CountedAttempt> {
    let now = session.now;
    let browser = match (session.browser_hash(), account.map(|account| account.n)) {
        (Some(hash), Some(n)) => {
            let browser = hash.clone();
            let known = app.ledger.read(move |conn| login_sessions::is_known_browser(conn, &browser, n, now)).await?;
            known.then_some(hash)
        }
        _ => None,
    };
    let attempt = LoginAttempt { bucket: bucket(session.client), account: fold(guessed), browser };
    Ok(app.accounts.login_throttle.count(attempt, now))
}

/// Why an attempt is not checked.
pub enum Throttled {
    Wait(i64),
    /// With the message to show.
    ProofRequired(&'static str, Exhausted),
}

impl Throttled {
    /// `reject` shows the page again.
    pub fn respond(self, reject: impl Fn(StatusCode, &str, Option<Exhausted>) -> Response<Body>) -> Response<Body> {
        let (response, seconds) = match self {
            Self::Wait(seconds) => (reject(StatusCode::TOO_MANY_REQUESTS, &too_many_attempts(seconds), None), seconds),
            Self::ProofRequired(message, exhausted) => {
                (reject(StatusCode::TOO_MANY_REQUESTS, message, Some(exhausted)), exhausted.seconds())
            }
        };
        with_retry_after(response, seconds)
    }
}

/// With a valid proof of work an attempt is checked, however often others have failed. An attempt that is not checked is
/// refunded.
pub async fn check_throttle(
    app: &App,
    form: &CsrfForm<Session>,
    counted: &CountedAttempt,
    account: Option<&Account>,
) -> Result<(), Throttled> {
    let throttled = match counted.decision {
        LoginDecision::Allow => return Ok(()),
        LoginDecision::Wait(seconds) => Throttled::Wait(seconds),
        LoginDecision::RequireProof(exhausted) => match check_proof(app, form, exhausted).await {
            Ok(()) => return Ok(()),
            Err(throttled) => throttled,
        },
    };
    app.accounts.login_throttle.refund(counted);
    form.sender.record(SecurityEventKind::SignInThrottled, account, None);
    Err(throttled)
}

async fn check_proof(app: &App, form: &CsrfForm<Session>, exhausted: Exhausted) -> Result<(), Throttled> {
    let (session, proof) = (&form.sender, form.raw("human"));
    if proof.is_empty() {
        let message = match exhausted {
            Exhausted::Account(_) => ACCOUNT_EXHAUSTED,
            Exhausted::Address(_) => ADDRESS_EXHAUSTED,
        };
        return Err(Throttled::ProofRequired(message, exhausted));
    }
    // Verifying takes milliseconds of CPU, also for wrong solutions.
    if app.captcha.count_attempt(bucket(session.client), session.now).is_some() {
        session.record(SecurityEventKind::CaptchaThrottled, None, None);
        return Err(Throttled::ProofRequired(TOO_MANY_ATTEMPTS, exhausted));
    }
    let verified = app.captcha.verify_and_spend(proof, Purpose::SignIn, session.now).await;
    verified.map_err(|error| {
        session.record(SecurityEventKind::CaptchaFailed, None, None);
        Throttled::ProofRequired(error.message(), exhausted)
    })
}

pub fn too_many_attempts(seconds: i64) -> String {
    language().fill("Too many failed attempts. Try again in {}.", &[&minutes(seconds)])
}

/// `1 minute`, `15 minutes`.
fn minutes(seconds: i64) -> String {
    language().translate_plural("{} minute|{} minutes", (seconds + 59) / 60)
}
