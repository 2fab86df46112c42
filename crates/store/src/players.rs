//! Players: the columns of the in-memory directory, and full rows by key.

use std::cmp::Reverse;
use std::collections::{HashMap, HashSet};

use super::revision::{order_by, scan_ranges};
use super::running_sessions::{self, JOIN, PlayTime, WAITING};
use super::{Conn, Result, Row, Value, pad_values, placeholders, range_or_list};
use crate::values;
use rollcall_model::score::RankInput;

/// The columns that the in-memory directory holds of each player.
pub struct DirectoryRow {
    pub n: i64,
    pub nickname: String,
    pub created_at: i64,
    pub play_time: i64,
    pub sessions: i64,
    pub servers: i64,
    pub kills: i64,
    pub wins: i64,
    pub tier_overall: String,
    pub tier_points: i64,
    pub tier_rank: Option<i64>,
    pub achievements: i64,
}

/// Wearers that are compared at least.
const MIN_WEARERS: i64 = 128;
/// Row numbers per query of a full scan.
const SCAN_WIDTH: i64 = 16 * 1024;

impl DirectoryRow {
    /// The input of the all-time rank score.
    pub fn rank_input(&self) -> RankInput {
        RankInput {
            play_time_s: self.play_time,
            sessions: self.sessions,
            servers: self.servers,
            kills: self.kills,
            wins: self.wins,
            tier_points: self.tier_points,
        }
    }
}

/// Streams the players changed after `rev`, and those whose sessions run: their play time grows without a revision.
pub fn changed_since(conn: &mut Conn, rev: i64, with_running: bool, mut each: impl FnMut(DirectoryRow)) -> Result<()> {
    directory(conn, "p.rev > $1", values![rev], &order_by(rev, "p.n"), &mut each)?;
    if with_running {
        directory(conn, "p.n in (select player_n from running_sessions)", &[], "p.n", each)?;
    }
    Ok(())
}

/// Streams all players.
pub fn all(conn: &mut Conn, mut each: impl FnMut(DirectoryRow)) -> Result<()> {
    scan_ranges(conn, "players", SCAN_WIDTH, |conn, span| {
        let mut has_rows = false;
        directory(conn, "p.n > $1 and p.n <= $2", span, "p.n", |row| {
            has_rows = true;
            each(row);
        })?;
        Ok(has_rows)
    })
}

fn directory(
    conn: &mut Conn,
    condition: &str,
    values: &[Value],
    order: &str,
    mut each: impl FnMut(DirectoryRow),
) -> Result<()> {
    let sql = format!(
        "select p.n, p.nickname, p.created_at, p.total_play_time, p.session_count, p.servers_count, p.total_kills,
                p.total_wins, p.tier_overall, p.tier_points, p.tier_rank, p.achievements, {WAITING}
         from players p {JOIN} where {condition} order by {order}"
    );
    conn.for_each(&sql, values, |row| {
        let play_time = PlayTime { written: row.get(3), waiting: row.get(12) };
        each(DirectoryRow {
            n: row.get(0),
            nickname: row.get(1),
            created_at: row.get(2),
            play_time: play_time.total(),
            sessions: row.get(4),
            servers: row.get(5),
            kills: row.get(6),
            wins: row.get(7),
            tier_overall: row.get(8),
            tier_points: row.get(9),
            tier_rank: row.get(10),
            achievements: row.get::<i64>(11) | play_time.earned(),
        });
    })
}

/// The inputs of the all-time rank score of these players, in ascending order; default values for a missing one.
pub fn rank_inputs(conn: &mut Conn, numbers: &[i64]) -> Result<Vec<RankInput>> {
    let (of_players, values) = range_or_list("p.n", numbers);
    let mut inputs = vec![RankInput::default(); numbers.len()];
    directory(conn, &of_players, &values, "p.n", |row| {
        if let Ok(i) = numbers.binary_search(&row.n) {
            inputs[i] = row.rank_input();
        }
    })?;
    Ok(inputs)
}

/// The numbers of the players changed after `rev`, and of those whose sessions run.
pub fn changed_numbers(conn: &mut Conn, rev: i64) -> Result<Vec<i64>> {
    let mut changed = conn.query("select n from players where rev > $1", values![rev], |row| row.get(0))?;
    changed.extend(running_sessions::players(conn)?);
    Ok(changed)
}

/// A player with their linked skin.
#[derive(Clone, Debug)]
pub struct PlayerRow {
    pub n: i64,
    pub id: String,
    pub game_uuid: String,
    pub nickname: String,
    pub country: Option<String>,
    pub skin: String,
    pub skin_model: String,
    pub tier_overall: String,
    pub tier_points: i64,
    pub tier_rank: Option<i64>,
    pub last_tier_sync_at: Option<i64>,
    pub created_at: i64,
    pub updated_at: i64,
    pub total_play_time: i64,
    pub session_count: i64,
    pub servers_count: i64,
    pub total_kills: i64,
    pub total_deaths: i64,
    pub total_wins: i64,
    pub vote_count: i64,
    pub review_count: i64,
    pub achievements: i64,
    pub linked_skin_id: String,
    pub linked_skin_slug: String,
    pub linked_skin_png: String,
    pub linked_skin_model: String,
    pub linked_skin_name: String,
}

