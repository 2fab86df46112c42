//! Shared checks of skins and capes. `kind` is the path and the name of the list.

use std::cmp::Reverse;
use std::collections::{HashMap, HashSet};

use rollcall_model::api_key::digest_of;
use rollcall_model::time::parse_iso;
use rollcall_search::fold_search;
use rollcall_store::revision;
use rollcall_store::values;
use serde_json::{Value, json};

use crate::harness::{Engine, HIGH_LIMITS, Server, Store, both, create_key, every, shared};

async fn all(server: &Server, kind: &str, params: &str) -> Vec<Value> {
    every(server, &format!("/{kind}?{params}"), &format!("/{kind}"), 5).await
}

fn text<'a>(item: &'a Value, key: &str) -> &'a str {
    item[key].as_str().expect("a text")
}

fn count(item: &Value, key: &str) -> i64 {
    item[key].as_i64().expect("a count")
}

/// The number of wearers by slug.
async fn wearers(kind: &str) -> HashMap<String, i64> {
    let mut wearers = HashMap::new();
    for item in all(shared(Engine::Sqlite), kind, "").await {
        let detail = both(&format!("/{kind}/{}", text(&item, "slug"))).await.data();
        let detail = &detail[kind.trim_end_matches('s')];
        wearers.insert(text(&item, "slug").to_owned(), count(detail, "playersUsingCount"));
    }
    wearers
}

/// The key of a sort, in tenths where it is a weighted sum.
fn sort_key(sort: &str, item: &Value, wearers: &HashMap<String, i64>) -> (Reverse<i64>, String) {
    let figure = |key: &str| (Reverse(count(item, key)), String::new());
    let worn = wearers[text(item, "slug")];
    match sort {
        "recent" => (Reverse(parse_iso(text(item, "createdAt")).unwrap()), String::new()),
        "likes" => figure("likeCount"),
        "favorites" => figure("favoriteCount"),
        "views" => figure("viewCount"),
        "downloads" => figure("downloadCount"),
        "usage" => (Reverse(worn), String::new()),
        "name" => (Reverse(0), fold_search(text(item, "name"))),
        "popular" => {
            let applause = count(item, "likeCount") + count(item, "favoriteCount");
            let tenths = worn * 50 + applause * 30 + count(item, "downloadCount") * 10 + count(item, "viewCount");
            (Reverse(tenths), String::new())
        }
        _ => unreachable!("{sort}"),
    }
}

pub async fn every_sort_lists_each_once_and_in_order(kind: &str, sorts: &[&str]) {
    let wearers = wearers(kind).await;
    for engine in Engine::BOTH {
        for sort in sorts {
            let items = all(shared(engine), kind, &format!("sort={sort}")).await;
            assert!(items.is_sorted_by_key(|item| sort_key(sort, item, &wearers)), "{sort}");
            let slugs: HashSet<&str> = items.iter().map(|item| text(item, "slug")).collect();
            assert_eq!((slugs.len(), items.len()), (wearers.len(), wearers.len()), "{sort}");
        }
    }
}

/// Tag, owner and search, alone and combined.
pub async fn filters_match(kind: &str) {
    for engine in Engine::BOTH {
        let server = shared(engine);
        let everything = all(server, kind, "sort=name").await;
        let tags = |item: &Value| -> Vec<String> {
            item["tags"].as_array().unwrap().iter().map(|tag| tag.as_str().unwrap().to_owned()).collect()
        };
        let owner = |item: &Value| text(&item["owner"], "username").to_owned();
        let known: HashSet<String> = everything.iter().flat_map(&tags).collect();
        for tag in known {
            let found = all(server, kind, &format!("sort=name&tag={}", tag.to_uppercase())).await;
            let expected: Vec<Value> = everything.iter().filter(|item| tags(item).contains(&tag)).cloned().collect();
            assert_eq!(found, expected, "{tag}");
            let maker = owner(&expected[0]);
            let found = all(server, kind, &format!("sort=name&tag={tag}&owner={}", maker.to_uppercase())).await;
            let expected: Vec<Value> = expected.into_iter().filter(|item| owner(item) == maker).collect();
            assert_eq!(found, expected, "{tag} by {maker}");
        }
        for needle in ["e", "CK", "%C3%B6", "default", "a%20"] {
            let found = all(server, kind, &format!("sort=name&search={needle}")).await;
            let plain = fold_search(&percent_encoding::percent_decode_str(needle).decode_utf8().unwrap());
            let holds = |word: &str| fold_search(word).contains(&plain);
            let is_meant = |item: &&Value| holds(text(item, "name")) || tags(item).iter().any(|tag| holds(tag));
            let expected: Vec<Value> = everything.iter().filter(is_meant).cloned().collect();
            assert_eq!(found, expected, "{needle}");
        }
        for filter in ["tag=nothing", "owner=nobody", "search=nothing-is-called-this", "tag=%00", "owner=%00"] {
            assert!(all(server, kind, filter).await.is_empty(), "{filter}");
        }
    }
}

