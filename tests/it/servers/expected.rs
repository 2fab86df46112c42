//! A plain reference implementation of sorting, filtering and searching the server list.

use percent_encoding::{NON_ALPHANUMERIC, utf8_percent_encode};
use serde_json::Value;
use unicode_normalization::UnicodeNormalization;
use unicode_normalization::char::is_combining_mark;

use crate::harness::both;

/// Every sort of the server list and its key.
pub const SORTS: [(&str, KeyOf); 7] = [
    ("recent", |server| Key::Last(text(&server["createdAt"]).to_owned())),
    ("players", |server| Key::Most(number(&server["currentPlayers"]))),
    ("votes", |server| Key::Most(number(&server["totalVotes"]))),
    ("rating", |server| Key::Most(number(&server["rating"]))),
    ("uptime", |server| Key::Most(number(&server["uptime"]))),
    ("trending", |server| Key::Most(number(&server["trend"]))),
    ("name", |server| Key::First(plain(text(&server["name"])))),
];

/// Reads the key from a server of the list.
pub type KeyOf = fn(&Value) -> Key;

/// A sort key and its direction.
#[derive(Debug, PartialEq)]
pub enum Key {
    Most(f64),
    Last(String),
    First(String),
}

impl Key {
    /// Whether an item with this key may precede one with the other.
    pub fn may_precede(&self, other: &Key) -> bool {
        match (self, other) {
            (Key::Most(a), Key::Most(b)) => a >= b,
            (Key::Last(a), Key::Last(b)) => a >= b,
            (Key::First(a), Key::First(b)) => a <= b,
            _ => false,
        }
    }
}

pub fn text(value: &Value) -> &str {
    value.as_str().unwrap_or_else(|| panic!("{value} is not text"))
}

pub fn number(value: &Value) -> f64 {
    value.as_f64().unwrap_or_else(|| panic!("{value} is not a number"))
}

pub fn items(value: &Value) -> &[Value] {
    value.as_array().unwrap_or_else(|| panic!("{value} is not a list"))
}

pub fn ids(items: &[Value]) -> Vec<&str> {
    items.iter().map(|item| text(&item["id"])).collect()
}

/// `?a=b&c=d`, percent-encoded.
pub fn query(pairs: &[(&str, &str)]) -> String {
    let encoded = |(name, value): &(&str, &str)| format!("{name}={}", utf8_percent_encode(value, NON_ALPHANUMERIC));
    format!("?{}", pairs.iter().map(encoded).collect::<Vec<_>>().join("&"))
}

/// All items of a list, page by page. Checks the pagination of every page.
pub async fn walk(path: &str, list: &str, limit: usize) -> Vec<Value> {
    let mut found = Vec::new();
    let joint = if path.contains('?') { '&' } else { '?' };
    for page in 1.. {
        let data = both(&format!("{path}{joint}limit={limit}&page={page}")).await.data();
        let place = if data["pagination"].is_object() { &data["pagination"] } else { &data };
        let total = place["total"].as_u64().expect("a total") as usize;
        assert_eq!(place["page"], page, "{path}");
        assert_eq!(place["totalPages"], total.div_ceil(limit), "{path}");
        let page_items = items(&data[list]);
        assert_eq!(page_items.len(), limit.min(total - found.len()), "{path}, page {page} of {limit}");
        found.extend_from_slice(page_items);
        if found.len() == total {
            break;
        }
    }
    found
}

/// All public servers, in the order of the list.
pub async fn all_servers() -> Vec<Value> {
    walk("/servers", "servers", 100).await
}

/// Search ignores case and accents, and treats a line break as a space.
pub fn plain(text: &str) -> String {
    let base: String = text.nfkd().filter(|c| !is_combining_mark(*c)).collect();
    let lower = base.to_lowercase().replace('ß', "ss").replace('ł', "l").replace('ø', "o").replace('ı', "i");
    lower.replace('\n', " ").trim().to_owned()
}

/// Exact filters ignore case.
fn caseless(text: &str) -> String {
    text.trim().to_uppercase().to_lowercase().nfc().collect()
}

/// Whether a server of the list passes one filter.
pub fn passes(server: &Value, name: &str, value: &str) -> bool {
    let same = |field: &str| server[field].as_str().is_some_and(|held| caseless(held) == caseless(value));
    let wanted = || value.parse::<f64>().expect("a number");
    match name {
        "country" => same("country"),
        "mode" => same("gameMode"),
        "tag" => items(&server["tags"]).iter().any(|tag| caseless(text(tag)) == caseless(value)),
        "version" => {
            let (held, wanted) = (caseless(text(&server["version"])), caseless(value));
            held == wanted || held.starts_with(&format!("{wanted}."))
        }
        "search" => mentions(server, value),
        "minPlayers" => number(&server["currentPlayers"]) >= wanted(),
        "maxPlayers" => number(&server["currentPlayers"]) <= wanted(),
        "minVotes" => number(&server["totalVotes"]) >= wanted(),
        "minUptime" => number(&server["uptime"]) >= wanted(),
        "minRating" => number(&server["rating"]) >= wanted(),
        "onlineOnly" => !matches!(value, "true" | "1") || server["isOnline"] == true,
        other => panic!("no such filter: {other}"),
    }
}

/// Whether a search finds a server of the list.
pub fn mentions(server: &Value, wanted: &str) -> bool {
    let fields = ["name", "shortDescription", "motd", "ip"].map(|field| text(&server[field]));
    let wanted = plain(wanted);
    fields.into_iter().chain(items(&server["tags"]).iter().map(text)).any(|held| plain(held).contains(&wanted))
}

/// A deterministic random number generator.
pub struct TestRng(pub u64);

impl TestRng {
    pub fn below(&mut self, end: usize) -> usize {
        let bits = rollcall_model::hash::splitmix64(self.0);
        self.0 = self.0.wrapping_add(rollcall_model::hash::GOLDEN_GAMMA);
        (bits % end as u64) as usize
    }

    pub fn pick<'a, T>(&mut self, of: &'a [T]) -> &'a T {
        &of[self.below(of.len())]
    }
}
