//! Servers that a test inserts as rows, for cases that the demo world lacks.

use rollcall_store::values;
use rollcall_store::{Conn, Result, Value, revision};

use crate::harness::{NOW, Server};

/// The columns that tests vary; the others are constant.
#[derive(Clone, Debug)]
pub struct ServerFixture {
    pub slug: String,
    pub name: String,
    pub description: &'static str,
    pub motd: &'static str,
    pub ip: &'static str,
    pub version: &'static str,
    pub country: &'static str,
    pub mode: Option<&'static str>,
    pub tags: &'static [&'static str],
    pub players: i64,
    pub created_at: i64,
}

/// A server with this name; its slug is its number.
pub fn named(number: usize, name: &str) -> ServerFixture {
    ServerFixture {
        slug: format!("server-{number}"),
        name: name.to_owned(),
        description: "-",
        motd: "-",
        ip: "192.0.2.1",
        version: "1.0",
        country: "Iceland",
        mode: None,
        tags: &[],
        players: 5,
        created_at: NOW - 1_000,
    }
}

/// Inserts servers and waits until they are listed.
pub fn insert(server: &Server, servers: &[ServerFixture]) {
    let conn = &mut server.store.conn();
    let before = conn.query_one("select count(*) from servers", &[], |row| row.get::<i64>(0)).unwrap();
    change(conn, |conn, rev| write_all(conn, servers, rev));
    let total = before + servers.len() as i64;
    server.run(server.until("/servers?limit=1", |response| response.data()["pagination"]["total"] == total));
}

/// Changes the store in one transaction and raises its revision.
pub fn change(conn: &mut Conn, work: impl FnOnce(&mut Conn, i64) -> Result<()>) {
    let done: Result<()> = conn.transaction(|conn| {
        let rev = revision::bump(conn)?;
        work(conn, rev)
    });
    done.unwrap();
}

/// Inserts servers in the current transaction.
pub fn write_all(conn: &mut Conn, servers: &[ServerFixture], rev: i64) -> Result<()> {
    servers.iter().try_for_each(|server| write(conn, server, rev))
}

fn write(conn: &mut Conn, server: &ServerFixture, rev: i64) -> Result<()> {
    let columns: &[(&str, Value)] = &[
        ("id", format!("id-{}", server.slug).into()),
        ("slug", (&server.slug).into()),
        ("name", (&server.name).into()),
        ("short_description", server.description.into()),
        ("ip", server.ip.into()),
        ("port", Value::Int(25_565)),
        ("icon", "icon/-.png".into()),
        ("banner", "banner/-.png".into()),
        ("motd_image", "motd/-.png".into()),
        ("motd_raw", server.motd.into()),
        ("visibility", "PUBLIC".into()),
        ("is_online", true.into()),
        ("current_players", server.players.into()),
        ("max_players", Value::Int(100)),
        ("version", server.version.into()),
        ("protocol", Value::Int(760)),
        ("latency", Value::Int(20)),
        ("country", server.country.into()),
        ("game_mode", server.mode.into()),
        ("created_at", server.created_at.into()),
        ("uptime", Value::Real(99.5)),
        ("trend", Value::Real(0.0)),
        ("recent_players", Value::Real(5.0)),
        ("total_votes", Value::Int(0)),
        ("vote_heat", Value::Real(0.0)),
        ("vote_heat_at", Value::Int(0)),
        ("rating_sum", Value::Int(0)),
        ("rating_count", Value::Int(0)),
        ("update_count", Value::Int(0)),
        ("rev", rev.into()),
    ];
    let names: Vec<&str> = columns.iter().map(|(name, _)| *name).collect();
    let marks: Vec<String> = (1..=columns.len()).map(|i| format!("${i}")).collect();
    let row: Vec<Value> = columns.iter().map(|(_, value)| value.clone()).collect();
    let sql = format!("insert into servers ({}) values ({}) returning n", names.join(", "), marks.join(", "));
    let n: i64 = conn.query_one(&sql, &row, |row| row.get(0))?;
    for (position, tag) in server.tags.iter().enumerate() {
        let sql = "insert into server_tags (server_n, position, tag) values ($1, $2, $3)";
        conn.execute(sql, values![n, position as i64, *tag])?;
    }
    Ok(())
}
