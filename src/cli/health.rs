//! `rollcall health`: asks a running service whether it is ready, for health checks of containers.

use std::time::Duration;

use axum::http::Uri;
use clap::Args;
use serde_json::json;

use super::output::OutputArgs;
use super::serve::reachable;
use super::{Failure, StoreArgs, load};
use crate::config::Config;
use crate::http_client::{self, FetchLimits, Trust};

/// Longer than the service takes to find out that its store does not answer.
const LIMITS: FetchLimits = FetchLimits { deadline: Duration::from_secs(8), max_bytes: 4096 };

#[derive(Args)]
pub struct HealthArgs {
    /// Base URL of the service [default: the listen address of the settings, on this machine]
    #[arg(long, value_name = "URL")]
    url: Option<String>,
    #[command(flatten)]
    output: OutputArgs,
    #[command(flatten)]
    store: StoreArgs,
}

pub fn run(args: &HealthArgs) -> Result<(), Failure> {
    let (base, trust) = match &args.url {
        Some(url) => (url.trim_end_matches('/').to_owned(), Trust::PublicRoots),
        // Its certificate is for the public name, and this connection does not leave the machine.
        None => (local_url(&load(&args.store.flags())?)?, Trust::Anyone),
    };
    let url: Uri = format!("{base}/readyz").parse().map_err(|_| invalid(&base))?;
    if !matches!(url.scheme_str(), Some("http" | "https")) {
        return Err(invalid(&base));
    }
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    let response = runtime
        .block_on(http_client::get_text(&url, trust, LIMITS))
        .map_err(|error| Failure::Failed(format!("cannot reach {base}: {error}")))?;
    let text = String::from_utf8_lossy(&response.body);
    let (is_ready, text) = (response.status.is_success(), text.trim_end());
    if is_ready || args.output.json {
        args.output.print(text, &json!({"ready": is_ready, "detail": text}))?;
    }
    match is_ready {
        true => Ok(()),
        false => Err(Failure::Failed(format!("{base}: {text} ({})", response.status.as_u16()))),
    }
}

fn invalid(base: &str) -> Failure {
    Failure::Usage(format!("--url must be a URL such as http://127.0.0.1:8080, not \"{base}\""))
}

fn local_url(config: &Config) -> Result<String, Failure> {
    if config.listen.port() == 0 {
        return Err(Failure::Usage(
            "listen has port 0, which means any port: say with --url where the service is".into(),
        ));
    }
    let scheme = if config.tls.certificate.as_os_str().is_empty() { "http" } else { "https" };
    Ok(format!("{scheme}://{}", reachable(config.listen)))
}
