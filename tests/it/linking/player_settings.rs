//! What linked users choose: skin, cape, country, and opting out.

use reqwest::Method;
use serde_json::{Value, json};

use super::{LinkingFixture, NOTCH, enter, join_code, link};
use crate::harness::{Browser, Engine, NOW, PASSWORD, Server, TestResponse, until};

/// The id, UUID and nickname of a player of the demo world with a country, votes and reviews.
async fn demo_player(server: &Server) -> (String, String, String) {
    for page in 1..=10 {
        let list = server.get(&format!("/players?sort=playtime&limit=100&page={page}")).await.data();
        for player in list["players"].as_array().expect("players") {
            let id = player["id"].as_str().expect("an id");
            let detail = server.get(&format!("/players/{id}")).await.data();
            let has = |name: &str| detail["player"][name].as_array().is_some_and(|items| !items.is_empty());
            if has("votedServers") && has("reviews") && !detail["player"]["country"].is_null() {
                let text = |name: &str| player[name].as_str().expect("a text").to_owned();
                return (text("id"), text("gameUuid"), text("mainNickname"));
            }
        }
    }
    panic!("no player of the demo world has votes, reviews and a country");
}

async fn slugs(server: &Server, list: &str) -> Vec<String> {
    let data = server.get(&format!("/{list}?limit=3&sort=name")).await.data();
    data[list]
        .as_array()
        .expect("textures")
        .iter()
        .map(|item| item["slug"].as_str().expect("a slug").to_owned())
        .collect()
}

async fn wear(browser: &mut Browser<'_>, skin: &str, cape: &str) -> TestResponse {
    browser.get("/dashboard/player").await;
    browser.send("/dashboard/player/appearance", &[("skin", skin), ("cape", cape)]).await
}

fn usage(server: &Server, slug: &str) -> i64 {
    let sql = "select usage_count from textures where slug = $1";
    server.store.change(|conn| conn.query_one(sql, rollcall_store::values![slug], |row| row.get(0)))
}

#[test]
fn linked_users_choose_what_they_wear() {
    for engine in Engine::BOTH {
        let fixture = LinkingFixture::new(engine);
        let server = &fixture.server;
        let (skin, cape) = server.run(async {
            let mut ada = Browser::signed_up(server, "ada-wears").await;
            let none = wear(&mut ada, "default-slim", "").await;
            assert_eq!((none.status, none.notice().as_str()), (409, "Your account is not linked with a player."));
            link(&mut ada, NOTCH, "Notch").await;
            let (skins, capes) = (slugs(server, "skins").await, slugs(server, "capes").await);
            let (skin, cape) = (skins[1].clone(), capes[1].clone());
            for (skin, cape) in [("none-such", ""), (skin.as_str(), "none-such"), ("", "")] {
                assert_eq!(wear(&mut ada, skin, cape).await.status, 422);
            }
            let saved = wear(&mut ada, &format!("https://rollcall.test/skins/{skin}"), &cape).await;
            assert_eq!(saved.redirect_target(), "/dashboard/player?done=player-changed");
            let worn = |data: &Value| data["player"]["linkedSkin"]["slug"] == skin.as_str();
            let player = server.until("/players/Notch", |response| worn(&response.data())).await.data();
            // A player without a skin of their own shows the chosen one everywhere.
            assert_eq!(player["player"]["skinUrl"], player["player"]["linkedSkin"]["pngPath"]);
            assert_eq!(player["player"]["skinModel"], player["player"]["linkedSkin"]["model"]);
            let wears = |data: &Value| data.to_string().contains("\"Notch\"");
            server.until(&format!("/capes/{cape}"), |response| wears(&response.data())).await;
            server.until(&format!("/skins/{skin}"), |response| wears(&response.data())).await;
            let page = ada.get("/dashboard/player").await;
            assert_eq!((page.field("skin"), page.field("cape")), (skin.clone(), cape.clone()));
            assert!(ada.get("/dashboard/log").await.html().contains("skin and cape of the player changed"));
            // The page of a skin leads here.
            let link = format!("/dashboard/player?skin={}", skins[0]);
            let public = server.raw(Method::GET, &format!("/skins/{}", skins[0]), &[]).await.html();
            assert!(public.contains(&format!("href=\"{link}\"")), "{public}");
            let page = ada.get(&link).await;
            assert_eq!((page.field("skin"), page.field("cape")), (skins[0].clone(), cape.clone()));
            (skin, cape)
        });
        // The counts equal a recount.
        let counts = [
            usage(server, &skin),
            usage(server, &cape),
            usage(server, "default-classic"),
            usage(server, "default-slim"),
        ];
        let scope = rollcall_store::totals::RecomputeScope::All;
        server.store.change(|conn| rollcall_store::totals::recompute(conn, &scope));
        let recount = [
            usage(server, &skin),
            usage(server, &cape),
            usage(server, "default-classic"),
            usage(server, "default-slim"),
        ];
        assert_eq!(counts, recount, "{engine:?}");
    }
}

