//! Characters Unifont lacks: own pictures for common emoji, and look-alikes for styled letters.

type Rows = [u16; 16];

/// An own picture, for emoji that have one, and a framed dot for all that have neither.
pub fn drawn(c: char) -> Option<Rows> {
    match c {
        '😀'..='😏' | '🙂' | '🤗' | '🥳' | '🤩' => Some(SMILE),
        '🔥' => Some(FIRE),
        '💎' => Some(GEM),
        '🏆' | '🏅' | '🥇' => Some(TROPHY),
        '👑' => Some(CROWN),
        '🚀' => Some(ROCKET),
        '🎁' | '🎉' | '🎊' => Some(GIFT),
        '🎮' | '🕹' => Some(GAMEPAD),
        other if is_emoji(other) && look_alike(other) == other => Some(UNKNOWN),
        _ => None,
    }
}

/// A character of the font that reads the same, or the character itself.
pub fn look_alike(c: char) -> char {
    const LETTERS: &[u8] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
    let code = c as usize;
    let byte = match code {
        0x1D400..=0x1D6A3 => LETTERS[(code - 0x1D400) % 52],
        0x1D7CE..=0x1D7FF => b"0123456789"[(code - 0x1D7CE) % 10],
        0x1F130..=0x1F149 => LETTERS[code - 0x1F130],
        0x1F150..=0x1F169 => LETTERS[code - 0x1F150],
        0x1F170..=0x1F189 => LETTERS[code - 0x1F170],
        0x1F1E6..=0x1F1FF => LETTERS[code - 0x1F1E6],
        _ => return symbol(c),
    };
    char::from(byte)
}

fn symbol(c: char) -> char {
    match c {
        '💓'..='💝' | '🖤' | '🤍' | '🤎' | '🧡' => '❤',
        '🌟' | '🎇' | '🎆' => '★',
        '💫' => '✨',
        '💀' => '☠',
        '🗡' | '🔪' => '⚔',
        '🌙' | '🌛' | '🌜' => '☾',
        '🌞' | '🌅' => '☀',
        '🎵' | '🎶' => '♫',
        '🏹' => '➶',
        '🔨' | '🛠' => '⚒',
        '🌸' | '🌺' | '🌼' | '🌷' => '✿',
        '🍀' => '☘',
        '👋' | '🖐' => '✋',
        '👉' => '☞',
        '🏁' | '🚩' => '⚑',
        '🎲' => '⚄',
        '💣' | '💥' => '✸',
        '🔔' => '⍾',
        '✅' => '✔',
        '🌈' => '⌒',
        '🟥' | '🟧' | '🟨' | '🟩' | '🟦' | '🟪' => '■',
        '🔴' | '🔵' | '🟢' | '🟡' | '🟠' | '🟣' => '●',
        other => other,
    }
}

fn is_emoji(c: char) -> bool {
    matches!(c, '\u{1F000}'..='\u{1FAFF}')
}

/// Turns rows drawn with `#` into bits, the left column highest.
const fn art(rows: [&str; 16]) -> Rows {
    let mut bits = [0; 16];
    let mut y = 0;
    while y < 16 {
        let row = rows[y].as_bytes();
        let mut x = 0;
        while x < row.len() {
            if row[x] == b'#' {
                bits[y] |= 0x8000 >> x;
            }
            x += 1;
        }
        y += 1;
    }
    bits
}

const UNKNOWN: Rows = art([
    "",
    "",
    "  ###########",
    " #           #",
    " #           #",
    " #     #     #",
    " #    ###    #",
    " #   #####   #",
    " #  #######  #",
    " #   #####   #",
    " #    ###    #",
    " #     #     #",
    " #           #",
    " #           #",
    "  ###########",
    "",
]);

const SMILE: Rows = art([
    "",
    "     #####",
    "   ##     ##",
    "  #         #",
    "  #         #",
    " #   #   #   #",
    " #   #   #   #",
    " #   #   #   #",
    " #           #",
    " #  #     #  #",
    " #  #######  #",
    "  #  #####  #",
    "  #   ###   #",
    "   ##     ##",
    "     #####",
    "",
]);

const FIRE: Rows = art([
    "      #",
    "      ##",
    "      ###",
    "     ####",
    "     #####",
    "  #  ######",
    "  ## ######  #",
    "  ############",
    "  ############",
    " ##### #######",
    " ####  #######",
    " ####   ######",
    " ###     ####",
    "  ##     ####",
    "   ##    ###",
    "     #####",
]);

const GEM: Rows = art([
    "",
    "",
    "   ##########",
    "  ##  #  #  ##",
    " ##  #    #  ##",
    "################",
    "##   #    #   ##",
    " ##  #    #  ##",
    "  ##  #  #  ##",
    "   ## #  # ##",
    "    ## ## ##",
    "     ######",
    "      ####",
    "       ##",
    "",
    "",
]);

const TROPHY: Rows = art([
    "",
    "   #########",
    " ### #######  ##",
    " # # ####### # #",
    " # # ####### # #",
    " # # ####### # #",
    "  ## ####### ##",
    "   # ####### #",
    "    #########",
    "     #######",
    "      #####",
    "       ###",
    "       ###",
    "      #####",
    "    #########",
    "    #########",
]);

const CROWN: Rows = art([
    "",
    "       ##",
    "       ##",
    " #    ####    #",
    "###   ####   ###",
    " ##  ######  ##",
    " ### ###### ###",
    " ##############",
    " ##############",
    " ##############",
    "  ############",
    "",
    "  ############",
    "  ############",
    "",
    "",
]);

const ROCKET: Rows = art([
    "          #####",
    "        ##   ##",
    "       #     ##",
    "      #   ## #",
    "     #   #  ##",
    "  ####   #  ##",
    " #  #     ## #",
    "#  #        #",
    "####       #",
    "   #      ###",
    "   ##    ## #",
    "  # ######  #",
    " ##   #  # #",
    "####  #  ##",
    "###   # #",
    "##    ##",
]);

const GIFT: Rows = art([
    "",
    "   ###   ###",
    "  #   # #   #",
    "  #    #    #",
    "   ##  #  ##",
    " ##############",
    " #     ##     #",
    " #     ##     #",
    " ##############",
    "  #    ##    #",
    "  #    ##    #",
    "  #    ##    #",
    "  #    ##    #",
    "  #    ##    #",
    "  ############",
    "",
]);

const GAMEPAD: Rows = art([
    "",
    "",
    "",
    "   ##########",
    "  #          #",
    " #   #     #  #",
    " #   #        #",
    "#  ##### #   # #",
    "#    #         #",
    "#    #     #   #",
    "#              #",
    "#    ######    #",
    "#   #      #   #",
    " # #        # #",
    "  #          #",
    "",
]);
