//! Flattens a JSON chat component into one text with `§` formatting codes, the format of `motd_raw`.

use super::json::Json;
use super::status::is_printable;

/// Characters of a MOTD, formatting codes included.
const MAX_CHARS: usize = 4096;
/// Nesting of components.
const MAX_DEPTH: usize = 32;

/// In the order of their codes, `0` to `f`.
const COLORS: [&str; 16] = [
    "black",
    "dark_blue",
    "dark_green",
    "dark_aqua",
    "dark_red",
    "dark_purple",
    "gold",
    "gray",
    "dark_gray",
    "blue",
    "green",
    "aqua",
    "red",
    "light_purple",
    "yellow",
    "white",
];
/// Decorations with their codes.
const DECORATIONS: [(&str, u8); 5] =
    [("obfuscated", b'k'), ("bold", b'l'), ("strikethrough", b'm'), ("underlined", b'n'), ("italic", b'o')];

/// A colour, and which of [`DECORATIONS`] are on.
#[derive(Clone, Copy, Default, PartialEq, Eq)]
struct ComponentStyle {
    color: ComponentColor,
    decorations: [bool; DECORATIONS.len()],
}

#[derive(Clone, Copy, Default, PartialEq, Eq)]
enum ComponentColor {
    #[default]
    None,
    /// Index into [`COLORS`].
    Named(u8),
    /// Lower-case hexadecimal digits.
    Hex([u8; 6]),
}

/// Flattens a description: a text, a component, or a list of both.
pub fn flatten(component: &Json) -> String {
    let mut flattener = Flattener::default();
    flattener.add(component, ComponentStyle::default(), 0);
    flattener.text
}

#[derive(Default)]
struct Flattener {
    text: String,
    /// Characters so far.
    length: usize,
    /// The style at the end of the text; `None` if codes inside a text may have changed it.
    current: Option<ComponentStyle>,
}

impl Flattener {
    fn add(&mut self, component: &Json, parent: ComponentStyle, depth: usize) {
        if depth > MAX_DEPTH || self.length >= MAX_CHARS {
            return;
        }
        match component {
            Json::Text(_) | Json::Number(_) | Json::Bool(_) => self.add_text(component, parent),
            // The first item is the parent of the others.
            Json::List(parts) => {
                let style = parts.first().map_or(parent, |first| style_of(first, parent));
                for (i, part) in parts.iter().enumerate() {
                    self.add(part, if i == 0 { parent } else { style }, depth + 1);
                }
            }
            Json::Object(_) => {
                let style = style_of(component, parent);
                self.add_text(component.field("text"), style);
                for part in component.field("extra").list() {
                    self.add(part, style, depth + 1);
                }
            }
            Json::Null => {}
        }
    }

    /// Adds the `text` of a component. Some servers send a number there.
    fn add_text(&mut self, text: &Json, style: ComponentStyle) {
        match text {
            Json::Text(text) => self.write(text, style),
            Json::Number(number) => self.write(&number.to_string(), style),
            Json::Bool(value) => self.write(&value.to_string(), style),
            _ => {}
        }
    }

    fn write(&mut self, text: &str, style: ComponentStyle) {
        if text.is_empty() {
            return;
        }
        if self.current.is_none() && !self.text.is_empty() || self.current.unwrap_or_default() != style {
            if !self.text.is_empty() {
                self.push_code(b'r');
            }
            match style.color {
                ComponentColor::None => {}
                ComponentColor::Named(index) => self.push_code(b"0123456789abcdef"[usize::from(index)]),
                ComponentColor::Hex(digits) => {
                    self.push_code(b'x');
                    digits.into_iter().for_each(|digit| self.push_code(digit));
                }
            }
            for ((_, code), on) in DECORATIONS.iter().zip(style.decorations) {
                if on {
                    self.push_code(*code);
                }
            }
        }
        self.push_text(text);
        self.current = (!text.contains('§')).then_some(style);
    }

    fn push_code(&mut self, code: u8) {
        if self.length + 2 <= MAX_CHARS {
            self.text.extend(['§', char::from(code)]);
        }
        self.length = (self.length + 2).min(MAX_CHARS);
    }

