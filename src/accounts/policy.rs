//! What an account may be called, and which passwords are good enough for it.

use unicode_normalization::UnicodeNormalization;

const SHORTEST_NAME: usize = 3;
const LONGEST_NAME: usize = 24;
const SHORTEST_PASSWORD: usize = 10;
/// Characters; more would only be work.
pub const LONGEST_PASSWORD: usize = 128;

/// Characters that are judged.
const LOOKED_AT: usize = 32;

/// Plain letters only, so that no two names look alike.
pub fn check_username(name: &str) -> Result<(), String> {
    let plain = name.bytes().all(|b| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'-'));
    let begins = name.starts_with(|c: char| c.is_ascii_alphanumeric());
    if plain && begins && (SHORTEST_NAME..=LONGEST_NAME).contains(&name.len()) {
        return Ok(());
    }
    Err(format!(
        "A username has {SHORTEST_NAME} to {LONGEST_NAME} letters, digits, hyphens or underscores, and begins with a letter or digit."
    ))
}

/// Refuses what is tried first: common passwords, words, names, dates, rows of keys, and the username in any dress.
pub fn check_password(password: &str, username: &str) -> Result<(), String> {
    let length = password.chars().count();
    // Bounded before it is looked at: the look takes longer the longer it is.
    if length < SHORTEST_PASSWORD {
        return Err(format!("A password has at least {SHORTEST_PASSWORD} characters; this one has {length}."));
    }
    if length > LONGEST_PASSWORD {
        return Err(format!("A password has at most {LONGEST_PASSWORD} characters; this one has {length}."));
    }
    let joined = username.replace(['-', '_'], "");
    let mut theirs = vec![username, &joined, "rollcall"];
    theirs.extend(username.split(['-', '_']));
    // The look takes longer the longer and the odder a password is; what begins well is good enough.
    let beginning: String = password.chars().take(LOOKED_AT).collect();
    let found = zxcvbn::zxcvbn(&beginning, &theirs);
    if found.score() >= zxcvbn::Score::Three {
        return Ok(());
    }
    let mut words = "This password is among the first that would be guessed.".to_owned();
    let warning = found.feedback().and_then(zxcvbn::feedback::Feedback::warning).map(|warning| warning.to_string());
    // That it is common was said.
    if let Some(warning) = warning.filter(|warning| !warning.contains("common password")) {
        words += &format!(" {warning}");
    }
    words += " A few words that do not belong together make a good one.";
    Err(words)
}

/// The same characters however a keyboard composes them.
pub fn normal(password: &str) -> String {
    password.nfc().collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn names_are_plain() {
        for good in ["ada", "Ada_Lovelace-1815", "0x0", "abcdefghijklmnopqrstuvwx"] {
            assert_eq!(check_username(good), Ok(()), "{good}");
        }
        for bad in ["", "ab", "_ab", "-ab", "a b", "аda", "ada\n", "a/b", "<b>", "abcdefghijklmnopqrstuvwxy", "ada\0"]
        {
            assert!(check_username(bad).is_err(), "{bad:?}");
        }
    }

    #[test]
    fn what_is_guessed_first_is_refused() {
        for bad in [
            "password",
            "password123",
            "1234567890",
            "qwertyuiop",
            "iloveyou12",
            "aaaaaaaaaaaa",
            "rollcall2026",
            "ada-lovelace",
            "AdaLovelace1",
            "january1990",
            "P@ssw0rd123",
            "letmeinletmein",
            "minecraft123",
        ] {
            assert!(check_password(bad, "ada-lovelace").is_err(), "{bad}");
        }
        for good in ["correct horse battery staple", "dHk3.pQ-z81x", "снег идёт над тихой рекой"] {
            assert_eq!(check_password(good, "ada-lovelace"), Ok(()), "{good}");
        }
        assert!(check_password(&"x9!Kq".repeat(30), "ada").is_err(), "too long");
    }

    #[test]
    fn an_accent_is_the_same_however_it_is_typed() {
        assert_eq!(normal("cafe\u{301}"), normal("caf\u{e9}"));
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]

        #[test]
        fn any_text_is_judged(password in "\\PC{0,30}", name in "\\PC{0,30}") {
            let _ = (check_password(&password, &name), check_username(&name));
        }
    }
}
