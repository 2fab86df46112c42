//! Rules for usernames and passwords, and the lifetime of login sessions.

use rollcall_model::message::{Message, translatable};
use rollcall_model::time::{DAY, MINUTE};
use unicode_normalization::UnicodeNormalization;
use zxcvbn::feedback::Warning;

const MIN_USERNAME_CHARS: usize = 3;
const MAX_USERNAME_CHARS: usize = 24;
const MIN_PASSWORD_CHARS: usize = 10;
/// Bounds the work of normalizing and hashing.
pub const MAX_PASSWORD_CHARS: usize = 128;
/// Characters that the strength estimate looks at. Its time grows with the length.
const ESTIMATED_CHARS: usize = 32;

/// A session ends after this time without a request.
const SESSION_IDLE: i64 = 14 * DAY;
/// Every session ends after this time.
const SESSION_MAX: i64 = 60 * DAY;
/// Time between the password and the second factor.
const SECOND_FACTOR_WAIT: i64 = 10 * MINUTE;
/// How long a password or code that was entered in a session counts for acts that need a fresh proof.
const PROOF_MAX_AGE: i64 = 5 * MINUTE;
/// How long a password that an operator made can be used for the first time.
pub const INITIAL_PASSWORD_LIFETIME: i64 = 7 * DAY;
/// How long a browser counts as known to an account.
pub const KNOWN_BROWSER: i64 = 365 * DAY;

/// When a new session ends unless it is used; while it waits for the second factor, minutes later.
pub fn new_session_end(now: i64, awaits_second_factor: bool) -> i64 {
    now + if awaits_second_factor { SECOND_FACTOR_WAIT } else { SESSION_IDLE }
}

/// Whether the user of a session has just proved who they are. A session begins with a proof, and each further proof begins a
/// new session.
pub fn is_freshly_proved(session_created_at: i64, now: i64) -> bool {
    (session_created_at..session_created_at + PROOF_MAX_AGE).contains(&now)
}

/// When a session that is used now ends.
pub fn extended_session_end(created_at: i64, now: i64) -> i64 {
    (now + SESSION_IDLE).min(created_at + SESSION_MAX)
}

/// ASCII only, so that no two names look alike.
pub fn check_username(name: &str) -> Result<(), Message> {
    let ascii = name.bytes().all(|b| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'-'));
    let starts_well = name.starts_with(|c: char| c.is_ascii_alphanumeric());
    if ascii && starts_well && (MIN_USERNAME_CHARS..=MAX_USERNAME_CHARS).contains(&name.len()) {
        return Ok(());
    }
    Err(Message::new(
        "The username must have {} to {} letters, digits, hyphens or underscores and start with a letter or digit.",
        &[&MIN_USERNAME_CHARS, &MAX_USERNAME_CHARS],
    ))
}

/// Rejects passwords that are easy to guess: common ones, words, names, dates, keyboard rows, variants of the username.
pub fn check_password(password: &str, username: &str) -> Result<(), Message> {
    let length = password.chars().count();
    if length < MIN_PASSWORD_CHARS {
        return Err(Message::new(
            "The password must have at least {} characters; this one has {}.",
            &[&MIN_PASSWORD_CHARS, &length],
        ));
    }
    if length > MAX_PASSWORD_CHARS {
        return Err(Message::new(
            "The password must have at most {} characters; this one has {}.",
            &[&MAX_PASSWORD_CHARS, &length],
        ));
    }
    let joined = username.replace(['-', '_'], "");
    let mut user_words = vec![username, &joined, "rollcall"];
    user_words.extend(username.split(['-', '_']));
    let start: String = password.chars().take(ESTIMATED_CHARS).collect();
    let estimate = zxcvbn::zxcvbn(&start, &user_words);
    if estimate.score() >= zxcvbn::Score::Three {
        return Ok(());
    }
    let mut message = Message::new("This password is easy to guess.", &[]);
    if let Some(reason) = estimate.feedback().and_then(zxcvbn::feedback::Feedback::warning).and_then(describe) {
        message = message.and(reason);
    }
    Err(message.and(translatable("Combine a few unrelated words instead.")))
}

/// Why a password is easy to guess; `None` if it is common, which the message says already.
fn describe(warning: Warning) -> Option<&'static str> {
    Some(match warning {
        Warning::StraightRowsOfKeysAreEasyToGuess => translatable("Straight rows of keys are easy to guess."),
        Warning::ShortKeyboardPatternsAreEasyToGuess => translatable("Short keyboard patterns are easy to guess."),
        Warning::RepeatsLikeAaaAreEasyToGuess => translatable("Repeats like “aaa” are easy to guess."),
        Warning::RepeatsLikeAbcAbcAreOnlySlightlyHarderToGuess => {
            translatable("Repeats like “abcabcabc” are only slightly harder to guess than “abc”.")
        }
        Warning::SequencesLikeAbcAreEasyToGuess => translatable("Sequences like “abc” or “6543” are easy to guess."),
        Warning::RecentYearsAreEasyToGuess => translatable("Recent years are easy to guess."),
        Warning::AWordByItselfIsEasyToGuess => translatable("A word by itself is easy to guess."),
        Warning::DatesAreOftenEasyToGuess => translatable("Dates are often easy to guess."),
        Warning::NamesAndSurnamesByThemselvesAreEasyToGuess => {
            translatable("Names and surnames by themselves are easy to guess.")
        }
        Warning::CommonNamesAndSurnamesAreEasyToGuess => translatable("Common names and surnames are easy to guess."),
        Warning::ThisIsATop10Password
        | Warning::ThisIsATop100Password
        | Warning::ThisIsACommonPassword
        | Warning::ThisIsSimilarToACommonlyUsedPassword => return None,
    })
}

/// Unicode NFC: an accent is the same however the keyboard composes it.
pub fn normalize(password: &str) -> String {
    password.nfc().collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn usernames_are_ascii() {
        for good in ["ada", "Ada_Lovelace-1815", "0x0", "abcdefghijklmnopqrstuvwx"] {
            assert_eq!(check_username(good), Ok(()), "{good}");
        }
        for bad in ["", "ab", "_ab", "-ab", "a b", "аda", "ada\n", "a/b", "<b>", "abcdefghijklmnopqrstuvwxy", "ada\0"]
        {
            assert!(check_username(bad).is_err(), "{bad:?}");
        }
    }

    #[test]
    fn guessable_passwords_are_rejected() {
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
    fn a_proof_counts_for_five_minutes() {
        for (now, is_fresh) in [(-1, false), (0, true), (5 * MINUTE - 1, true), (5 * MINUTE, false)] {
            assert_eq!(is_freshly_proved(0, now), is_fresh, "{now}");
        }
    }

    #[test]
    fn composed_and_decomposed_accents_are_equal() {
        assert_eq!(normalize("cafe\u{301}"), normalize("caf\u{e9}"));
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]

        #[test]
        fn any_text_is_checked_without_panic(password in "\\PC{0,30}", name in "\\PC{0,30}") {
            let _ = (check_password(&password, &name), check_username(&name));
        }
    }
}
