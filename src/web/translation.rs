//! The texts of the pages in other languages. The English text is the key; `web/locales/*/*.toml` hold the translations, and
//! `tests/it/translations.rs` checks that none is missing.

use std::collections::HashMap;
use std::sync::LazyLock;

use super::language::Language;

type Texts = HashMap<String, String>;

/// The files of one language, one for each part of the site.
macro_rules! texts {
    ($language:literal) => {
        LazyLock::new(|| {
            parse([
                include_str!(concat!("../../web/locales/", $language, "/layout.toml")),
                include_str!(concat!("../../web/locales/", $language, "/servers.toml")),
                include_str!(concat!("../../web/locales/", $language, "/players.toml")),
                include_str!(concat!("../../web/locales/", $language, "/images.toml")),
                include_str!(concat!("../../web/locales/", $language, "/docs.toml")),
                include_str!(concat!("../../web/locales/", $language, "/dashboard.toml")),
            ])
        })
    };
}

static TURKISH: LazyLock<Texts> = texts!("tr");
static RUSSIAN: LazyLock<Texts> = texts!("ru");

fn parse<const N: usize>(files: [&str; N]) -> Texts {
    files.into_iter().flat_map(|file| toml::from_str::<Texts>(file).expect("a test parses the translations")).collect()
}

impl Language {
    /// The text in this language; an unknown text stays English.
    pub fn translate(self, text: &str) -> &str {
        let texts = match self {
            Self::English => return text,
            Self::Turkish => &*TURKISH,
            Self::Russian => &*RUSSIAN,
        };
        texts.get(text).map_or(text, String::as_str)
    }

    /// The form for a count of a text with all plural forms (`{} server|{} servers`), with the count filled in.
    pub fn translate_plural(self, forms: &str, count: i64) -> String {
        let translated = self.translate(forms);
        let mut all = translated.split('|');
        let form = all.nth(self.plural_form(count)).or_else(|| translated.split('|').next_back());
        form.unwrap_or_default().replacen("{}", &self.count(count), 1)
    }

    /// Fills each `{}` of the translated text with the next value.
    pub fn fill(self, text: &str, values: &[&dyn std::fmt::Display]) -> String {
        let mut filled = String::new();
        let mut parts = self.translate(text).split("{}");
        filled += parts.next().unwrap_or_default();
        for (i, part) in parts.enumerate() {
            if let Some(value) = values.get(i) {
                filled += &value.to_string();
            }
            filled += part;
        }
        filled
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_filled_in_once() {
        assert_eq!(Language::English.fill("Page {} of {}", &[&"{}", &3]), "Page {} of 3");
        assert_eq!(Language::English.translate_plural("{} server|{} servers", 1), "1 server");
        assert_eq!(Language::English.translate_plural("{} server|{} servers", 1_200), "1,200 servers");
    }
}
