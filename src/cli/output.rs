//! Words for the person at the terminal.

use std::io::{IsTerminal, Write};

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use tracing_appender::non_blocking::WorkerGuard;

use super::Failure;
use crate::config::{Config, LogFormat};
use crate::transfer::Counts;
use rollcall_model::score::format_count;

/// A line on standard output. A reader that went away (`| head`) is no failure.
pub fn say(line: &str) -> Result<(), Failure> {
    let mut out = std::io::stdout().lock();
    match writeln!(out, "{line}").and_then(|()| out.flush()) {
        Err(error) if error.kind() != std::io::ErrorKind::BrokenPipe => Err(error.into()),
        _ => Ok(()),
    }
}

/// A secret that is shown this once. Whoever makes it does so only if it could be shown.
pub fn reveal(secret: &str, what: &str) -> Result<(), Failure> {
    let mut out = std::io::stdout().lock();
    let shown = writeln!(out, "{secret}").and_then(|()| out.flush());
    shown.map_err(|error| Failure::Failed(format!("the {what} could not be shown, so nothing was changed: {error}")))
}

/// One sentence on standard error.
pub fn complain(message: &str) {
    let _ = writeln!(std::io::stderr().lock(), "rollcall: {message}");
}

/// Logs go to standard error: text for people, JSON for programs. They are written by a thread of their own, so that a
/// reader who does not read holds up no request; what does not fit its queue is lost. The guard writes the last of it.
pub fn start_logging(config: &Config) -> Result<WorkerGuard, Failure> {
    let filter = tracing_subscriber::EnvFilter::try_new(&config.log.filter)
        .map_err(|error| Failure::Usage(format!("log.filter \"{}\" cannot be read: {error}", config.log.filter)))?;
    let json = match config.log.format {
        LogFormat::Json => true,
        LogFormat::Text => false,
        LogFormat::Auto => !std::io::stderr().is_terminal(),
    };
    // A log that cannot be written (its disk is full) is lost; complaining of that on standard error would panic.
    let (writer, guard) = tracing_appender::non_blocking(std::io::stderr());
    let log = tracing_subscriber::fmt().with_env_filter(filter).with_writer(writer).log_internal_errors(false);
    if json {
        log.json().init();
    } else {
        log.with_target(false).with_ansi(std::io::stderr().is_terminal()).init();
    }
    // A panic is logged like everything else, under the id of the request that met it.
    std::panic::set_hook(Box::new(|panic| tracing::error!("{panic}")));
    Ok(guard)
}

/// A count that runs on standard error while work of unknown length goes on; nothing when nobody watches.
pub struct Counting {
    bar: ProgressBar,
    done: &'static str,
}

impl Counting {
    pub fn new(done: &'static str) -> Self {
        let bar = ProgressBar::with_draw_target(None, ProgressDrawTarget::stderr());
        bar.set_style(ProgressStyle::with_template("{spinner} {msg}  {elapsed}").expect("the template is sound"));
        Self { bar, done }
    }

    pub fn show(&self, what: &str, rows: u64) {
        self.bar.set_message(format!("{what}: {} {}", format_count(rows as i64), self.done));
        self.bar.tick();
    }

    pub fn finish(&self) {
        self.bar.finish_and_clear();
    }
}

/// A bar on standard error for work whose end is known; nothing when nobody watches.
pub struct Bar(ProgressBar);

impl Bar {
    pub fn new() -> Self {
        let bar = ProgressBar::with_draw_target(None, ProgressDrawTarget::stderr());
        let style = ProgressStyle::with_template("{msg:24} {wide_bar} {percent:>3} %  {elapsed} gone");
        bar.set_style(style.expect("the template is sound"));
        Self(bar)
    }

    pub fn show(&self, what: &'static str, done: u64, whole: u64) {
        self.0.set_message(what);
        self.0.set_length(whole);
        self.0.set_position(done);
    }

    pub fn finish(&self) {
        self.0.finish_and_clear();
    }
}

/// `servers (250), players (3,000) and votes (60,000)`, leaving out what there is none of.
pub fn list_counts(counts: &Counts) -> String {
    list(counts.iter().map(|(resource, rows)| (resource.name(), *rows)))
}

/// The same for things that are no resources.
pub fn list<'a>(counts: impl IntoIterator<Item = (&'a str, u64)>) -> String {
    let mut parts: Vec<String> = counts
        .into_iter()
        .filter(|(_, rows)| *rows > 0)
        .map(|(name, rows)| format!("{name} ({})", format_count(rows as i64)))
        .collect();
    match parts.pop() {
        None => "nothing".into(),
        Some(last) if parts.is_empty() => last,
        Some(last) => format!("{} and {last}", parts.join(", ")),
    }
}