#[test]
fn a_hidden_country_is_unknown_everywhere() {
    for engine in Engine::BOTH {
        let fixture = LinkingFixture::new(engine);
        let server = &fixture.server;
        let (id, uuid) = server.run(async {
            let (id, uuid, name) = demo_player(server).await;
            let mut ada = Browser::signed_up(server, "ada-hides").await;
            link(&mut ada, &uuid, &name).await;
            ada.get("/dashboard/player").await;
            let saved = ada.send("/dashboard/player/country", &[("hide", "yes")]).await;
            assert_eq!(saved.redirect_target(), "/dashboard/player?done=player-changed");
            let path = format!("/players/{id}");
            server.until(&path, |response| response.data()["player"]["country"].is_null()).await;
            let list = server.get(&format!("/players?limit=100&search={name}")).await.data();
            let listed = list["players"].as_array().expect("players").iter().find(|player| player["id"] == id.as_str());
            assert_eq!(listed.expect("the player")["country"], json!(null));
            assert!(ada.get("/dashboard/player").await.html().contains("value=\"yes\" checked"));
            (id, uuid)
        });
        let out = server.store.path().join("exported");
        let output = server.store.rollcall(&["export", out.to_str().expect("a path")]);
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        let players = std::fs::read_to_string(out.join("players.ndjson")).expect("the file");
        let line = players.lines().find(|line| line.contains(&uuid)).expect("the player");
        assert!(!line.contains("country") || line.contains("\"country\":null"), "{line}");
        server.run(async {
            let mut ada = Browser::signed_in(server, "ada-hides").await;
            ada.get("/dashboard/player").await;
            ada.send("/dashboard/player/country", &[]).await;
            let path = format!("/players/{id}");
            server.until(&path, |response| !response.data()["player"]["country"].is_null()).await;
        });
    }
}

/// Whether anything that the API or a file of the store shows contains one of these texts.
async fn shown(server: &Server, id: &str, uuid: &str, name: &str) -> Vec<String> {
    let mut found = Vec::new();
    for path in [
        format!("/players/{id}"),
        format!("/players/{uuid}"),
        format!("/players?search={name}&limit=100"),
        format!("/search?q={name}&type=players&limit=100"),
        format!("/leaderboards?search={name}&limit=100"),
    ] {
        let body = String::from_utf8_lossy(&server.get(&path).await.body).into_owned();
        if body.contains(uuid) || body.contains(&format!("\"mainNickname\":\"{name}\"")) {
            found.push(path);
        }
    }
    found
}

