//! Messages of the day with colours and gradients, usually on two centred lines.

use super::rng::DemoRng;
use super::words::server_names::MOTD_GRADIENTS;
use rollcall_model::{game_font, motd};

pub fn compose(rng: &mut DemoRng, name: &str, tagline: &str, versions: &str) -> String {
    let bright = rng.pick(&["a", "b", "c", "d", "e", "6"]);
    let dark = rng.pick(&["7", "8", "3", "9", "5", "2"]);
    let heading = match rng.below(8) {
        0 => gradient(rng, name),
        1 => format!("§{bright}§l{name}§r §{dark}[{versions}]"),
        2 => format!("§{dark}§m-----§r §{bright}§l{name} §{dark}§m-----§r"),
        3 => format!("§{bright}§k||§r §f§l{name} §{bright}§k||"),
        4 => format!("§{dark}» §{bright}{name} §{dark}«"),
        5 => format!("§f§n{name}§r §{dark}{versions}"),
        6 => format!("{} §8| §7{versions}", gradient(rng, name)),
        _ => format!("§{bright}{name}"),
    };
    let second_line = match rng.below(6) {
        0 => format!("§7{tagline}"),
        1 => format!("§{dark}✦ §f§o{tagline} §{dark}✦"),
        2 => format!("§e★ §6{tagline}"),
        3 => format!("§c§lNEW §8» §f{tagline}"),
        4 => hex(0x7fd6c2) + tagline,
        _ => format!("§{dark}{tagline}"),
    };
    match rng.below(10) {
        0 => heading,
        1 | 2 => format!("{heading}\n{second_line}"),
        _ => format!("{}\n{}", centred(&heading), centred(&second_line)),
    }
}

/// Colours each letter a step further from one colour to another.
fn gradient(rng: &mut DemoRng, text: &str) -> String {
    let (from, to) = MOTD_GRADIENTS[rng.below(MOTD_GRADIENTS.len())];
    let bold = if rng.chance(0.5) { "§l" } else { "" };
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

/// As servers do it: with spaces, counted in the game's font.
fn centred(line: &str) -> String {
    let (width, _) = game_font::line_widths(&motd::parse(line)[0]);
    let indent = game_font::LINE_CENTRE - width / 2;
    " ".repeat(usize::try_from((indent + 2) / game_font::SPACE_WIDTH).unwrap_or_default()) + line
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rng::{Stream, WorldSeed};

    #[test]
    fn stripped_motd_contains_the_server_name() {
        for i in 0..200 {
            let raw = compose(&mut WorldSeed(3).rng(Stream::Server, i), "Emberfall", "Hello", "1.21.4");
            assert!(motd::plain(&raw).contains("Emberfall"), "{raw}");
        }
    }
}
