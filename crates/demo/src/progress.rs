//! Progress bar on stderr.

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

pub struct GenerateProgress(ProgressBar);

impl GenerateProgress {
    /// A bar with an estimate of the remaining time. Draws nothing when stderr is not a terminal.
    pub fn on_stderr() -> Self {
        let bar = ProgressBar::with_draw_target(None, ProgressDrawTarget::stderr());
        let style = ProgressStyle::with_template("{msg:24} {wide_bar} {percent:>3} %  {elapsed} elapsed, {eta} left");
        bar.set_style(style.expect("the template is valid"));
        Self(bar)
    }

    pub fn hidden() -> Self {
        Self(ProgressBar::hidden())
    }

    /// Starts a phase of this many units at zero.
    pub(super) fn start(&self, units: u64) {
        self.0.set_length(units);
        self.0.reset();
    }

    pub(super) fn set_step(&self, step: &'static str) {
        self.0.set_message(step);
        self.0.tick();
    }

    pub(super) fn advance(&self, units: u64) {
        self.0.inc(units);
    }

    pub(super) fn finish(&self) {
        self.0.finish_and_clear();
    }
}
