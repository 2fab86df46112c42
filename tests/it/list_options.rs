//! What lists share: `fields`, cursors, and conditional requests by date.

use std::collections::{BTreeSet, HashSet};

use reqwest::Method;
use rollcall::tracked_servers;
use rollcall_model::time::SECOND;
use rollcall_store::audit::Author;
use serde_json::{Value, json};

use crate::harness::{Engine, NOW, Server, both, query};
use crate::servers::expected::{all_servers, ids, items, text, walk};
use crate::servers::fixture::{insert, named};

const TEXTURE_SORTS: [&str; 7] = ["recent", "popular", "likes", "favorites", "views", "downloads", "name"];

/// Every list with a cursor, and the name of its items.
async fn lists() -> Vec<(String, &'static str)> {
    let slug = text(&both("/servers?sort=votes&limit=1").await.data()["servers"][0]["slug"]).to_owned();
    let mut lists: Vec<(String, &str)> = Vec::new();
    for sort in ["recent", "players", "votes", "rating", "uptime", "trending", "name"] {
        lists.push((format!("/servers?sort={sort}"), "servers"));
    }
    for sort in ["recent", "name", "playtime", "sessions", "tier"] {
        lists.push((format!("/players?sort={sort}"), "players"));
    }
    for sort in TEXTURE_SORTS {
        lists.push((format!("/skins?sort={sort}"), "skins"));
        lists.push((format!("/capes?sort={sort}"), "capes"));
    }
    lists.push(("/skins?sort=usage".into(), "skins"));
    lists.push(("/servers?sort=players&onlineOnly=true".into(), "servers"));
    lists.push(("/players?sort=name&search=a".into(), "players"));
    for rows in ["voters", "reviews", "updates"] {
        lists.push((format!("/servers/{slug}/{rows}"), rows));
    }
    lists
}

/// A list by cursor; also checks what a page has.
async fn by_cursor(path: &str, list: &str, limit: usize) -> Vec<Value> {
    let (mut all, mut after) = (Vec::new(), "start".to_owned());
    loop {
        let data = both(&query(path, &format!("limit={limit}&after={after}"))).await.data();
        let place = if data["pagination"].is_object() { &data["pagination"] } else { &data };
        assert!(place["total"].is_u64() && place["page"].is_null() && place["totalPages"].is_null(), "{path}");
        all.extend_from_slice(items(&data[list]));
        match data["next"].as_str() {
            Some(next) => {
                assert_eq!(items(&data[list]).len(), limit, "{path}");
                after = next.to_owned();
            }
            None => {
                assert_eq!(place["total"], all.len(), "{path}");
                return all;
            }
        }
    }
}

#[tokio::test]
async fn cursors_give_the_whole_list_in_its_order() {
    for (path, list) in lists().await {
        let pages = walk(&path, list, 100).await;
        assert_eq!(ids(&by_cursor(&path, list, 7).await), ids(&pages), "{path}");
        assert_eq!(by_cursor(&path, list, 100).await, pages, "{path}");
    }
}

#[tokio::test]
async fn a_cursor_belongs_to_its_list() {
    let next = text(&both("/servers?sort=votes&limit=1&after=start").await.data()["next"]).to_owned();
    for path in [format!("/servers?sort=name&after={next}"), "/servers?after=x".into(), "/servers?after=%22".into()] {
        let response = both(&path).await;
        assert_eq!(response.status, 400, "{path}");
        assert!(response.error().starts_with("after must be start, or `next` of"), "{}", response.error());
    }
    let error = both("/servers?after=start&page=2").await.error();
    assert_eq!(error, "page must be left out with after, not \"2\"");
}

