//! The context of a request for the common headers, the logs and the metrics.

use std::time::Instant;

use axum::body::HttpBody;
use axum::http::{Method, Request, Response};

use crate::http::access_log::{self, AccessEntry};
use crate::http::client_ip::ClientIp;
use crate::http::common_headers::{CommonHeaders, Hsts, REQUEST_ID};
use crate::http::metrics;
use crate::http::request_id::RequestId;
use crate::http::route_label::RouteLabel;
use rollcall_model::api_key::mask;

/// One request, for the log and the common headers.
pub struct RequestContext {
    pub common_headers: CommonHeaders,
    pub client: ClientIp,
    /// Measured only if metrics or a log want it.
    received_at: Option<Instant>,
}

impl RequestContext {
    pub fn new<B>(request: &Request<B>, client: ClientIp, hsts: Hsts) -> Self {
        let is_measured = metrics::are_read() || access_log::is_on() || tracing::enabled!(tracing::Level::DEBUG);
        // Only those of trusted proxies come this far.
        let given = request.headers().get(REQUEST_ID).and_then(RequestId::given);
        let common_headers = CommonHeaders { id: given.unwrap_or_else(RequestId::random), hsts };
        Self { common_headers, client, received_at: is_measured.then(Instant::now) }
    }
}

/// Records a response in the metrics and the logs. `route` is called only if one of them wants it.
pub fn log_request<B>(
    request: &Request<B>,
    context: &RequestContext,
    response: &Response<impl HttpBody>,
    route: impl FnOnce() -> RouteLabel,
) {
    let Some(took) = context.received_at.map(|received_at| received_at.elapsed()) else { return };
    let (method, path, route) = (request.method(), request.uri().path(), route());
    let (id, client, micros) = (&context.common_headers.id, context.client.0, took.as_micros() as u64);
    // Without the query, which may hold an API key, and with keys in the path masked.
    tracing::debug!(
        %id, %method, path = %mask(path), status = response.status().as_u16(), micros, %client, "request"
    );
    if access_log::is_on() {
        let bytes = if *method == Method::HEAD { Some(0) } else { response.body().size_hint().exact() };
        access_log::write(&AccessEntry { id, method, route: &route, status: response.status(), took, bytes, client });
    }
    metrics::responded(&route, method, response.status(), took);
}
