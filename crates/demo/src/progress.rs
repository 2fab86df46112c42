//! How far the work is, on stderr. Hidden when nobody watches.

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

pub struct Progress(ProgressBar);

impl Progress {
    /// A bar with an estimate of the time left; nothing at all when stderr is not a terminal.
    pub fn on_stderr() -> Self {
        let bar = ProgressBar::with_draw_target(None, ProgressDrawTarget::stderr());
        let style = ProgressStyle::with_template("{msg:24} {wide_bar} {percent:>3} %  {elapsed} gone, {eta} left");
        bar.set_style(style.expect("the template is sound"));
        Self(bar)
    }

    pub fn hidden() -> Self {
        Self(ProgressBar::hidden())
    }

    pub(super) fn begin(&self, units: u64) {
        self.0.set_length(units);
        self.0.reset();
    }

    pub(super) fn step(&self, what: &'static str) {
        self.0.set_message(what);
        self.0.tick();
    }

    pub(super) fn add(&self, units: u64) {
        self.0.inc(units);
    }

    pub(super) fn finish(&self) {
        self.0.finish_and_clear();
    }
}
