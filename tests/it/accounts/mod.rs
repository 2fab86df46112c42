//! Accounts, the dashboard and the operator pages.

mod access_control;
mod account;
mod admin;
mod audit_log;
mod csrf;
mod form_pages;
mod forms;
mod html_escaping;
mod invitations;
mod key;
mod key_alerts;
mod key_live;
mod key_restrictions;
mod keys;
mod limit_requests;
mod login_throttle;
mod one_time_passwords;
mod operator_accounts;
mod operator_invitations;
mod operator_keys;
mod operator_overview;
mod operator_servers;
mod outage;
mod passkeys;
mod reauthentication;
pub mod second_factor;
mod second_factor_key;
mod security_log;
mod sign_in;
mod sign_up;

use std::sync::OnceLock;

use rollcall::config::Config;
use rollcall_store::Conn;

use crate::harness::{self, Browser, Engine, Server, Store, TestResponse, run_blocking};

/// Trusts a proxy on this machine, so that browsers can have any IP address.
fn behind_a_proxy(config: &mut Config) {
    config.http.trusted_proxies = vec!["127.0.0.1/32".parse().unwrap()];
}

/// A server shared by tests that only add accounts with unique names.
fn shared_server(engine: Engine) -> &'static Server {
    static SQLITE: OnceLock<Server> = OnceLock::new();
    static POSTGRES: OnceLock<Server> = OnceLock::new();
    match engine {
        Engine::Sqlite => &SQLITE,
        Engine::Postgres => &POSTGRES,
    }
    .get_or_init(|| Server::empty_with(engine, behind_a_proxy))
}

/// Whether the account exists, in any state.
fn exists(server: &Server, name: &str) -> bool {
    let sql = "select 1 from accounts where username_key = $1";
    server.store.change(|conn| conn.query_optional(sql, rollcall_store::values![name.to_lowercase()], |_| ())).is_some()
}

/// Loads the page until the condition holds; data of the API may appear with a delay.
async fn until(browser: &mut Browser<'_>, path: &str, wanted: impl Fn(&TestResponse) -> bool) -> TestResponse {
    harness::until(async || {
        let answer = browser.get(path).await;
        if wanted(&answer) { Ok(answer) } else { Err(format!("{path} stays {}", answer.html())) }
    })
    .await
}

/// Calls the API until it returns this status; changes of a key take up to a second.
pub async fn until_status(server: &Server, key: &str, status: u16) -> TestResponse {
    server.until_as(key, "/capes", |answer| answer.status == status).await
}

/// Tables and columns that forms can change. Rejected forms must not change any row.
const STORE_TABLES: [(&str, &[&str]); 10] = [
    ("accounts", &["id", "username", "role"]),
    (
        "logins",
        &[
            "account_n",
            "password",
            "generation",
            "operator",
            "moderator",
            "trusted",
            "disabled",
            "second_factor",
            "password_expires_at",
        ],
    ),
    ("recovery_codes", &["hash", "account_n"]),
    ("credential_changes", &["account_n", "at", "what", "actor"]),
    ("invitations", &["hash", "ends_at"]),
    ("passkeys", &["id", "credential", "account_n", "name", "public_key", "counter"]),
    (
        "keys",
        &["id", "name", "account_n", "per_minute", "per_day", "disabled", "blocked", "expires_at", "restrictions"],
    ),
    ("key_secrets", &["hash", "key_n", "ends_at"]),
    ("limit_requests", &["id", "key_n", "per_minute", "reason", "status", "answer"]),
    ("audit", &["n", "account_n", "key_id", "actor", "address", "action", "detail", "deleted_account"]),
];
const LEDGER_TABLES: [(&str, &[&str]); 2] =
    [("sign_ins", &["hash", "id", "account_n", "half"]), ("second_factor_steps", &["account_n", "step"])];

pub fn stored_rows(store: &Store) -> Vec<String> {
    run_blocking(|| {
        let mut ledger = Conn::open(&store.database.ledger()).expect("the ledger opens");
        let mut rows = rows(&mut store.conn(), &STORE_TABLES);
        rows.extend(self::rows(&mut ledger, &LEDGER_TABLES));
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
