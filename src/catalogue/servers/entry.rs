//! One server in the catalogue: its serialised summary, the stats it is sorted by, and the texts that other responses need.
//! Everything else is read from the store.

use bytes::Bytes;

use super::packed_texts::PackedTexts;
use rollcall_minecraft::Edition;
use rollcall_model::motd;
use rollcall_model::resources::{Pictures, ServerSummary, Timestamp};
use rollcall_model::score;
use rollcall_search::{FIELD_END, fold_search};
use rollcall_store::servers::{PUBLIC, ServerRow};

pub struct ServerEntry {
    pub n: i64,
    pub is_public: bool,
    /// Decides what names its players have.
    pub edition: Edition,
    pub stats: ServerStats,
    /// The list item as JSON, serialised once per change.
    pub summary: Bytes,
    texts: PackedTexts<TEXT_COUNT>,
    /// Set when the entry is installed.
    pub(super) facet_ids: FacetIds,
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ServerStats {
    pub is_online: bool,
    pub current_players: i64,
    pub max_players: i64,
    pub last_ping: Option<i64>,
    pub created_at: i64,
    pub uptime: f64,
    pub trend: f64,
    pub recent_players: f64,
    pub total_votes: i64,
    pub vote_heat: f64,
    pub vote_heat_at: i64,
    pub rating: f64,
    pub rating_sum: i64,
    pub rating_count: i64,
    pub update_count: i64,
}

/// The ids of a server's values in each [facet](crate::catalogue::facets::Facet).
#[derive(Default)]
pub(super) struct FacetIds {
    pub country: Option<u32>,
    pub version: Option<u32>,
    pub mode: Option<u32>,
    pub tags: Box<[u32]>,
}

/// Indexes into the packed texts.
const ID: usize = 0;
const SLUG: usize = 1;
const NAME: usize = 2;
const IP: usize = 3;
const ICON: usize = 4;
const BANNER: usize = 5;
const MOTD_IMAGE: usize = 6;
const NAME_KEY: usize = 7;
const TEXT_COUNT: usize = 8;

impl ServerEntry {
    /// The entry of a hidden server has no texts and no summary.
    pub fn new(row: &ServerRow, pictures: &Pictures) -> Self {
        let stats = stats(row);
        let (texts, summary) = if row.is_public {
            let name_key = fold_search(&row.name);
            let texts = [&row.id, &row.slug, &row.name, &row.ip, &row.icon, &row.banner, &row.motd_image, &name_key];
            let summary = summary(row, pictures);
            (PackedTexts::new(texts.map(String::as_str), &summary), summary)
        } else {
            Default::default()
        };
        let (n, is_public, edition) = (row.n, row.is_public, row.edition);
        Self { n, is_public, edition, stats, summary, texts, facet_ids: FacetIds::default() }
    }

    fn text(&self, i: usize) -> &str {
        self.texts.get(i, &self.summary)
    }

    pub fn id(&self) -> &str {
        self.text(ID)
    }

    pub fn slug(&self) -> &str {
        self.text(SLUG)
    }

    pub fn name(&self) -> &str {
        self.text(NAME)
    }

    pub fn ip(&self) -> &str {
        self.text(IP)
    }

    pub fn icon(&self) -> &str {
        self.text(ICON)
    }

    pub fn banner(&self) -> &str {
        self.text(BANNER)
    }

    pub fn motd_image(&self) -> &str {
        self.text(MOTD_IMAGE)
    }

    /// The folded name, for sorting and search.
    pub(super) fn name_key(&self) -> &str {
        self.text(NAME_KEY)
    }

    /// The id for sorting, without a UTF-8 check.
    pub(super) fn id_bytes(&self) -> &[u8] {
        self.texts.bytes(ID, &self.summary)
    }

    /// The folded name for sorting, without a UTF-8 check.
    pub(super) fn name_key_bytes(&self) -> &[u8] {
        self.texts.bytes(NAME_KEY, &self.summary)
    }
}

fn stats(row: &ServerRow) -> ServerStats {
    ServerStats {
        is_online: row.is_online,
        current_players: row.current_players,
        max_players: row.max_players,
        last_ping: row.last_ping,
        created_at: row.created_at,
        uptime: row.uptime,
        trend: row.trend,
        recent_players: row.recent_players,
        total_votes: row.total_votes,
        vote_heat: row.vote_heat,
        vote_heat_at: row.vote_heat_at,
        rating: score::rating(row.rating_sum, row.rating_count),
        rating_sum: row.rating_sum,
        rating_count: row.rating_count,
        update_count: row.update_count,
    }
}

/// The text that a search matches. The name is the first field.
pub(super) fn search_text(row: &ServerRow, name_key: &str) -> String {
    let mut text = name_key.to_owned();
    let motd = motd::plain(&row.motd_raw);
    for field in [&row.short_description, &motd, &row.ip].into_iter().chain(&row.tags) {
        text.push_str(FIELD_END);
        text.push_str(&fold_search(field));
    }
    text
}

fn summary(row: &ServerRow, pictures: &Pictures) -> Bytes {
    let summary = ServerSummary {
        id: row.id.clone(),
        slug: row.slug.clone(),
        name: row.name.clone(),
        short_description: row.short_description.clone(),
        ip: row.ip.clone(),
        port: row.port,
        icon_url: pictures.url(&row.icon),
        banner_url: pictures.url(&row.banner),
        motd_image_url: pictures.url(&row.motd_image),
        motd: motd::plain(&row.motd_raw),
        website: row.website.clone(),
        chat_url: row.chat_url.clone(),
        visibility: PUBLIC.into(),
        is_online: row.is_online,
        current_players: row.current_players,
        max_players: row.max_players,
        version: row.version.clone(),
        latency: row.latency,
        last_ping: row.last_ping.map(Timestamp),
        country: row.country.clone(),
        tags: row.tags.clone(),
        game_mode: row.game_mode.clone(),
        uptime: row.uptime,
        trend: row.trend,
        total_votes: row.total_votes,
        rating: score::rating(row.rating_sum, row.rating_count),
        created_at: Timestamp(row.created_at),
    };
    let json = serde_json::to_vec(&summary).expect("a server summary serialises to JSON");
    // Copied to an exact allocation: there are many summaries.
    Bytes::copy_from_slice(&json)
}
