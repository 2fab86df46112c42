//! Servers: rows for the catalogue, status updates of the tracker, and the command line.

use std::collections::{BTreeSet, HashMap};

use super::revision::scan_ranges;
use super::{Conn, Result, Row, Value};
use crate::values;
use rollcall_minecraft::Edition;
use rollcall_model::time::DAY;
use rollcall_model::trust::SourceTrust;

/// A server with its owner and tags.
#[derive(Clone, Debug, Default)]
pub struct ServerRow {
    pub n: i64,
    pub id: String,
    pub slug: String,
    pub name: String,
    pub short_description: String,
    pub ip: String,
    pub port: i64,
    pub edition: Edition,
    pub icon: String,
    pub banner: String,
    pub motd_image: String,
    pub motd_raw: String,
    pub website: Option<String>,
    pub chat_url: Option<String>,
    pub store_url: Option<String>,
    pub video_url: Option<String>,
    pub is_public: bool,
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
    pub owner: Option<OwnerRow>,
    pub created_at: i64,
    pub uptime: f64,
    pub trend: f64,
    pub recent_players: f64,
    pub total_votes: i64,
    pub vote_heat: f64,
    pub vote_heat_at: i64,
    pub rating_sum: i64,
    pub rating_count: i64,
    pub update_count: i64,
    pub tags: Vec<String>,
}

impl ServerRow {
    /// What is left of a deleted server.
    pub fn deleted(n: i64) -> Self {
        Self { n, ..Self::default() }
    }
}

#[derive(Clone, Debug)]
pub struct OwnerRow {
    pub id: String,
    pub username: String,
    pub avatar: String,
}

/// The visibility of servers that are shown; all others are hidden everywhere.
pub const PUBLIC: &str = "PUBLIC";
/// Row numbers per query of a full scan.
const SCAN_WIDTH: i64 = 4096;
/// Servers with adjacent numbers that share a row of `server_groups`.
pub(crate) const GROUP_SIZE: i64 = 64;
/// The period of `recentVotes`.
const RECENT_VOTES: i64 = 7 * DAY;

/// Streams all servers, hidden ones included, in batches: 100,000 rows need more memory than the catalogue built from them.
pub fn all(conn: &mut Conn, mut each_batch: impl FnMut(Vec<ServerRow>)) -> Result<()> {
    scan_ranges(conn, "servers", SCAN_WIDTH, |conn, span| {
        let batch = rows(conn, &BETWEEN, span, "s.n")?;
        let has_rows = !batch.is_empty();
        each_batch(batch);
        Ok(has_rows)
    })
}

pub fn by_number(conn: &mut Conn, n: i64) -> Result<Option<ServerRow>> {
    Ok(rows(conn, &NUMBERED, values![n], "s.n")?.pop())
}

/// The server with this slug, if it is unlisted: only its own page shows it.
pub fn unlisted(conn: &mut Conn, slug: &str) -> Result<Option<ServerRow>> {
    Ok(rows(conn, &UNLISTED, values![slug], "s.n")?.pop())
}

/// The SQL conditions that select servers and their tags.
pub(crate) struct ServerSelection<'a> {
    pub servers: &'a str,
    pub tags: &'a str,
}

const BETWEEN: ServerSelection<'static> = ServerSelection {
    servers: "s.n > $1 and s.n <= $2",
    tags: "where t.server_n > $1 and t.server_n <= $2 order by t.server_n, t.position",
};
const UNLISTED: ServerSelection<'static> = ServerSelection {
    servers: "s.slug = $1 and s.visibility = 'UNLISTED'",
    tags: "join servers s on s.n = t.server_n where s.slug = $1 order by t.position",
};
const NUMBERED: ServerSelection<'static> =
    ServerSelection { servers: "s.n = $1", tags: "where t.server_n = $1 order by t.position" };

/// Reads servers with their tags.
pub(crate) fn rows(
    conn: &mut Conn,
    selection: &ServerSelection,
    values: &[Value],
    order: &str,
) -> Result<Vec<ServerRow>> {
    let sql = format!(
        "select s.n, s.id, s.slug, s.name, s.short_description, s.ip, s.port, s.icon, s.banner, s.motd_image, s.motd_raw,
                s.website, s.chat_url, s.store_url, s.video_url, s.visibility, s.is_online, s.current_players,
                s.max_players, s.version, s.protocol, s.latency, s.tps, s.last_ping, s.country, s.game_mode,
                a.id, a.username, a.avatar, s.created_at, s.uptime, s.trend, s.recent_players, s.total_votes,
                s.vote_heat, s.vote_heat_at, s.rating_sum, s.rating_count, s.update_count, s.edition
         from servers s left join accounts a on a.n = s.owner_n
         where {} order by {order}",
        selection.servers
    );
    let mut servers = conn.query(&sql, values, read)?;
    let positions: HashMap<i64, usize> = servers.iter().enumerate().map(|(i, server)| (server.n, i)).collect();
    let sql = format!("select t.server_n, t.tag from server_tags t {}", selection.tags);
    conn.for_each(&sql, values, |row| {
        if let Some(&position) = positions.get(&row.get::<i64>(0)) {
            servers[position].tags.push(row.get(1));
        }
    })?;
    Ok(servers)
}

