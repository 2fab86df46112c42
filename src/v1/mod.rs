//! The public API. Every route stands in [`ENDPOINTS`], in the order of the contract; one file per endpoint.

mod capes;
mod endpoint;
mod error;
mod examples;
mod leaderboards;
mod live;
mod openapi;
mod params;
mod players;
mod query;
mod respond;
mod search;
mod servers;
mod skins;
mod textures;

pub use endpoint::{Endpoint, Plan};
pub use error::ApiError;
pub use openapi::document;
pub use respond::{failure, respond};

pub const ENDPOINTS: [&Endpoint; 18] = [
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
];

/// The endpoint of a path below `/v1` (not decoded), with the segment that fills its parameter. Fixed segments win.
pub fn route(path: &str) -> Option<(&'static Endpoint, &str)> {
    let mut found = None;
    for endpoint in ENDPOINTS {
        match matches(endpoint.path, path) {
            Some("") => return Some((endpoint, "")),
            Some(segment) => found = found.or(Some((endpoint, segment))),
            None => {}
        }
    }
    found
}

fn matches<'a>(pattern: &str, path: &'a str) -> Option<&'a str> {
    let (mut wanted, mut got) = (pattern.split('/'), path.split('/'));
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
        let found = |path| route(path).map(|(endpoint, segment)| (endpoint.path, segment));
        assert_eq!(found("/servers/top"), Some(("/servers/top", "")));
        assert_eq!(found("/servers/topp"), Some(("/servers/{slug}", "topp")));
        assert_eq!(found("/servers/top/voters"), Some(("/servers/{slug}/voters", "top")));
        assert_eq!(found("/live/history"), Some(("/live/history", "")));
        for unknown in
            ["", "/", "/servers/", "/servers//voters", "/servers/a/b", "/live/x", "/Servers", "/servers/a/voters/"]
        {
            assert_eq!(found(unknown), None, "{unknown}");
        }
    }
}
