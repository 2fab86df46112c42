//! The TLS certificate and the DNS resolver.

use std::time::Duration;

use super::Finding;
use crate::config::{self, Config};
use crate::http;
use rollcall_minecraft::Resolver;
use rollcall_model::clock::Clock;
use rollcall_model::time::DAY;

/// A certificate should have been renewed before this is left of it, or a fifth of its lifetime if that is shorter.
const RENEW_BEFORE: i64 = 7 * DAY;
const RENEW_SHARE: i64 = 5;
const DNS_TIMEOUT: Duration = Duration::from_secs(10);

pub fn certificate(files: &config::Tls) -> Finding {
    let Some(tls) = http::Tls::load(files)? else { return Ok("not configured, plain HTTP is served".to_owned()) };
    let file = files.certificate.display();
    let Some(validity) = tls.validity() else { return Err(format!("cannot read the validity of {file}")) };
    let now = Clock::System.now();
    let (left, lifetime) = (validity.not_after - now, validity.not_after - validity.not_before);
    if now < validity.not_before {
        Err(format!("{file} is not valid yet; check the clock of this machine"))
    } else if left < 0 {
        Err(format!("{file} expired {} days ago; renew it and send SIGHUP to the service", -left / DAY))
    } else if left < RENEW_BEFORE.min(lifetime / RENEW_SHARE) {
        Err(format!("{file} expires in {} days; renew it and send SIGHUP to the service", left / DAY))
    } else {
        Ok(format!("{file} matches its key and is valid for {} days", left / DAY))
    }
}

/// Whether name servers answer. The tracker needs them.
pub fn dns(config: &Config) -> Finding {
    let used = config.tracker.name_server.map_or_else(
        || "the name servers of the system (/etc/resolv.conf)".to_owned(),
        |server| format!("tracker.name_server {server}"),
    );
    if config.tracker.ping_interval.is_none() {
        return Ok("not needed, pings are off".to_owned());
    }
    let runtime =
        tokio::runtime::Builder::new_current_thread().enable_all().build().map_err(|error| error.to_string())?;
    let is_up = runtime.block_on(async {
        // Set up inside the runtime, which the resolver uses.
        let resolver = Resolver::dns(config.tracker.name_server)?;
        Ok::<_, String>(tokio::time::timeout(DNS_TIMEOUT, resolver.network_is_up()).await.unwrap_or(false))
    })?;
    match is_up {
        true => Ok(format!("answers, from {used}")),
        false => Err(format!("no answer from {used}; check the network and the firewall (UDP and TCP port 53)")),
    }
}
