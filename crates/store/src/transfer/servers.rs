//! Servers in an import or export.

use std::collections::HashMap;

use super::dialect::{Dialect, parse_list};
use super::table::{AffectedTotals, ListTable, StagedRow, StagedTable, TotalsOf, flag, int, real, text};
use super::{for_each_pair, numbered_texts, row};
use crate::{Conn, Result, Row, values};

pub struct TransferServer<Ref> {
    pub id: String,
    pub slug: String,
    pub name: String,
    pub short_description: String,
    pub ip: String,
    pub port: i64,
    pub icon: String,
    pub banner: String,
    pub motd_image: String,
    pub motd_raw: String,
    pub website: Option<String>,
    pub chat_url: Option<String>,
    pub store_url: Option<String>,
    pub video_url: Option<String>,
    pub visibility: String,
    pub is_online: bool,
    pub current_players: i64,
    pub max_players: i64,
    pub version: String,
    pub protocol: i64,
    pub latency: i64,
    pub tps: Option<f64>,
    pub last_ping: Option<i64>,
    pub country: String,
    pub game_mode: Option<String>,
    pub owner: Option<Ref>,
    /// `None` in an import: the existing value, or the time of the import.
    pub created_at: Option<i64>,
    pub edition: String,
    pub query_port: Option<i64>,
    pub is_tracked: bool,
    /// `None`: the tracker decides.
    pub operator_trust: Option<String>,
    pub tags: Vec<String>,
}

pub static TABLE: StagedTable = StagedTable {
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
        int("created_at").existing_or_now(),
        text("edition"),
        int("query_port"),
        flag("is_tracked"),
        text("operator_trust"),
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
    lists: &[ListTable { table: "server_tags", parent: "server_n", columns: &[int("position"), text("tag")] }],
    affects: &[AffectedTotals::OfRow(TotalsOf::Servers)],
};

impl From<TransferServer<i64>> for StagedRow {
    fn from(server: TransferServer<i64>) -> Self {
        Self {
            lists: vec![numbered_texts(server.tags)],
            values: row![
                server.id,
                server.slug,
                server.name,
                server.short_description,
                server.ip,
                server.port,
                server.icon,
                server.banner,
                server.motd_image,
                server.motd_raw,
                server.website,
                server.chat_url,
                server.store_url,
                server.video_url,
                server.visibility,
                server.is_online,
                server.current_players,
                server.max_players,
                server.version,
                server.protocol,
                server.latency,
                server.tps,
                server.last_ping,
                server.country,
                server.game_mode,
                server.owner,
                server.created_at,
                server.edition,
                server.query_port,
                server.is_tracked,
                server.operator_trust,
            ],
        }
    }
}

pub fn for_each(conn: &mut Conn, mut read: impl FnMut(TransferServer<String>)) -> Result<()> {
    let dialect = Dialect::of(conn);
    let sql = format!("{} order by s.id{}", select(&dialect), dialect.byte_collation);
    conn.for_each(&sql, &[], |row| read(from_row(row)))
}

pub fn by_slug(conn: &mut Conn, slug: &str) -> Result<Option<TransferServer<String>>> {
    let sql = format!("{} where s.slug = $1", select(&Dialect::of(conn)));
    conn.query_optional(&sql, values![slug], from_row)
}

fn select(dialect: &Dialect) -> String {
    format!(
        "select s.id, s.slug, s.name, s.short_description, s.ip, s.port, s.icon, s.banner, s.motd_image, s.motd_raw,
                s.website, s.chat_url, s.store_url, s.video_url, s.visibility, s.is_online, s.current_players,
                s.max_players, s.version, s.protocol, s.latency, s.tps, s.last_ping, s.country, s.game_mode, a.id,
                s.created_at, s.edition, s.query_port, s.is_tracked, s.operator_trust, {}
         from servers s left join accounts a on a.n = s.owner_n",
        dialect.json_array("t.tag", "server_tags t where t.server_n = s.n", "t.position")
    )
}

fn from_row(row: &Row) -> TransferServer<String> {
    TransferServer {
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
        last_ping: row.get(22),
        country: row.get(23),
        game_mode: row.get(24),
        owner: row.get(25),
        created_at: Some(row.get(26)),
        edition: row.get(27),
        query_port: row.get(28),
        is_tracked: row.get(29),
        operator_trust: row.get(30),
        tags: parse_list(&row.get::<String>(31)),
    }
}

pub fn row_numbers(conn: &mut Conn) -> Result<HashMap<String, i64>> {
    super::row_numbers(conn, "servers")
}

/// The id and slug of each server.
pub fn for_each_slug(conn: &mut Conn, read: &mut dyn FnMut(&str, &str)) -> Result<()> {
    for_each_pair(conn, "select id, slug from servers", read)
}
