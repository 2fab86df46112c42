//! Totals of servers: votes (count, heat, per day), reviews, approved posts.

use super::{NUMBER, ScopeSql, fill_temp_table};
use crate::values;
use crate::{Conn, Result};
use rollcall_model::{score, time};

/// The vote totals of a server.
#[derive(Default)]
struct VoteTotals {
    total: i64,
    heat: f64,
    heat_at: i64,
}

/// `(server_n, day, votes)`
type VoteDay = (i64, i64, i64);

pub(super) fn recompute(conn: &mut Conn, scope: &ScopeSql) -> Result<()> {
    let days = count_votes(conn, scope)?;
    write_days(conn, scope, &days)?;
    count_rows(conn, scope)
}

/// Folds each server's votes in order, as live votes are, so that both give the same heat. Returns the votes per day.
fn count_votes(conn: &mut Conn, scope: &ScopeSql) -> Result<Vec<VoteDay>> {
    let mut votes: Vec<(i64, VoteTotals)> = Vec::new();
    let mut days: Vec<VoteDay> = Vec::new();
    conn.for_each(
        &format!(
            "select r.server_n, r.voted_at from {} order by r.server_n, r.ordinal",
            scope.rows("votes", "server_n", "servers")
        ),
        &[],
        |row| {
            let (server, at): (i64, i64) = (row.get(0), row.get(1));
            if votes.last().is_none_or(|(n, _)| *n != server) {
                votes.push((server, VoteTotals::default()));
            }
            let (_, counted) = votes.last_mut().expect("an element was pushed above");
            counted.total += 1;
            (counted.heat, counted.heat_at) = score::add_vote(counted.heat, counted.heat_at, at);
            let day = time::start_of_day(at);
            match days.last_mut() {
                Some(last) if (last.0, last.1) == (server, day) => last.2 += 1,
                _ => days.push((server, day, 1)),
            }
        },
    )?;
    let rows: Vec<_> = votes.iter().map(|(n, v)| values![*n, v.total, v.heat, v.heat_at].to_vec()).collect();
    let columns = [NUMBER, ("total", "bigint"), ("heat", "double precision"), ("heat_at", "bigint")];
    fill_temp_table(conn, "counted", &columns, &rows)?;
    conn.execute(
        "update servers set total_votes = c.total, vote_heat = c.heat, vote_heat_at = c.heat_at from counted c
         where c.n = servers.n
           and (total_votes <> c.total or vote_heat <> c.heat or vote_heat_at <> c.heat_at)",
        &[],
    )?;
    conn.execute(
        &format!(
            "update servers set total_votes = 0, vote_heat = 0, vote_heat_at = 0
             where {} and n not in (select n from counted)
               and (total_votes <> 0 or vote_heat <> 0 or vote_heat_at <> 0)",
            scope.condition("n", "servers")
        ),
        &[],
    )?;
    conn.execute_batch("drop table counted")?;
    Ok(days)
}

/// Replaces the daily votes of the servers whose stored ones differ.
fn write_days(conn: &mut Conn, scope: &ScopeSql, days: &[VoteDay]) -> Result<()> {
    let mut stale: Vec<i64> = Vec::new();
    let mut differs = |server: i64| {
        if stale.last() != Some(&server) {
            stale.push(server);
        }
    };
    let mut counted = days.iter().peekable();
    conn.for_each(
        &format!(
            "select r.server_n, r.day, r.votes from {} order by r.server_n, r.day",
            scope.rows("vote_days", "server_n", "servers")
        ),
        &[],
        |row| {
            let stored: VoteDay = (row.get(0), row.get(1), row.get(2));
            while let Some(missing) = counted.next_if(|day| (day.0, day.1) < (stored.0, stored.1)) {
                differs(missing.0);
            }
            if counted.next_if(|day| **day == stored).is_none() {
                differs(stored.0);
                counted.next_if(|day| (day.0, day.1) == (stored.0, stored.1));
            }
        },
    )?;
    counted.for_each(|missing| differs(missing.0));
    if stale.is_empty() {
        return Ok(());
    }
    let rows: Vec<_> = stale.iter().map(|&n| values![n].to_vec()).collect();
    fill_temp_table(conn, "stale", &[NUMBER], &rows)?;
    conn.execute("delete from vote_days where server_n in (select n from stale)", &[])?;
    conn.execute_batch("drop table stale")?;
    conn.bulk_insert("vote_days", &["server_n", "day", "votes"], |insert| {
        days.iter()
            .filter(|(server, ..)| stale.binary_search(server).is_ok())
            .try_for_each(|&(server, day, votes)| insert(values![server, day, votes]))
    })
}

fn count_rows(conn: &mut Conn, scope: &ScopeSql) -> Result<()> {
    conn.execute(
        &format!(
            "update servers set rating_sum = c.rating_sum, rating_count = c.rating_count, update_count = c.update_count
             from (
                 select r.n,
                        (select cast(coalesce(sum(v.rating), 0) as bigint) from reviews v where v.server_n = r.n)
                            as rating_sum,
                        (select count(*) from reviews v where v.server_n = r.n) as rating_count,
                        (select count(p.ordinal) from update_posts p where p.server_n = r.n) as update_count
                 from {}) c
             where c.n = servers.n and (servers.rating_sum <> c.rating_sum
                   or servers.rating_count <> c.rating_count or servers.update_count <> c.update_count)",
            scope.rows("servers", "n", "servers")
        ),
        &[],
    )?;
    Ok(())
}
