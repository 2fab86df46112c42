//! Loads everything a player profile shows.

use std::cmp::Reverse;
use std::collections::HashSet;

use crate::app::App;
use crate::v1::newest::newest;
use rollcall_model::id::parse_uuid;
use rollcall_model::time::{DAY, start_of_day};
use rollcall_search::fold;
use rollcall_store::player_sessions::SessionRow;
use rollcall_store::player_stats::StatsRow;
use rollcall_store::players::{self, PlayerRow};
use rollcall_store::reviews::PlayerReviewRow;
use rollcall_store::{Conn, Result, nickname_history, player_sessions, player_stats, reviews, votes};

/// Maximum items of each list.
const RECENT_SESSIONS: usize = 20;
const SERVERS_PLAYED: usize = 50;
const STATS_HISTORY: usize = 30;
const VOTED_SERVERS: usize = 20;
const REVIEWS: usize = 20;
/// A year, as activity calendars show it.
const ACTIVITY_DAYS: i64 = 365;

/// Holds public servers only.
pub struct Profile {
    pub row: PlayerRow,
    pub nicknames: Vec<String>,
    pub sessions: Vec<SessionRow>,
    pub servers: Vec<i64>,
    /// `(start of the day, sessions)`
    pub days: Vec<(i64, i64)>,
    pub stats: Vec<StatsRow>,
    /// `(server, voted_at)`
    pub votes: Vec<(i64, i64)>,
    pub reviews: Vec<PlayerReviewRow>,
}

pub fn load(conn: &mut Conn, app: &App, id: &str, now: i64) -> Result<Option<Profile>> {
    let Some(row) = conn.batch_reads(|conn| find(conn, id))? else { return Ok(None) };
    conn.batch_reads(|conn| load_lists(conn, app, row.clone(), now)).map(Some)
}

fn load_lists(conn: &mut Conn, app: &App, row: PlayerRow, now: i64) -> Result<Profile> {
    let n = row.n;
    let (sessions, starts) = sessions(conn, app, n)?;
    Ok(Profile {
        nicknames: nickname_history::of_player(conn, n, &row.nickname)?,
        servers: servers(app, &starts),
        days: days(app, &starts, start_of_day(now) - ACTIVITY_DAYS * DAY),
        sessions,
        stats: newest(
            STATS_HISTORY,
            |limit| player_stats::of_player(conn, n, limit),
            |report| report.at,
            |a, b| b.n.cmp(&a.n),
            |reports| retain_public(app, reports, |report| report.server_n),
        )?,
        votes: newest(
            VOTED_SERVERS,
            |limit| votes::of_player(conn, n, limit),
            |&(_, voted_at)| voted_at,
            |(a, _), (b, _)| a.cmp(b),
            |votes| {
                let mut seen = HashSet::new();
                votes.retain(|&(server, _)| seen.insert(server));
                retain_public(app, votes, |&(server, _)| server);
            },
        )?,
        reviews: newest(
            REVIEWS,
            |limit| reviews::of_player(conn, n, limit),
            |review| review.created_at,
            |a, b| a.id.cmp(&b.id),
            |reviews| retain_public(app, reviews, |review| review.server_n),
        )?,
        row,
    })
}

/// A player by id, game UUID or current nickname.
pub fn find(conn: &mut Conn, id: &str) -> Result<Option<PlayerRow>> {
    // No id or name contains NUL, and PostgreSQL rejects it in a parameter.
    if id.contains('\0') {
        return Ok(None);
    }
    if let Some(row) = players::by_id(conn, id)? {
        return Ok(Some(row));
    }
    if let Some(uuid) = parse_uuid(id)
        && let Some(row) = players::by_uuid(conn, &uuid)?
    {
        return Ok(Some(row));
    }
    players::by_nickname(conn, &fold(id))
}

fn retain_public<T>(app: &App, rows: &mut Vec<T>, server: impl Fn(&T) -> i64) {
    let servers = app.catalogue.servers();
    rows.retain(|row| servers.by_n(server(row)).is_some());
}

/// Start and server of a session.
type SessionStart = (i64, i64);

/// The latest sessions, and the starts of all sessions, latest first.
fn sessions(conn: &mut Conn, app: &App, n: i64) -> Result<(Vec<SessionRow>, Vec<SessionStart>)> {
    let mut all = None;
    let recent = newest(
        RECENT_SESSIONS,
        |limit| {
            let rows = player_sessions::recent_of_player(conn, n, limit)?;
            // Most players have only these.
            if (rows.len() as i64) < limit {
                all = Some(rows.iter().map(|row| (row.joined_at, row.server_n)).collect());
            }
            Ok(rows)
        },
        |session| session.joined_at,
        |a, b| b.n.cmp(&a.n),
        |rows| retain_public(app, rows, |session| session.server_n),
    )?;
    let starts = match all {
        Some(starts) => starts,
        None => player_sessions::begun_by_player(conn, n)?,
    };
    Ok((recent, starts))
}

/// The servers a player was on, latest first.
fn servers(app: &App, starts: &[SessionStart]) -> Vec<i64> {
    let mut seen = HashSet::new();
    let mut latest: Vec<SessionStart> = starts.iter().filter(|(_, server)| seen.insert(*server)).copied().collect();
    retain_public(app, &mut latest, |&(_, server)| server);
    latest.sort_by_key(|&(joined_at, server)| (Reverse(joined_at), server));
    latest.truncate(SERVERS_PLAYED);
    latest.into_iter().map(|(_, server)| server).collect()
}

/// Sessions per UTC day, earliest first.
fn days(app: &App, starts: &[SessionStart], since: i64) -> Vec<(i64, i64)> {
    let servers = app.catalogue.servers();
    let mut days: Vec<(i64, i64)> = Vec::new();
    let counted = starts.iter().rev().filter(|(joined_at, _)| *joined_at >= since);
    for (joined_at, _) in counted.filter(|(_, server)| servers.by_n(*server).is_some()) {
        let day = start_of_day(*joined_at);
        match days.last_mut() {
            Some((last, count)) if *last == day => *count += 1,
            _ => days.push((day, 1)),
        }
    }
    days
}
