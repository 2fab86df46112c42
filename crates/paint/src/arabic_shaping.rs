//! Arabic shaping: replaces letters by their contextual forms and the lam-alef ligature.

/// The isolated form of `U+0621` to `U+064A`, and the number of its forms. Letters with four forms join on both sides,
/// with two only to the previous letter, with one to neither.
const FORMS: [(u32, u32); 42] = [
    (0xFE80, 1),
    (0xFE81, 2),
    (0xFE83, 2),
    (0xFE85, 2),
    (0xFE87, 2),
    (0xFE89, 4),
    (0xFE8D, 2),
    (0xFE8F, 4),
    (0xFE93, 2),
    (0xFE95, 4),
    (0xFE99, 4),
    (0xFE9D, 4),
    (0xFEA1, 4),
    (0xFEA5, 4),
    (0xFEA9, 2),
    (0xFEAB, 2),
    (0xFEAD, 2),
    (0xFEAF, 2),
    (0xFEB1, 4),
    (0xFEB5, 4),
    (0xFEB9, 4),
    (0xFEBD, 4),
    (0xFEC1, 4),
    (0xFEC5, 4),
    (0xFEC9, 4),
    (0xFECD, 4),
    (0, 0),
    (0, 0),
    (0, 0),
    (0, 0),
    (0, 0),
    (0, 0),
    (0xFED1, 4),
    (0xFED5, 4),
    (0xFED9, 4),
    (0xFEDD, 4),
    (0xFEE1, 4),
    (0xFEE5, 4),
    (0xFEE9, 4),
    (0xFEED, 2),
    (0xFEEF, 2),
    (0xFEF1, 4),
];

const FIRST: u32 = 0x621;
const LAM: char = '\u{644}';
/// Lengthens a join. It has one form and joins on both sides.
const TATWEEL: char = '\u{640}';

fn forms(c: char) -> Option<(u32, u32)> {
    let extra = match c {
        '\u{679}' => (0xFB66, 4),
        '\u{67E}' => (0xFB56, 4),
        '\u{686}' => (0xFB7A, 4),
        '\u{698}' => (0xFB8A, 2),
        '\u{6A9}' => (0xFB8E, 4),
        '\u{6AF}' => (0xFB92, 4),
        '\u{6CC}' => (0xFBFC, 4),
        '\u{6D2}' => (0xFBAE, 2),
        _ => {
            let index = (c as u32).checked_sub(FIRST)? as usize;
            return FORMS.get(index).copied().filter(|&(_, count)| count > 0);
        }
    };
    Some(extra)
}

fn joins_next(c: char) -> bool {
    c == TATWEEL || forms(c).is_some_and(|(_, count)| count == 4)
}

fn joins_previous(c: char) -> bool {
    c == TATWEEL || forms(c).is_some_and(|(_, count)| count > 1)
}

/// `previous` and `next` are the neighbours in reading order.
pub fn contextual_form(previous: Option<char>, letter: char, next: Option<char>) -> char {
    let Some((isolated, count)) = forms(letter) else {
        return letter;
    };
    let before = count > 1 && previous.is_some_and(joins_next);
    let after = count == 4 && next.is_some_and(joins_previous);
    let form = match (before, after) {
        (false, false) => 0,
        (true, false) => 1,
        (false, true) => 2,
        (true, true) => 3,
    };
    char::from_u32(isolated + form).unwrap_or(letter)
}

/// The ligature of lam and a following alef.
pub fn lam_alef_ligature(previous: Option<char>, first: char, second: Option<char>) -> Option<char> {
    if first != LAM {
        return None;
    }
    let isolated = match second? {
        '\u{622}' => 0xFEF5,
        '\u{623}' => 0xFEF7,
        '\u{625}' => 0xFEF9,
        '\u{627}' => 0xFEFB,
        _ => return None,
    };
    char::from_u32(isolated + u32::from(previous.is_some_and(joins_next)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn forms_depend_on_the_neighbours() {
        assert_eq!(contextual_form(None, 'ب', None), '\u{FE8F}');
        assert_eq!(contextual_form(Some('ب'), 'ب', None), '\u{FE90}');
        assert_eq!(contextual_form(None, 'ب', Some('ب')), '\u{FE91}');
        assert_eq!(contextual_form(Some('ب'), 'ب', Some('ب')), '\u{FE92}');
        assert_eq!(contextual_form(Some('ا'), 'ب', None), '\u{FE8F}');
        assert_eq!(contextual_form(None, 'x', Some('ب')), 'x');
        assert_eq!(lam_alef_ligature(None, 'ل', Some('ا')), Some('\u{FEFB}'));
        assert_eq!(lam_alef_ligature(Some('س'), 'ل', Some('ا')), Some('\u{FEFC}'));
        assert_eq!(lam_alef_ligature(None, 'ل', Some('ب')), None);
    }
}
