//! A player's totals over public servers, and the achievements they earn.

use std::collections::{HashMap, HashSet};

use super::{NUMBER, Reach, fill};
use crate::values;
use crate::{Conn, Result, Row, Value};
use rollcall_model::achievements::{self, Figures};

pub(super) fn total(conn: &mut Conn, reach: &Reach) -> Result<()> {
    let counted = count(conn, reach)?;
    let changed = changed(conn, reach, &counted)?;
    write(conn, &changed)
}

/// Adds a row at `(player, server)` to the player's figures.
type Add<'a> = &'a mut dyn FnMut(&mut Figures, (i64, i64), &Row);

/// Adds up the rows of the players in scope. An unlisted server shows in no count.
fn count(conn: &mut Conn, reach: &Reach) -> Result<HashMap<i64, Figures>> {
    let hidden = conn.query("select n from servers where visibility <> 'PUBLIC'", &[], |row| row.get::<i64>(0))?;
    let hidden: HashSet<i64> = hidden.into_iter().collect();
    let mut counted: HashMap<i64, Figures> = HashMap::new();
    let mut each = |table: &str, columns: &str, add: Add| {
        let rows = reach.rows(table, "player_n", "players");
        conn.for_each(&format!("select r.player_n, r.server_n{columns} from {rows}"), &[], |row| {
            let place: (i64, i64) = (row.get(0), row.get(1));
            if !hidden.contains(&place.1) {
                add(counted.entry(place.0).or_default(), place, row);
            }
        })
    };
    let mut played: HashSet<(i64, i64)> = HashSet::new();
    each("sessions", ", r.play_time", &mut |figures, place, row| {
        figures.play_time_s += row.get::<i64>(2);
        figures.sessions += 1;
        figures.servers += i64::from(played.insert(place));
    })?;
    each("player_stats", ", r.kills_gain, r.deaths_gain, r.wins_gain", &mut |figures, _, row| {
        figures.kills += row.get::<i64>(2);
        figures.deaths += row.get::<i64>(3);
        figures.wins += row.get::<i64>(4);
    })?;
    each("votes", "", &mut |figures, _, _| figures.votes += 1)?;
    each("reviews", "", &mut |figures, _, _| figures.reviews += 1)?;
    Ok(counted)
}

/// The new totals of the players whose kept ones differ. What was earned once stays earned.
fn changed(conn: &mut Conn, reach: &Reach, counted: &HashMap<i64, Figures>) -> Result<Vec<Vec<Value>>> {
    let mut changed = Vec::new();
    conn.for_each(
        &format!(
            "select r.n, r.tier_points, r.achievements, r.total_play_time, r.session_count, r.servers_count,
                    r.total_kills, r.total_deaths, r.total_wins, r.vote_count, r.review_count
             from {}",
            reach.rows("players", "n", "players")
        ),
        &[],
        |row| {
            let n: i64 = row.get(0);
            let mut figures = counted.get(&n).copied().unwrap_or_default();
            figures.tier_points = row.get(1);
            let mask: i64 = row.get(2);
            let kept = Figures {
                play_time_s: row.get(3),
                sessions: row.get(4),
                servers: row.get(5),
                kills: row.get(6),
                deaths: row.get(7),
                wins: row.get(8),
                votes: row.get(9),
                reviews: row.get(10),
                tier_points: figures.tier_points,
            };
            let earned = mask | achievements::earned(&figures).cast_signed();
            if figures != kept || earned != mask {
                let Figures { play_time_s, sessions, servers, kills, deaths, wins, votes, reviews, .. } = figures;
                changed.push(
                    values![n, play_time_s, sessions, servers, kills, deaths, wins, votes, reviews, earned].to_vec(),
                );
            }
        },
    )?;
    Ok(changed)
}

fn write(conn: &mut Conn, changed: &[Vec<Value>]) -> Result<()> {
    if changed.is_empty() {
        return Ok(());
    }
    let columns = [
        NUMBER,
        ("play_time", "bigint"),
        ("sessions", "bigint"),
        ("servers", "bigint"),
        ("kills", "bigint"),
        ("deaths", "bigint"),
        ("wins", "bigint"),
        ("votes", "bigint"),
        ("reviews", "bigint"),
        ("earned", "bigint"),
    ];
    fill(conn, "counted", &columns, changed)?;
    conn.execute(
        "update players set total_play_time = c.play_time, session_count = c.sessions, servers_count = c.servers,
                total_kills = c.kills, total_deaths = c.deaths, total_wins = c.wins, vote_count = c.votes,
                review_count = c.reviews, achievements = c.earned
         from counted c where c.n = players.n",
        &[],
    )?;
    conn.batch("drop table counted")
}