const COLUMNS: &str =
    "p.n, p.id, p.game_uuid, p.nickname, case when p.hides_country then null else p.country end, p.skin, p.skin_model, p.tier_overall, p.tier_points,
    p.tier_rank, p.last_tier_sync_at, p.created_at, p.updated_at, p.total_play_time, p.session_count, p.servers_count,
    p.total_kills, p.total_deaths, p.total_wins, p.vote_count, p.review_count, p.achievements,
    t.id, t.slug, t.png, t.model, t.name, o.sample_at";

/// The columns and tables of [`read`].
fn select() -> String {
    format!("{COLUMNS}, {WAITING} from players p join textures t on t.n = p.linked_skin_n {JOIN}")
}

fn read(row: &Row) -> PlayerRow {
    let play_time = PlayTime { written: row.get(13), waiting: row.get(28) };
    PlayerRow {
        n: row.get(0),
        id: row.get(1),
        game_uuid: row.get(2),
        nickname: row.get(3),
        country: row.get(4),
        skin: row.get(5),
        skin_model: row.get(6),
        tier_overall: row.get(7),
        tier_points: row.get(8),
        tier_rank: row.get(9),
        last_tier_sync_at: row.get(10),
        created_at: row.get(11),
        updated_at: row.get::<i64>(12).max(row.get::<Option<i64>>(27).unwrap_or(0)),
        total_play_time: play_time.total(),
        session_count: row.get(14),
        servers_count: row.get(15),
        total_kills: row.get(16),
        total_deaths: row.get(17),
        total_wins: row.get(18),
        vote_count: row.get(19),
        review_count: row.get(20),
        achievements: row.get::<i64>(21) | play_time.earned(),
        linked_skin_id: row.get(22),
        linked_skin_slug: row.get(23),
        linked_skin_png: row.get(24),
        linked_skin_model: row.get::<Option<String>>(25).unwrap_or_default(),
        linked_skin_name: row.get(26),
    }
}

/// The players with these row numbers, in this order.
pub fn by_numbers(conn: &mut Conn, numbers: &[i64]) -> Result<Vec<PlayerRow>> {
    query_in_order(conn, &select(), numbers, |player: &PlayerRow| player.n, read)
}

/// The players with one of these ids, or one of these UUIDs in canonical form, in no order.
pub fn by_ids_or_uuids(conn: &mut Conn, ids: &[String], uuids: &[String]) -> Result<Vec<PlayerRow>> {
    let mut found = query_by_texts(conn, "p.id", ids)?;
    found.extend(query_by_texts(conn, "p.game_uuid", uuids)?);
    Ok(found)
}

fn query_by_texts(conn: &mut Conn, column: &str, texts: &[String]) -> Result<Vec<PlayerRow>> {
    let Some(last) = texts.last() else { return Ok(Vec::new()) };
    let mut values: Vec<Value> = texts.iter().map(Value::from).collect();
    // Few lengths, so that statements are prepared once.
    values.resize(texts.len().next_power_of_two(), last.into());
    let list = placeholders(texts.len());
    let sql = format!("select {} where {column} in ({list})", select());
    conn.query(&sql, &values, read)
}

/// A player as search results show them.
pub struct SearchResultRow {
    pub n: i64,
    pub id: String,
    pub game_uuid: String,
    pub nickname: String,
    pub created_at: i64,
    pub updated_at: i64,
}

/// The players with these row numbers, in this order.
pub fn search_results(conn: &mut Conn, numbers: &[i64]) -> Result<Vec<SearchResultRow>> {
    let columns =
        format!("p.n, p.id, p.game_uuid, p.nickname, p.created_at, p.updated_at, o.sample_at from players p {JOIN}");
    query_in_order(
        conn,
        &columns,
        numbers,
        |player: &SearchResultRow| player.n,
        |row| SearchResultRow {
            n: row.get(0),
            id: row.get(1),
            game_uuid: row.get(2),
            nickname: row.get(3),
            created_at: row.get(4),
            updated_at: row.get::<i64>(5).max(row.get::<Option<i64>>(6).unwrap_or(0)),
        },
    )
}

fn query_in_order<T>(
    conn: &mut Conn,
    columns: &str,
    numbers: &[i64],
    number: impl Fn(&T) -> i64,
    read: impl FnMut(&Row) -> T,
) -> Result<Vec<T>> {
    if numbers.is_empty() {
        return Ok(Vec::new());
    }
    let sql = format!("select {columns} where p.n in ({})", placeholders(numbers.len()));
    let mut players = conn.query(&sql, &pad_values(numbers), read)?;
    let positions: HashMap<i64, usize> = numbers.iter().enumerate().map(|(i, &n)| (n, i)).collect();
    players.sort_by_key(|player| positions.get(&number(player)).copied());
    Ok(players)
}

