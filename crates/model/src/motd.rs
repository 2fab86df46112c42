//! Parses `§` formatting codes of Minecraft's message of the day (MOTD).

/// Starts a formatting code.
const MARK: char = '§';

/// The colour of text without a code in the multiplayer list.
const DEFAULT_COLOR: [u8; 3] = [0xAA, 0xAA, 0xAA];

/// Java Edition's sixteen named colours, in the order of their codes `0` to `f`.
const NAMED_COLORS: [[u8; 3]; 16] = [
    [0x00, 0x00, 0x00],
    [0x00, 0x00, 0xAA],
    [0x00, 0xAA, 0x00],
    [0x00, 0xAA, 0xAA],
    [0xAA, 0x00, 0x00],
    [0xAA, 0x00, 0xAA],
    [0xFF, 0xAA, 0x00],
    [0xAA, 0xAA, 0xAA],
    [0x55, 0x55, 0x55],
    [0x55, 0x55, 0xFF],
    [0x55, 0xFF, 0x55],
    [0x55, 0xFF, 0xFF],
    [0xFF, 0x55, 0x55],
    [0xFF, 0x55, 0xFF],
    [0xFF, 0xFF, 0x55],
    [0xFF, 0xFF, 0xFF],
];

/// Characters after `§x` in a hex colour: six pairs of mark and digit.
const HEX_TAIL: usize = 12;

/// Text in one style.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StyledText {
    pub text: String,
    pub color: [u8; 3],
    pub bold: bool,
    pub italic: bool,
    pub underline: bool,
    pub strikethrough: bool,
    pub obfuscated: bool,
}

impl StyledText {
    /// Empty text in the initial style.
    fn unstyled() -> Self {
        Self::coloured(DEFAULT_COLOR)
    }

    /// Empty text with a colour only: in Java Edition a colour resets the styles.
    fn coloured(color: [u8; 3]) -> Self {
        Self {
            text: String::new(),
            color,
            bold: false,
            italic: false,
            underline: false,
            strikethrough: false,
            obfuscated: false,
        }
    }

    /// Empty text in the style of this one.
    fn continued(&self) -> Self {
        Self { text: String::new(), ..self.clone() }
    }

    /// Applies one code letter; an unknown letter has no effect.
    fn apply(&mut self, code: char) {
        match code.to_ascii_lowercase() {
            'k' => self.obfuscated = true,
            'l' => self.bold = true,
            'm' => self.strikethrough = true,
            'n' => self.underline = true,
            'o' => self.italic = true,
            'r' => *self = Self::unstyled(),
            digit => {
                if let Some(value) = digit.to_digit(16) {
                    *self = Self::coloured(NAMED_COLORS[value as usize]);
                }
            }
        }
    }
}

/// Splits a raw message into lines of styled text. Unknown codes are dropped.
pub fn parse(raw: &str) -> Vec<Vec<StyledText>> {
    let mut lines = Vec::new();
    let mut line = Vec::new();
    let mut span = StyledText::unstyled();
    let mut rest = raw.chars();
    while let Some(c) = rest.next() {
        match c {
            '\r' => {}
            '\n' => {
                let next = span.continued();
                push_if_filled(&mut line, std::mem::replace(&mut span, next));
                lines.push(std::mem::take(&mut line));
            }
            MARK => {
                // A mark at the end of a line must not consume the line break.
                let Some(code) = rest.clone().next().filter(|&next| next != '\n') else {
                    continue;
                };
                rest.next();
                let mut next = span.continued();
                match hex_color(code, rest.as_str()) {
                    Some(color) => {
                        next = StyledText::coloured(color);
                        rest.nth(HEX_TAIL - 1);
                    }
                    None => next.apply(code),
                }
                push_if_filled(&mut line, std::mem::replace(&mut span, next));
            }
            other => span.text.push(other),
        }
    }
    push_if_filled(&mut line, span);
    lines.push(line);
    lines
}

/// The text without codes and without the white space that servers use to centre lines.
pub fn plain(raw: &str) -> String {
    let lines: Vec<String> = parse(raw)
        .iter()
        .map(|line| {
            let text: String = line.iter().map(|span| span.text.as_str()).collect();
            text.trim().to_owned()
        })
        .collect();
    lines.join("\n")
}

fn push_if_filled(line: &mut Vec<StyledText>, span: StyledText) {
    if !span.text.is_empty() {
        line.push(span);
    }
}

/// Parses `§R§R§G§G§B§B` after an `x` code.
fn hex_color(code: char, tail: &str) -> Option<[u8; 3]> {
    if !code.eq_ignore_ascii_case(&'x') {
        return None;
    }
    let mut chars = tail.chars();
    let mut color = [0_u8; 3];
    for channel in &mut color {
        for _ in 0..2 {
            if chars.next()? != MARK {
                return None;
            }
            let digit = chars.next()?.to_digit(16)?;
            *channel = (*channel << 4) | u8::try_from(digit).ok()?;
        }
    }
    Some(color)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn only(raw: &str) -> StyledText {
        let mut lines = parse(raw);
        assert_eq!(lines.len(), 1);
        assert_eq!(lines[0].len(), 1, "{raw}");
        lines[0].remove(0)
    }

    #[test]
    fn colours_in_either_case() {
        assert_eq!(only("§aHi").color, [0x55, 0xFF, 0x55]);
        assert_eq!(only("§AHi").color, [0x55, 0xFF, 0x55]);
        assert_eq!(only("§0Hi").color, [0, 0, 0]);
        assert_eq!(only("Hi").color, DEFAULT_COLOR);
    }

    #[test]
    fn styles_accumulate_until_a_colour_or_reset() {
        let styled = only("§l§O§n§M§kx");
        assert!(styled.bold && styled.italic && styled.underline);
        assert!(styled.strikethrough && styled.obfuscated);
        let line = &parse("§c§lA§9B§lC§rD")[0];
        assert!(line[0].bold);
        assert!(!line[1].bold);
        assert!(line[2].bold);
        assert_eq!((line[3].bold, line[3].color, line[3].text.as_str()), (false, DEFAULT_COLOR, "D"));
    }

    #[test]
    fn hex_colours() {
        let span = only("§x§F§f§8§0§0§1Glow");
        assert_eq!((span.color, span.text.as_str()), ([255, 128, 1], "Glow"));
        assert_eq!(plain("§x§F§fHi"), "Hi");
        assert_eq!(plain("§x"), "");
    }

    #[test]
    fn unknown_codes_are_dropped() {
        assert_eq!(plain("A§"), "A");
        assert_eq!(plain("A§zB§§C"), "ABC");
        assert_eq!(plain("A§\nB"), "A\nB");
        assert_eq!(only("§e§qB").color, [0xFF, 0xFF, 0x55]);
    }

    #[test]
    fn the_style_continues_on_the_next_line() {
        let lines = parse("§aone\r\ntwo\n\nfour");
        assert_eq!(lines.len(), 4);
        assert_eq!(lines[1][0].color, [0x55, 0xFF, 0x55]);
        assert_eq!(lines[1][0].text, "two");
        assert!(lines[2].is_empty());
        assert_eq!(parse(""), vec![Vec::new()]);
    }

    #[test]
    fn plain_text_is_trimmed_per_line() {
        assert_eq!(plain("   §6§lMy Server  \n\t §7since 2011 "), "My Server\nsince 2011");
    }
}
