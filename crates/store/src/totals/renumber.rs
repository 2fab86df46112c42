//! Numbers the votes, reviews and posts of a server from 1, oldest first, without gaps.

use super::{NUMBER, ScopeSql, analyze, create_temp_table, fill_temp_table};
use crate::values;
use crate::{Conn, Result, byte_collation};

/// Added to new ordinals during the update: far above any real one, so that the unique index sees no conflict.
const TEMPORARY_OFFSET: i64 = 1 << 40;

/// Numbers the rows of the servers in scope by time, then by id. Most servers are already in order, because live rows come last,
/// and are only read.
pub(super) fn number(conn: &mut Conn, scope: &ScopeSql, table: &str, time: &str) -> Result<()> {
    let disordered: Vec<_> = disordered(conn, scope, table, time)?.into_iter().map(|n| values![n].to_vec()).collect();
    if disordered.is_empty() {
        return Ok(());
    }
    fill_temp_table(conn, "disordered", &[NUMBER], &disordered)?;
    create_temp_table(
        conn,
        "places",
        "server_n bigint, ordinal bigint, place bigint, primary key (server_n, ordinal)",
    )?;
    let order = byte_collation(conn);
    conn.execute(
        &format!(
            "insert into places
             select server_n, ordinal, place from (
                 select r.server_n, r.ordinal,
                        row_number() over (partition by r.server_n order by r.{time}, r.id{order}) as place
                 from disordered d cross join {table} r where r.server_n = d.n) numbered
             where ordinal <> place"
        ),
        &[],
    )?;
    analyze(conn, "places")?;
    conn.execute(
        &format!(
            "update {table} set ordinal = p.place + $1 from places p
             where p.server_n = {table}.server_n and p.ordinal = {table}.ordinal"
        ),
        values![TEMPORARY_OFFSET],
    )?;
    conn.execute(
        &format!(
            "update {table} set ordinal = ordinal - $1
             where server_n in (select n from disordered) and ordinal > $1"
        ),
        values![TEMPORARY_OFFSET],
    )?;
    conn.execute_batch("drop table places; drop table disordered")
}

/// The servers in scope whose ordinals have a gap or do not follow the time.
fn disordered(conn: &mut Conn, scope: &ScopeSql, table: &str, time: &str) -> Result<Vec<i64>> {
    let mut found: Vec<i64> = Vec::new();
    let mut last = (0, 0, 0, String::new());
    conn.for_each(
        &format!(
            "select r.server_n, r.ordinal, r.{time}, r.id from {} order by r.server_n, r.ordinal",
            scope.rows(table, "server_n", "servers")
        ),
        &[],
        |row| {
            let next: (i64, i64, i64, String) = (row.get(0), row.get(1), row.get(2), row.get(3));
            let order_by = if next.0 == last.0 {
                next.1 == last.1 + 1 && (last.2, &last.3) < (next.2, &next.3)
            } else {
                next.1 == 1
            };
            if !order_by && found.last() != Some(&next.0) {
                found.push(next.0);
            }
            last = next;
        },
    )?;
    Ok(found)
}

/// Numbers the approved posts of the servers in scope; other posts lose their ordinal.
pub(super) fn number_posts(conn: &mut Conn, scope: &ScopeSql) -> Result<()> {
    create_temp_table(conn, "places", "n bigint primary key, place bigint")?;
    let order = byte_collation(conn);
    conn.execute(
        &format!(
            "insert into places
             select r.n, row_number() over (partition by r.server_n order by r.created_at, r.id{order})
             from {} and r.status = 'APPROVED'",
            scope.rows("update_posts", "server_n", "servers")
        ),
        &[],
    )?;
    analyze(conn, "places")?;
    conn.execute(
        &format!(
            "update update_posts set ordinal = null
             where {} and ordinal is not null and not exists (
                 select 1 from places p where p.n = update_posts.n and p.place = update_posts.ordinal)",
            scope.condition("server_n", "servers")
        ),
        &[],
    )?;
    conn.execute(
        "update update_posts set ordinal = p.place from places p
         where p.n = update_posts.n and update_posts.ordinal is null",
        &[],
    )?;
    conn.execute_batch("drop table places")
}
