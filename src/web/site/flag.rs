//! Flags of countries, as small pictures: many systems have no flag emoji.

use crate::web::assets;
use rollcall_model::country;

/// The picture of a country's flag, by the name that the API uses.
pub fn flag_url(country: &str) -> Option<&'static str> {
    let code = country::by_name(country)?.code;
    let at = assets::FLAGS.binary_search_by_key(&code, |(code, _)| code).ok()?;
    Some(assets::FLAGS[at].1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn countries_have_flags() {
        assert!(flag_url("Germany").is_some_and(|url| url.starts_with("/assets/flag-")));
        assert_eq!(flag_url(country::UNKNOWN), None);
    }
}
