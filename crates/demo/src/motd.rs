//! Messages of the day, as owners compose them: two lines, colours, fades, and spaces that push to the middle.

use super::rng::Dice;
use super::words::names::GRADIENTS;

/// Letters of average width that fit in one line of the server list.
const LINE_LETTERS: usize = 45;

pub fn compose(dice: &mut Dice, name: &str, tagline: &str, versions: &str) -> String {
    let bright = dice.pick(&["a", "b", "c", "d", "e", "6"]);
    let dark = dice.pick(&["7", "8", "3", "9", "5", "2"]);
    let heading = match dice.below(8) {
        0 => faded(dice, name),
        1 => format!("§{bright}§l{name}§r §{dark}[{versions}]"),
        2 => format!("§{dark}§m-----§r §{bright}§l{name} §{dark}§m-----"),
        3 => format!("§{bright}§k||§r §f§l{name} §{bright}§k||"),
        4 => format!("§{dark}» §{bright}{name} §{dark}«"),
        5 => format!("§f§n{name}§r §{dark}{versions}"),
        6 => format!("{} §8| §7{versions}", faded(dice, name)),
        _ => format!("§{bright}{name}"),
    };
    let below = match dice.below(6) {
        0 => format!("§7{tagline}"),
        1 => format!("§{dark}✦ §f§o{tagline} §{dark}✦"),
        2 => format!("§e★ §6{tagline}"),
        3 => format!("§c§lNEW §8» §f{tagline}"),
        4 => hex(0x7fd6c2) + tagline,
        _ => format!("§{dark}{tagline}"),
    };
    // Some owners write one line, some do not centre.
    match dice.below(10) {
        0 => heading,
        1 | 2 => format!("{heading}\n{below}"),
        _ => format!("{}\n{}", centred(&heading), centred(&below)),
    }
}

/// Each letter a step further from one colour to the other.
fn faded(dice: &mut Dice, text: &str) -> String {
    let (from, to) = GRADIENTS[dice.below(GRADIENTS.len())];
    let bold = if dice.chance(0.5) { "§l" } else { "" };
    let letters = text.chars().count().max(2) as u32 - 1;
    let blend = |shift: u32, step: u32| {
        let (a, b) = ((from >> shift) & 0xff, (to >> shift) & 0xff);
        ((a * (letters - step.min(letters)) + b * step.min(letters)) / letters) << shift
    };
    text.chars()
        .zip(0..)
        .map(|(letter, step)| format!("{}{bold}{letter}", hex(blend(16, step) | blend(8, step) | blend(0, step))))
        .collect()
}

fn hex(color: u32) -> String {
    let digits = format!("{color:06x}");
    let mut code = String::from("§x");
    for digit in digits.chars() {
        code.push('§');
        code.push(digit);
    }
    code
}

fn centred(line: &str) -> String {
    let (mut letters, mut rest) = (0, line.chars());
    while let Some(c) = rest.next() {
        match c {
            '§' => {
                rest.next();
            }
            // Wide scripts take about two places.
            c if c > '\u{2e80}' => letters += 2,
            _ => letters += 1,
        }
    }
    " ".repeat(LINE_LETTERS.saturating_sub(letters) / 2) + line
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rng::{Of, Seed};
    use rollcall_model::motd;

    #[test]
    fn the_name_is_read_back_whatever_dresses_it() {
        for i in 0..200 {
            let raw = compose(&mut Seed(3).dice(Of::Server, i), "Emberfall", "Hello", "1.21.4");
            assert!(motd::plain(&raw).contains("Emberfall"), "{raw}");
        }
    }
}
