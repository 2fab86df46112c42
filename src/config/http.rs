//! `[http]`: connections, timeouts and proxies.

use axum::http::HeaderName;
use ipnet::IpNet;
use serde::Deserialize;

use super::parse;

/// Larger values are typos, and overflow some timers.
const MAX_COUNT: u64 = 1_000_000;
const MAX_SECONDS: u64 = 3600;

#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Http {
    pub max_connections: usize,
    pub max_connections_per_address: usize,
    pub max_requests: usize,
    pub max_uploads: usize,
    pub client_timeout: u64,
    pub request_timeout: u64,
    pub lost_store_grace: u64,
    pub shutdown_delay: u64,
    pub drain_timeout: u64,
    #[serde(deserialize_with = "parse::host_names")]
    pub allowed_hosts: Vec<String>,
    #[serde(deserialize_with = "parse::networks")]
    pub trusted_proxies: Vec<IpNet>,
    #[serde(deserialize_with = "parse::header_name")]
    pub client_address_header: HeaderName,
    pub hsts_include_subdomains: bool,
    pub pictures_per_minute: u32,
}

impl Http {
    pub(super) fn check(&self) -> Result<(), String> {
        for (name, value, least, most) in [
            ("max_connections", self.max_connections as u64, 1, MAX_COUNT),
            ("max_connections_per_address", self.max_connections_per_address as u64, 1, MAX_COUNT),
            ("max_requests", self.max_requests as u64, 1, MAX_COUNT),
            ("max_uploads", self.max_uploads as u64, 1, MAX_COUNT),
            ("client_timeout", self.client_timeout, 1, MAX_SECONDS),
            ("request_timeout", self.request_timeout, 1, MAX_SECONDS),
            ("lost_store_grace", self.lost_store_grace, 0, MAX_SECONDS),
            ("shutdown_delay", self.shutdown_delay, 0, MAX_SECONDS),
            ("drain_timeout", self.drain_timeout, 0, MAX_SECONDS),
            ("pictures_per_minute", self.pictures_per_minute.into(), 1, MAX_COUNT),
        ] {
            if !(least..=most).contains(&value) {
                return Err(format!("http.{name} must be from {least} to {most}, not {value}"));
            }
        }
        Ok(())
    }
}
