//! Lays out one line of text: joins, marks, and right-to-left order, each glyph keeping its style.

use unicode_bidi::{BidiInfo, ParagraphBidiInfo};

use super::glyph::{self, Bitmap};
use super::letters;

/// More characters than this never fit; the bound keeps hostile lines of marks cheap.
const MOST_CHARACTERS: usize = 1024;

/// Marks over one letter beyond this only make a blot.
const MOST_MARKS: usize = 3;

/// A glyph at its place on the line, in font pixels from the left.
pub struct Placed<S> {
    pub bitmap: Bitmap,
    pub x: i32,
    pub style: S,
}

/// A character with the marks on it: what reordering must keep together.
struct Cluster<S> {
    base: char,
    marks: Vec<char>,
    style: S,
}

/// Places the characters of a line from left to right until `room` is used up.
/// `widen` says how much wider a style makes its glyphs.
pub fn lay_out<S: Copy>(
    characters: impl Iterator<Item = (char, S)>,
    room: i32,
    widen: impl Fn(S) -> i32,
) -> Vec<Placed<S>> {
    let mut clusters = join(gather(characters));
    let mut used = 0;
    let fitting = clusters.iter().take_while(|cluster| {
        let fits = used < room;
        used += glyph::bitmap(cluster.base).advance + widen(cluster.style);
        fits
    });
    let fitting = fitting.count();
    clusters.truncate(fitting);
    let mut x = 0;
    visual_order(&clusters)
        .into_iter()
        .map(|(index, shown)| {
            let cluster = &clusters[index];
            let mut bitmap = glyph::bitmap(shown);
            for &mark in &cluster.marks {
                bitmap.overlay(&glyph::bitmap(mark));
            }
            let placed = Placed { bitmap, x, style: cluster.style };
            x += bitmap.advance + widen(cluster.style);
            placed
        })
        .collect()
}

/// Lays out text of one style.
pub fn plain(text: &str, room: i32) -> Vec<Placed<()>> {
    lay_out(text.chars().map(|c| (c, ())), room, |()| 0)
}

/// Lays out a title, with the room each letter needs for a second strike.
pub fn bold(text: &str, room: i32) -> Vec<Placed<()>> {
    lay_out(text.chars().map(|c| (c, ())), room, |()| 1)
}

/// Lays out text that must fit: what is too long ends in an ellipsis.
pub fn shortened(text: &str, room: i32) -> Vec<Placed<()>> {
    const ELLIPSIS: char = '…';
    let whole = plain(text, room + glyph::WIDTH);
    if width(&whole) <= room {
        return whole;
    }
    let mut left = room - glyph::bitmap(ELLIPSIS).advance;
    let kept = text.chars().take(MOST_CHARACTERS).take_while(|&c| {
        if !glyph::is_invisible(c) && !glyph::is_mark(c) {
            left -= glyph::bitmap(c).advance;
        }
        left >= 0
    });
    let kept: String = kept.collect();
    plain(&format!("{}{ELLIPSIS}", kept.trim_end()), room + glyph::WIDTH)
}

/// Where the pen stands after the last glyph.
pub fn width<S>(line: &[Placed<S>]) -> i32 {
    line.last().map_or(0, |last| last.x + last.bitmap.advance)
}

fn gather<S: Copy>(characters: impl Iterator<Item = (char, S)>) -> Vec<Cluster<S>> {
    let mut clusters: Vec<Cluster<S>> = Vec::new();
    let visible = characters.filter(|&(c, _)| !glyph::is_invisible(c));
    for (c, style) in visible.take(MOST_CHARACTERS) {
        match clusters.last_mut() {
            Some(last) if glyph::is_mark(c) => {
                if last.marks.len() < MOST_MARKS {
                    last.marks.push(c);
                }
            }
            _ => clusters.push(Cluster { base: c, marks: Vec::new(), style }),
        }
    }
    clusters
}

fn join<S>(mut clusters: Vec<Cluster<S>>) -> Vec<Cluster<S>> {
    let letters: Vec<char> = clusters.iter().map(|cluster| cluster.base).collect();
    let mut swallowed = vec![false; clusters.len()];
    for (index, &letter) in letters.iter().enumerate() {
        if swallowed[index] {
            continue;
        }
        let previous = index.checked_sub(1).map(|before| letters[before]);
        let next = letters.get(index + 1).copied();
        clusters[index].base = match letters::ligature(previous, letter, next) {
            Some(sign) => {
                swallowed[index + 1] = true;
                sign
            }
            None => letters::joined(previous, letter, next),
        };
    }
    let mut swallowed = swallowed.into_iter();
    clusters.retain(|_| !swallowed.next().unwrap_or(false));
    clusters
}

/// Cluster indices from left to right, each with the character to show there.
fn visual_order<S>(clusters: &[Cluster<S>]) -> Vec<(usize, char)> {
    let line: String = clusters.iter().map(|cluster| cluster.base).collect();
    let bidi = ParagraphBidiInfo::new(&line, None);
    let levels = bidi.reordered_levels_per_char(0..line.len());
    BidiInfo::reorder_visual(&levels)
        .into_iter()
        .filter_map(|index| {
            let base = clusters.get(index)?.base;
            let mirror = levels[index].is_rtl();
            Some((index, if mirror { mirrored(base) } else { base }))
        })
        .collect()
}

/// Brackets face the other way in right-to-left text.
fn mirrored(c: char) -> char {
    match c {
        '(' => ')',
        ')' => '(',
        '[' => ']',
        ']' => '[',
        '{' => '}',
        '}' => '{',
        '<' => '>',
        '>' => '<',
        '«' => '»',
        '»' => '«',
        other => other,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(text: &str) -> String {
        let clusters = join(gather(text.chars().map(|c| (c, ()))));
        visual_order(&clusters).into_iter().map(|(_, c)| c).collect()
    }

    #[test]
    fn hebrew_runs_from_the_right() {
        assert_eq!(shown("ab אבג cd"), "ab גבא cd");
        assert_eq!(shown("(אב)"), "(בא)");
        assert_eq!(shown("plain (text)"), "plain (text)");
    }

    #[test]
    fn styles_travel_with_their_characters() {
        let line = lay_out([('א', 1), ('ב', 2), ('ג', 3)].into_iter(), 500, |_| 0);
        let styles: Vec<i32> = line.iter().map(|placed| placed.style).collect();
        assert_eq!(styles, [3, 2, 1]);
        assert!(line.is_sorted_by_key(|placed| placed.x));
    }

    #[test]
    fn layout_stops_where_the_room_ends() {
        let line = plain(&"W".repeat(100_000), 100);
        assert!(line.len() < 20);
        assert!(width(&line) < 120);
        assert_eq!(width(&plain("", 100)), 0);
    }

    #[test]
    fn long_text_ends_in_an_ellipsis_that_fits() {
        assert!(width(&shortened(&"word ".repeat(90), 200)) <= 200);
        assert_eq!(width(&shortened("word", 200)), width(&plain("word", 200)));
    }

    #[test]
    fn marks_do_not_take_room() {
        let bare = width(&plain("e", 100));
        assert_eq!(width(&plain("e\u{301}\u{302}\u{303}\u{304}", 100)), bare);
        assert_eq!(plain("\u{200F}\u{202E}", 100).len(), 0);
    }

    #[test]
    fn nothing_upsets_the_layout() {
        for text in super::super::testing::nasty_strings() {
            plain(&text, 358);
        }
    }
}