pub fn by_id(conn: &mut Conn, id: &str) -> Result<Option<PlayerRow>> {
    find_by(conn, "p.id = $1", values![id])
}

/// `uuid` in its canonical form.
pub fn by_uuid(conn: &mut Conn, uuid: &str) -> Result<Option<PlayerRow>> {
    find_by(conn, "p.game_uuid = $1", values![uuid])
}

const LAST_SEEN_FIRST: &str = "order by coalesce(o.sample_at, p.last_seen_at) desc, p.n";

/// The player with this current nickname who was seen last; `key` is the folded name.
pub fn by_nickname(conn: &mut Conn, key: &str) -> Result<Option<PlayerRow>> {
    find_by(conn, &format!("p.nickname_key = $1 {LAST_SEEN_FIRST} limit 1"), values![key])
}

/// The numbers of those players, by folded nickname.
pub fn numbers_by_nickname<'k>(conn: &mut Conn, keys: impl Iterator<Item = &'k str>) -> Result<HashMap<String, i64>> {
    let keys: Vec<Vec<Value>> = keys.map(|key| values![key].to_vec()).collect();
    let sql = format!(
        "select v.column1, (select p.n from players p {JOIN} where p.nickname_key = v.column1 {LAST_SEEN_FIRST} limit 1)
         from (values {{rows}}) v"
    );
    let mut numbers = HashMap::with_capacity(keys.len());
    conn.for_each_of_many(&sql, &["text"], &keys, |row| {
        if let Some(n) = row.get::<Option<i64>>(1) {
            numbers.insert(row.get(0), n);
        }
    })?;
    Ok(numbers)
}

/// Those of these texts that are the folded nickname of several players, or the id of one: as a nickname in an address they
/// would be ambiguous.
pub fn ambiguous_names(conn: &mut Conn, names: &[String]) -> Result<HashSet<String>> {
    if names.is_empty() {
        return Ok(HashSet::new());
    }
    let list = placeholders(names.len());
    let sql = format!(
        "select nickname_key from players where nickname_key in ({list}) group by nickname_key having count(*) > 1
         union all select id from players where id in ({list})"
    );
    let mut values: Vec<Value> = names.iter().map(|name| Value::from(name.as_str())).collect();
    if let Some(last) = values.last().cloned() {
        values.resize(names.len().next_power_of_two(), last);
    }
    Ok(conn.query(&sql, &values, |row| row.get(0))?.into_iter().collect())
}

fn find_by(conn: &mut Conn, condition: &str, values: &[Value]) -> Result<Option<PlayerRow>> {
    let sql = format!("select {} where {condition}", select());
    conn.query_optional(&sql, values, read)
}

/// A player who wears a skin or cape.
pub struct WearerRow {
    pub n: i64,
    pub last_seen_at: i64,
    pub id: String,
    pub nickname: String,
    pub game_uuid: String,
    pub skin: String,
    pub skin_model: String,
    pub tier_overall: String,
    /// `None` if it is the requested skin itself.
    pub linked_skin_png: Option<String>,
}

/// The players who wear a skin (`linked_skin_n`) or cape (`cape_n`), last seen first; equal times come in any order. Of more than
/// [`MIN_WEARERS`], only those who joined or left last are compared: who is online is not in the index.
pub fn list_wearers(conn: &mut Conn, is_skin: bool, texture_n: i64, limit: i64) -> Result<Vec<WearerRow>> {
    let (column, png, skins) = match is_skin {
        true => ("linked_skin_n", "cast(null as text)", ""),
        false => ("cape_n", "t.png", "join textures t on t.n = p.linked_skin_n"),
    };
    let sql = format!(
        "select p.n, p.last_seen_at, p.id, p.nickname, p.game_uuid, p.skin, p.skin_model, p.tier_overall, {png}, o.sample_at
         from players p {skins} {JOIN} where p.{column} = $1 order by p.last_seen_at desc limit $2"
    );
    let mut wearers = conn.query(&sql, values![texture_n, limit.max(MIN_WEARERS)], |row| WearerRow {
        n: row.get(0),
        last_seen_at: row.get::<i64>(1).max(row.get::<Option<i64>>(9).unwrap_or(0)),
        id: row.get(2),
        nickname: row.get(3),
        game_uuid: row.get(4),
        skin: row.get(5),
        skin_model: row.get(6),
        tier_overall: row.get(7),
        linked_skin_png: row.get(8),
    })?;
    wearers.sort_by_key(|player| Reverse(player.last_seen_at));
    wearers.truncate(limit as usize);
    Ok(wearers)
}
