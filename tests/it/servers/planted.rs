//! Servers that a test writes into a store row by row, when the test world has none of the kind.

use rollcall_store::values;
use rollcall_store::{Conn, Result, Value, changes};

use crate::harness::{NOW, Server};

/// What a test says of a server; the rest is the same for all.
#[derive(Clone, Debug)]
pub struct Plant {
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

/// A plain server of this name; its slug is its number.
pub fn named(number: usize, name: &str) -> Plant {
    Plant {
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

/// Writes the servers and waits until they are listed.
pub fn plant(server: &Server, plants: &[Plant]) {
    let conn = &mut server.store.conn();
    let before = conn.one("select count(*) from servers", &[], |row| row.get::<i64>(0)).unwrap();
    change(conn, |conn, rev| plants.iter().try_for_each(|plant| write(conn, plant, rev)));
    let total = before + plants.len() as i64;
    server.run(server.until("/servers?limit=1", |answer| answer.data()["pagination"]["total"] == total));
}

/// One change of the store, which running servers notice.
pub fn change(conn: &mut Conn, work: impl FnOnce(&mut Conn, i64) -> Result<()>) {
    let done: Result<()> = conn.transaction(|conn| {
        let rev = changes::raise(conn)?;
        work(conn, rev)
    });
    done.unwrap();
}

fn write(conn: &mut Conn, plant: &Plant, rev: i64) -> Result<()> {
    let columns: &[(&str, Value)] = &[
        ("id", format!("id-{}", plant.slug).into()),
        ("slug", (&plant.slug).into()),
        ("name", (&plant.name).into()),
        ("short_description", plant.description.into()),
        ("ip", plant.ip.into()),
        ("port", Value::Int(25_565)),
        ("icon", "icon/-.png".into()),
        ("banner", "banner/-.png".into()),
        ("motd_image", "motd/-.png".into()),
        ("motd_raw", plant.motd.into()),
        ("visibility", "PUBLIC".into()),
        ("is_online", true.into()),
        ("current_players", plant.players.into()),
        ("max_players", Value::Int(100)),
        ("version", plant.version.into()),
        ("protocol", Value::Int(760)),
        ("latency", Value::Int(20)),
        ("country", plant.country.into()),
        ("game_mode", plant.mode.into()),
        ("created_at", plant.created_at.into()),
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
    let n: i64 = conn.one(&sql, &row, |row| row.get(0))?;
    for (position, tag) in plant.tags.iter().enumerate() {
        let sql = "insert into server_tags (server_n, position, tag) values ($1, $2, $3)";
        conn.execute(sql, values![n, position as i64, *tag])?;
    }
    Ok(())
}
