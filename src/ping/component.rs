//! Text components (JSON) as one text with `§` codes, which is what a MOTD is kept as.

use serde_json::Value;

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
const STYLES: [(&str, char); 5] =
    [("obfuscated", 'k'), ("bold", 'l'), ("strikethrough", 'm'), ("underlined", 'n'), ("italic", 'o')];

/// How text looks: a colour's codes, and which of [`STYLES`] are on.
#[derive(Clone, Default, PartialEq, Eq)]
struct Style {
    color: String,
    on: [bool; STYLES.len()],
}

/// A description as servers send it: a text, a component, or a list of them.
pub fn flatten(component: &Value) -> String {
    let mut out = Flat::default();
    out.add(component, &Style::default(), 0);
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
    fn add(&mut self, component: &Value, around: &Style, depth: usize) {
        if depth > DEEPEST || self.length >= LONGEST {
            return;
        }
        match component {
            Value::String(text) => self.write(text, around),
            Value::Number(number) => self.write(&number.to_string(), around),
            Value::Bool(value) => self.write(&value.to_string(), around),
            // The first is the parent of the others.
            Value::Array(parts) => {
                let style = parts.first().map_or_else(|| around.clone(), |first| style_of(first, around));
                for (i, part) in parts.iter().enumerate() {
                    self.add(part, if i == 0 { around } else { &style }, depth + 1);
                }
            }
            Value::Object(fields) => {
                let style = style_of(component, around);
                if let Some(text) = fields.get("text") {
                    self.add_plain(text, &style);
                }
                for part in fields.get("extra").and_then(Value::as_array).into_iter().flatten() {
                    self.add(part, &style, depth + 1);
                }
            }
            Value::Null => {}
        }
    }

    /// The `text` of a component; some servers send a number there.
    fn add_plain(&mut self, text: &Value, style: &Style) {
        match text {
            Value::String(text) => self.write(text, style),
            Value::Number(_) | Value::Bool(_) => self.write(&text.to_string(), style),
            _ => {}
        }
    }

    fn write(&mut self, text: &str, style: &Style) {
        if text.is_empty() {
            return;
        }
        let plain = Style::default();
        let now = self.now.as_ref().unwrap_or(&plain);
        if self.now.is_none() && !self.text.is_empty() || now != style {
            if !self.text.is_empty() {
                self.put("§r");
            }
            self.put(&style.color);
            for ((_, code), on) in STYLES.iter().zip(style.on) {
                if on {
                    self.put(&format!("§{code}"));
                }
            }
        }
        self.put(text);
        self.now = (!text.contains('§')).then(|| style.clone());
    }

    fn put(&mut self, text: &str) {
        let room = LONGEST.saturating_sub(self.length);
        self.text.extend(text.chars().filter(|c| !c.is_control() || *c == '\n').take(room));
        self.length = self.length.saturating_add(text.chars().count()).min(LONGEST);
    }
}

fn style_of(component: &Value, around: &Style) -> Style {
    let mut style = around.clone();
    if let Some(color) = component.get("color").and_then(Value::as_str) {
        style.color = color_codes(color).unwrap_or(style.color);
    }
    for ((name, _), on) in STYLES.iter().zip(&mut style.on) {
        match component.get(*name) {
            Some(Value::Bool(value)) => *on = *value,
            Some(Value::String(value)) => *on = value == "true",
            _ => {}
        }
    }
    style
}

/// `§c`, or `§x` and a digit at a time.
fn color_codes(name: &str) -> Option<String> {
    if let Some(place) = COLORS.iter().position(|known| *known == name) {
        return Some(format!("§{place:x}"));
    }
    if name == "reset" {
        return Some(String::new());
    }
    let digits = name.strip_prefix('#').filter(|hex| hex.len() == 6 && hex.bytes().all(|b| b.is_ascii_hexdigit()))?;
    Some(format!("§x{}", digits.chars().map(|digit| format!("§{}", digit.to_ascii_lowercase())).collect::<String>()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use serde_json::json;

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
        fn any_text_keeps_its_characters(text in "[^§\\p{Cc}]{0,50}") {
            let parts = json!({"text": text, "color": "red", "extra": [{"text": text, "bold": true}]});
            let plain: String = crate::model::motd::parse(&flatten(&parts)).concat().into_iter().map(|s| s.text).collect();
            prop_assert_eq!(plain, format!("{text}{text}"));
        }
    }
}
