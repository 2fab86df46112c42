//! Only public servers are shown.

use rollcall_store::values;
use rollcall_store::{revision, server_deletion};
use serde_json::Value;

use super::expected::{items, query, text};
use super::fixture::{change, insert, named};
use crate::harness::{Engine, NOW, Server, shared};

fn set_visibility(server: &Server, slug: &str, visibility: &str) {
    change(&mut server.store.conn(), |conn, rev| {
        let sql = "update servers set visibility = $1, rev = $2 where slug = $3";
        conn.execute(sql, values![visibility, rev, slug]).map(drop)
    });
}

/// Every path that may mention a server.
fn paths_with(listed: &Value) -> Vec<String> {
    let (name, country) = (text(&listed["name"]), text(&listed["country"]));
    let mut paths = vec![
        "/servers?limit=100".to_owned(),
        format!("/servers{}", query(&[("search", name)])),
        format!("/servers{}", query(&[("country", country), ("limit", "100")])),
        format!("/servers{}", query(&[("tag", text(&listed["tags"][0])), ("limit", "100")])),
        format!("/servers/top{}", query(&[("country", country), ("limit", "100")])),
        format!("/search{}", query(&[("q", name), ("limit", "100")])),
        "/servers/countries".to_owned(),
        "/servers/versions".to_owned(),
        "/live".to_owned(),
    ];
    paths.extend(
        ["recent", "players", "votes", "rating", "uptime", "trending", "name"]
            .map(|sort| format!("/servers?sort={sort}&limit=100")),
    );
    paths.extend(
        ["votes", "hot", "players", "rating", "trending"].map(|sort| format!("/servers/top?sort={sort}&limit=100")),
    );
    paths
}

fn own_pages(slug: &str) -> [String; 4] {
    ["", "/voters", "/reviews", "/updates"].map(|below| format!("/servers/{slug}{below}"))
}

fn bodies(server: &Server, paths: &[String]) -> Vec<String> {
    let body = |path: &String| String::from_utf8(server.run(server.get(path)).body).unwrap();
    paths.iter().map(body).collect()
}

fn totals(server: &Server) -> [i64; 5] {
    let data = |path: &str| server.run(server.get(path)).data();
    let sum = |list: &Value| items(list).iter().map(|item| item["serverCount"].as_i64().unwrap()).sum();
    [
        data("/servers")["pagination"]["total"].as_i64().unwrap(),
        data("/servers/top")["total"].as_i64().unwrap(),
        sum(&data("/servers/countries")["countries"]),
        sum(&data("/servers/versions")["versions"]),
        data("/live")["stats"]["totalServers"].as_i64().unwrap(),
    ]
}

/// The server of the latest activity, as in the list.
fn most_recently_active(server: &Server) -> Value {
    let live = server.run(server.get("/live")).data();
    let list = server.run(server.get("/servers?limit=100")).data();
    let name = &live["recentActivity"][0]["target"];
    items(&list["servers"]).iter().find(|listed| listed["name"] == *name).expect("a public server").clone()
}

#[test]
fn an_unlisted_server_disappears_and_returns() {
    for engine in Engine::BOTH {
        let server = Server::own(engine);
        let listed = most_recently_active(&server);
        let (id, slug, name) = (text(&listed["id"]), text(&listed["slug"]), text(&listed["name"]));
        let mut seen = paths_with(&listed);
        seen.extend(own_pages(slug));
        let (before, count) = (bodies(&server, &seen), totals(&server));
        let live_before = server.run(server.get("/live")).data();

        for hidden in ["UNLISTED", "PRIVATE"] {
            set_visibility(&server, slug, hidden);
            server.run(
                server.until("/servers?limit=100", |response| !String::from_utf8_lossy(&response.body).contains(id)),
            );
            for (path, body) in seen.iter().zip(bodies(&server, &seen)) {
                assert!(!body.contains(id), "{path}");
            }
            for path in own_pages(slug) {
                let response = server.run(server.get(&path));
                assert_eq!((response.status, response.error().as_str()), (404, "Server not found"));
            }
            assert_eq!(totals(&server), count.map(|total| total - 1));
            let live = server.run(server.get("/live")).data();
            let players = |live: &Value| live["stats"]["totalPlayers"].as_i64().unwrap();
            assert_eq!(players(&live), players(&live_before) - listed["currentPlayers"].as_i64().unwrap());
            assert!(items(&live["recentActivity"]).iter().all(|activity| activity["target"] != *name));
            assert_eq!(items(&live["recentActivity"]).len(), 20, "others move up");
        }

        set_visibility(&server, slug, "PUBLIC");
        server.run(server.until("/servers?limit=100", |response| String::from_utf8_lossy(&response.body).contains(id)));
        for ((path, before), after) in seen.iter().zip(before).zip(bodies(&server, &seen)) {
            assert_eq!(before, after, "{path}");
        }
    }
}