/// While servers come, go and change between the pages, all others come exactly once.
#[test]
fn a_changing_list_is_read_without_gaps_and_repeats() {
    for engine in Engine::BOTH {
        let server = Server::empty(engine);
        let fixtures: Vec<_> = (0..60).map(|i| named(i, &format!("Server {i:03}"))).collect();
        insert(&server, &fixtures);
        let conn = &mut server.store.conn();
        let (mut seen, mut after) = (Vec::new(), "start".to_owned());
        for round in 0_usize.. {
            let path = format!("/servers?sort=name&limit=10&after={after}");
            let data = server.run(server.get(&path)).data();
            seen.extend(items(&data["servers"]).iter().map(|server| text(&server["name"]).to_owned()));
            let Some(next) = data["next"].as_str() else { break };
            after = next.to_owned();
            // One before the cursor, one after it, and one that goes.
            insert(&server, &[named(100 + round, &format!("Server 000 {round}"))]);
            insert(&server, &[named(200 + round, &format!("Server 059 {round}"))]);
            let gone = format!("server-{}", round * 10 + 9);
            tracked_servers::remove(conn, &gone, &Author::command_line(NOW)).unwrap();
            let hidden = format!("/servers/{gone}");
            server.run(server.until(&hidden, |response| response.status == 404));
        }
        let unique: HashSet<&String> = seen.iter().collect();
        assert_eq!(unique.len(), seen.len(), "no repeats");
        assert!(seen.is_sorted());
        for i in 0..60 {
            assert!(seen.contains(&format!("Server {i:03}")), "{i}");
        }
        assert!(seen.contains(&"Server 059 0".to_owned()) && !seen.contains(&"Server 000 1".to_owned()));
    }
}

#[tokio::test]
async fn fields_leave_out_all_other_keys() {
    let first = |list: Value, key: &str| {
        let names: Vec<&str> = items(&list).iter().map(|item| text(&item[key])).collect();
        names.join(",")
    };
    let slugs = first(both("/servers?limit=3").await.data()["servers"].clone(), "slug");
    let ids = first(both("/players?limit=3").await.data()["players"].clone(), "id");
    let (servers, players) = (format!("/servers/batch?slugs={slugs},none"), format!("/players/batch?ids={ids},none"));
    let lists = [
        (servers.as_str(), "/servers", "slug,currentPlayers,name"),
        (players.as_str(), "/players", "id,mainNickname"),
        ("/servers?limit=3", "/servers", "slug,currentPlayers,name"),
        ("/servers/top?limit=3", "/servers", "slug,hotScore"),
        ("/players?limit=3", "/players", "id,mainNickname"),
        ("/leaderboards?limit=3", "/leaderboard/entries", "rank,player"),
        ("/leaderboards?metric=sessions&limit=3&after=start", "/leaderboard/entries", "formattedValue,value"),
        ("/skins?limit=3", "/skins", "slug,owner,tags"),
        ("/capes?limit=3", "/capes", "pngPath"),
    ];
    for (path, list, fields) in lists {
        let (whole, picked) = (both(path).await.data(), both(&query(path, &format!("fields={fields}"))).await.data());
        let wanted: BTreeSet<&str> = fields.split(',').collect();
        let mut expected = whole.clone();
        for item in expected.pointer_mut(list).unwrap().as_array_mut().unwrap() {
            item.as_object_mut().unwrap().retain(|key, _| wanted.contains(key.as_str()));
            assert_eq!(item.as_object().unwrap().len(), wanted.len(), "{path}");
        }
        assert_eq!(picked, expected, "{path}");
        let error = both(&query(path, "fields=slug,nonsense")).await;
        let item = &whole.pointer(list).unwrap()[0];
        let all: Vec<&str> = item.as_object().unwrap().keys().map(String::as_str).collect();
        let unknown = if all.contains(&"slug") { "nonsense" } else { "slug" };
        let message =
            format!("fields must be one or more of {}, separated by commas, not \"{unknown}\"", all.join(", "));
        assert_eq!((error.status, error.error()), (400, message), "{path}");
    }
    let slug = text(&all_servers().await[0]["slug"]).to_owned();
    for (rows, field) in [("voters", "votedAt"), ("reviews", "rating"), ("updates", "title"), ("outages", "reason")] {
        let data = both(&format!("/servers/{slug}/{rows}?fields={field}&after=start")).await.data();
        assert!(items(&data[rows]).iter().all(|row| row.as_object().unwrap().keys().eq([field])), "{rows}");
    }
}

