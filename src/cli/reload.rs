//! SIGHUP: reads the TLS certificate and the settings again, without closing connections. What cannot be applied without a restart
//! is named in the log. An invalid file changes nothing.

use std::sync::Arc;

use tokio::signal::unix::Signal;

use super::output::{SetLogFilter, log_filter};
use crate::app::App;
use crate::config::{Config, Flags};
use crate::http::{self, access_log};

/// Settings that apply at once. All others need a restart.
const RELOADABLE: [&str; 4] = ["log.filter", "log.access", "auth.wrong_keys_per_minute", "http.pictures_per_minute"];

/// Settings that are reloaded besides the certificate.
pub struct ReloadFrom {
    /// `None`: no settings.
    pub flags: Option<Flags>,
    pub set_log_filter: SetLogFilter,
}

pub struct Reloader {
    from: ReloadFrom,
    /// The settings in force.
    config: Config,
    tls: Option<Arc<http::Tls>>,
    /// `None` on a node without clients.
    app: Option<Arc<App>>,
}

impl Reloader {
    pub fn new(from: ReloadFrom, config: Config, tls: Option<Arc<http::Tls>>) -> Self {
        Self { from, config, tls, app: None }
    }

    /// From now on the signal reloads.
    pub fn start(mut self, mut hangup: Signal, app: Option<Arc<App>>) {
        self.app = app;
        tokio::spawn(async move {
            while hangup.recv().await.is_some() {
                if let Err(error) = self.reload() {
                    tracing::error!("{error}; keeping the previous certificate and settings");
                }
            }
        });
    }

    fn reload(&mut self) -> Result<(), String> {
        let new = self.from.flags.as_ref().map(Config::load).transpose()?;
        let filter = new.as_ref().map(log_filter).transpose()?;
        if let Some(tls) = &self.tls {
            tls.reload()?;
            tracing::info!("reloaded the TLS certificate");
        }
        let (Some(new), Some(filter)) = (new, filter) else { return Ok(()) };
        let changed = self.config.differences(&new);
        let (applied, pending): (Vec<String>, Vec<String>) =
            changed.into_iter().partition(|setting| RELOADABLE.contains(&setting.as_str()));
        // First, so that the following lines are filtered by it.
        if applied.iter().any(|setting| setting == "log.filter") {
            (self.from.set_log_filter)(filter)?;
        }
        access_log::turn(new.log.access);
        if let Some(app) = &self.app {
            app.set_limits_per_ip(&new);
        }
        self.config.adopt(&new, &RELOADABLE);
        let list = |settings: &[String]| if settings.is_empty() { "none".to_owned() } else { settings.join(", ") };
        let (applied, needs_restart) = (list(&applied), list(&pending));
        tracing::info!(applied, needs_restart, "reloaded the settings");
        Ok(())
    }
}
