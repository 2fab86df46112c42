//! Terminal output: lines, errors, progress bars, logging.

use std::io::{BufRead, IsTerminal, Write};

use clap::Args;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use serde_json::Value;
use tracing_appender::non_blocking::WorkerGuard;
use tracing_subscriber::EnvFilter;

use super::Failure;
use crate::config::{Config, LogFormat};
use crate::transfer::LineCounts;
use rollcall_model::score::format_count;
use rollcall_model::text::is_control_or_bidi;

/// The form of what a command prints.
#[derive(Args, Clone, Copy)]
pub struct OutputArgs {
    /// Print JSON
    #[arg(long)]
    pub json: bool,
}

impl OutputArgs {
    /// Prints a text, or what it says as JSON.
    pub fn print(self, text: &str, value: &Value) -> Result<(), Failure> {
        if self.json { print_line(&value.to_string()) } else { print_line(text) }
    }

    /// The same for a secret that is shown only once. The caller commits only if this succeeds.
    pub fn print_secret(self, secret: &str, what: &str, value: &Value) -> Result<(), Failure> {
        let mut out = std::io::stdout().lock();
        let printed = if self.json { writeln!(out, "{value}") } else { writeln!(out, "{secret}") };
        let shown = printed.and_then(|()| out.flush());
        shown.map_err(|error| Failure::Failed(format!("cannot print the {what}, so nothing was changed: {error}")))
    }
}

/// Prints a line on standard output. A closed pipe (`| head`) is not an error.
pub fn print_line(line: &str) -> Result<(), Failure> {
    let mut out = std::io::stdout().lock();
    match writeln!(out, "{line}").and_then(|()| out.flush()) {
        Err(error) if error.kind() != std::io::ErrorKind::BrokenPipe => Err(error.into()),
        _ => Ok(()),
    }
}

/// Prints one sentence on standard error.
pub fn print_error(message: &str) {
    let _ = writeln!(std::io::stderr().lock(), "rollcall: {message}");
}

/// Asks before something is deleted: `what` is what would happen. Without a terminal there is no interactive user, so the
/// flag is required.
pub fn confirm(what: &str, yes: bool) -> Result<(), Failure> {
    let what: String = what.chars().map(|c| if is_control_or_bidi(c) { '\u{fffd}' } else { c }).collect();
    if yes {
        return Ok(());
    }
    if !(std::io::stdin().is_terminal() && std::io::stderr().is_terminal()) {
        return Err(Failure::Usage(format!("this would {what}; add --yes to confirm")));
    }
    let mut question = std::io::stderr().lock();
    write!(question, "rollcall: {what}? [y/N] ").and_then(|()| question.flush())?;
    let mut answer = String::new();
    std::io::stdin().lock().read_line(&mut answer)?;
    match answer.trim().to_ascii_lowercase().as_str() {
        "y" | "yes" => Ok(()),
        _ => Err(Failure::Failed("not confirmed, so nothing was changed".into())),
    }
}

/// The log filter. The error names the setting and its source.
pub fn log_filter(config: &Config) -> Result<EnvFilter, String> {
    let invalid = |error| format!("log.filter \"{}\" is invalid: {error}", config.log.filter);
    EnvFilter::try_new(&config.log.filter).map_err(invalid).map_err(|message| config.with_source(message))
}

/// Changes what is logged from now on.
pub type SetLogFilter = Box<dyn Fn(EnvFilter) -> Result<(), String> + Send + Sync>;

/// Installs a log whose filter can be changed. A macro, because each format is a type of its own.
macro_rules! install {
    ($log:expr) => {{
        let log = $log.with_filter_reloading();
        let handle = log.reload_handle();
        log.init();
        Box::new(move |filter| handle.reload(filter).map_err(|error| error.to_string()))
    }};
}

/// Logs to standard error, as text or JSON. A thread of its own writes, so that a blocked reader delays no request; lines
/// that do not fit its queue are lost. Dropping the guard flushes.
pub fn start_logging(config: &Config) -> Result<(WorkerGuard, SetLogFilter), Failure> {
    let filter = log_filter(config).map_err(Failure::Usage)?;
    let json = match config.log.format {
        LogFormat::Json => true,
        LogFormat::Text => false,
        LogFormat::Auto => !std::io::stderr().is_terminal(),
    };
    // A line that cannot be written (full disk) is lost; reporting that on standard error would panic.
    let (writer, guard) = tracing_appender::non_blocking(std::io::stderr());
    let log = tracing_subscriber::fmt().with_env_filter(filter).with_writer(writer).log_internal_errors(false);
    let set_filter: SetLogFilter = if json {
        install!(log.json())
    } else if std::io::stderr().is_terminal() {
        // In colours unless NO_COLOR is set.
        install!(log.with_target(false))
    } else {
        install!(log.with_target(false).with_ansi(false))
    };
    // Log panics like everything else.
    std::panic::set_hook(Box::new(|panic| tracing::error!("{panic}")));
    Ok((guard, set_filter))
}

/// A spinner with a count on standard error, for work of unknown length. Hidden if it is not a terminal.
pub struct Spinner {
    bar: ProgressBar,
    done: &'static str,
}

impl Spinner {
    pub fn new(done: &'static str) -> Self {
        let bar = ProgressBar::with_draw_target(None, ProgressDrawTarget::stderr());
        bar.set_style(ProgressStyle::with_template("{spinner} {msg}  {elapsed}").expect("a valid template"));
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

/// A progress bar on standard error. Hidden if it is not a terminal.
pub struct Bar(ProgressBar);

impl Bar {
    pub fn new() -> Self {
        let bar = ProgressBar::with_draw_target(None, ProgressDrawTarget::stderr());
        let style = ProgressStyle::with_template("{msg:24} {wide_bar} {percent:>3} %  {elapsed}");
        bar.set_style(style.expect("a valid template"));
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

/// `servers (250), players (3,000) and votes (60,000)`; zero counts are left out.
pub fn list_counts(counts: &LineCounts) -> String {
    list(counts.iter().map(|(resource, rows)| (resource.name(), *rows)))
}

/// The same for other names.
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

/// `{"servers": 250, "players": 3000}`
pub fn counts_as_json(counts: &LineCounts) -> Value {
    let numbers: Vec<(&str, u64)> = counts.iter().map(|(resource, rows)| (resource.name(), *rows)).collect();
    numbers_as_json(&numbers)
}

/// The same for other names.
pub fn numbers_as_json(numbers: &[(&str, u64)]) -> Value {
    Value::Object(numbers.iter().map(|(name, number)| ((*name).to_owned(), (*number).into())).collect())
}
