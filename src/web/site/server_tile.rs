//! A server in a list or on a card.

use std::collections::HashMap;

use serde::Deserialize;

use super::flag::flag_url;
use crate::app::App;
use crate::catalogue::ServerEntry;
use crate::error::ApiError;
use crate::web::chart::Sparkline;
use rollcall_model::time::{DAY, HOUR, start_of_hour};
use rollcall_store::Conn;
use rollcall_store::samples::{self, Resolution};

/// Read from the list item that the catalogue keeps for the API, so that pages and API always agree.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ServerCard {
    #[serde(skip)]
    pub n: i64,
    pub slug: String,
    pub name: String,
    icon_url: String,
    banner_url: String,
    motd_image_url: String,
    pub motd: String,
    pub is_online: bool,
    pub current_players: i64,
    pub max_players: i64,
    pub version: String,
    pub country: String,
    pub game_mode: Option<String>,
    pub uptime: f64,
    pub total_votes: i64,
    pub rating: f64,
    #[serde(skip)]
    pub sparkline: Option<Sparkline>,
}

/// A card before its sparkline is read.
pub struct CardSource {
    n: i64,
    summary: bytes::Bytes,
}

impl From<&ServerEntry> for CardSource {
    fn from(entry: &ServerEntry) -> Self {
        Self { n: entry.n, summary: entry.summary.clone() }
    }
}

impl CardSource {
    /// Without a sparkline.
    pub fn card(&self) -> Result<ServerCard, ApiError> {
        let mut card: ServerCard =
            serde_json::from_slice(&self.summary).map_err(|error| ApiError::Internal(error.to_string()))?;
        card.n = self.n;
        Ok(card)
    }
}

/// Sparklines show this many hours.
const SPARKLINE_HOURS: usize = 24;

/// Cards with their sparklines, in the given order.
pub fn load(app: &App, conn: &mut Conn, sources: &[CardSource]) -> Result<Vec<ServerCard>, ApiError> {
    let numbers: Vec<i64> = sources.iter().map(|source| source.n).collect();
    let since = start_of_hour(app.clock.now()) + HOUR - DAY;
    let mut hours: HashMap<i64, Vec<Option<i64>>> = HashMap::new();
    for (n, bucket) in samples::buckets_of(conn, &numbers, Resolution::Hour, since)? {
        let slot = (bucket.at - since) / HOUR;
        let slots = hours.entry(n).or_insert_with(|| vec![None; SPARKLINE_HOURS]);
        if let Some(slot) = usize::try_from(slot).ok().and_then(|slot| slots.get_mut(slot)) {
            *slot = (bucket.watched_ms > 0).then(|| bucket.average_players(0) as i64);
        }
    }
    let cards = sources.iter().map(|source| {
        let mut card = source.card()?;
        card.sparkline = hours.get(&source.n).and_then(|slots| Sparkline::new(slots));
        Ok(card)
    });
    cards.collect()
}

/// The path of a picture: pages load it from the host they come from.
pub fn media_path(url: &str) -> &str {
    url.find("/media/").map_or(url, |at| &url[at..])
}

impl ServerCard {
    pub fn icon(&self) -> &str {
        media_path(&self.icon_url)
    }

    pub fn banner(&self) -> &str {
        media_path(&self.banner_url)
    }

    pub fn motd_image(&self) -> &str {
        media_path(&self.motd_image_url)
    }

    pub fn flag(&self) -> Option<&'static str> {
        flag_url(&self.country)
    }
}

const DEFAULT_PORT: i64 = 25565;

/// `host`, or `host:port` if the port is not the game's default.
pub fn address(ip: &str, port: i64) -> String {
    match port {
        DEFAULT_PORT => ip.to_owned(),
        _ if ip.contains(':') => format!("[{ip}]:{port}"),
        _ => format!("{ip}:{port}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_are_written_as_players_type_them() {
        assert_eq!(address("mc.example.org", 25565), "mc.example.org");
        assert_eq!(address("mc.example.org", 19132), "mc.example.org:19132");
        assert_eq!(address("2001:db8::1", 19132), "[2001:db8::1]:19132");
    }
}
