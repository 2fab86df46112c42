//! Those who hold keys, and the pages on which they do so.

mod account;
mod csrf;
mod forms;
mod guesses;
mod invitations;
mod key;
mod keys;
mod log;
mod markup;
mod operator;
mod others;
mod outage;
pub mod second_factor;
mod sign_in;
mod sign_up;
mod wishes;

use std::sync::OnceLock;
use std::time::{Duration, Instant};

use rollcall::config::Config;
use rollcall_store::Conn;

use crate::harness::{Answer, Engine, Guest, Server, Store, aside};

/// A proxy on this machine is believed, so that guests may come from anywhere.
fn behind_a_proxy(config: &mut Config) {
    config.http.trusted_proxies = vec!["127.0.0.1/32".parse().unwrap()];
}

/// The service of an engine that all tests share who only add accounts of names that nobody else uses.
fn desk(engine: Engine) -> &'static Server {
    static SQLITE: OnceLock<Server> = OnceLock::new();
    static POSTGRES: OnceLock<Server> = OnceLock::new();
    match engine {
        Engine::Sqlite => &SQLITE,
        Engine::Postgres => &POSTGRES,
    }
    .get_or_init(|| Server::empty_with(engine, behind_a_proxy))
}

/// Whether this account is there, in whatever state.
fn exists(server: &Server, name: &str) -> bool {
    let sql = "select 1 from accounts where username_key = $1";
    server.store.change(|conn| conn.first(sql, rollcall_store::values![name.to_lowercase()], |_| ())).is_some()
}

/// Looks until the page satisfies; what a page shows of the API may be a moment late.
async fn until(guest: &mut Guest<'_>, path: &str, wanted: impl Fn(&Answer) -> bool) -> Answer {
    let deadline = Instant::now() + Duration::from_secs(10);
    loop {
        let answer = guest.get(path).await;
        if wanted(&answer) {
            return answer;
        }
        assert!(Instant::now() < deadline, "{path} stays {}", answer.html());
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
}

/// Calls the API until it answers so; a change of a key takes a moment.
pub async fn until_status(server: &Server, key: &str, status: u16) -> Answer {
    let deadline = Instant::now() + Duration::from_secs(10);
    loop {
        let answer = server.get_as(key, "/capes").await;
        if answer.status == status {
            return answer;
        }
        assert!(Instant::now() < deadline, "still {}, not {status}", answer.status);
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
}

/// What people can change, row by row: whatever is refused must leave it as it is.
const KEPT: [(&str, &[&str]); 8] = [
    ("accounts", &["id", "username", "role"]),
    ("logins", &["account_n", "password", "generation", "operator", "disabled", "second_factor"]),
    ("recovery_codes", &["hash", "account_n"]),
    ("invitations", &["hash", "ends_at"]),
    ("keys", &["id", "name", "account_n", "per_minute", "per_day", "disabled", "blocked", "expires_at"]),
    ("key_secrets", &["hash", "key_n", "ends_at"]),
    ("limit_requests", &["id", "key_n", "per_minute", "reason", "status", "answer"]),
    ("audit", &["n", "account_n", "key_id", "actor", "address", "action", "detail"]),
];
const KEPT_BY_THE_LEDGER: [(&str, &[&str]); 2] =
    [("sign_ins", &["hash", "id", "account_n", "half"]), ("second_factor_steps", &["account_n", "step"])];

pub fn kept(store: &Store) -> Vec<String> {
    aside(|| {
        let mut ledger = Conn::open(&store.database.ledger()).expect("the ledger opens");
        let mut rows = rows(&mut store.conn(), &KEPT);
        rows.extend(self::rows(&mut ledger, &KEPT_BY_THE_LEDGER));
        rows
    })
}

fn rows(conn: &mut Conn, tables: &[(&str, &[&str])]) -> Vec<String> {
    let mut rows = Vec::new();
    for (table, columns) in tables {
        let columns: Vec<String> =
            columns.iter().map(|column| format!("coalesce(cast({column} as text), '-')")).collect();
        let sql = format!("select '{table}: ' || {} from {table} order by 1", columns.join(" || ' ' || "));
        rows.extend(conn.query(&sql, &[], |row| row.get::<String>(0)).expect("the rows"));
    }
    rows
}