pub async fn invalid_values_are_named(kind: &str, sorts: &str) {
    for (params, message) in [
        ("sort=best", format!("sort must be one of {sorts}, not \"best\"")),
        ("limit=0", "limit must be a whole number from 1 to 100, not \"0\"".into()),
        ("page=-1", "page must be a whole number from 1 to 2147483647, not \"-1\"".into()),
    ] {
        let response = both(&format!("/{kind}?{params}")).await;
        assert_eq!((response.status, response.error()), (400, message));
    }
}

pub async fn unknown_slugs_are_not_found(kind: &str, message: &str) {
    for slug in ["nothing", "%00", "..%2F..", "%20", "DEFAULT-CLASSIC", "default-classic%00"] {
        let response = both(&format!("/{kind}/{slug}")).await;
        assert_eq!((response.status, response.error().as_str()), (404, message), "{slug}");
    }
}

/// Every detail equals its entry in the list and names the wearers.
pub async fn details_agree_with_the_list(kind: &str, only_in_the_list: &[&str]) {
    for item in all(shared(Engine::Sqlite), kind, "").await {
        let detail = both(&format!("/{kind}/{}", text(&item, "slug"))).await.data()[kind.trim_end_matches('s')].clone();
        for (key, value) in item.as_object().unwrap() {
            if only_in_the_list.contains(&key.as_str()) {
                assert_eq!(detail.get(key), None, "{key}");
            } else {
                assert_eq!(detail[key], *value, "{key}");
            }
        }
        let wearers = detail["playersUsing"].as_array().unwrap();
        assert_eq!(wearers.len() as i64, count(&detail, "playersUsingCount").min(24));
        let ids: HashSet<&str> = wearers.iter().map(|player| text(player, "id")).collect();
        assert_eq!(ids.len(), wearers.len());
        assert_eq!(detail["viewer"], json!({"liked": false, "favorited": false, "isOwner": false}));
    }
}

/// Creates an account with a texture, likes and a key; returns the key.
fn give_account(store: &Store, kind: &str) -> String {
    let key = create_key(store, HIGH_LIMITS);
    let hash = rollcall_model::id::hex(&digest_of(&key).unwrap());
    store.change(|conn| {
        let account: i64 = conn.query_one(
            "insert into accounts (id, username, username_key, avatar, role, created_at)
             values ('fan', 'Fan', 'fan', 'avatar/0.png', 'USER', 0) returning n",
            &[],
            |row| row.get(0),
        )?;
        let system = "(select n from accounts where role = 'SYSTEM')";
        let rev = revision::bump(conn)?;
        for (slug, owner) in [("own", account.to_string()), ("liked", system.into()), ("favorite", system.into())] {
            let texture: i64 = conn.query_one(
                &format!(
                    "insert into textures (kind, id, slug, name, description, model, png, owner_n, is_featured, created_at,
                         view_count, download_count, like_count, favorite_count, usage_count, rev)
                     values ($1, $2, $2, $2, '', $3, 'skin/0.png', {owner}, false, 0, 0, 0, 0, 0, 0, $4) returning n"
                ),
                values![kind, slug, (kind == "skin").then_some("classic"), rev],
                |row| row.get(0),
            )?;
            let table = match slug {
                "liked" => "texture_likes",
                "favorite" => "texture_favorites",
                _ => continue,
            };
            conn.execute(&format!("insert into {table} values ($1, $2)"), values![texture, account])?;
        }
        conn.execute(
            "update keys set account_n = $1 where n = (select key_n from key_secrets where hash = $2)",
            values![account, &hash],
        )?;
        revision::bump_key_epoch(conn)
    });
    key
}

/// `viewer` belongs to the account of the key, also when another account requested the same path before.
pub async fn viewer_belongs_to_the_account_of_the_key(kind: &str) {
    for engine in Engine::BOTH {
        let server = Server::empty(engine);
        let fan = give_account(&server.store, kind);
        // Two tasks load the catalogue and the keys. The key may be known before its account is.
        server
            .until_as(&fan, &format!("/{kind}s/own"), |response| {
                response.status == 200 && response.data()[kind]["viewer"]["isOwner"] == true
            })
            .await;
        for _ in 0..3 {
            for (slug, viewer) in [
                ("own", json!({"liked": false, "favorited": false, "isOwner": true})),
                ("liked", json!({"liked": true, "favorited": false, "isOwner": false})),
                ("favorite", json!({"liked": false, "favorited": true, "isOwner": false})),
            ] {
                let path = format!("/{kind}s/{slug}");
                let (his, ours) = (server.get_as(&fan, &path).await, server.get(&path).await);
                assert_eq!(his.data()[kind]["viewer"], viewer, "{slug}");
                let nothing = json!({"liked": false, "favorited": false, "isOwner": false});
                assert_eq!(ours.data()[kind]["viewer"], nothing, "{slug}");
                assert_ne!(his.header("etag"), ours.header("etag"));
            }
        }
    }
}
