//! Every text of the pages is translated: templates hold no bare text, and each key has a translation in every language.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

const LANGUAGES: [(&str, usize); 2] = [("tr", 1), ("ru", 3)];
/// Words that are the same in every language.
const NAMES: [&str; 12] =
    ["Rollcall", "TPS", "GET", "API", "JSON", "OpenAPI", "CSV", "MOTD", "UTC", "RSS", "Discord", "HTTP"];
/// Parts of the reference that stay English, like the API itself.
const ENGLISH: [&str; 1] = ["docs.html"];

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

fn files(folder: &str, extension: &str) -> Vec<PathBuf> {
    fn collect(folder: &Path, extension: &str, found: &mut Vec<PathBuf>) {
        for entry in fs::read_dir(folder).expect("a folder") {
            let path = entry.expect("an entry").path();
            if path.is_dir() {
                collect(&path, extension, found);
            } else if path.extension().is_some_and(|found| found == extension) {
                found.push(path);
            }
        }
    }
    let mut found = Vec::new();
    collect(&root().join(folder), extension, &mut found);
    found.sort();
    found
}

/// The string literals directly before one of the markers, or directly after it.
fn literals(text: &str, before: &[&str], after: &[&str]) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    for marker in before {
        for (at, _) in text.match_indices(marker) {
            let next = text[at + marker.len()..].chars().next();
            if next.is_some_and(|c| c.is_ascii_alphanumeric() || c == '_') {
                continue;
            }
            if let Some(head) = text[..at].trim_end().strip_suffix('"')
                && let Some(start) = head.rfind('"')
            {
                found.insert(head[start + 1..].to_owned());
            }
        }
    }
    for marker in after {
        for (at, _) in text.match_indices(marker) {
            if let Some(rest) = text[at + marker.len()..].trim_start().strip_prefix('"')
                && let Some(end) = rest.find('"')
            {
                found.insert(rest[..end].to_owned());
            }
        }
    }
    found
}

/// Every key that a template or a handler names, with the file.
fn used_keys() -> BTreeMap<String, String> {
    let mut used = BTreeMap::new();
    let templates = files("web/templates", "html").into_iter().map(|path| (path, true));
    let handlers = ["src", "crates/store", "crates/model"].into_iter().flat_map(|folder| files(folder, "rs"));
    for (path, is_template) in templates.chain(handlers.map(|path| (path, false))) {
        let text = fs::read_to_string(&path).expect("a readable file");
        let found = if is_template {
            literals(&text, &["|t", "|t1", "|t2", "|plural"], &[])
        } else {
            literals(
                text.split("#[cfg(test)]").next().unwrap_or_default(),
                &[],
                &["translate(", "fill(", "translate_plural(", "translatable(", "Message::new("],
            )
        };
        let name = path.strip_prefix(root()).expect("below the root").display().to_string();
        used.extend(found.into_iter().map(|key| (key, name.clone())));
    }
    used
}

/// The translations of a language; fails if two files translate the same text.
fn translations(language: &str) -> BTreeMap<String, String> {
    let mut all = BTreeMap::new();
    for path in files(&format!("web/locales/{language}"), "toml") {
        let text = fs::read_to_string(&path).expect("a readable file");
        let texts: BTreeMap<String, String> =
            toml::from_str(&text).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
        for (key, translation) in texts {
            assert!(!translation.trim().is_empty(), "{language}: {key:?} has an empty translation");
            let before = all.insert(key.clone(), translation);
            assert!(before.is_none(), "{language}: two files translate {key:?}");
        }
    }
    all
}

#[test]
fn every_text_is_translated() {
    let used = used_keys();
    assert!(used.len() > 100, "the test finds the texts: {}", used.len());
    let mut missing = Vec::new();
    for (language, _) in LANGUAGES {
        let translations = translations(language);
        for (key, file) in used.iter().filter(|(key, _)| !translations.contains_key(*key)) {
            missing.push(format!("{language}: {key:?} ({file})"));
        }
    }
    assert!(missing.is_empty(), "{} translations are missing:\n{}", missing.len(), missing.join("\n"));
}

#[test]
fn translations_have_the_same_placeholders_and_all_plural_forms() {
    for (language, plural_forms) in LANGUAGES {
        for (key, translation) in translations(language) {
            let (keys, forms): (Vec<&str>, Vec<&str>) = (key.split('|').collect(), translation.split('|').collect());
            let expected = if keys.len() > 1 { plural_forms } else { 1 };
            assert_eq!(forms.len(), expected, "{language}: plural forms of {key:?}");
            for form in forms {
                let (wanted, got) = (keys[0].matches("{}").count(), form.matches("{}").count());
                assert_eq!(got, wanted, "{language}: placeholders of {key:?} in {form:?}");
            }
        }
    }
}

#[test]
fn every_translation_is_used() {
    let mut sources = String::new();
    for path in files("web/templates", "html").into_iter().chain(files("src", "rs")).chain(files("crates", "rs")) {
        sources += &fs::read_to_string(path).expect("a readable file");
    }
    for (language, _) in LANGUAGES {
        for key in translations(language).into_keys() {
            assert!(sources.contains(&format!("\"{key}\"")), "{language}: nothing uses {key:?}");
        }
    }
}

#[test]
fn templates_hold_no_bare_text() {
    let mut violations = Vec::new();
    for path in files("web/templates", "html") {
        let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default().to_owned();
        if ENGLISH.contains(&name.as_str()) {
            continue;
        }
        let template = fs::read_to_string(&path).expect("a readable file");
        for text in bare_texts(&template) {
            violations.push(format!("{}: {text:?}", path.strip_prefix(root()).expect("below the root").display()));
        }
    }
    assert!(violations.is_empty(), "texts without |t:\n{}", violations.join("\n"));
}

/// Text and readable attributes of a template that are not translated.
fn bare_texts(template: &str) -> Vec<String> {
    let without = |text: &str, open: &str, close: &str, by: &str| {
        let mut rest = text;
        let mut kept = String::new();
        while let Some(start) = rest.find(open) {
            kept += &rest[..start];
            kept += by;
            rest = rest[start..].find(close).map_or("", |end| &rest[start + end + close.len()..]);
        }
        kept + rest
    };
    let mut html = without(template, "{#", "#}", "");
    html = without(&html, "{%", "%}", "\u{1}");
    html = without(&html, "{{", "}}", "\u{1}");
    for element in ["<code", "<pre", "<script", "<kbd"] {
        let close = element.replace('<', "</") + ">";
        html = without(&html, element, &close, "\u{1}");
    }
    let attributes = ["aria-label=\"", "placeholder=\"", "alt=\"", "title=\"", "label=\""];
    let mut texts: Vec<String> = Vec::new();
    for attribute in attributes {
        let values = html.match_indices(attribute).filter(|(at, _)| html[..*at].ends_with(char::is_whitespace));
        texts.extend(
            values.map(|(at, _)| html[at + attribute.len()..].split('"').next().unwrap_or_default().to_owned()),
        );
    }
    texts.extend(without(&html, "<", ">", "\u{1}").split('\u{1}').map(str::to_owned));
    let is_bare = |text: &String| {
        let words = text.split(|c: char| !c.is_alphabetic());
        words.filter(|word| word.chars().count() > 1).any(|word| !NAMES.contains(&word) && !ENTITIES.contains(&word))
    };
    texts.into_iter().map(|text| text.trim().to_owned()).filter(is_bare).collect()
}

const ENTITIES: [&str; 6] = ["amp", "nbsp", "lt", "gt", "quot", "middot"];
