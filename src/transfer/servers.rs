use serde::{Deserialize, Serialize};

use super::context::Context;
use super::dialect::read_list;
use super::slugs::Slugged;
use super::staging::{List, Table, Total, Touch, flag, int, real, text};
use super::{Missing, Record, Resource, Staged, Words, Wrong, checks};
use crate::tracker::UNKNOWN;
use rollcall_model::time;
use rollcall_ping::{Edition, Host};
use rollcall_store::values;
use rollcall_store::{Conn, Row, Value};

const HIGHEST_PORT: i64 = 65_535;
const VISIBILITIES: [&str; 2] = ["PUBLIC", "UNLISTED"];

#[derive(Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(super) struct Server {
    id: String,
    slug: Option<String>,
    name: String,
    short_description: Option<String>,
    ip: String,
    port: Option<i64>,
    icon: Option<String>,
    banner: Option<String>,
    motd_image: Option<String>,
    motd_raw: Option<String>,
    website: Option<String>,
    chat_url: Option<String>,
    store_url: Option<String>,
    video_url: Option<String>,
    visibility: Option<String>,
    is_online: Option<bool>,
    current_players: Option<i64>,
    max_players: Option<i64>,
    version: Option<String>,
    protocol: Option<i64>,
    latency: Option<i64>,
    tps: Option<f64>,
    last_ping: Option<String>,
    country: Option<String>,
    game_mode: Option<String>,
    owner_id: Option<String>,
    created_at: Option<String>,
    edition: Option<String>,
    query_port: Option<i64>,
    is_tracked: Option<bool>,
    tags: Option<Vec<String>>,
}

static TABLE: Table = Table {
    name: "servers",
    key: "id",
    columns: &[
        text("id"),
        text("slug"),
        text("name"),
        text("short_description"),
        text("ip"),
        int("port"),
        text("icon"),
        text("banner"),
        text("motd_image"),
        text("motd_raw"),
        text("website"),
        text("chat_url"),
        text("store_url"),
        text("video_url"),
        text("visibility"),
        flag("is_online"),
        int("current_players"),
        int("max_players"),
        text("version"),
        int("protocol"),
        int("latency"),
        real("tps"),
        int("last_ping"),
        text("country"),
        text("game_mode"),
        int("owner_n"),
        int("created_at").kept_or_now(),
        text("edition"),
        int("query_port"),
        flag("is_tracked"),
    ],
    computed: &[
        "uptime",
        "trend",
        "recent_players",
        "total_votes",
        "vote_heat",
        "vote_heat_at",
        "rating_sum",
        "rating_count",
        "update_count",
        "rev",
    ],
    lists: &[List { table: "server_tags", parent: "server_n", columns: &[int("position"), text("tag")] }],
    touches: &[Touch::Itself(Total::Servers)],
};

