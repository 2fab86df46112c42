//! `GET /players/{id}` by id, UUID and nickname.

use rollcall_search::fold;
use rollcall_store::revision;
use rollcall_store::values;
use serde_json::Value;

use crate::harness::{Engine, NOW, Server, Store, both};

#[tokio::test]
async fn id_uuid_and_nickname_find_the_same_player() {
    let player = both("/players?sort=playtime&limit=1").await.data()["players"][0].clone();
    let [id, uuid, name] = ["id", "gameUuid", "mainNickname"].map(|key| player[key].as_str().unwrap().to_owned());
    let whole = both(&format!("/players/{id}")).await;
    assert_eq!(whole.data()["player"]["id"], player["id"]);
    let bare = uuid.replace('-', "");
    for spelling in [
        uuid.clone(),
        uuid.to_uppercase(),
        bare.to_uppercase(),
        bare,
        name.to_uppercase(),
        name.to_lowercase(),
        format!("%20{name}%20"),
        name.bytes().map(|b| format!("%{b:02x}")).collect(),
    ] {
        assert_eq!(both(&format!("/players/{spelling}")).await.body, whole.body, "{spelling}");
    }
}

#[tokio::test]
async fn other_values_are_not_found() {
    let player = both("/players?limit=1").await.data()["players"][0].clone();
    let (id, uuid) = (player["id"].as_str().unwrap(), player["gameUuid"].as_str().unwrap());
    for odd in [
        "nobody".to_owned(),
        id.to_uppercase(),
        id[1..].to_owned(),
        format!("{id}%00"),
        format!("{{{uuid}}}"),
        "00000000-0000-4000-8000-000000000000".into(),
        "%00".into(),
        "a%00b".into(),
        "%20".into(),
        "%0A".into(),
        "%2F".into(),
        "..%2Fplayers".into(),
        "%27%20or%201%3D1%20--".into(),
        "%25".into(),
        "%F0%9F%A6%8A".into(),
        "%EF%BF%BF".into(),
        "%E2%80%AE".into(),
        "x".repeat(4000),
    ] {
        let response = both(&format!("/players/{odd}")).await;
        assert_eq!(
            (response.status, response.error().as_str()),
            (404, "Player not found: no player has this id, UUID or nickname"),
            "{odd}"
        );
    }
    let response = both("/players/%FF").await;
    assert_eq!((response.status, response.error().as_str()), (400, "the path must be percent-encoded UTF-8"));
}

/// Adds a player who was last seen `ago` milliseconds ago.
fn add(store: &Store, id: &str, nickname: &str, ago: i64) {
    store.change(|conn| {
        let rev = revision::bump(conn)?;
        let uuid = format!("00000000-0000-4000-8000-0000000000{id}");
        conn.execute(
            "insert into players (id, game_uuid, nickname, nickname_key, skin, skin_model, linked_skin_n, tier_overall,
                 tier_points, created_at, updated_at, last_seen_at, total_play_time, session_count, servers_count,
                 total_kills, total_deaths, total_wins, vote_count, review_count, achievements, rev)
             select $1, $2, $3, $4, png, 'classic', n, 'Unranked', 0, $5, $5, $6, 0, 0, 0, 0, 0, 0, 0, 0, 0, $7
             from textures where slug = 'default-classic'",
            values![id, uuid, nickname, fold(nickname), NOW - 1_000, NOW - ago, rev],
        )
    });
}

#[tokio::test]
async fn of_players_with_the_same_name_the_last_seen_is_found() {
    for engine in Engine::BOTH {
        let server = Server::empty(engine);
        add(&server.store, "01", "Ömer", 300);
        add(&server.store, "02", "ömer", 100);
        add(&server.store, "03", "ÖMER", 200);
        add(&server.store, "04", "Omer", 0);
        // An id takes precedence over a nickname.
        add(&server.store, "05", "01", 0);
        let found = async |id: &str| server.get(&format!("/players/{id}")).await.data()["player"]["id"].clone();
        assert_eq!(found("%C3%B6MER").await, "02");
        assert_eq!(found("o%CC%88mer").await, "02", "the decomposed spelling");
        assert_eq!(found("omer").await, "04", "accents count in a whole name");
        assert_eq!(found("01").await, "01");
    }
}

#[tokio::test]
async fn a_player_without_history_has_a_complete_profile() {
    for engine in Engine::BOTH {
        let server = Server::empty(engine);
        add(&server.store, "07", "Newcomer", 0);
        let player =
            server.until("/players/Newcomer", |response| response.status == 200).await.data()["player"].clone();
        for (name, expected) in [
            ("country", Value::Null),
            ("tierRank", Value::Null),
            ("latestStats", Value::Null),
            ("kdRatio", serde_json::json!(0.0)),
            ("rankScore", serde_json::json!(0.0)),
            ("rank", serde_json::json!(1)),
            ("recentSessions", serde_json::json!([])),
            ("activityData", serde_json::json!([])),
        ] {
            assert_eq!(player[name], expected, "{name}");
        }
        assert_eq!(player["linkedSkin"]["slug"], "default-classic");
        assert_eq!(player["achievements"]["nextGoals"].as_array().unwrap().len(), 3);
    }
}
