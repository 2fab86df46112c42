//! The languages of the pages: which one a reader gets, and how it writes numbers and dates.

use std::fmt::Write;

use rollcall_model::time;

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Language {
    #[default]
    English,
    Turkish,
    Russian,
}

impl Language {
    pub const ALL: [Self; 3] = [Self::English, Self::Turkish, Self::Russian];

    /// The code for `lang`, `hreflang` and the `lang` parameter.
    pub fn code(self) -> &'static str {
        match self {
            Self::English => "en",
            Self::Turkish => "tr",
            Self::Russian => "ru",
        }
    }

    /// Its own name.
    pub fn name(self) -> &'static str {
        match self {
            Self::English => "English",
            Self::Turkish => "Türkçe",
            Self::Russian => "Русский",
        }
    }

    pub fn from_code(code: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|language| language.code() == code)
    }

    /// The best language of an `Accept-Language` header.
    pub fn negotiate(accept: &str) -> Option<Self> {
        let mut best: Option<(Self, f32)> = None;
        // A header of thousands of entries is not a reader's.
        for range in accept.split(',').take(MAX_RANGES) {
            let (tag, quality) = range.split_once(';').unwrap_or((range, "q=1"));
            let quality = quality.trim().strip_prefix("q=").and_then(|q| q.parse().ok()).unwrap_or(0.0);
            let primary = tag.trim().split('-').next().unwrap_or_default().to_ascii_lowercase();
            if let Some(language) = Self::from_code(&primary)
                && quality > best.map_or(0.0, |(_, best)| best)
            {
                best = Some((language, quality));
            }
        }
        best.map(|(language, _)| language)
    }

    /// The index of the plural form for a count: `1 server`, `2 servers`.
    pub fn plural_form(self, count: i64) -> usize {
        let n = count.unsigned_abs();
        match self {
            Self::English => usize::from(n != 1),
            Self::Turkish => 0,
            Self::Russian => match (n % 10, n % 100) {
                (1, last) if last != 11 => 0,
                (2..=4, last) if !(12..=14).contains(&last) => 1,
                _ => 2,
            },
        }
    }

    /// A whole number with the separators of the language.
    pub fn count(self, count: i64) -> String {
        let separator = match self {
            Self::English => ',',
            Self::Turkish => '.',
            // CLDR: a no-break space, so that a number is never wrapped.
            Self::Russian => '\u{a0}',
        };
        let digits = count.unsigned_abs().to_string();
        let mut text = String::with_capacity(digits.len() * 4 / 3 + 1);
        if count < 0 {
            text.push('−');
        }
        for (i, digit) in digits.chars().enumerate() {
            if i > 0 && (digits.len() - i).is_multiple_of(3) {
                text.push(separator);
            }
            text.push(digit);
        }
        text
    }

    /// A number with up to `places` decimals.
    pub fn decimal(self, value: f64, places: usize) -> String {
        let text = format!("{value:.places$}");
        let text = text.trim_start_matches('-');
        let (whole, fraction) = text.split_once('.').unwrap_or((text, ""));
        let mut shown =
            if value < 0.0 && text.bytes().any(|b| (b'1'..=b'9').contains(&b)) { "−" } else { "" }.to_owned();
        shown += &self.count(whole.parse().unwrap_or(i64::MAX));
        let fraction = fraction.trim_end_matches('0');
        if !fraction.is_empty() {
            shown.push(if self == Self::English { '.' } else { ',' });
            shown += fraction;
        }
        shown
    }

    fn month(self, month: u8) -> &'static str {
        let names = match self {
            Self::English => ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"],
            Self::Turkish => ["Oca", "Şub", "Mar", "Nis", "May", "Haz", "Tem", "Ağu", "Eyl", "Eki", "Kas", "Ara"],
            Self::Russian => ["янв", "фев", "мар", "апр", "мая", "июн", "июл", "авг", "сен", "окт", "ноя", "дек"],
        };
        names[usize::from(month.clamp(1, 12)) - 1]
    }

    /// `17 Nov 2026`, in UTC.
    pub fn day(self, at: i64) -> String {
        // `2026-11-17T…`
        let iso = time::iso(at);
        let mut parts = iso[..10].split('-');
        let (year, month, day) = (parts.next(), parts.next(), parts.next());
        let number = |text: Option<&str>| text.and_then(|text| text.parse::<u8>().ok()).unwrap_or(1);
        format!("{} {} {}", number(day), self.month(number(month)), year.unwrap_or_default())
    }

    /// `17 Nov 2026, 09:30 UTC`
    pub fn instant(self, at: i64) -> String {
        let mut text = self.day(at);
        let _ = write!(text, ", {} UTC", &time::iso(at)[11..16]);
        text
    }
}

const MAX_RANGES: usize = 32;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_header_chooses_the_language_of_the_highest_quality() {
        for (header, language) in [
            ("tr", Some(Language::Turkish)),
            ("de-DE,de;q=0.9,ru;q=0.5,en;q=0.4", Some(Language::Russian)),
            ("en-GB,en;q=0.9,tr;q=0.8", Some(Language::English)),
            ("ru;q=0, tr;q=0.1", Some(Language::Turkish)),
            ("RU-ru", Some(Language::Russian)),
            ("de, fr;q=0.8, *;q=0.1", None),
            ("", None),
            (";q=,;;,q", None),
        ] {
            assert_eq!(Language::negotiate(header), language, "{header}");
        }
    }

    #[test]
    fn numbers_and_dates_follow_the_language() {
        let [en, tr, ru] = Language::ALL;
        assert_eq!([en, tr, ru].map(|l| l.count(-1_234_567)), ["−1,234,567", "−1.234.567", "−1\u{a0}234\u{a0}567"]);
        assert_eq!([en, tr].map(|l| l.decimal(1234.50, 2)), ["1,234.5", "1.234,5"]);
        assert_eq!([en.decimal(-0.04, 1), en.decimal(100.0, 1), ru.decimal(-2.25, 2)], ["0", "100", "−2,25"]);
        let at = 1_794_907_800_000;
        assert_eq!(
            [en, tr, ru].map(|l| l.instant(at)),
            ["17 Nov 2026, 09:30 UTC", "17 Kas 2026, 09:30 UTC", "17 ноя 2026, 09:30 UTC"]
        );
    }

    #[test]
    fn plural_forms_follow_the_language() {
        let forms = |language: Language| [0, 1, 2, 5, 11, 12, 21, 22, 25, 111].map(|n| language.plural_form(n));
        assert_eq!(forms(Language::English), [1, 0, 1, 1, 1, 1, 1, 1, 1, 1]);
        assert_eq!(forms(Language::Turkish), [0; 10]);
        assert_eq!(forms(Language::Russian), [2, 0, 1, 2, 2, 2, 0, 1, 2, 2]);
    }
}
