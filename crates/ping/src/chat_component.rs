//! Text components (JSON) as one text with `§` codes, which is what a MOTD is kept as.

use super::json::Json;

use super::status::is_text;

/// Characters of a MOTD that are kept.
const LONGEST: usize = 4096;
/// Components within components; nobody's MOTD is deeper.
const DEEPEST: usize = 32;

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
/// Each with its code.
const STYLES: [(&str, u8); 5] =
    [("obfuscated", b'k'), ("bold", b'l'), ("strikethrough", b'm'), ("underlined", b'n'), ("italic", b'o')];

/// How text looks: its colour, and which of [`STYLES`] are on.
#[derive(Clone, Copy, Default, PartialEq, Eq)]
struct Style {
    color: Color,
    on: [bool; STYLES.len()],
}

#[derive(Clone, Copy, Default, PartialEq, Eq)]
enum Color {
    #[default]
    None,
    /// By its place among [`COLORS`].
    Named(u8),
    /// Hexadecimal digits.
    Mixed([u8; 6]),
}

/// A description as servers send it: a text, a component, or a list of them.
pub fn flatten(component: &Json) -> String {
    let mut out = Flat::default();
    out.add(component, Style::default(), 0);
    out.text
}

#[derive(Default)]
struct Flat {
    text: String,
    length: usize,
    /// What the text so far ends in; `None` when codes within a text may have changed it.
    now: Option<Style>,
}

impl Flat {
    fn add(&mut self, component: &Json, around: Style, depth: usize) {
        if depth > DEEPEST || self.length >= LONGEST {
            return;
        }
        match component {
            Json::Text(_) | Json::Number(_) | Json::Bool(_) => self.add_plain(component, around),
            // The first is the parent of the others.
            Json::List(parts) => {
                let style = parts.first().map_or(around, |first| style_of(first, around));
                for (i, part) in parts.iter().enumerate() {
                    self.add(part, if i == 0 { around } else { style }, depth + 1);
                }
            }
            Json::Object(_) => {
                let style = style_of(component, around);
                self.add_plain(component.field("text"), style);
                for part in component.field("extra").list() {
                    self.add(part, style, depth + 1);
                }
            }
            Json::Null => {}
        }
    }

    /// The `text` of a component; some servers send a number there.
    fn add_plain(&mut self, text: &Json, style: Style) {
        match text {
            Json::Text(text) => self.write(text, style),
            Json::Number(number) => self.write(&number.to_string(), style),
            Json::Bool(value) => self.write(&value.to_string(), style),
            _ => {}
        }
    }

    fn write(&mut self, text: &str, style: Style) {
        if text.is_empty() {
            return;
        }
        if self.now.is_none() && !self.text.is_empty() || self.now.unwrap_or_default() != style {
            if !self.text.is_empty() {
                self.code(b'r');
            }
            match style.color {
                Color::None => {}
                Color::Named(place) => self.code(b"0123456789abcdef"[usize::from(place)]),
                Color::Mixed(digits) => {
                    self.code(b'x');
                    digits.into_iter().for_each(|digit| self.code(digit));
                }
            }
            for ((_, code), on) in STYLES.iter().zip(style.on) {
                if on {
                    self.code(*code);
                }
            }
        }
        self.put(text);
        self.now = (!text.contains('§')).then_some(style);
    }

    fn code(&mut self, code: u8) {
        if self.length + 2 <= LONGEST {
            self.text.extend(['§', char::from(code)]);
        }
        self.length = (self.length + 2).min(LONGEST);
    }

    fn put(&mut self, text: &str) {
        let room = LONGEST.saturating_sub(self.length);
        if text.len() <= room && text.bytes().all(|byte| (0x20..0x7f).contains(&byte)) {
            self.text.push_str(text);
            self.length += text.len();
        } else {
            self.text.extend(text.chars().filter(|c| is_text(*c) || *c == '\n').take(room));
            self.length = self.length.saturating_add(text.chars().count()).min(LONGEST);
        }
    }
}

fn style_of(component: &Json, around: Style) -> Style {
    let mut style = around;
    let Json::Object(fields) = component else { return style };
    for (name, value) in fields {
        if name == "color" {
            // Of what is no colour nothing is known: it looks as what is around it.
            style.color = value.text().and_then(color).unwrap_or(around.color);
        } else if let Some(place) = STYLES.iter().position(|(known, _)| name == known) {
            match value {
                Json::Bool(value) => style.on[place] = *value,
                Json::Text(value) => style.on[place] = value == "true",
                _ => {}
            }
        }
    }
    style
}

fn color(name: &str) -> Option<Color> {
    if let Some(digits) = name.strip_prefix('#') {
        let digits: [u8; 6] = digits.as_bytes().try_into().ok()?;
        let sound = digits.iter().all(u8::is_ascii_hexdigit);
        return sound.then(|| Color::Mixed(digits.map(|digit| digit.to_ascii_lowercase())));
    }
    if name == "reset" {
        return Some(Color::None);
    }
    COLORS.iter().position(|known| *known == name).map(|place| Color::Named(place as u8))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use serde_json::{Value, json};

    fn flatten(component: &Value) -> String {
        super::flatten(&component.into())
    }

    #[test]
    fn components_become_codes() {
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
    fn what_is_deep_or_long_is_cut() {
        let mut deep = json!("end");
        for _ in 0..100 {
            deep = json!({"text": "a", "extra": [deep]});
        }
        assert_eq!(flatten(&deep), "a".repeat(DEEPEST + 1));
        assert_eq!(flatten(&json!("x".repeat(10_000))).len(), LONGEST);
        let many = json!({"extra": vec![json!({"text": "é", "bold": true}); 10_000]});
        assert_eq!(flatten(&many).chars().count(), LONGEST);
    }

    proptest! {
        #[test]
        fn any_text_keeps_its_characters(text in "[^§\\p{Cc}\u{2028}\u{2029}\u{202a}-\u{202e}\u{2066}-\u{2069}]{0,50}") {
            let parts = json!({"text": text, "color": "red", "extra": [{"text": text, "bold": true}]});
            let plain: String = rollcall_model::motd::parse(&flatten(&parts)).concat().into_iter().map(|s| s.text).collect();
            prop_assert_eq!(plain, format!("{text}{text}"));
        }
    }
}
