//! `[site]`: links of the operator.

use serde::Deserialize;

/// Links in the footer of every page; an empty one is hidden.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Site {
    terms: String,
    privacy: String,
    contact: String,
}

impl Site {
    /// Other schemes, such as javascript:, would run in the reader's session.
    pub(super) fn check(&self) -> Result<(), String> {
        for (name, url) in [("terms", &self.terms), ("privacy", &self.privacy), ("contact", &self.contact)] {
            let is_link = ["https://", "http://", "mailto:", "/"].iter().any(|scheme| url.starts_with(scheme));
            if !url.is_empty() && !is_link {
                return Err(format!("site.{name} must be a URL that begins with https:// or mailto:, not \"{url}\""));
            }
        }
        Ok(())
    }

    pub fn terms_url(&self) -> Option<&str> {
        Some(self.terms.as_str()).filter(|url| !url.is_empty())
    }

    pub fn privacy_url(&self) -> Option<&str> {
        Some(self.privacy.as_str()).filter(|url| !url.is_empty())
    }

    pub fn contact_url(&self) -> Option<&str> {
        Some(self.contact.as_str()).filter(|url| !url.is_empty())
    }
}
