//! Replacements for characters that Unifont lacks: bitmaps for common emoji, and look-alikes for styled letters.

type GlyphRows = [u16; 16];

/// A bitmap for common emoji, and a framed dot for other emoji without a look-alike.
pub fn custom_bitmap(c: char) -> Option<GlyphRows> {
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

/// A similar character of the font, or the character itself.
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
        _ => return look_alike_symbol(c),
    };
    char::from(byte)
}

fn look_alike_symbol(c: char) -> char {
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

/// Converts rows of `#` into bits. The left column is the highest bit.
const fn bitmap(rows: [&str; 16]) -> GlyphRows {
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

const UNKNOWN: GlyphRows = bitmap([
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

const SMILE: GlyphRows = bitmap([
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

const FIRE: GlyphRows = bitmap([
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

const GEM: GlyphRows = bitmap([
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

const TROPHY: GlyphRows = bitmap([
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

const CROWN: GlyphRows = bitmap([
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

const ROCKET: GlyphRows = bitmap([
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

const GIFT: GlyphRows = bitmap([
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

const GAMEPAD: GlyphRows = bitmap([
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
