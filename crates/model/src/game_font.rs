//! Widths in the game's default font. Servers centre lines of their MOTD by spaces that they count with it.

use crate::motd::StyledText;

/// Half the width of a line in the multiplayer list, in font pixels: what tools that centre MOTDs use.
pub const LINE_CENTRE: i32 = 127;

pub const SPACE_WIDTH: i32 = 4;

/// From the left of a character to the left of the next one.
pub fn advance(c: char, is_bold: bool) -> i32 {
    let width = match c {
        '!' | '\'' | ',' | '.' | ':' | ';' | 'i' | '|' => 2,
        '`' | 'l' => 3,
        ' ' | '\u{a0}' | '"' | '(' | ')' | '*' | 'I' | '[' | ']' | 't' | '{' | '}' => SPACE_WIDTH,
        '<' | '>' | 'f' | 'k' => 5,
        '@' | '~' => 7,
        // Ideographs, kana and Hangul take a whole cell.
        '\u{1100}'..='\u{11ff}'
        | '\u{2e80}'..='\u{a4cf}'
        | '\u{ac00}'..='\u{d7af}'
        | '\u{f900}'..='\u{faff}'
        | '\u{ff00}'..='\u{ff60}'
        | '\u{1f000}'..='\u{1faff}'
        | '\u{20000}'..='\u{3ffff}' => 9,
        // Most letters of all alphabets.
        _ => 6,
    };
    width + i32::from(is_bold)
}

/// The width of a line and of the spaces it begins with. Spaces at its end do not count. Spaces with a line through or below
/// them are visible and belong to the text.
pub fn line_widths(line: &[StyledText]) -> (i32, i32) {
    let (mut indent, mut width, mut ink) = (0, 0, 0);
    for (span, c) in line.iter().flat_map(|span| span.text.chars().map(move |c| (span, c))) {
        let is_blank = is_space(c) && !span.underline && !span.strikethrough;
        width += advance(c, span.bold);
        match is_blank {
            true if ink == 0 => indent = width,
            true => {}
            false => ink = width,
        }
    }
    (ink, if ink == 0 { 0 } else { indent })
}

pub fn is_space(c: char) -> bool {
    matches!(c, ' ' | '\u{a0}')
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::motd::parse;

    #[test]
    fn widths_are_those_of_the_game() {
        let widths = |raw: &str| line_widths(&parse(raw)[0]);
        assert_eq!(widths("Minecraft"), (6 + 2 + 6 * 5 + 5 + 4, 0));
        assert_eq!(widths("  §lHi  "), (8 + 7 + 3, 8));
        assert_eq!(widths("    "), (0, 0));
        assert_eq!(widths("§m  §r a"), (8 + 4 + 6, 0));
        assert_eq!(widths(" 中"), (13, 4));
    }
}
