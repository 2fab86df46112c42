//! A player's totals over public servers, and the achievements they earn.

use std::collections::HashMap;

use super::fill;
use crate::model::achievements::{self, Figures};
use crate::store::{Conn, Result, Row, Value};
use crate::values;

pub(super) fn total(conn: &mut Conn) -> Result<()> {
    let mut counted: HashMap<i64, Figures> = HashMap::new();
    let mut each = |conn: &mut Conn, table: &str, sums: &str, read: fn(&mut Figures, &Row)| {
        let sql = format!(
            "select t.n, {sums} from touched_players t cross join {table} r cross join servers s
             where r.player_n = t.n and s.n = r.server_n and s.visibility = 'PUBLIC' group by t.n"
        );
        conn.for_each(&sql, &[], |row| read(counted.entry(row.get(0)).or_default(), row))
    };
    each(
        conn,
        "sessions",
        "cast(sum(r.play_time) as bigint), count(*), count(distinct r.server_n)",
        |figures, row| (figures.play_time_s, figures.sessions, figures.servers) = (row.get(1), row.get(2), row.get(3)),
    )?;
    each(
        conn,
        "player_stats",
        "cast(sum(r.kills_gain) as bigint), cast(sum(r.deaths_gain) as bigint), cast(sum(r.wins_gain) as bigint)",
        |figures, row| (figures.kills, figures.deaths, figures.wins) = (row.get(1), row.get(2), row.get(3)),
    )?;
    each(conn, "votes", "count(*)", |figures, row| figures.votes = row.get(1))?;
    each(conn, "reviews", "count(*)", |figures, row| figures.reviews = row.get(1))?;
    let changed = changed(conn, &counted)?;
    write(conn, &changed)
}

/// The new totals of the players whose kept ones differ. What was earned once stays earned.
fn changed(conn: &mut Conn, counted: &HashMap<i64, Figures>) -> Result<Vec<Vec<Value>>> {
    let mut changed = Vec::new();
    conn.for_each(
        "select t.n, p.tier_points, p.achievements, p.total_play_time, p.session_count, p.servers_count,
                p.total_kills, p.total_deaths, p.total_wins, p.vote_count, p.review_count
         from touched_players t cross join players p where p.n = t.n",
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
        ("n", "bigint primary key"),
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