#[test]
fn opting_out_removes_the_player_on_every_node_and_keeps_counts() {
    for engine in Engine::BOTH {
        let fixture = LinkingFixture::new(engine);
        let server = &fixture.server;
        let other = super::node(server.store.clone(), &fixture.auth_url, NOW);
        let (id, uuid, name) = server.run(demo_player(server));
        let (slug, before) = server.run(async {
            let player = server.get(&format!("/players/{id}")).await.data();
            let slug = player["player"]["reviews"][0]["server"]["slug"].as_str().expect("a slug").to_owned();
            assert!(!shown(&other, &id, &uuid, &name).await.is_empty());
            let server_before = server.get(&format!("/servers/{slug}")).await.data()["server"].clone();
            (slug, server_before)
        });
        server.run(async {
            let mut ada = Browser::signed_up(server, "ada-leaves").await;
            link(&mut ada, &uuid, &name).await;
            ada.get("/dashboard/player").await;
            let unsure = ada.send("/dashboard/player/erase", &[("password", PASSWORD)]).await;
            assert_eq!(unsure.notice(), "Check the box to confirm that the player is removed.");
            let wrong = ada.send("/dashboard/player/erase", &[("password", "wrong"), ("sure", "yes")]).await;
            assert_eq!(wrong.status, 422);
            let erased = ada.send("/dashboard/player/erase", &[("password", PASSWORD), ("sure", "yes")]).await;
            assert_eq!(erased.redirect_target(), "/dashboard/player?done=player-erased", "{}", erased.notice());
            assert!(ada.get("/dashboard/log").await.html().contains("player opted out"));
            for node in [server, &other] {
                node.until(&format!("/players/{id}"), |response| response.status == 404).await;
                until(async || match shown(node, &id, &uuid, &name).await {
                    shown if shown.is_empty() => Ok(()),
                    shown => Err(format!("the player is still shown: {shown:?}")),
                })
                .await;
            }
            // Votes and reviews keep counting.
            let after = server.get(&format!("/servers/{slug}")).await.data()["server"].clone();
            for field in ["totalVotes", "rating", "voteStats"] {
                assert_eq!(after[field], before[field], "{field}");
            }
            let reviews = server.get(&format!("/servers/{slug}/reviews?limit=100")).await.data();
            // The account of the same person may have the same name, and stays.
            let has_name = |review: &Value| {
                ["gameUsername", "playerMainNickname"].iter().any(|field| review[field] == name.as_str())
            };
            assert!(!reviews["reviews"].as_array().expect("reviews").iter().any(has_name), "{reviews}");
            assert!(!reviews.to_string().contains(&uuid), "{reviews}");
            // Nobody can link the player again.
            let code = join_code(&server.store, &uuid, &name, NOW);
            assert_eq!(
                enter(&mut ada, &code).await.notice(),
                "This player has opted out. An operator can allow them again."
            );
        });
        assert_no_trace(server, &uuid, &name);
        let usage_before = usage(server, "default-classic");
        server
            .store
            .change(|conn| rollcall_store::totals::recompute(conn, &rollcall_store::totals::RecomputeScope::All));
        assert_eq!(usage(server, "default-classic"), usage_before);
    }
}

/// Neither an export nor a backup contains the player.
fn assert_no_trace(server: &Server, uuid: &str, name: &str) {
    let store = &server.store;
    store.change(|conn| rollcall_store::link_codes::delete_expired(conn, i64::MAX));
    let out = store.path().join("after");
    let exported = store.rollcall(&["export", out.to_str().expect("a path")]);
    assert!(exported.status.success(), "{}", String::from_utf8_lossy(&exported.stderr));
    for file in std::fs::read_dir(&out).expect("files").flatten().filter(|file| file.path().is_file()) {
        // The account of the same person may have the same name, and stays.
        if file.file_name() == "accounts.ndjson" {
            continue;
        }
        let text = String::from_utf8_lossy(&std::fs::read(file.path()).expect("a file")).into_owned();
        assert!(!text.contains(uuid) && !text.contains(&format!("\"{name}\"")), "{:?}", file.path());
    }
    if matches!(store.database, rollcall_store::Database::Sqlite(_)) {
        let file = store.path().join("after.backup");
        let backup = store.rollcall(&["backup", file.to_str().expect("a path")]);
        assert!(backup.status.success(), "{}", String::from_utf8_lossy(&backup.stderr));
        let bytes = std::fs::read(&file).expect("the backup");
        let needle = uuid.as_bytes();
        assert!(!bytes.windows(needle.len()).any(|window| window == needle), "the backup contains the UUID");
        assert_eq!(columns_with(&file, name), Vec::<String>::new());
    }
}

/// The columns of a backup that hold this name in any case, accounts excepted.
fn columns_with(backup: &std::path::Path, name: &str) -> Vec<String> {
    let database = format!("sqlite:{}", backup.display()).parse().expect("a database");
    let mut conn = rollcall_store::Conn::open(&database).expect("the backup opens");
    let columns = "select t.name, c.name from sqlite_master t, pragma_table_info(t.name) c
                   where t.type = 'table' and t.name <> 'accounts' and lower(c.type) = 'text'";
    let columns: Vec<(String, String)> =
        conn.query(columns, &[], |row| (row.get(0), row.get(1))).expect("the columns of the backup");
    assert!(columns.len() > 50, "{columns:?}");
    let mut found = Vec::new();
    for (table, column) in columns {
        let sql = format!("select count(*) from {table} where lower({column}) = lower($1)");
        let count: i64 = conn.query_one(&sql, rollcall_store::values![name], |row| row.get(0)).expect("a count");
        if count > 0 {
            found.push(format!("{table}.{column}"));
        }
    }
    found
}

