//! Sentences for people. The English text is also the key of its translations (`web/locales`).

use std::borrow::Cow;
use std::fmt;

/// Marks a text that pages translate where they show it, so that a test can check that it has translations.
pub const fn translatable(text: &'static str) -> &'static str {
    text
}

/// One or more sentences with values. `Display` writes them in English.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Message(Vec<Sentence>);

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Sentence {
    /// With `{}` for each value.
    pub text: Cow<'static, str>,
    pub values: Vec<String>,
}

impl Message {
    pub fn new(text: &'static str, values: &[&dyn fmt::Display]) -> Self {
        let values = values.iter().map(ToString::to_string).collect();
        Self(vec![Sentence { text: text.into(), values }])
    }

    /// Adds the sentences of another message.
    pub fn and(mut self, next: impl Into<Self>) -> Self {
        self.0.extend(next.into().0);
        self
    }

    pub fn sentences(&self) -> &[Sentence] {
        &self.0
    }
}

impl From<&'static str> for Message {
    fn from(text: &'static str) -> Self {
        Self::new(text, &[])
    }
}

/// A text that is translated already.
impl From<String> for Message {
    fn from(text: String) -> Self {
        Self(vec![Sentence { text: text.into(), values: Vec::new() }])
    }
}

/// Fills each `{}` of a text with the next value.
pub fn fill(text: &str, values: &[&dyn fmt::Display]) -> String {
    let mut filled = String::new();
    let mut parts = text.split("{}");
    filled += parts.next().unwrap_or_default();
    for (i, part) in parts.enumerate() {
        if let Some(value) = values.get(i) {
            filled += &value.to_string();
        }
        filled += part;
    }
    filled
}

impl fmt::Display for Message {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        for (i, Sentence { text, values }) in self.0.iter().enumerate() {
            let values: Vec<&dyn fmt::Display> = values.iter().map(|value| value as &dyn fmt::Display).collect();
            // A text without values is written as it is: it may be a user's and hold `{}`.
            let text = if values.is_empty() { text.to_string() } else { fill(text, &values) };
            write!(f, "{}{text}", if i == 0 { "" } else { " " })?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sentences_are_joined_and_values_are_filled_in_once() {
        let message = Message::new("At least {} of {}.", &[&1, &"{}"]).and("Try again.");
        assert_eq!(message.to_string(), "At least 1 of {}. Try again.");
        assert_eq!(Message::from("{} stays".to_owned()).to_string(), "{} stays");
    }
}
