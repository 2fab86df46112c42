//! Bars on standard error.

use std::time::Duration;

use indicatif::{ProgressBar, ProgressStyle};

/// For something that takes a while, nobody knows how long.
pub fn waiting(what: impl Into<String>) -> ProgressBar {
    let bar = ProgressBar::new_spinner();
    bar.set_style(ProgressStyle::with_template("{spinner} preparing {msg} ({elapsed})").expect("a template"));
    bar.set_message(what.into());
    bar.enable_steady_tick(Duration::from_millis(200));
    bar
}

/// Says how long it took, where there is no terminal, too.
#[expect(clippy::print_stderr, reason = "progress is for people")]
pub fn done(bar: &ProgressBar) {
    let (what, took) = (bar.message(), bar.elapsed().as_secs_f64());
    bar.finish_and_clear();
    eprintln!("prepared {what} in {took:.1} s");
}

pub fn counting(steps: usize) -> ProgressBar {
    let bar = ProgressBar::new(steps as u64);
    let style = ProgressStyle::with_template("{wide_bar} {pos}/{len} {msg} ({elapsed}, {eta} left)");
    bar.set_style(style.expect("a template"));
    bar.enable_steady_tick(Duration::from_millis(500));
    bar
}
