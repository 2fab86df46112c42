//! Lays out one line of text: Arabic shaping, combining marks and bidirectional order.

use unicode_bidi::{BidiInfo, ParagraphBidiInfo};

use super::arabic_shaping;
use super::glyph::{self, GlyphBitmap};

/// Bounds the work for hostile lines. More characters never fit on a line.
const MAX_CHARACTERS: usize = 1024;

/// Combining marks per character. Further ones are dropped.
const MAX_MARKS: usize = 3;

/// `x` is in font pixels from the left.
pub struct PlacedGlyph<S> {
    pub bitmap: GlyphBitmap,
    pub x: i32,
    pub style: S,
}

/// A character with its combining marks, which reordering keeps together.
struct CharacterCluster<S> {
    base: char,
    marks: Vec<char>,
    style: S,
}

/// Places characters from left to right until `max_width` is used up. `extra_width` is what a style adds to each glyph.
pub fn lay_out<S: Copy>(
    characters: impl Iterator<Item = (char, S)>,
    max_width: i32,
    extra_width: impl Fn(S) -> i32,
) -> Vec<PlacedGlyph<S>> {
    let mut clusters = shape_arabic(cluster_characters(characters));
    let mut used = 0;
    let fitting = clusters.iter().take_while(|cluster| {
        let fits = used < max_width;
        used += glyph::bitmap(cluster.base).advance + extra_width(cluster.style);
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
            let placed = PlacedGlyph { bitmap, x, style: cluster.style };
            x += bitmap.advance + extra_width(cluster.style);
            placed
        })
        .collect()
}

pub fn lay_out_plain(text: &str, max_width: i32) -> Vec<PlacedGlyph<()>> {
    lay_out(text.chars().map(|c| (c, ())), max_width, |()| 0)
}

/// Leaves one more pixel per letter, for a second strike.
pub fn lay_out_bold(text: &str, max_width: i32) -> Vec<PlacedGlyph<()>> {
    lay_out(text.chars().map(|c| (c, ())), max_width, |()| 1)
}

/// Text that is wider than `max_width` ends in an ellipsis.
pub fn lay_out_ellipsized(text: &str, max_width: i32) -> Vec<PlacedGlyph<()>> {
    const ELLIPSIS: char = '…';
    let whole = lay_out_plain(text, max_width + glyph::WIDTH);
    if width(&whole) <= max_width {
        return whole;
    }
    let mut remaining = max_width - glyph::bitmap(ELLIPSIS).advance;
    let kept = text.chars().take(MAX_CHARACTERS).take_while(|&c| {
        if !glyph::is_invisible(c) && !glyph::is_mark(c) {
            remaining -= glyph::bitmap(c).advance;
        }
        remaining >= 0
    });
    let kept: String = kept.collect();
    lay_out_plain(&format!("{}{ELLIPSIS}", kept.trim_end()), max_width + glyph::WIDTH)
}

pub fn width<S>(line: &[PlacedGlyph<S>]) -> i32 {
    line.last().map_or(0, |last| last.x + last.bitmap.advance)
}

fn cluster_characters<S: Copy>(characters: impl Iterator<Item = (char, S)>) -> Vec<CharacterCluster<S>> {
    let mut clusters: Vec<CharacterCluster<S>> = Vec::new();
    let visible = characters.filter(|&(c, _)| !glyph::is_invisible(c));
    for (c, style) in visible.take(MAX_CHARACTERS) {
        match clusters.last_mut() {
            Some(last) if glyph::is_mark(c) => {
                if last.marks.len() < MAX_MARKS {
                    last.marks.push(c);
                }
            }
            _ => clusters.push(CharacterCluster { base: c, marks: Vec::new(), style }),
        }
    }
    clusters
}

fn shape_arabic<S>(mut clusters: Vec<CharacterCluster<S>>) -> Vec<CharacterCluster<S>> {
    let letters: Vec<char> = clusters.iter().map(|cluster| cluster.base).collect();
    let mut merged = vec![false; clusters.len()];
    for (index, &letter) in letters.iter().enumerate() {
        if merged[index] {
            continue;
        }
        let previous = index.checked_sub(1).map(|before| letters[before]);
        let next = letters.get(index + 1).copied();
        clusters[index].base = match arabic_shaping::lam_alef_ligature(previous, letter, next) {
            Some(ligature) => {
                merged[index + 1] = true;
                ligature
            }
            None => arabic_shaping::contextual_form(previous, letter, next),
        };
    }
    let mut merged = merged.into_iter();
    clusters.retain(|_| !merged.next().unwrap_or(false));
    clusters
}

/// Cluster indexes from left to right, each with the character to show.
fn visual_order<S>(clusters: &[CharacterCluster<S>]) -> Vec<(usize, char)> {
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

/// Brackets are mirrored in right-to-left text.
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

    fn visual(text: &str) -> String {
        let clusters = shape_arabic(cluster_characters(text.chars().map(|c| (c, ()))));
        visual_order(&clusters).into_iter().map(|(_, c)| c).collect()
    }

    #[test]
    fn hebrew_is_reordered_and_brackets_mirrored() {
        assert_eq!(visual("ab אבג cd"), "ab גבא cd");
        assert_eq!(visual("(אב)"), "(בא)");
        assert_eq!(visual("plain (text)"), "plain (text)");
    }

    #[test]
    fn styles_follow_their_characters() {
        let line = lay_out([('א', 1), ('ב', 2), ('ג', 3)].into_iter(), 500, |_| 0);
        let styles: Vec<i32> = line.iter().map(|placed| placed.style).collect();
        assert_eq!(styles, [3, 2, 1]);
        assert!(line.is_sorted_by_key(|placed| placed.x));
    }

    #[test]
    fn layout_stops_at_the_maximum_width() {
        let line = lay_out_plain(&"W".repeat(100_000), 100);
        assert!(line.len() < 20);
        assert!(width(&line) < 120);
        assert_eq!(width(&lay_out_plain("", 100)), 0);
    }

    #[test]
    fn long_text_ends_in_an_ellipsis_that_fits() {
        assert!(width(&lay_out_ellipsized(&"word ".repeat(90), 200)) <= 200);
        assert_eq!(width(&lay_out_ellipsized("word", 200)), width(&lay_out_plain("word", 200)));
    }

    #[test]
    fn combining_marks_have_no_width() {
        let bare = width(&lay_out_plain("e", 100));
        assert_eq!(width(&lay_out_plain("e\u{301}\u{302}\u{303}\u{304}", 100)), bare);
        assert_eq!(lay_out_plain("\u{200F}\u{202E}", 100).len(), 0);
    }

    #[test]
    fn hostile_text_does_not_panic() {
        for text in super::super::testing::hostile_strings() {
            lay_out_plain(&text, 358);
        }
    }
}