    fn push_text(&mut self, text: &str) {
        let remaining = MAX_CHARS.saturating_sub(self.length);
        if text.len() <= remaining && text.bytes().all(|byte| (0x20..0x7f).contains(&byte)) {
            self.text.push_str(text);
            self.length += text.len();
        } else {
            self.text.extend(text.chars().filter(|c| is_printable(*c) || *c == '\n').take(remaining));
            self.length = self.length.saturating_add(text.chars().count()).min(MAX_CHARS);
        }
    }
}

fn style_of(component: &Json, parent: ComponentStyle) -> ComponentStyle {
    let mut style = parent;
    let Json::Object(fields) = component else { return style };
    for (name, value) in fields {
        if name == "color" {
            // An unknown colour inherits that of the parent.
            style.color = value.text().and_then(parse_color).unwrap_or(parent.color);
        } else if let Some(index) = DECORATIONS.iter().position(|(known, _)| name == known) {
            match value {
                Json::Bool(value) => style.decorations[index] = *value,
                Json::Text(value) => style.decorations[index] = value == "true",
                _ => {}
            }
        }
    }
    style
}

fn parse_color(name: &str) -> Option<ComponentColor> {
    if let Some(digits) = name.strip_prefix('#') {
        let digits: [u8; 6] = digits.as_bytes().try_into().ok()?;
        let is_hex = digits.iter().all(u8::is_ascii_hexdigit);
        return is_hex.then(|| ComponentColor::Hex(digits.map(|digit| digit.to_ascii_lowercase())));
    }
    if name == "reset" {
        return Some(ComponentColor::None);
    }
    COLORS.iter().position(|known| *known == name).map(|index| ComponentColor::Named(index as u8))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use serde_json::{Value, json};

    fn flatten(component: &Value) -> String {
        super::flatten(&component.into())
    }

    fn without_codes(text: &str) -> String {
        let (first, rest) = text.split_once('§').unwrap_or((text, ""));
        let after_codes = rest.split('§').filter_map(|part| part.char_indices().nth(1).map(|(at, _)| &part[at..]));
        after_codes.fold(first.to_owned(), |text, part| text + part)
    }

    #[test]
    fn components_become_formatting_codes() {
        for (component, text) in [
            (json!("plain"), "plain"),
            (json!("§aalready §lcoded"), "§aalready §lcoded"),
            (json!({"text": "red", "color": "red"}), "§cred"),
            (json!({"text": "", "extra": ["a", {"text": "b", "bold": true}, "c"]}), "a§r§lb§rc"),
            (json!({"text": "x", "color": "#FF8800", "italic": true}), "§x§f§f§8§8§0§0§ox"),
            (json!({"text": "p", "bold": true, "extra": [{"text": "q", "bold": false}]}), "§lp§rq"),
            (json!([{"text": "a", "color": "gold"}, "b", {"text": "c", "color": "reset"}]), "§6ab§rc"),
            (json!({"text": "§ka", "extra": ["b"]}), "§ka§rb"),
            (json!({"text": 7, "extra": [true]}), "7true"),
            (json!({"translate": "multiplayer.x"}), ""),
            (json!({"text": "two\nlines\u{0}"}), "two\nlines"),
            (json!({"text": "a", "color": "no colour"}), "a"),
            (json!(null), ""),
        ] {
            assert_eq!(flatten(&component), text, "{component}");
        }
    }

    #[test]
    fn deep_and_long_components_are_cut() {
        let mut deep = json!("end");
        for _ in 0..100 {
            deep = json!({"text": "a", "extra": [deep]});
        }
        assert_eq!(flatten(&deep), "a".repeat(MAX_DEPTH + 1));
        assert_eq!(flatten(&json!("x".repeat(10_000))).len(), MAX_CHARS);
        let many = json!({"extra": vec![json!({"text": "é", "bold": true}); 10_000]});
        assert_eq!(flatten(&many).chars().count(), MAX_CHARS);
    }

    proptest! {
        #[test]
        fn text_is_unchanged_apart_from_codes(text in "[^§\\p{Cc}\u{61c}\u{200e}\u{200f}\u{2028}-\u{202e}\u{2066}-\u{2069}]{0,50}") {
            let parts = json!({"text": text, "color": "red", "extra": [{"text": text, "bold": true}]});
            prop_assert_eq!(without_codes(&flatten(&parts)), format!("{text}{text}"));
        }
    }
}
