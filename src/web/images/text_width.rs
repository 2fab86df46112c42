//! The width of text in the font of badges. Browsers fit the text into it, whatever font they have.

/// Advances of Verdana from the space to the tilde, in thousandths of the font size.
const VERDANA: [u16; 95] = [
    352, 394, 459, 818, 636, 1076, 727, 269, 454, 454, 636, 818, 364, 454, 364, 454, 636, 636, 636, 636, 636, 636, 636,
    636, 636, 636, 454, 454, 818, 818, 818, 545, 1000, 684, 686, 698, 771, 632, 575, 775, 751, 421, 455, 693, 557, 843,
    748, 787, 603, 787, 695, 684, 616, 732, 684, 989, 685, 615, 685, 454, 454, 454, 818, 636, 636, 601, 623, 521, 623,
    596, 352, 623, 633, 274, 344, 592, 274, 973, 633, 607, 623, 623, 427, 521, 394, 633, 592, 818, 592, 592, 525, 635,
    454, 635, 818,
];
/// Of any other character.
const OTHER: u16 = 1000;

/// In tenths of a pixel at a font size of 11 pixels.
pub fn tenths(text: &str) -> u32 {
    let thousandths: u32 = text
        .chars()
        .map(|c| {
            let at = (c as usize).checked_sub(0x20);
            u32::from(at.and_then(|at| VERDANA.get(at)).copied().unwrap_or(OTHER))
        })
        .sum();
    (thousandths * 110).div_ceil(1000)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn widths_are_those_of_the_font() {
        assert_eq!(tenths(""), 0);
        assert_eq!(tenths("~"), 90);
        // p 623, l 274, a 601, y 592, e 596, r 427, s 521
        assert_eq!(tenths("players"), 400);
        assert_eq!(tenths("é"), 110);
    }
}