/// Servers and players have different keys.
#[tokio::test]
async fn fields_of_a_search_are_those_of_any_kind() {
    let path = "/search?q=er&limit=2";
    let whole = both(path).await.data();
    let (servers, players) = (items(&whole["results"]["servers"]), items(&whole["results"]["players"]));
    assert_eq!((servers.len(), players.len()), (2, 2));
    let pick = |all: &[Value], keys: &[&str]| -> Vec<Value> {
        let mut picked = all.to_vec();
        for item in &mut picked {
            item.as_object_mut().unwrap().retain(|key, _| keys.contains(&key.as_str()));
            assert_eq!(item.as_object().unwrap().len(), keys.len());
        }
        picked
    };
    let cases: [(&str, &[&str], &[&str]); 4] = [
        ("id", &["id"], &["id"]),
        ("mainNickname,name,id", &["id", "name"], &["id", "mainNickname"]),
        ("slug,%20isOnline", &["slug", "isOnline"], &[]),
        ("gameUuid", &[], &["gameUuid"]),
    ];
    for (fields, of_servers, of_players) in cases {
        let picked = both(&format!("{path}&fields={fields}")).await;
        let results = json!({"servers": pick(servers, of_servers), "players": pick(players, of_players)});
        assert_eq!(picked.data(), json!({"results": results, "query": "er"}), "{fields}");
        assert_ne!(picked.header("etag"), both(path).await.header("etag"), "{fields}");
    }
    // A kind that was not asked for has no items, but its keys are known.
    let only = both("/search?q=er&limit=2&type=servers&fields=slug,gameUuid").await.data();
    assert_eq!(only["results"], json!({"servers": pick(servers, &["slug"]), "players": []}));
    let all = "id, slug, name, iconUrl, bannerUrl, currentPlayers, maxPlayers, isOnline, rating, gameUuid, mainNickname, \
               createdAt, updatedAt";
    for (fields, unknown) in [("slug,nonsense", "nonsense"), ("results", "results"), ("id,", "")] {
        let error = both(&format!("{path}&fields={fields}")).await;
        let message = format!("fields must be one or more of {all}, separated by commas, not \"{unknown}\"");
        assert_eq!((error.status, error.error()), (400, message), "{fields}");
    }
}

#[test]
fn a_response_that_did_not_change_is_a_304_by_date() {
    let server = Server::own(Engine::Sqlite);
    let ask = |headers: &[(&str, &str)]| {
        let key = ("x-api-key", server.key.as_str());
        let headers: Vec<(&str, &str)> = std::iter::once(key).chain(headers.iter().copied()).collect();
        server.run(server.send(Method::GET, "/capes", &headers))
    };
    let first = ask(&[]);
    assert_eq!(first.header("last-modified"), Some("Wed, 03 Jun 2026 14:00:00 GMT"));
    server.clock.set(NOW + 10 * SECOND);
    // Twice from the cache.
    for _ in 0..3 {
        let later = ask(&[]);
        let date = later.header("last-modified").unwrap().to_owned();
        assert_eq!((later.status, date.as_str()), (200, "Wed, 03 Jun 2026 14:00:01 GMT"));
        let same = ask(&[("if-modified-since", &date)]);
        assert_eq!((same.status, same.body.len(), same.header("etag")), (304, 0, later.header("etag")));
        // The date of the first second may be that of older content.
        assert_eq!(ask(&[("if-modified-since", first.header("last-modified").unwrap())]).status, 200);
        assert_eq!(ask(&[("if-modified-since", "soon")]).status, 200);
        // The tag wins.
        assert_eq!(ask(&[("if-modified-since", &date), ("if-none-match", "\"other\"")]).status, 200);
        let tag = later.header("etag").unwrap().to_owned();
        let old = ("if-modified-since", "Wed, 03 Jun 2020 14:00:00 GMT");
        assert_eq!(ask(&[old, ("if-none-match", &tag)]).status, 304);
    }
}
