//! The texts of the pages in other languages. The English text is the key; `web/locales/*/*.toml` hold the translations, and
//! `tests/it/translations.rs` checks that none is missing.

use std::borrow::Cow;
use std::collections::{BTreeSet, HashMap};
use std::fmt::Display;
use std::sync::{LazyLock, Mutex};

use super::language::Language;
use rollcall_model::message::{self, Message, Sentence};

type Texts = HashMap<String, String>;

/// The files of one language, one for each part of the site.
macro_rules! texts {
    ($language:literal) => {
        LazyLock::new(|| {
            parse([
                include_str!(concat!("../../web/locales/", $language, "/layout.toml")),
                include_str!(concat!("../../web/locales/", $language, "/servers.toml")),
                include_str!(concat!("../../web/locales/", $language, "/players.toml")),
                include_str!(concat!("../../web/locales/", $language, "/players_linked.toml")),
                include_str!(concat!("../../web/locales/", $language, "/images.toml")),
                include_str!(concat!("../../web/locales/", $language, "/docs.toml")),
                include_str!(concat!("../../web/locales/", $language, "/dashboard.toml")),
                include_str!(concat!("../../web/locales/", $language, "/listings.toml")),
                include_str!(concat!("../../web/locales/", $language, "/owners.toml")),
                include_str!(concat!("../../web/locales/", $language, "/operator.toml")),
                include_str!(concat!("../../web/locales/", $language, "/moderation.toml")),
                include_str!(concat!("../../web/locales/", $language, "/texture_acts.toml")),
                include_str!(concat!("../../web/locales/", $language, "/uploads.toml")),
                include_str!(concat!("../../web/locales/", $language, "/upload_copies.toml")),
                include_str!(concat!("../../web/locales/", $language, "/webhooks.toml")),
            ])
        })
    };
}

static TURKISH: LazyLock<Texts> = texts!("tr");
static RUSSIAN: LazyLock<Texts> = texts!("ru");

fn parse<const N: usize>(files: [&str; N]) -> Texts {
    files.into_iter().flat_map(|file| toml::from_str::<Texts>(file).expect("a test parses the translations")).collect()
}

/// Texts without a translation that this process was asked for: `None` unless a test collects them.
static UNTRANSLATED: Mutex<Option<BTreeSet<String>>> = Mutex::new(None);

fn untranslated(language: Language, text: &str) -> &str {
    if let Some(texts) = UNTRANSLATED.lock().expect("nothing panics with this lock").as_mut() {
        texts.insert(format!("{}: {text}", language.code()));
    }
    text
}

/// Collects texts without a translation from now on; those so far, each after its language.
pub fn collect_untranslated_texts() -> Vec<String> {
    let mut texts = UNTRANSLATED.lock().expect("nothing panics with this lock");
    texts.get_or_insert_default().iter().cloned().collect()
}

impl Language {
    /// The text in this language; an unknown text stays English.
    pub fn translate(self, text: &str) -> &str {
        let texts = match self {
            Self::English => return text,
            Self::Turkish => &*TURKISH,
            Self::Russian => &*RUSSIAN,
        };
        texts.get(text).map_or_else(|| untranslated(self, text), String::as_str)
    }

    /// The form for a count of a text with all plural forms (`{} server|{} servers`), with the count filled in.
    pub fn translate_plural(self, forms: &str, count: i64) -> String {
        let translated = self.translate(forms);
        let mut all = translated.split('|');
        let form = all.nth(self.plural_form(count)).or_else(|| translated.split('|').next_back());
        form.unwrap_or_default().replacen("{}", &self.count(count), 1)
    }

    /// Fills each `{}` of the translated text with the next value.
    pub fn fill(self, text: &str, values: &[&dyn Display]) -> String {
        message::fill(self.translate(text), values)
    }

    /// The sentences of a message in this language.
    pub fn message(self, message: &Message) -> String {
        let sentence = |sentence: &Sentence| {
            let values: Vec<&dyn Display> = sentence.values.iter().map(|value| value as &dyn Display).collect();
            match &sentence.text {
                Cow::Borrowed(text) => self.fill(text, &values),
                // Translated already, or a name.
                Cow::Owned(text) => text.clone(),
            }
        };
        message.sentences().iter().map(sentence).collect::<Vec<_>>().join(" ")
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
