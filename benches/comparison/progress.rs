//! Progress bars on standard error.

use std::time::Duration;

use indicatif::{ProgressBar, ProgressStyle};

/// For a preparation step of unknown length.
pub fn spinner(what: impl Into<String>) -> ProgressBar {
    let bar = ProgressBar::new_spinner();
    bar.set_style(ProgressStyle::with_template("{spinner} preparing: {msg} ({elapsed})").expect("valid template"));
    bar.set_message(what.into());
    bar.enable_steady_tick(Duration::from_millis(200));
    bar
}

/// Prints how long the step took, also without a terminal.
#[expect(clippy::print_stderr, reason = "progress goes to standard error")]
pub fn done(bar: &ProgressBar) {
    let (what, seconds) = (bar.message(), bar.elapsed().as_secs_f64());
    bar.finish_and_clear();
    eprintln!("prepared: {what} in {seconds:.1} s");
}

pub fn steps(count: usize, what: &str) -> ProgressBar {
    let bar = ProgressBar::new(count as u64);
    let style = ProgressStyle::with_template("{wide_bar} {pos}/{len} {msg} ({elapsed}, {eta} left)");
    bar.set_style(style.expect("valid template"));
    bar.set_message(what.to_owned());
    bar.enable_steady_tick(Duration::from_millis(500));
    bar
}