fn read(row: &Row) -> ServerRow {
    let owner_id: Option<String> = row.get(26);
    ServerRow {
        n: row.get(0),
        id: row.get(1),
        slug: row.get(2),
        name: row.get(3),
        short_description: row.get(4),
        ip: row.get(5),
        port: row.get(6),
        edition: Edition::parse(&row.get::<String>(39)).unwrap_or_default(),
        icon: row.get(7),
        banner: row.get(8),
        motd_image: row.get(9),
        motd_raw: row.get(10),
        website: row.get(11),
        chat_url: row.get(12),
        store_url: row.get(13),
        video_url: row.get(14),
        is_public: row.get::<String>(15) == PUBLIC,
        is_online: row.get(16),
        current_players: row.get(17),
        max_players: row.get(18),
        version: row.get(19),
        protocol: row.get(20),
        latency: row.get(21),
        tps: row.get(22),
        last_ping: row.get(23),
        country: row.get(24),
        game_mode: row.get(25),
        owner: owner_id.map(|id| OwnerRow { id, username: row.get(27), avatar: row.get(28) }),
        created_at: row.get(29),
        uptime: row.get(30),
        trend: row.get(31),
        recent_players: row.get(32),
        total_votes: row.get(33),
        vote_heat: row.get(34),
        vote_heat_at: row.get(35),
        rating_sum: row.get(36),
        rating_count: row.get(37),
        update_count: row.get(38),
        tags: Vec::new(),
    }
}

/// The numbers of all hidden servers, ascending. They are few, so a scan of many rows loads them once instead of joining.
pub fn hidden(conn: &mut Conn) -> Result<Vec<i64>> {
    conn.query("select n from servers where visibility <> 'PUBLIC' order by n", &[], |row| row.get(0))
}

/// `(server_n, votes)` of the last seven days, for servers that have any.
pub fn recent_votes(conn: &mut Conn, now: i64) -> Result<Vec<(i64, i64)>> {
    conn.query(
        "select server_n, count(*) from votes where voted_at >= $1 group by server_n",
        values![now - RECENT_VOTES],
        |row| (row.get(0), row.get(1)),
    )
}

/// Changes of a poll to a server. `None` leaves a column as it is.
#[derive(Clone, Debug, Default)]
pub struct ServerStatusUpdate {
    pub n: i64,
    pub is_online: bool,
    pub players: i64,
    pub last_ping: i64,
    pub max_players: Option<i64>,
    pub version: Option<String>,
    pub protocol: Option<i64>,
    pub latency: Option<i64>,
    pub motd_raw: Option<String>,
    pub icon: Option<String>,
    pub motd_image: Option<String>,
    pub country: Option<String>,
    /// Whether the stored ticks per second still count.
    pub keeps_tps: bool,
}

/// Writes the results of polls. `rev` is the revision of the transaction.
pub fn update_status(conn: &mut Conn, updates: &[ServerStatusUpdate], rev: i64) -> Result<()> {
    let rows: Vec<Vec<Value>> = updates
        .iter()
        .map(|s| {
            values![
                s.n,
                s.is_online,
                s.players,
                s.last_ping,
                s.max_players,
                s.version.as_ref(),
                s.protocol,
                s.latency,
                s.motd_raw.as_ref(),
                s.icon.as_ref(),
                s.motd_image.as_ref(),
                s.country.as_ref(),
                rev,
                s.is_online && s.keeps_tps,
            ]
            .to_vec()
        })
        .collect();
    conn.execute_many(
        "update servers set is_online = v.column2, current_players = v.column3, last_ping = v.column4,
                max_players = coalesce(v.column5, max_players), version = coalesce(v.column6, version),
                protocol = coalesce(v.column7, protocol), latency = coalesce(v.column8, latency),
                motd_raw = coalesce(v.column9, motd_raw), icon = coalesce(v.column10, icon),
                motd_image = coalesce(v.column11, motd_image), country = coalesce(v.column12, country), status_rev = v.column13,
                tps = case when v.column14 then tps end
         from (values {rows}) v where servers.n = v.column1",
        &[
            "bigint", "boolean", "bigint", "bigint", "bigint", "text", "bigint", "bigint", "text", "text", "text",
            "text", "bigint", "boolean",
        ],
        &rows,
    )?;
    stamp_groups(conn, updates.iter().map(|update| update.n), rev)
}

/// Marks the groups of servers whose `status_rev` changed, so that `changed_servers.rs` finds them.
pub(crate) fn stamp_groups(conn: &mut Conn, servers: impl Iterator<Item = i64>, rev: i64) -> Result<()> {
    let groups: BTreeSet<i64> = servers.map(|n| n / GROUP_SIZE).collect();
    let rows: Vec<Vec<Value>> = groups.into_iter().map(|group| values![group, rev].to_vec()).collect();
    conn.execute_many(
        "insert into server_groups (group_n, status_rev) values {rows}
         on conflict (group_n) do update set status_rev = excluded.status_rev",
        &["bigint"; 2],
        &rows,
    )
}

