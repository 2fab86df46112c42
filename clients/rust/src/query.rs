//! Query parameters and segments of a path.

use std::fmt::Display;

use percent_encoding::{NON_ALPHANUMERIC, utf8_percent_encode};

#[derive(Clone, Debug, Default)]
pub(crate) struct Query(Vec<(&'static str, String)>);

impl Query {
    pub(crate) fn add(&mut self, name: &'static str, value: &Option<impl Display>) {
        if let Some(value) = value {
            self.0.push((name, value.to_string()));
        }
    }

    pub(crate) fn add_text(&mut self, name: &'static str, value: &str) {
        self.0.push((name, value.to_owned()));
    }

    pub(crate) fn add_list(&mut self, name: &'static str, values: &[impl Display]) {
        if !values.is_empty() {
            self.0.push((name, values.iter().map(ToString::to_string).collect::<Vec<_>>().join(",")));
        }
    }

    /// Sets a parameter that is not set.
    pub(crate) fn or(&mut self, name: &'static str, value: &str) {
        if !self.0.iter().any(|(other, _)| *other == name) {
            self.add_text(name, value);
        }
    }

    pub(crate) fn pairs(&self) -> &[(&'static str, String)] {
        &self.0
    }
}

/// A value as one segment of a path.
pub(crate) fn segment(value: &str) -> impl Display + '_ {
    utf8_percent_encode(value, NON_ALPHANUMERIC)
}