impl Record for Server {
    fn table(_: Resource) -> &'static Table {
        &TABLE
    }

    fn key(&self) -> String {
        format!("id {:?}", self.id)
    }

    fn select(_: Resource, words: &Words) -> Vec<String> {
        vec![format!(
            "select s.id, s.slug, s.name, s.short_description, s.ip, s.port, s.icon, s.banner, s.motd_image, s.motd_raw,
                    s.website, s.chat_url, s.store_url, s.video_url, s.visibility, s.is_online, s.current_players,
                    s.max_players, s.version, s.protocol, s.latency, s.tps, s.last_ping, s.country, s.game_mode, a.id,
                    s.created_at, s.edition, s.query_port, s.is_tracked, {}
             from servers s left join accounts a on a.n = s.owner_n order by s.id{}",
            words.list("t.tag", "server_tags t where t.server_n = s.n", "t.position"),
            words.bytes
        )]
    }

    fn read(row: &Row) -> Self {
        Self {
            id: row.get(0),
            slug: row.get(1),
            name: row.get(2),
            short_description: row.get(3),
            ip: row.get(4),
            port: row.get(5),
            icon: row.get(6),
            banner: row.get(7),
            motd_image: row.get(8),
            motd_raw: row.get(9),
            website: row.get(10),
            chat_url: row.get(11),
            store_url: row.get(12),
            video_url: row.get(13),
            visibility: row.get(14),
            is_online: row.get(15),
            current_players: row.get(16),
            max_players: row.get(17),
            version: row.get(18),
            protocol: row.get(19),
            latency: row.get(20),
            tps: row.get(21),
            last_ping: row.get::<Option<i64>>(22).map(time::iso),
            country: row.get(23),
            game_mode: row.get(24),
            owner_id: row.get(25),
            created_at: Some(time::iso(row.get(26))),
            edition: row.get(27),
            query_port: row.get(28),
            is_tracked: row.get(29),
            tags: Some(read_list(&row.get::<String>(30))),
        }
    }

    fn pictures(&self) -> Vec<&str> {
        [&self.icon, &self.banner, &self.motd_image].into_iter().filter_map(Option::as_deref).collect()
    }

    fn check(self, context: &mut Context) -> Result<Staged, Wrong> {
        checks::id(&self.id)?;
        let name = checks::filled("name", &self.name)?;
        if self.ip.parse::<Host>().is_err() {
            return Err(format!("ip must be a host name or an address, not {:?}", self.ip).into());
        }
        let edition = self.edition.as_deref().unwrap_or(Edition::default().name());
        checks::one_of("edition", edition, &Edition::ALL.map(Edition::name))?;
        let default_port = i64::from(Edition::parse(edition).unwrap_or_default().default_port());
        let visibility = self.visibility.as_deref().unwrap_or(VISIBILITIES[0]);
        checks::one_of("visibility", visibility, &VISIBILITIES)?;
        for (field, url) in [
            ("website", &self.website),
            ("chatUrl", &self.chat_url),
            ("storeUrl", &self.store_url),
            ("videoUrl", &self.video_url),
        ] {
            checks::link(field, url.as_ref())?;
        }
        let slug = Slugged::Server.claim(context, &self.id, self.slug, name)?;
        let motd_raw = self.motd_raw.as_deref().unwrap_or(name);
        let tags = self.tags.unwrap_or_default();
        let tags =
            checks::distinct("tags", &tags)?.iter().zip(0_i64..).map(|(tag, i)| values![i, tag].to_vec()).collect();
        let country = self.country.as_deref().unwrap_or(UNKNOWN);
        let values = values![
            &self.id,
            slug,
            name,
            self.short_description.unwrap_or_default(),
            &self.ip,
            checks::within("port", self.port.unwrap_or(default_port), 1, HIGHEST_PORT)?,
            context.picture("icon", self.icon, Missing::Icon { id: &self.id, name })?,
            context.picture("banner", self.banner, Missing::Banner { id: &self.id, name })?,
            context.picture("motdImage", self.motd_image, Missing::MotdImage { motd_raw })?,
            motd_raw,
            self.website,
            self.chat_url,
            self.store_url,
            self.video_url,
            visibility,
            self.is_online.unwrap_or(false),
            checks::count("currentPlayers", self.current_players.unwrap_or(0))?,
            checks::count("maxPlayers", self.max_players.unwrap_or(0))?,
            self.version.as_deref().unwrap_or(UNKNOWN),
            Value::Int(self.protocol.unwrap_or(0)),
            checks::count("latency", self.latency.unwrap_or(0))?,
            checks::measure("tps", self.tps)?,
            checks::time_or_none("lastPing", self.last_ping.as_ref())?,
            checks::country(checks::filled("country", country)?),
            self.game_mode,
            context.account_or_none("ownerId", self.owner_id.as_ref())?,
            checks::time_or_none("createdAt", self.created_at.as_ref())?,
            edition,
            self.query_port.map(|port| checks::within("queryPort", port, 1, HIGHEST_PORT)).transpose()?,
            self.is_tracked.unwrap_or(true),
        ]
        .to_vec();
        Ok(Staged { values, lists: vec![tags] })
    }
}

/// A server's line as an export writes it, by its slug.
pub fn line(conn: &mut Conn, slug: &str) -> rollcall_store::Result<Option<serde_json::Map<String, serde_json::Value>>> {
    let words = Words::of(conn);
    let mut found = None;
    for sql in Server::select(Resource::Servers, &words) {
        found = conn.first(&format!("select * from ({sql}) x where x.slug = $1"), values![slug], Server::read)?;
    }
    let line = found.and_then(|server| serde_json::to_value(server).ok());
    Ok(line.and_then(|line| line.as_object().cloned()))
}
