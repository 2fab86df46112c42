//! Rejects requests that no route should have to deal with: too long addresses, and hosts that are not ours.

use axum::http::{Request, Version, header};

use super::health::{HEALTH, READY};
use crate::error::ApiError;
use crate::http::allowed_hosts::AllowedHosts;

/// Bytes of path and query.
pub const MAX_URI_BYTES: usize = 8 * 1024;

pub fn check<B>(request: &Request<B>, hosts: &AllowedHosts) -> Result<(), ApiError> {
    let uri = request.uri();
    let path_and_query = uri.path_and_query().map_or(0, |text| text.as_str().len());
    if path_and_query + uri.authority().map_or(0, |host| host.as_str().len()) > MAX_URI_BYTES {
        return Err(ApiError::UriTooLong);
    }
    match host(request)? {
        Some(host) if !hosts.allows(host) && !matches!(uri.path(), HEALTH | READY) => Err(ApiError::WrongHost),
        _ => Ok(()),
    }
}

/// The host that the request names. HTTP/1.0 needs none, and no browser speaks it.
fn host<B>(request: &Request<B>) -> Result<Option<&[u8]>, ApiError> {
    let mut hosts = request.headers().get_all(header::HOST).iter();
    let host = match (hosts.next(), hosts.next()) {
        (Some(host), None) => Some(host.as_bytes()),
        (None, None) if request.version() <= Version::HTTP_10 => None,
        _ => return Err(ApiError::BadRequest("A request must have exactly one Host header".into())),
    };
    let authority = request.uri().authority().map(|authority| authority.as_str().as_bytes());
    if request.version() == Version::HTTP_2
        && let (Some(authority), Some(host)) = (authority, host)
        && !authority.eq_ignore_ascii_case(host)
    {
        return Err(ApiError::BadRequest("The Host header must equal :authority".into()));
    }
    // A target with a host, as proxies get it, takes precedence over the header.
    Ok(authority.or(host))
}
