//! What the servers of connections call with each request.

use std::future::Future;

use axum::http::{Request, Response};
use hyper::body::Incoming;

use super::client_ip::ClientIp;
use super::response_body::ResponseBody;

/// What answers requests: the router of the service, or that of the metrics.
pub trait Handler: Send + Sync + 'static {
    fn handle(
        &self,
        request: Request<Incoming>,
        client: ClientIp,
    ) -> impl Future<Output = Response<ResponseBody>> + Send;
}
