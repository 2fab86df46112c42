//! Finds links in texts: those that a reader could follow, also if they are written without a scheme.

/// The hosts that a text links to, in lower case, one per link.
pub fn hosts(text: &str) -> Vec<String> {
    text.split(|c: char| c.is_whitespace() || "<>()[]{}\"'|`*,;".contains(c)).filter_map(host).collect()
}

/// The host of a word that is a link.
pub fn host(word: &str) -> Option<String> {
    let lower = word.to_lowercase();
    let (has_scheme, rest) = match lower.split_once("://") {
        Some((_, rest)) => (true, rest),
        None => match lower.strip_prefix("//") {
            Some(rest) => (true, rest),
            None => (false, lower.as_str()),
        },
    };
    let end = rest.find(['/', '?', '#', '\\']).unwrap_or(rest.len());
    let (authority, path) = rest.split_at(end);
    // `https://good.example@bad.example` leads to the second host.
    let host = authority.rsplit('@').next().unwrap_or(authority);
    let host = host.split(':').next().unwrap_or(host).trim_matches('.');
    if has_scheme {
        return (!host.is_empty()).then(|| host.to_owned());
    }
    // Without a scheme only forms that are not written by accident: `www.host`, or a host with a path.
    let looks_like_host = host.split('.').count() > 1
        && host.split('.').all(|label| !label.is_empty() && label.chars().all(|c| c.is_alphanumeric() || c == '-'))
        && host
            .rsplit('.')
            .next()
            .is_some_and(|last| last.chars().count() > 1 && last.chars().all(char::is_alphabetic));
    let is_link = looks_like_host && (host.starts_with("www.") || (path.len() > 1 && !word.contains('@')));
    is_link.then(|| host.to_owned())
}

/// Whether a host is another one, or one of its subdomains, or a domain of which it is one. `www.` says nothing.
pub fn is_same_domain(host: &str, other: &str) -> bool {
    let (host, other) = (host.trim_start_matches("www."), other.to_lowercase());
    let is_below = |name: &str, domain: &str| {
        domain.contains('.') && name.strip_suffix(domain).is_some_and(|rest| rest.ends_with('.'))
    };
    host == other || is_below(host, &other) || is_below(&other, host)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn links_are_found_in_every_disguise() {
        for (text, expected) in [
            ("see https://example.org/x and http://Other.Example:8080", vec!["example.org", "other.example"]),
            ("[click](HTTPS://evil.example/a?b) <https://two.example>", vec!["evil.example", "two.example"]),
            ("www.shop.example now, discord.gg/abc", vec!["www.shop.example", "discord.gg"]),
            ("https://good.example@bad.example/", vec!["bad.example"]),
            ("[x](//bare.example/path)", vec!["bare.example"]),
            ("ftp://files.example", vec!["files.example"]),
        ] {
            assert_eq!(hosts(text), expected, "{text}");
        }
        for (host, other, same) in [
            ("pinewood.example", "play.pinewood.example", true),
            ("www.pinewood.example", "pinewood.example", true),
            ("shop.pinewood.example", "Pinewood.example", true),
            ("shop.pinewood.example", "play.pinewood.example", false),
            ("wood.example", "pinewood.example", false),
            ("example", "pinewood.example", false),
            ("evil.example", "", false),
        ] {
            assert_eq!(is_same_domain(host, other), same, "{host} {other}");
        }
        for text in ["join play.example.net!", "and/or 3.5/5 v1.20.4", "me@example.org", "wait...what?", "a.b", ""] {
            assert!(hosts(text).is_empty(), "{text}: {:?}", hosts(text));
        }
    }
}
