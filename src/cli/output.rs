//! Words for the person at the terminal.

use std::io::{IsTerminal, Write};

use super::Failure;
use crate::config::{Config, LogFormat};

/// A line on standard output. A reader that went away (`| head`) is no failure.
pub fn say(line: &str) -> Result<(), Failure> {
    let mut out = std::io::stdout().lock();
    match writeln!(out, "{line}").and_then(|()| out.flush()) {
        Err(error) if error.kind() != std::io::ErrorKind::BrokenPipe => Err(error.into()),
        _ => Ok(()),
    }
}

/// One sentence on standard error.
pub fn complain(message: &str) {
    let _ = writeln!(std::io::stderr().lock(), "rollcall: {message}");
}

/// Logs go to standard error: text for people, JSON for programs.
pub fn start_logging(config: &Config) -> Result<(), Failure> {
    let filter = tracing_subscriber::EnvFilter::try_new(&config.log.filter)
        .map_err(|error| Failure::Usage(format!("log.filter \"{}\" cannot be read: {error}", config.log.filter)))?;
    let json = match config.log.format {
        LogFormat::Json => true,
        LogFormat::Text => false,
        LogFormat::Auto => !std::io::stderr().is_terminal(),
    };
    let log = tracing_subscriber::fmt().with_env_filter(filter).with_writer(std::io::stderr);
    if json {
        log.json().init();
    } else {
        log.with_target(false).with_ansi(std::io::stderr().is_terminal()).init();
    }
    Ok(())
}
