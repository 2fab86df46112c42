//! The public API. Every route is in [`ENDPOINTS`], in the order of the documentation; one file per endpoint.

pub mod capes;
mod cursor;
mod endpoint;
pub mod events;
mod examples;
mod history;
mod item_fields;
pub mod key;
pub mod leaderboards;
mod list_params;
pub mod live;
mod newest;
mod openapi;
pub mod params;
pub mod players;
pub mod rate_limit_headers;
mod rejection;
mod respond;
pub mod search;
pub mod servers;
pub mod skins;
pub mod textures;
mod time_param;

use std::borrow::Cow;

use crate::error::ApiError;
use crate::http::query;

pub use endpoint::Endpoint;
pub use examples::example_of_parameter;
pub use live::history::live_history;
pub use live::now::live;
pub use openapi::{document, document_bytes};
pub use respond::{respond, respond_from_cache, respond_without_key, route_label};

pub const ENDPOINTS: [&Endpoint; 27] = [
    &servers::list::ENDPOINT,
    &servers::detail::ENDPOINT,
    &servers::voters::ENDPOINT,
    &servers::reviews::ENDPOINT,
    &servers::updates::ENDPOINT,
    &servers::top::ENDPOINT,
    &servers::countries::ENDPOINT,
    &servers::versions::ENDPOINT,
    &players::list::ENDPOINT,
    &players::detail::ENDPOINT,
    &search::ENDPOINT,
    &live::now::ENDPOINT,
    &live::history::ENDPOINT,
    &leaderboards::ENDPOINT,
    &skins::list::ENDPOINT,
    &skins::detail::ENDPOINT,
    &capes::list::ENDPOINT,
    &capes::detail::ENDPOINT,
    // Additions to the contract.
    &servers::history::ENDPOINT,
    &servers::outages::ENDPOINT,
    &servers::explain::ENDPOINT,
    &servers::batch::ENDPOINT,
    &players::batch::ENDPOINT,
    &history::ENDPOINT,
    &key::ENDPOINT,
    &events::list::ENDPOINT,
    &events::stream::ENDPOINT,
];

/// The endpoint of a path below `/v1` and its decoded path parameter. Fixed segments win over parameters.
pub fn route(path: &str) -> Result<Option<(&'static Endpoint, String)>, ApiError> {
    // The common case: a fixed path, not percent-encoded.
    if let Some(endpoint) =
        ENDPOINTS.into_iter().find(|endpoint| endpoint.path == path && endpoint.path_param.is_none())
    {
        return Ok(Some((endpoint, String::new())));
    }
    // Split first: an encoded slash is part of its segment.
    let segments = path.split('/').map(query::decode_segment).collect::<Result<Vec<Cow<str>>, ApiError>>()?;
    let mut found = None;
    for endpoint in ENDPOINTS {
        match matches(endpoint.path, &segments) {
            Some("") => return Ok(Some((endpoint, String::new()))),
            Some(segment) => found = found.or(Some((endpoint, segment.to_owned()))),
            None => {}
        }
    }
    Ok(found)
}

fn matches<'a>(pattern: &str, segments: &'a [Cow<str>]) -> Option<&'a str> {
    let (mut wanted, mut got) = (pattern.split('/'), segments.iter());
    let mut segment = "";
    loop {
        match (wanted.next(), got.next()) {
            (None, None) => return Some(segment),
            (Some(w), Some(g)) if w.starts_with('{') && !g.is_empty() => segment = g,
            (Some(w), Some(g)) if w == g => {}
            _ => return None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fixed_segments_win_over_slugs() {
        let found = |path| route(path).unwrap().map(|(endpoint, segment)| (endpoint.path, segment));
        let some = |path, segment: &str| Some((path, segment.to_owned()));
        assert_eq!(found("/servers/top"), some("/servers/top", ""));
        assert_eq!(found("/%73ervers/t%6Fp"), some("/servers/top", ""));
        assert_eq!(found("/servers/topp"), some("/servers/{slug}", "topp"));
        assert_eq!(found("/servers/a%2Fb"), some("/servers/{slug}", "a/b"));
        assert_eq!(found("/servers/top/voters"), some("/servers/{slug}/voters", "top"));
        assert_eq!(found("/live/history"), some("/live/history", ""));
        assert!(route("/servers/%FF").is_err());
        for unknown in
            ["", "/", "/servers/", "/servers//voters", "/servers/a/b", "/live/x", "/Servers", "/servers/a/voters/"]
        {
            assert_eq!(found(unknown), None, "{unknown}");
        }
    }
}
