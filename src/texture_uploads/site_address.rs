//! Addresses of skins and capes of this site, as people copy them from their browser.

use axum::http::Uri;
use percent_encoding::percent_decode_str;

use rollcall_store::hidden_textures::UPLOAD;
use rollcall_store::media::kind_of;

/// Longer than any address of a skin or cape.
const MAX_BYTES: usize = 500;

/// Target of an address. It may not exist.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SiteAddress {
    Page {
        is_skin: bool,
        slug: String,
    },
    /// The path of a picture below `/media/`.
    Picture(String),
}

impl SiteAddress {
    /// Reads `/skins/SLUG`, `/capes/SLUG` or the address of a picture such as `/media/skin/HASH.png`, with or without our own public
    /// URL; `None` for all others.
    pub fn parse(text: &str, public_url: &str) -> Option<Self> {
        let text = text.trim();
        if text.len() > MAX_BYTES {
            return None;
        }
        let path = match text.starts_with('/') && !text.starts_with("//") {
            true => text,
            false => own_path(text, public_url)?,
        };
        let path = path.split(['?', '#']).next().unwrap_or_default().trim_end_matches('/');
        if let Some(picture) = path.strip_prefix("/media/") {
            let is_texture = matches!(kind_of(picture), Some("skin" | "cape" | UPLOAD));
            return is_texture.then(|| Self::Picture(picture.to_owned()));
        }
        let (is_skin, slug) = match path.strip_prefix("/skins/") {
            Some(slug) => (true, slug),
            None => (false, path.strip_prefix("/capes/")?),
        };
        let slug = percent_decode_str(slug).decode_utf8().ok()?.into_owned();
        let is_name = !slug.is_empty() && !slug.contains(['/', '\0']);
        is_name.then_some(Self::Page { is_skin, slug })
    }
}

/// The path of an address of ours. People leave out the scheme, or enter the other one.
fn own_path<'a>(text: &'a str, public_url: &str) -> Option<&'a str> {
    let own: Uri = public_url.parse().ok()?;
    let rest = match text.split_once("//") {
        Some((scheme, rest)) if ["", "http:", "https:"].iter().any(|known| scheme.eq_ignore_ascii_case(known)) => rest,
        _ => text,
    };
    let (host, _) = rest.split_once('/')?;
    let is_own = own.authority().is_some_and(|own| own.as_str().eq_ignore_ascii_case(host));
    let path = &rest[host.len()..];
    let prefix = own.path().trim_end_matches('/');
    is_own.then_some(path)?.strip_prefix(prefix)
}

#[cfg(test)]
mod tests {
    use super::*;

    const HASH: &str = "0123456789abcdef0123456789abcdef";
    const OWN: &str = "https://stats.example:8443";

    #[test]
    fn addresses_of_this_site_are_read() {
        let page = |is_skin, slug: &str| Some(SiteAddress::Page { is_skin, slug: slug.into() });
        let picture = |kind: &str| Some(SiteAddress::Picture(format!("{kind}/{HASH}.png")));
        for (text, wanted) in [
            ("/skins/red-fox", page(true, "red-fox")),
            (" /capes/banner/?done=worn#likes ", page(false, "banner")),
            ("/skins/%C3%A9t%C3%A9", page(true, "été")),
            ("https://stats.example:8443/skins/red-fox", page(true, "red-fox")),
            ("http://STATS.example:8443/capes/banner", page(false, "banner")),
            ("stats.example:8443/skins/red-fox", page(true, "red-fox")),
            ("//stats.example:8443/media/cape/HASH.png", picture("cape")),
            ("/media/skin/HASH.png", picture("skin")),
            ("/media/upload/HASH.png", picture("upload")),
        ] {
            assert_eq!(SiteAddress::parse(&text.replace("HASH", HASH), OWN), wanted, "{text}");
        }
        let below = SiteAddress::parse("https://example.org/stats/skins/red-fox", "https://example.org/stats");
        assert_eq!(below, page(true, "red-fox"));
    }

    #[test]
    fn all_others_are_not() {
        for text in [
            "",
            "/",
            "red-fox",
            "/skins/",
            "/skins",
            "/skins/a/b",
            "/skins/a%2fb",
            "/skins/a%00",
            "/skins/%ff",
            "/media/skin/00ff.png",
            "/media/icon/HASH.png",
            "/media/skin/../upload/HASH.png",
            "/servers/red-fox",
            "https://stats.example/skins/red-fox",
            "https://other.example/skins/red-fox",
            "https://stats.example:8443@other.example/skins/red-fox",
            "https://other.example/https://stats.example:8443/skins/red-fox",
            "//other.example/skins/red-fox",
            "file:///skins/red-fox",
            "javascript://stats.example:8443/skins/red-fox",
            "https://",
        ] {
            assert_eq!(SiteAddress::parse(&text.replace("HASH", HASH), OWN), None, "{text}");
        }
        assert_eq!(SiteAddress::parse(&format!("/skins/{}", "x".repeat(500)), OWN), None);
    }
}
