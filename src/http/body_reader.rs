//! Reads request bodies: bounded in bytes, in time, in number and per client IP, so that slow clients cannot take the
//! capacity of others.

use std::sync::Arc;
use std::time::Duration;

use axum::body::{Body, HttpBody};
use axum::http::Extensions;
use bytes::Bytes;
use tokio::sync::Semaphore;

use super::client_ip;
use crate::error::ApiError;
use crate::limits::{PausablePermit, PerIpLimit};

/// How long a body may take to arrive.
const TIMEOUT: Duration = Duration::from_secs(5);
/// Bodies that arrive at the same time, in all and per client IP.
const MAX_BODIES: usize = 1024;
const MAX_PER_IP: usize = 16;

pub struct BodyReader {
    permits: Semaphore,
    per_ip: Arc<PerIpLimit>,
}

impl Default for BodyReader {
    fn default() -> Self {
        Self { permits: Semaphore::new(MAX_BODIES), per_ip: PerIpLimit::new(MAX_PER_IP) }
    }
}

impl BodyReader {
    /// `request` are the extensions of the request: its client IP, and its permit, which is paused while the body arrives.
    pub async fn read(&self, body: Body, max_bytes: usize, request: &Extensions) -> Result<Bytes, ApiError> {
        if body.size_hint().lower() > max_bytes as u64 {
            return Err(ApiError::BodyTooLarge);
        }
        let _permit = self.permits.try_acquire().map_err(|_| ApiError::Busy)?;
        let client = client_ip::of(request);
        let _ip_permit = self.per_ip.try_acquire(client).ok_or(ApiError::TooManyConnections)?;
        let request_permit = request.get::<Arc<PausablePermit>>();
        if let Some(permit) = request_permit {
            permit.pause();
        }
        let bytes = match tokio::time::timeout(TIMEOUT, axum::body::to_bytes(body, max_bytes)).await {
            Ok(Ok(bytes)) => bytes,
            Ok(Err(_)) => return Err(ApiError::BodyTooLarge),
            Err(_) => return Err(ApiError::BodyTimeout),
        };
        match request_permit {
            Some(permit) if !permit.try_resume() => Err(ApiError::Busy),
            _ => Ok(bytes),
        }
    }
}