/// The players on all public servers and the mean latency of those online; `None` before the first ping.
pub fn network_totals(conn: &mut Conn) -> Result<Option<(i64, i64)>> {
    conn.query_one(
        "select cast(coalesce(sum(case when is_online then current_players else 0 end), 0) as bigint),
                cast(coalesce(avg(case when is_online then latency end), 0) as bigint), count(last_ping)
         from servers where visibility = 'PUBLIC'",
        &[],
        |row| (row.get::<i64>(2) > 0).then(|| (row.get(0), row.get(1))),
    )
}

/// A server as the command line lists it.
#[derive(Clone, Debug)]
pub struct ServerListing {
    pub n: i64,
    pub id: String,
    pub slug: String,
    pub name: String,
    pub ip: String,
    pub port: i64,
    pub edition: String,
    pub query_port: Option<i64>,
    pub is_tracked: bool,
    pub visibility: String,
    pub is_online: bool,
    pub players: i64,
    pub max_players: i64,
    pub version: String,
    pub latency: i64,
    pub country: String,
    pub uptime: f64,
    pub motd_raw: String,
    pub last_ping: Option<i64>,
    /// The trust level that an operator set.
    pub operator_trust: Option<SourceTrust>,
    /// When the last evidence against the server was found, and what it is.
    pub suspected_at: Option<i64>,
    pub suspicion: String,
}

impl ServerListing {
    /// How far the server was trusted about its players at the last ping.
    pub fn trust(&self) -> SourceTrust {
        SourceTrust::effective(self.operator_trust, self.suspected_at, self.last_ping.unwrap_or_default())
    }

    /// `host:port`; an IPv6 address is in brackets.
    pub fn address(&self) -> String {
        address(&self.ip, self.port)
    }
}

/// `host:port`; an IPv6 address is in brackets.
pub fn address(host: &str, port: i64) -> String {
    if host.contains(':') { format!("[{host}]:{port}") } else { format!("{host}:{port}") }
}

/// All servers ordered by slug, or the one with this slug.
pub fn list(conn: &mut Conn, slug: Option<&str>) -> Result<Vec<ServerListing>> {
    listings(conn, "s.slug = $1 or $2 order by s.slug", values![slug.unwrap_or_default(), slug.is_none()])
}

pub fn listing_by_number(conn: &mut Conn, n: i64) -> Result<Option<ServerListing>> {
    Ok(listings(conn, "s.n = $1", values![n])?.pop())
}

pub fn listing_by_id(conn: &mut Conn, id: &str) -> Result<Option<ServerListing>> {
    Ok(listings(conn, "s.id = $1", values![id])?.pop())
}

/// Servers after the slug `after`, in the order of slugs. `find` is empty or a part of the name, the slug or the address.
pub fn search(conn: &mut Conn, find: &str, after: &str, limit: i64) -> Result<Vec<ServerListing>> {
    let bytes = super::byte_collation(conn);
    let escaped = find.to_lowercase().replace('\\', "\\\\").replace('%', "\\%").replace('_', "\\_");
    let only = format!(
        "s.slug{bytes} > $1 and (cast($2 as text) = '' or s.slug like $3 escape '\\' or lower(s.name) like $3 escape '\\'
            or lower(s.ip) like $3 escape '\\') order by s.slug{bytes} limit $4"
    );
    listings(conn, &only, values![after, find, format!("%{escaped}%"), limit])
}

fn listings(conn: &mut Conn, only: &str, values: &[Value]) -> Result<Vec<ServerListing>> {
    conn.query(
        &format!(
            "select s.n, s.id, s.slug, s.name, s.ip, s.port, s.edition, s.query_port, s.is_tracked, s.visibility, s.is_online,
                s.current_players, s.max_players, s.version, s.latency, s.country, s.uptime, s.motd_raw, s.last_ping,
                s.operator_trust, t.suspected_at, coalesce(t.suspicion, '')
         from servers s left join tracking t on t.server_n = s.n where {only}"
        ),
        values,
        |row| ServerListing {
            n: row.get(0),
            id: row.get(1),
            slug: row.get(2),
            name: row.get(3),
            ip: row.get(4),
            port: row.get(5),
            edition: row.get(6),
            query_port: row.get(7),
            is_tracked: row.get(8),
            visibility: row.get(9),
            is_online: row.get(10),
            players: row.get(11),
            max_players: row.get(12),
            version: row.get(13),
            latency: row.get(14),
            country: row.get(15),
            uptime: row.get(16),
            motd_raw: row.get(17),
            last_ping: row.get(18),
            operator_trust: row.get::<Option<String>>(19).as_deref().and_then(SourceTrust::parse),
            suspected_at: row.get(20),
            suspicion: row.get(21),
        },
    )
}