#[test]
#[ignore = "slow, ./test runs it"]
fn an_imported_player_who_opted_out_stays_out() {
    for engine in Engine::BOTH {
        let fixture = LinkingFixture::new(engine);
        let server = &fixture.server;
        let (id, uuid, name) = server.run(demo_player(server));
        let out = server.store.path().join("before");
        let rollcall = |args: &[&str]| {
            let output = server.store.rollcall(args);
            assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
            String::from_utf8_lossy(&output.stdout).into_owned()
        };
        rollcall(&["export", out.to_str().expect("a path")]);
        let refused = server.store.rollcall(&["player", "erase", &name]);
        assert_eq!(refused.status.code(), Some(2), "it needs --yes");
        let removed = rollcall(&["player", "erase", &uuid.replace('-', ""), "--yes"]);
        assert_eq!(removed, "Removed. Votes and reviews stay without the name.\n");
        let unknown = server.store.rollcall(&["player", "erase", &uuid, "--yes"]);
        assert_eq!(unknown.status.code(), Some(1));
        let import = || {
            let files = std::fs::read_dir(&out).expect("files").flatten().map(|file| file.path());
            let files: Vec<String> =
                files.filter(|path| path.is_file()).map(|path| path.display().to_string()).collect();
            let args: Vec<&str> = std::iter::once("import").chain(files.iter().map(String::as_str)).collect();
            rollcall(&args)
        };
        import();
        server.run(async {
            server.until(&format!("/players/{id}"), |response| response.status == 404).await;
            assert_eq!(shown(server, &id, &uuid, &name).await, Vec::<String>::new());
        });
        assert_no_trace(server, &uuid, &name);
        rollcall(&["player", "allow", &uuid]);
        assert_eq!(server.store.rollcall(&["player", "allow", &uuid]).status.code(), Some(1));
        import();
        server.run(server.until(&format!("/players/{id}"), |response| response.status == 200));
    }
}

#[test]
fn a_nickname_of_several_players_erases_nobody() {
    for engine in Engine::BOTH {
        let server = Server::own(engine);
        let count = || {
            let sql = "select count(*) from players";
            server.store.change(|conn| conn.query_one(sql, &[], |row| row.get::<i64>(0)))
        };
        let sql = "update players set nickname = 'Twin', nickname_key = 'twin' where n in (select n from players order by n limit 2)";
        server.store.change(|conn| conn.execute(sql, &[]));
        let before = count();
        let refused = server.store.rollcall(&["player", "erase", "TWIN", "--yes"]);
        assert_eq!(refused.status.code(), Some(1));
        assert!(String::from_utf8_lossy(&refused.stderr).contains("several players have the nickname"));
        assert_eq!(count(), before);
    }
}

#[test]
fn a_voter_who_opted_out_is_anonymous() {
    for engine in Engine::BOTH {
        let fixture = LinkingFixture::new(engine);
        let server = &fixture.server;
        let (_, uuid, name) = server.run(demo_player(server));
        let slug = server.run(async {
            server.get("/servers?sort=name&limit=1").await.data()["servers"][0]["slug"]
                .as_str()
                .expect("a slug")
                .to_owned()
        });
        let output = server.store.rollcall(&["player", "erase", &uuid, "--yes"]);
        assert!(output.status.success());
        server.run(async {
            let mut ada = Browser::signed_up(server, "ada-votes-out").await;
            let path = format!("/servers/{slug}/vote");
            ada.get(&path).await;
            assert_eq!(ada.send(&path, &[("nickname", &name)]).await.status, 303);
            let voters = format!("/servers/{slug}/voters");
            let newest =
                server.until(&voters, |response| response.data()["voters"][0]["siteUsername"] == "ada-votes-out").await;
            assert_eq!(newest.data()["voters"][0]["gameUsername"], "Anonymous");
            let public = server.raw(Method::GET, &format!("/players/{uuid}"), &[]).await;
            assert_eq!(public.status, 404);
        });
    }
}
