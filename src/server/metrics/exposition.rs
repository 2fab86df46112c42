//! The text format of Prometheus.

use std::fmt::Write;

use super::families;
use rollcall_model::histogram::{BOUNDS, HistogramSnapshot};

#[derive(Default)]
pub struct Exposition {
    text: String,
    /// The family that is being written.
    name: &'static str,
}

impl Exposition {
    /// Starts a family: its samples follow. It must be in the table.
    pub fn family(&mut self, name: &'static str) {
        let family = families::find(name).unwrap_or_else(|| panic!("{name} is not described"));
        self.name = name;
        let kind = family.kind.name();
        self.line(format_args!("# HELP {name} {}\n# TYPE {name} {kind}", family.help));
    }

    pub fn sample(&mut self, labels: &[(&str, &str)], value: f64) {
        self.write_sample("", labels, value);
    }

    pub fn histogram(&mut self, labels: &[(&str, &str)], snapshot: &HistogramSnapshot) {
        let bounds = BOUNDS.iter().map(f64::to_string).chain(["+Inf".to_owned()]);
        for (bound, count) in bounds.zip(snapshot.cumulative) {
            let labels: Vec<(&str, &str)> = labels.iter().copied().chain([("le", bound.as_str())]).collect();
            self.write_sample("_bucket", &labels, count as f64);
        }
        self.write_sample("_sum", labels, snapshot.sum_seconds);
        self.write_sample("_count", labels, snapshot.count() as f64);
    }

    pub fn into_text(self) -> String {
        self.text
    }

    fn write_sample(&mut self, suffix: &str, labels: &[(&str, &str)], value: f64) {
        let name = self.name;
        // Our labels are patterns and fixed words: nothing in them needs an escape but these.
        let escape = |text: &str| text.replace('\\', "\\\\").replace('"', "\\\"").replace('\n', "\\n");
        let labels: Vec<String> = labels.iter().map(|(name, value)| format!("{name}=\"{}\"", escape(value))).collect();
        match labels.is_empty() {
            true => self.line(format_args!("{name}{suffix} {value}")),
            false => self.line(format_args!("{name}{suffix}{{{}}} {value}", labels.join(","))),
        }
    }

    fn line(&mut self, line: std::fmt::Arguments) {
        writeln!(self.text, "{line}").expect("a String accepts any write");
    }
}