#[test]
fn a_server_that_was_never_public_is_not_shown() {
    for engine in Engine::BOTH {
        let server = shared(engine);
        let sql = "select id, slug, name from servers where visibility <> 'PUBLIC'";
        let read = |row: &rollcall_store::Row| (row.get(0), row.get(1), row.get(2));
        let hidden: Vec<(String, String, String)> = server.store.conn().query(sql, &[], read).unwrap();
        assert!(!hidden.is_empty(), "the world has an unlisted server");
        for (id, slug, name) in hidden {
            let listed = server.run(server.get("/servers?limit=1")).data()["servers"][0].clone();
            let mut paths = paths_with(&listed);
            paths.push(format!("/search{}", query(&[("q", &name)])));
            paths.push(format!("/servers{}", query(&[("search", &name)])));
            for (path, body) in paths.iter().zip(bodies(server, &paths)) {
                assert!(!body.contains(&id), "{path}");
            }
            for path in own_pages(&slug) {
                assert_eq!(server.run(server.get(&path)).status, 404, "{path}");
            }
        }
        let count = "select count(*) from servers where visibility = 'PUBLIC'";
        let public: i64 = server.store.conn().query_one(count, &[], |row| row.get(0)).unwrap();
        assert_eq!(totals(server), [public; 5]);
    }
}

#[test]
fn a_changed_server_moves_in_every_sort_and_filter() {
    for engine in Engine::BOTH {
        let server = Server::own(engine);
        let listed = most_recently_active(&server);
        change(&mut server.store.conn(), |conn, rev| {
            let sql =
                "update servers set name = 'Ärger 例', country = 'Atlantis', version = '9.9.9', game_mode = 'Chess',
                       current_players = 99999, is_online = $1, created_at = $2, rev = $3 where id = $4";
            conn.execute(sql, values![true, NOW, rev, text(&listed["id"])]).map(drop)
        });
        let first = |path: &str| server.run(server.get(path)).data()["servers"][0]["id"].clone();
        let total = |path: &str| server.run(server.get(path)).data()["pagination"]["total"].clone();
        server.run(server.until("/servers?limit=1", |response| response.data()["servers"][0]["id"] == listed["id"]));
        assert_eq!(first("/servers?sort=players"), listed["id"]);
        assert_eq!(first("/servers/top?sort=players"), listed["id"]);
        for only in ["search=arger", "country=ATLANTIS", "version=9", "mode=chess", "minPlayers=99999"] {
            assert_eq!(first(&format!("/servers?{only}")), listed["id"], "{only}");
            assert_eq!(total(&format!("/servers?{only}")), 1, "{only}");
        }
        let old_name = query(&[("search", text(&listed["name"]))]);
        let found = server.run(server.get(&format!("/servers{old_name}"))).data();
        assert!(items(&found["servers"]).iter().all(|other| text(&other["motd"]).contains(text(&listed["name"]))));
        let live = server.run(server.get("/live")).data();
        assert_eq!(live["countryPlayers"]["Atlantis"], 99_999);
        assert_eq!(live["topServers"][0]["name"], "Ärger 例");
    }
}

#[test]
fn a_deleted_server_disappears_and_nothing_is_loaded_again() {
    for engine in Engine::BOTH {
        let server = Server::empty(engine);
        insert(&server, &[named(0, "Stays"), named(1, "Goes")]);
        server.run(server.until("/servers", |response| items(&response.data()["servers"]).len() == 2));
        let epoch = |server: &Server| server.store.change(revision::current).epoch;
        let before = epoch(&server);
        let name = server.store.change(|conn| conn.transaction(|conn| server_deletion::delete(conn, "server-1")));
        assert_eq!(name.as_deref(), Some("Goes"));
        server.run(server.until("/servers", |response| items(&response.data()["servers"]).len() == 1));
        assert_eq!(server.run(server.get("/servers/server-1")).status, 404);
        assert_eq!(totals(&server), [1; 5]);
        assert_eq!(epoch(&server), before);
        // Its slug is free for another server.
        insert(&server, &[named(1, "Comes")]);
        server.run(server.until("/servers", |response| items(&response.data()["servers"]).len() == 2));
        assert_eq!(server.run(server.get("/servers/server-1")).status, 200);
    }
}

/// As older versions delete one.
#[test]
fn a_deleted_server_disappears_with_a_new_epoch() {
    for engine in Engine::BOTH {
        let server = Server::empty(engine);
        insert(&server, &[named(0, "Stays"), named(1, "Goes")]);
        change(&mut server.store.conn(), |conn, _| {
            conn.execute("delete from servers where slug = 'server-1'", &[])?;
            revision::bump_epoch(conn).map(drop)
        });
        server.run(server.until("/servers", |response| items(&response.data()["servers"]).len() == 1));
        assert_eq!(server.run(server.get("/servers/server-1")).status, 404);
        assert_eq!(totals(&server), [1; 5]);
    }
}
