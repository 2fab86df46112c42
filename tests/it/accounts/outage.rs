//! When the store or the ledger cannot be reached, people are told so in words, and nobody is let in.

use std::path::PathBuf;
use std::time::{Duration, Instant};

use rollcall_store::{Conn, Database};

use super::until;
use crate::harness::{Answer, Engine, Guest, PASSWORD, Server, aside};

const PAGES: [&str; 4] = ["/dashboard", "/dashboard/account", "/dashboard/log", "/dashboard/usage.csv"];

/// A page of ours that says nothing of the cause.
fn assert_words(what: &str, answer: &Answer, status: u16, heading: &str) {
    assert_eq!((answer.status, answer.heading().as_str()), (status, heading), "{what}");
    let html = answer.html().to_lowercase();
    for cause in ["panick", "sqlite", "postgres", "relation", "no such table", "src/"] {
        assert!(!html.contains(cause), "{what} tells of {cause}");
    }
    assert!(answer.cookies().is_empty(), "{what} gives a cookie");
}

fn file(database: Database) -> PathBuf {
    match database {
        Database::Sqlite(path) => path,
        Database::Postgres(_) => panic!("PostgreSQL has no file"),
    }
}

#[tokio::test]
async fn a_table_that_is_gone_is_our_fault_and_said_so() {
    for engine in Engine::BOTH {
        let server = Server::empty_with(engine, |config| config.accounts.sign_ups_per_day = 2);
        let mut ada = Guest::signed_up(&server, "ada").await;
        let mut stranger = Guest::new(&server);
        stranger.get("/sign-in").await;
        server.store.change(|conn| conn.batch("alter table logins rename to gone"));
        for path in PAGES {
            assert_words(path, &ada.get(path).await, 500, "That went wrong");
        }
        for (path, fields) in [
            ("/sign-in", vec![("username", "ada"), ("password", PASSWORD)]),
            ("/sign-up", vec![("username", "bob"), ("password", PASSWORD), ("again", PASSWORD)]),
            ("/sign-up", vec![("username", "bob"), ("password", PASSWORD), ("again", PASSWORD)]),
        ] {
            assert_words(path, &stranger.clone().send(path, &fields).await, 500, "That went wrong");
        }
        server.store.change(|conn| conn.batch("alter table gone rename to logins"));
        assert_eq!(ada.get("/dashboard").await.status, 200);
        assert!(!super::exists(&server, "bob"), "half an account was made");
        assert_eq!(stranger.sign_up("bob").await.status, 303, "what failed is no account of today's");
    }
}

#[tokio::test]
async fn without_a_list_of_sign_ins_nobody_gets_in() {
    for engine in Engine::BOTH {
        let server = Server::empty(engine);
        let mut ada = Guest::signed_up(&server, "ada").await;
        let mut stranger = Guest::new(&server);
        stranger.get("/sign-in").await;
        let batch = |sql: &str| aside(|| Conn::open(&server.store.database.ledger()).unwrap().batch(sql).unwrap());
        batch("alter table sign_ins rename to gone");
        assert_words("a page", &ada.get("/dashboard").await, 500, "That went wrong");
        // A stranger has a cookie, too, and it may be anybody's.
        let fields = [("username", "ada"), ("password", PASSWORD)];
        assert_words("a sign-in", &stranger.send("/sign-in", &fields).await, 500, "That went wrong");
        let mut bare = Guest::new(&server);
        assert_eq!(bare.get("/sign-in").await.status, 200);
        batch("alter table gone rename to sign_ins");
        assert_eq!(ada.get("/dashboard").await.status, 200);
        assert_eq!(stranger.get("/dashboard").await.status, 303);
    }
}

#[tokio::test]
async fn a_ledger_out_of_reach_lets_nobody_in_until_it_is_back() {
    let server = Server::empty(Engine::Sqlite);
    let mut ada = Guest::signed_up(&server, "ada").await;
    let ledger = file(server.store.database.ledger());
    let aside = ledger.with_extension("aside");
    let mut stranger = Guest::new(&server);
    stranger.get("/sign-in").await;
    std::fs::rename(&ledger, &aside).unwrap();
    let answer = until(&mut ada, "/dashboard", |answer| answer.status == 503).await;
    assert_words("a page", &answer, 503, "Back in a moment");
    let fields = [("username", "ada"), ("password", PASSWORD)];
    // Each connection is trusted for a second, so that another than the page's may still hold the file.
    let deadline = Instant::now() + Duration::from_secs(10);
    let answer = loop {
        let answer = stranger.clone().send("/sign-in", &fields).await;
        if answer.status != 303 || Instant::now() > deadline {
            break answer;
        }
    };
    assert_words("a sign-in", &answer, 503, "Back in a moment");
    std::fs::rename(&aside, &ledger).unwrap();
    until(&mut ada, "/dashboard", |answer| answer.status == 200).await;
}

#[tokio::test]
async fn a_store_out_of_reach_is_said_in_words_too() {
    let server = Server::empty(Engine::Sqlite);
    let mut ada = Guest::signed_up(&server, "ada").await;
    let database = file(server.store.database.clone());
    std::fs::rename(&database, database.with_extension("aside")).unwrap();
    let answer = until(&mut ada, "/dashboard", |answer| answer.status == 503).await;
    assert_words("a page", &answer, 503, "Back in a moment");
}
