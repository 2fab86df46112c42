//! Which room a path belongs to, and what every answer has in common.

use std::panic::AssertUnwindSafe;
use std::sync::Arc;
use std::time::Instant;

use axum::Router;
use axum::body::Body;
use axum::extract::{Path, Request, State};
use axum::http::header::{self, HeaderName, HeaderValue};
use axum::http::{Response, StatusCode, Uri};
use axum::middleware::{self, Next};
use axum::response::IntoResponse;
use axum::routing::{any, get};
use futures_util::FutureExt;
use tracing::Instrument;

use super::media;
use crate::app::App;
use crate::v1::{self, ApiError};

const REQUEST_ID: HeaderName = HeaderName::from_static("x-request-id");
/// Bytes of path and query.
const MAX_URI: usize = 8 * 1024;

pub fn router(app: Arc<App>) -> Router {
    Router::new()
        .route("/v1", any(api))
        .route("/v1/", any(api))
        .route("/v1/{*path}", any(api))
        .route("/openapi.json", get(openapi))
        .route("/media/{kind}/{name}", get(picture))
        .route("/healthz", get(|| async { "ok\n" }))
        .route("/readyz", get(ready))
        .fallback(|| async { (StatusCode::NOT_FOUND, "There is nothing here.\n") })
        .layer(middleware::from_fn(around))
        .with_state(app)
}

async fn api(State(app): State<Arc<App>>, request: Request) -> Response<Body> {
    v1::respond(app, request).await
}

async fn openapi(State(app): State<Arc<App>>) -> impl IntoResponse {
    let headers = [
        (header::CONTENT_TYPE, "application/json"),
        (header::CACHE_CONTROL, "public, max-age=300"),
        (header::ACCESS_CONTROL_ALLOW_ORIGIN, "*"),
    ];
    (headers, app.openapi.clone())
}

async fn picture(
    State(app): State<Arc<App>>,
    Path((kind, name)): Path<(String, String)>,
    request: Request,
) -> Response<Body> {
    media::respond(&app, &format!("{kind}/{name}"), request.headers()).await
}

async fn ready(State(app): State<Arc<App>>) -> impl IntoResponse {
    if app.is_ready().await {
        (StatusCode::OK, "ready\n")
    } else {
        (StatusCode::SERVICE_UNAVAILABLE, "not ready: the store cannot be reached\n")
    }
}

/// Around every request: an id that the log and the answer share, a bound on the URI, a panic turned into a 500.
async fn around(request: Request, next: Next) -> Response<Body> {
    let id = format!("{:016x}", rand::random::<u64>());
    let span = tracing::info_span!("request", id);
    async move {
        let (method, path, started) = (request.method().clone(), request.uri().path().to_owned(), Instant::now());
        let under_v1 = path == "/v1" || path.starts_with("/v1/");
        let outcome = if too_long(request.uri()) {
            Ok(v1::failure(&ApiError::UriTooLong))
        } else {
            AssertUnwindSafe(next.run(request)).catch_unwind().await
        };
        let mut response = outcome.unwrap_or_else(|_| {
            let error = ApiError::Internal("a panic; the message is logged above".into());
            if under_v1 { v1::failure(&error) } else { StatusCode::INTERNAL_SERVER_ERROR.into_response() }
        });
        let headers = response.headers_mut();
        headers.insert(REQUEST_ID, HeaderValue::from_str(&id).expect("an id is hexadecimal"));
        headers.insert(header::X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff"));
        let status = response.status().as_u16();
        // The path without its query: that is where a key may stand.
        tracing::debug!(%method, path, status, micros = started.elapsed().as_micros() as u64, "answered");
        ::metrics::counter!("rollcall_responses_total", "status" => status.to_string()).increment(1);
        ::metrics::histogram!("rollcall_response_seconds").record(started.elapsed().as_secs_f64());
        response
    }
    .instrument(span)
    .await
}

fn too_long(uri: &Uri) -> bool {
    uri.path_and_query().is_some_and(|text| text.as_str().len() > MAX_URI)
}

#[cfg(test)]
mod tests {
    use super::*;
    use tower::ServiceExt;

    async fn panicking(path: &str) -> (StatusCode, String, bool) {
        let router: Router =
            Router::new().fallback(|| async { panic!("the secret cause") as () }).layer(middleware::from_fn(around));
        let request = Request::builder().uri(path).body(Body::empty()).expect("a sound request");
        let response = router.oneshot(request).await.expect("an answer");
        let (status, has_id) = (response.status(), response.headers().contains_key(REQUEST_ID));
        let body = axum::body::to_bytes(response.into_body(), MAX_URI).await.expect("a short body");
        (status, String::from_utf8(body.to_vec()).expect("text"), has_id)
    }

    #[tokio::test]
    async fn a_panic_is_a_500_that_says_nothing_of_its_cause() {
        let envelope = r#"{"success":false,"error":"Internal server error, try again later"}"#;
        let answer = (StatusCode::INTERNAL_SERVER_ERROR, envelope.to_owned(), true);
        assert_eq!(panicking("/v1/servers").await, answer);
        assert_eq!(panicking("/elsewhere").await, (StatusCode::INTERNAL_SERVER_ERROR, String::new(), true));
    }
}
