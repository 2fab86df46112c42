//! `GET /human/challenge?for=playground`

use std::sync::Arc;

use axum::body::Body;
use axum::extract::{Request, State};
use axum::http::{Response, StatusCode};

use crate::app::App;
use crate::captcha::{Purpose, TOO_MANY_ATTEMPTS};
use crate::http::client_ip::client_ip;
use crate::http::query::Query;
use crate::http::{envelope, same_origin};
use crate::limits::bucket;
use crate::security_log::{EventFields, SecurityEventKind};

pub async fn challenge(State(app): State<Arc<App>>, request: Request) -> Response<Body> {
    if !same_origin::is_own(request.headers(), &app.public_url) {
        return envelope::failure(StatusCode::FORBIDDEN, "Only pages of this site may request a CAPTCHA");
    }
    let now = app.clock.now();
    let query = Query::parse(request.uri().query().unwrap_or_default()).unwrap_or_default();
    let Some(purpose) = Purpose::ALL.into_iter().find(|purpose| query.get("for") == Some(purpose.name())) else {
        return envelope::failure(StatusCode::BAD_REQUEST, "for must be one of playground, sign-in, sign-up, vote");
    };
    let client = client_ip(&request);
    if let Some(seconds) = app.captcha.count_attempt(bucket(client), now) {
        let fields = EventFields { client: Some(client), ..EventFields::default() };
        app.security_log.record(SecurityEventKind::CaptchaThrottled, fields, now);
        return envelope::rate_limited(TOO_MANY_ATTEMPTS, seconds);
    }
    envelope::success(app.captcha.challenge(purpose, now))
}
