//! The moderation queue, its roles and locks, abuse of it, and data rights.

mod abuse;
pub mod data_rights;
mod held_usernames;
mod queue;
mod roles;

use std::sync::Arc;

use rollcall::config::Config;
use rollcall_store::totals::{self, RecomputeScope};
use rollcall_store::{accounts, values};

use crate::harness::{Browser, Engine, NOW, Server, Store, TestResponse, run_blocking};

/// What holds a text.
pub const HELD: &str = "A fine server, see https://held.example/ for more.";
pub const CLEAN: &str = "A fine server with kind people.";

/// A server over its own copy of the demo world.
pub fn server(engine: Engine) -> Server {
    server_with(engine, |_| {})
}

pub fn server_with(engine: Engine, change: impl Fn(&mut Config) + Send) -> Server {
    node(Server::own(engine).stop(), change)
}

/// Another process over the same store.
pub fn node(store: Arc<Store>, change: impl Fn(&mut Config) + Send) -> Server {
    Server::set_up(store, NOW, move |config| {
        config.http.trusted_proxies = vec!["127.0.0.1/32".parse().expect("a network")];
        change(config);
    })
}

/// A public server, and a player with hours of play on it who has not reviewed it.
pub struct Played {
    pub slug: String,
    pub server_n: i64,
    pub player_n: i64,
    pub nickname: String,
}

pub fn played(server: &Server) -> Vec<Played> {
    server.store.change(|conn| {
        conn.query(
            "select s.slug, s.n, p.n, p.nickname from sessions x join servers s on s.n = x.server_n
             join players p on p.n = x.player_n
             where s.visibility = 'PUBLIC' and s.rating_count > 2
               and not exists (select 1 from reviews r where r.server_n = s.n and r.player_n = p.n)
             group by s.slug, s.n, p.n, p.nickname having sum(x.play_time) >= 3600 order by s.n, p.n",
            &[],
            |row| Played { slug: row.get(0), server_n: row.get(1), player_n: row.get(2), nickname: row.get(3) },
        )
    })
}

pub fn account_n(server: &Server, name: &str) -> i64 {
    server.store.change(|conn| accounts::find(conn, name)).expect("the account").n
}

/// Links an account with a player, as joining the game would.
pub fn link(server: &Server, name: &str, player_n: i64) {
    let account_n = account_n(server, name);
    server.store.change(|conn| {
        conn.execute("delete from player_links where account_n = $1 or player_n = $2", values![account_n, player_n])?;
        conn.execute(
            "insert into player_links (account_n, player_n, method, linked_at) values ($1, $2, 'join', $3)",
            values![account_n, player_n, NOW],
        )
    });
}

/// The link of an account rests on the word of a server from now on.
pub fn vouch(server: &Server, name: &str, slug: &str) {
    let account_n = account_n(server, name);
    server.store.change(|conn| {
        let sql = "update player_links set method = 'report', server_n = (select n from servers where slug = $2)
                   where account_n = $1";
        conn.execute(sql, values![account_n, slug])
    });
}

/// A signed-in user who may review the server.
pub async fn reviewer<'a>(server: &'a Server, name: &str, played: &Played) -> Browser<'a> {
    let browser = Browser::signed_up(server, name).await;
    link(server, name, played.player_n);
    browser
}

pub async fn review(browser: &mut Browser<'_>, slug: &str, rating: &str, content: &str) -> TestResponse {
    let path = format!("/servers/{slug}/review");
    browser.get(&path).await;
    browser.send(&path, &[("rating", rating), ("content", content)]).await
}

/// A signed-in moderator.
pub async fn moderator<'a>(server: &'a Server, name: &str) -> Browser<'a> {
    let mut browser = Browser::signed_up(server, name).await;
    command(server, &["account", "role", name, "moderator"]);
    browser.get("/moderation").await;
    browser
}

/// The owner of a server, signed in.
pub async fn owner<'a>(server: &'a Server, name: &str, slug: &str) -> Browser<'a> {
    let browser = Browser::signed_up(server, name).await;
    command(server, &["server", "set", slug, "--owner", name]);
    browser
}

pub fn command(server: &Server, args: &[&str]) -> String {
    let output = run_blocking(|| server.store.rollcall(args));
    assert!(output.status.success(), "{args:?}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).expect("text")
}

/// The ids of the items on the queue page, oldest first.
pub async fn queue(moderator: &mut Browser<'_>, query: &str) -> Vec<String> {
    let html = moderator.get(&format!("/moderation{query}")).await.html();
    let links = html.split("href=\"/moderation/").skip(1);
    links.filter_map(|rest| rest.split('"').next()).map(str::to_owned).collect()
}

pub async fn decide(moderator: &mut Browser<'_>, id: &str, decision: &str, reason: &str) -> TestResponse {
    let seen = moderator.get(&format!("/moderation/{id}")).await.field("seen");
    let fields = [("decision", decision), ("reason", reason), ("seen", seen.as_str())];
    moderator.send(&format!("/moderation/{id}/decide"), &fields).await
}

/// Waits until the API shows this many reviews of a server.
pub async fn until_reviews(server: &Server, slug: &str, total: i64) -> serde_json::Value {
    let path = format!("/servers/{slug}/reviews");
    server.until(&path, |response| response.data()["total"].as_i64() == Some(total)).await.data()
}

pub async fn review_total(server: &Server, slug: &str) -> i64 {
    server.get(&format!("/servers/{slug}/reviews")).await.data()["total"].as_i64().expect("a total")
}

/// Counts everything again; nothing may change: no totals, no ordinals.
pub fn assert_recount(store: &Store) {
    let figures = || {
        store.change(|conn| {
            let three = |row: &rollcall_store::Row| (row.get::<i64>(0), row.get::<i64>(1), row.get::<i64>(2));
            let servers = "select n, rating_sum, rating_count from servers order by n";
            let servers = conn.query(servers, &[], three)?;
            let updates = conn.query("select n, update_count, 0 from servers order by n", &[], |row| {
                (row.get::<i64>(0), row.get::<i64>(1))
            })?;
            let players = conn.query("select n, review_count, vote_count from players order by n", &[], three)?;
            let mut places = Vec::new();
            for table in ["reviews", "update_posts"] {
                let sql = format!("select id, ordinal from {table} order by id");
                places.push(conn.query(&sql, &[], |row| (row.get::<String>(0), row.get::<Option<i64>>(1)))?);
            }
            Ok((servers, updates, players, places))
        })
    };
    let live = figures();
    store.change(|conn| totals::recompute(conn, &RecomputeScope::All));
    assert!(figures() == live, "the totals differ from a recount");
}
