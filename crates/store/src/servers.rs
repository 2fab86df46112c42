//! Servers, as the catalogue reads them.

use std::collections::{HashMap, HashSet};

use super::changes::{self, in_order, in_spans};
use super::{Conn, Result, Row, Value, samples, totals};
use crate::values;
use rollcall_model::time::DAY;

/// A server's row, with what belongs to it from other tables.
#[derive(Clone, Debug)]
pub struct ServerRow {
    pub n: i64,
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

#[derive(Clone, Debug)]
pub struct OwnerRow {
    pub id: String,
    pub username: String,
    pub avatar: String,
}

/// The only visibility that shows a server anywhere.
pub const PUBLIC: &str = "PUBLIC";
/// Row numbers that are read at once.
const AT_ONCE: i64 = 4096;
/// `recentVotes` looks back this far.
const RECENT_VOTES: i64 = 7 * DAY;

/// The servers changed after `rev`, hidden ones included (the catalogue takes those out).
pub fn changed_since(conn: &mut Conn, rev: i64) -> Result<Vec<ServerRow>> {
    rows(conn, &CHANGED, values![rev], &in_order(rev, "s.n"))
}

/// Hands over all servers, hidden ones included, some at a time: a hundred thousand rows weigh more than what is made of
/// them.
pub fn all(conn: &mut Conn, mut take: impl FnMut(Vec<ServerRow>)) -> Result<()> {
    in_spans(conn, "servers", AT_ONCE, |conn, span| {
        let some = rows(conn, &BETWEEN, span, "s.n")?;
        let is_any = !some.is_empty();
        take(some);
        Ok(is_any)
    })
}

pub fn by_number(conn: &mut Conn, n: i64) -> Result<Option<ServerRow>> {
    Ok(rows(conn, &NUMBERED, values![n], "s.n")?.pop())
}

/// Which servers are asked for, and how their tags are found.
struct Which {
    servers: &'static str,
    tags: &'static str,
}

const CHANGED: Which =
    Which { servers: "s.rev > $1", tags: "join servers s on s.n = t.server_n where s.rev > $1 order by t.position" };
const BETWEEN: Which = Which {
    servers: "s.n > $1 and s.n <= $2",
    tags: "where t.server_n > $1 and t.server_n <= $2 order by t.server_n, t.position",
};
const NUMBERED: Which = Which { servers: "s.n = $1", tags: "where t.server_n = $1 order by t.position" };

/// With their tags.
fn rows(conn: &mut Conn, which: &Which, values: &[Value], order: &str) -> Result<Vec<ServerRow>> {
    let sql = format!(
        "select s.n, s.id, s.slug, s.name, s.short_description, s.ip, s.port, s.icon, s.banner, s.motd_image, s.motd_raw,
                s.website, s.chat_url, s.store_url, s.video_url, s.visibility, s.is_online, s.current_players,
                s.max_players, s.version, s.protocol, s.latency, s.tps, s.last_ping, s.country, s.game_mode,
                a.id, a.username, a.avatar, s.created_at, s.uptime, s.trend, s.recent_players, s.total_votes,
                s.vote_heat, s.vote_heat_at, s.rating_sum, s.rating_count, s.update_count
         from servers s left join accounts a on a.n = s.owner_n
         where {} order by {order}",
        which.servers
    );
    let mut servers = conn.query(&sql, values, read)?;
    let places: HashMap<i64, usize> = servers.iter().enumerate().map(|(i, server)| (server.n, i)).collect();
    let sql = format!("select t.server_n, t.tag from server_tags t {}", which.tags);
    conn.for_each(&sql, values, |row| {
        if let Some(&place) = places.get(&row.get::<i64>(0)) {
            servers[place].tags.push(row.get(1));
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

/// The servers that are shown nowhere, rising. For a scan of many rows: they are few, and their list is made once.
pub fn hidden(conn: &mut Conn) -> Result<Vec<i64>> {
    conn.query("select n from servers where visibility <> 'PUBLIC' order by n", &[], |row| row.get(0))
}

/// Votes of the last seven days of every server that has any.
pub fn recent_votes(conn: &mut Conn, now: i64) -> Result<Vec<(i64, i64)>> {
    conn.query(
        "select server_n, count(*) from votes where voted_at >= $1 group by server_n",
        values![now - RECENT_VOTES],
        |row| (row.get(0), row.get(1)),
    )
}

/// What a round showed of a server. `None` leaves a figure as it is.
#[derive(Clone, Debug, Default)]
pub struct Shown {
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
}

pub fn show(conn: &mut Conn, shown: &[Shown], rev: i64) -> Result<()> {
    let rows: Vec<Vec<Value>> = shown
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
            ]
            .to_vec()
        })
        .collect();
    conn.execute_many(
        "update servers set is_online = v.column2, current_players = v.column3, last_ping = v.column4,
                max_players = coalesce(v.column5, max_players), version = coalesce(v.column6, version),
                protocol = coalesce(v.column7, protocol), latency = coalesce(v.column8, latency),
                motd_raw = coalesce(v.column9, motd_raw), icon = coalesce(v.column10, icon),
                motd_image = coalesce(v.column11, motd_image), country = coalesce(v.column12, country), rev = v.column13
         from (values {rows}) v where servers.n = v.column1",
        &[
            "bigint", "boolean", "bigint", "bigint", "bigint", "text", "bigint", "bigint", "text", "text", "text",
            "text", "bigint",
        ],
        &rows,
    )
}

/// All public servers as one: players, and the mean latency of those online. `None` while none of them was ever asked.
pub fn whole_roll(conn: &mut Conn) -> Result<Option<(i64, i64)>> {
    conn.one(
        "select cast(coalesce(sum(case when is_online then current_players else 0 end), 0) as bigint),
                cast(coalesce(avg(case when is_online then latency end), 0) as bigint), count(last_ping)
         from servers where visibility = 'PUBLIC'",
        &[],
        |row| (row.get::<i64>(2) > 0).then(|| (row.get(0), row.get(1))),
    )
}

/// Paths of all pictures that servers show.
pub fn pictures(conn: &mut Conn) -> Result<HashSet<String>> {
    let mut paths = HashSet::new();
    conn.for_each("select icon, banner, motd_image from servers", &[], |row| {
        paths.extend([row.get::<String>(0), row.get(1), row.get(2)]);
    })?;
    Ok(paths)
}

/// A server as the command line lists it.
#[derive(Clone, Debug)]
pub struct Listed {
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
}

impl Listed {
    /// As it can be typed; an IPv6 address stands in brackets.
    pub fn address(&self) -> String {
        if self.ip.contains(':') {
            format!("[{}]:{}", self.ip, self.port)
        } else {
            format!("{}:{}", self.ip, self.port)
        }
    }
}

/// All servers by their slug, or the one of this slug.
pub fn listed(conn: &mut Conn, slug: Option<&str>) -> Result<Vec<Listed>> {
    conn.query(
        "select n, id, slug, name, ip, port, edition, query_port, is_tracked, visibility, is_online, current_players,
                max_players, version, latency, country, uptime, motd_raw, last_ping
         from servers where slug = $1 or $2 order by slug",
        values![slug.unwrap_or_default(), slug.is_none()],
        |row| Listed {
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
        },
    )
}

/// Forgets a server with everything that belongs to it, in a transaction of the caller's; gives its name.
pub fn remove(conn: &mut Conn, slug: &str) -> Result<Option<String>> {
    // Taken first, as whoever keeps rounds does.
    changes::raise(conn)?;
    let found = conn.first("select n, name from servers where slug = $1", values![slug], |row| {
        (row.get::<i64>(0), row.get::<String>(1))
    })?;
    let Some((n, name)) = found else { return Ok(None) };
    let players = totals::players_of(conn, n)?;
    conn.execute("delete from tracking where server_n = $1", values![n])?;
    samples::forget_all(conn, n)?;
    conn.execute("delete from servers where n = $1", values![n])?;
    let touched = totals::Touched { players: players.into_iter().collect(), ..totals::Touched::default() };
    totals::recompute(conn, &totals::Scope::Touched(touched))?;
    // Nothing is left that could say it is gone.
    changes::raise_epoch(conn)?;
    Ok(Some(name))
}
