//! An unreachable store or ledger results in an error page, and no one is signed in.

use std::path::PathBuf;
use std::time::Instant;

use rollcall_store::{Conn, Database};

use super::until;
use crate::harness::{Browser, DEADLINE, Engine, PASSWORD, Server, TestResponse, run_blocking};

const PAGES: [&str; 4] = ["/dashboard", "/dashboard/account", "/dashboard/log", "/dashboard/usage.csv"];

/// Asserts an error page that does not reveal the cause.
fn assert_error_page(what: &str, answer: &TestResponse, status: u16, heading: &str) {
    assert_eq!((answer.status, answer.heading().as_str()), (status, heading), "{what}");
    let html = answer.html().to_lowercase();
    for cause in ["panick", "sqlite", "postgres", "relation", "no such table", "src/"] {
        assert!(!html.contains(cause), "{what} reveals {cause}");
    }
    assert!(answer.cookies().is_empty(), "{what} sets a cookie");
}

fn file(database: Database) -> PathBuf {
    match database {
        Database::Sqlite(path) => path,
        Database::Postgres(_) => panic!("PostgreSQL has no file"),
    }
}

#[tokio::test]
async fn a_missing_table_is_a_500_page() {
    for engine in Engine::BOTH {
        let server = Server::empty_with(engine, |config| config.accounts.sign_ups_per_day = 2);
        let mut ada = Browser::signed_up(&server, "ada").await;
        let mut stranger = Browser::new(&server);
        stranger.get("/sign-in").await;
        server.store.change(|conn| conn.execute_batch("alter table logins rename to gone"));
        for path in PAGES {
            assert_error_page(path, &ada.get(path).await, 500, "Internal server error");
        }
        for (path, fields) in [
            ("/sign-in", vec![("username", "ada"), ("password", PASSWORD)]),
            ("/sign-up", vec![("username", "bob"), ("password", PASSWORD), ("again", PASSWORD)]),
            ("/sign-up", vec![("username", "bob"), ("password", PASSWORD), ("again", PASSWORD)]),
        ] {
            assert_error_page(path, &stranger.clone().send(path, &fields).await, 500, "Internal server error");
        }
        server.store.change(|conn| conn.execute_batch("alter table gone rename to logins"));
        assert_eq!(ada.get("/dashboard").await.status, 200);
        assert!(!super::exists(&server, "bob"), "a partial account was created");
        assert_eq!(stranger.sign_up("bob").await.status, 303, "failed sign-ups are not counted");
    }
}

#[tokio::test]
async fn without_the_session_table_no_one_is_signed_in() {
    for engine in Engine::BOTH {
        let server = Server::empty(engine);
        let mut ada = Browser::signed_up(&server, "ada").await;
        let mut stranger = Browser::new(&server);
        stranger.get("/sign-in").await;
        let batch = |sql: &str| {
            run_blocking(|| Conn::open(&server.store.database.ledger()).unwrap().execute_batch(sql).unwrap())
        };
        batch("alter table sign_ins rename to gone");
        assert_error_page("a page", &ada.get("/dashboard").await, 500, "Internal server error");
        // Visitors have a session cookie, too, which must be looked up.
        let fields = [("username", "ada"), ("password", PASSWORD)];
        assert_error_page("a sign-in", &stranger.send("/sign-in", &fields).await, 500, "Internal server error");
        let mut bare = Browser::new(&server);
        assert_eq!(bare.get("/sign-in").await.status, 200);
        batch("alter table gone rename to sign_ins");
        assert_eq!(ada.get("/dashboard").await.status, 200);
        assert_eq!(stranger.get("/dashboard").await.status, 303);
    }
}

#[tokio::test]
async fn while_the_ledger_is_unreachable_no_one_is_signed_in() {
    let server = Server::empty(Engine::Sqlite);
    let mut ada = Browser::signed_up(&server, "ada").await;
    let ledger = file(server.store.database.ledger());
    let aside = ledger.with_extension("aside");
    let mut stranger = Browser::new(&server);
    stranger.get("/sign-in").await;
    std::fs::rename(&ledger, &aside).unwrap();
    let answer = until(&mut ada, "/dashboard", |answer| answer.status == 503).await;
    assert_error_page("a page", &answer, 503, "Service unavailable");
    let fields = [("username", "ada"), ("password", PASSWORD)];
    // Pool connections are checked every second, so another one may still have the file open.
    let deadline = Instant::now() + DEADLINE;
    let answer = loop {
        let answer = stranger.clone().send("/sign-in", &fields).await;
        if answer.status != 303 || Instant::now() > deadline {
            break answer;
        }
    };
    assert_error_page("a sign-in", &answer, 503, "Service unavailable");
    std::fs::rename(&aside, &ledger).unwrap();
    until(&mut ada, "/dashboard", |answer| answer.status == 200).await;
}

#[tokio::test]
async fn an_unreachable_store_is_a_503_page() {
    let server = Server::empty(Engine::Sqlite);
    let mut ada = Browser::signed_up(&server, "ada").await;
    let database = file(server.store.database.clone());
    std::fs::rename(&database, database.with_extension("aside")).unwrap();
    let answer = until(&mut ada, "/dashboard", |answer| answer.status == 503).await;
    assert_error_page("a page", &answer, 503, "Service unavailable");
}
