//! One server as the catalogue holds it: the ready-made list item, the figures it is sorted by, and what other answers
//! say of it. Everything else is asked of the store.

use bytes::Bytes;

use super::packed::Packed;
use rollcall_model::motd;
use rollcall_model::resources::{Pictures, ServerSummary, Timestamp};
use rollcall_model::score;
use rollcall_search::FIELD_END;
use rollcall_search::fold_search;
use rollcall_store::servers::{PUBLIC, ServerRow};

pub struct Entry {
    pub n: i64,
    pub is_public: bool,
    pub figures: Figures,
    /// The list item, serialised once per change.
    pub summary: Bytes,
    texts: Packed<TEXTS>,
    /// Numbers of words, known once the entry is in its place.
    pub(super) words: Carried,
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Figures {
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

#[derive(Default)]
pub(super) struct Carried {
    pub country: Option<u32>,
    pub version: Option<u32>,
    pub mode: Option<u32>,
    pub tags: Box<[u32]>,
}

const TEXTS: usize = 8;
const ID: usize = 0;
const NAME_KEY: usize = 7;

impl Entry {
    /// Of a hidden server, only that it is one.
    pub fn new(row: &ServerRow, pictures: &Pictures) -> Self {
        let figures = figures(row);
        let (texts, summary) = if row.is_public {
            let name_key = fold_search(&row.name);
            let texts = [&row.id, &row.slug, &row.name, &row.ip, &row.icon, &row.banner, &row.motd_image, &name_key];
            let summary = summary(row, pictures);
            (Packed::new(texts.map(String::as_str), &summary), summary)
        } else {
            Default::default()
        };
        Self { n: row.n, is_public: row.is_public, figures, summary, texts, words: Carried::default() }
    }

    fn text(&self, i: usize) -> &str {
        self.texts.get(i, &self.summary)
    }

    pub fn id(&self) -> &str {
        self.text(ID)
    }

    pub fn slug(&self) -> &str {
        self.text(1)
    }

    pub fn name(&self) -> &str {
        self.text(2)
    }

    pub fn ip(&self) -> &str {
        self.text(3)
    }

    pub fn icon(&self) -> &str {
        self.text(4)
    }

    pub fn banner(&self) -> &str {
        self.text(5)
    }

    pub fn motd_image(&self) -> &str {
        self.text(6)
    }

    /// The name as it is sorted and searched by.
    pub fn name_key(&self) -> &str {
        self.text(NAME_KEY)
    }

    /// What sorts as the id does, and what as the name does.
    pub(super) fn id_bytes(&self) -> &[u8] {
        self.texts.bytes(ID, &self.summary)
    }

    pub(super) fn name_bytes(&self) -> &[u8] {
        self.texts.bytes(NAME_KEY, &self.summary)
    }
}

fn figures(row: &ServerRow) -> Figures {
    Figures {
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

/// What a search finds a server by: its name first.
pub(super) fn searchable(row: &ServerRow, name_key: &str) -> String {
    let mut text = name_key.to_owned();
    let motd = motd::plain(&row.motd_raw);
    for part in [&row.short_description, &motd, &row.ip].into_iter().chain(&row.tags) {
        text.push_str(FIELD_END);
        text.push_str(&fold_search(part));
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
    let json = serde_json::to_vec(&summary).expect("a summary always serialises");
    // A copy is as long as it is; what has grown stays in more room than it needs, and there are many of them.
    Bytes::copy_from_slice(&json)
}
