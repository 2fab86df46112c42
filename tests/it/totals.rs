//! Stored totals against a plain recount of the rows.

use std::collections::{BTreeMap, BTreeSet};

use rollcall_model::{achievements, score, time};
use rollcall_store::totals::{self, RecomputeScope, TouchedRows};
use rollcall_store::values;
use rollcall_store::{Conn, migrate, revision};

use crate::harness::{Engine, Store};

fn stores(run: impl Fn(&mut Conn)) {
    for engine in Engine::BOTH {
        let store = Store::new(engine);
        let mut conn = store.conn();
        migrate(&mut conn).unwrap();
        run(&mut conn);
    }
}

const SERVERS: i64 = 7;
const PLAYERS: i64 = 11;
const HIDDEN: i64 = 3;

/// A deterministic random number generator.
struct TestRng(u64);

impl TestRng {
    fn below(&mut self, end: i64) -> i64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        ((self.0 >> 33) as i64) % end
    }
}

fn insert_base(conn: &mut Conn) {
    conn.execute("insert into accounts (n, id, username, username_key, avatar, role, created_at) values (1, 'a', 'a', 'a', 'a', 'USER', 0)", &[]).unwrap();
    for n in 1..=3_i64 {
        conn.execute(
            "insert into textures (n, kind, id, slug, name, description, model, png, owner_n, is_featured, created_at, view_count,
                download_count, like_count, favorite_count, usage_count, rev)
             values ($1, 'skin', $2, $2, 's', '', 'slim', 'p', 1, false, 0, 0, 0, 99, 99, 99, 0)",
            values![n, format!("t{n}")],
        )
        .unwrap();
    }
    conn.execute("insert into texture_likes (texture_n, account_n) values (2, 1)", &[]).unwrap();
    for n in 1..=SERVERS {
        let visibility = if n == HIDDEN { "UNLISTED" } else { "PUBLIC" };
        conn.execute(
            "insert into servers (n, id, slug, name, short_description, ip, port, icon, banner, motd_image, motd_raw, visibility,
                is_online, current_players, max_players, version, protocol, latency, country, created_at, uptime, trend,
                recent_players, total_votes, vote_heat, vote_heat_at, rating_sum, rating_count, update_count, rev)
             values ($1, $2, $2, 's', '', 'h', 1, 'i', 'b', 'm', 'm', $3, false, 0, 0, '', 0, 0, '', 0, 0, 0, 0, 99, 9, 9, 99, 99, 99, 0)",
            values![n, format!("s{n}"), visibility],
        )
        .unwrap();
    }
    for n in 1..=PLAYERS {
        conn.execute(
            "insert into players (n, id, game_uuid, nickname, nickname_key, skin, skin_model, linked_skin_n, tier_overall, tier_points,
                created_at, updated_at, last_seen_at, total_play_time, session_count, servers_count, total_kills,
                total_deaths, total_wins, vote_count, review_count, achievements, rev)
             values ($1, $2, $2, 'p', 'p', 'x', 'slim', $3, 'HT1', $4, 0, 0, 0, 99, 99, 99, 99, 99, 99, 99, 99, 0, 0)",
            values![n, format!("p{n}"), n % 3 + 1, n % 2 * 60],
        )
        .unwrap();
    }
}

/// Adds random rows; returns the touched servers and players.
fn add(conn: &mut Conn, rng: &mut TestRng, rows: i64) -> TouchedRows {
    let mut touched = TouchedRows::default();
    for _ in 0..rows {
        let (server, player) = (rng.below(SERVERS - 1) + 1, rng.below(PLAYERS) + 1);
        let at = rng.below(40) * time::HOUR * 7;
        let id = format!("{}{}", if rng.below(2) == 0 { "B" } else { "a" }, rng.below(1 << 40));
        let free = |conn: &mut Conn, table: &str| -> i64 {
            let sql = format!("select coalesce(max(ordinal), 0) + 2 from {table} where server_n = $1");
            conn.query_one(&sql, values![server], |row| row.get(0)).unwrap()
        };
        match rng.below(5) {
            0 => {
                let ordinal = free(conn, "votes");
                let who = (rng.below(3) > 0).then_some(player);
                conn.execute(
                    "insert into votes (server_n, ordinal, id, player_n, game_username, voted_at) values ($1, $2, $3, $4, 'v', $5)",
                    values![server, ordinal, id, who, at],
                )
            }
            1 => {
                let ordinal = free(conn, "reviews");
                conn.execute(
                    "insert into reviews (server_n, ordinal, id, player_n, game_username, rating, content, created_at, updated_at)
                     values ($1, $2, $3, $4, 'v', $5, '', $6, $6)",
                    values![server, ordinal, id, player, rng.below(5) + 1, at],
                )
            }
            2 => conn.execute(
                "insert into update_posts (server_n, id, account_n, title, content, status, created_at, updated_at)
                 values ($1, $2, 1, '', '', $3, $4, $4)",
                values![server, id, if rng.below(3) == 0 { "PENDING" } else { "APPROVED" }, at],
            ),
            3 => conn.execute(
                "insert into sessions (id, player_n, server_n, joined_at, left_at, play_time) values ($1, $2, $3, $4, $4, $5)",
                values![id, player, server, at, rng.below(90_000)],
            ),
            _ => conn.execute(
                "insert into player_stats (id, player_n, server_n, at, stats_json, kills_gain, deaths_gain, wins_gain)
                 values ($1, $2, $3, $4, $5, 0, 0, 0)",
                values![id, player, server, at, format!(r#"{{"kills":{},"wins":{}}}"#, rng.below(50), rng.below(9))],
            ),
        }
        .unwrap();
        touched.servers.insert(server);
        touched.players.insert(player);
    }
    touched
}

/// Every stored total, as text.
fn stored(conn: &mut Conn) -> Vec<String> {
    let mut out = Vec::new();
    for (sql, columns) in [
        ("select n, total_votes, vote_heat_at, rating_sum, rating_count, update_count from servers order by n", 6),
        ("select server_n, day, votes from vote_days order by server_n, day", 3),
        ("select n, like_count, favorite_count, usage_count from textures order by n", 4),
        (
            "select n, total_play_time, session_count, servers_count, total_kills, total_deaths, total_wins, vote_count, \
             review_count, achievements from players order by n",
            10,
        ),
        ("select n, kills_gain, deaths_gain, wins_gain from player_stats order by n", 4),
        ("select n, coalesce(ordinal, 0) from update_posts order by n", 2),
    ] {
        out.extend(
            conn.query(sql, &[], |row| format!("{:?}", (0..columns).map(|i| row.get::<i64>(i)).collect::<Vec<_>>()))
                .unwrap(),
        );
    }
    out.extend(
        conn.query("select vote_heat from servers order by n", &[], |row| row.get::<f64>(0).to_string()).unwrap(),
    );
    for table in ["votes", "reviews"] {
        let sql = format!("select server_n, ordinal, id from {table} order by server_n, ordinal");
        out.extend(
            conn.query(&sql, &[], |row| {
                format!("{} {} {}", row.get::<i64>(0), row.get::<i64>(1), row.get::<String>(2))
            })
            .unwrap(),
        );
    }
    out
}

/// Compares the stored totals with counts of the rows.
fn check(conn: &mut Conn) {
    type Line = (i64, i64, i64, String);
    let lines = |conn: &mut Conn, table: &str, time: &str, filter: &str| -> BTreeMap<i64, Vec<Line>> {
        let mut by_server: BTreeMap<i64, Vec<Line>> = BTreeMap::new();
        let sql = format!("select server_n, ordinal, {time}, id from {table} where {filter}");
        conn.for_each(&sql, &[], |row| {
            by_server.entry(row.get(0)).or_default().push((row.get(1), row.get(2), 0, row.get(3)));
        })
        .unwrap();
        for rows in by_server.values_mut() {
            rows.sort();
            let ordinals: Vec<i64> = rows.iter().map(|r| r.0).collect();
            assert_eq!(ordinals, (1..=rows.len() as i64).collect::<Vec<_>>(), "{table} are numbered without gaps");
            assert!(rows.is_sorted_by_key(|r| (r.1, r.3.clone())), "{table} are numbered by time, then id");
        }
        by_server
    };
    let votes = lines(conn, "votes", "voted_at", "true");
    let reviews = lines(conn, "reviews", "created_at", "true");
    let posts = lines(conn, "update_posts", "created_at", "status = 'APPROVED'");
    let unapproved: i64 = conn
        .query_one("select count(ordinal) from update_posts where status <> 'APPROVED'", &[], |row| row.get(0))
        .unwrap();
    assert_eq!(unapproved, 0);
    let servers = conn
        .query(
            "select n, total_votes, vote_heat, vote_heat_at, rating_count, update_count from servers order by n",
            &[],
            |row| {
                (
                    row.get::<i64>(0),
                    row.get::<i64>(1),
                    row.get::<f64>(2),
                    row.get::<i64>(3),
                    row.get::<i64>(4),
                    row.get::<i64>(5),
                )
            },
        )
        .unwrap();
    for (n, total, heat, heat_at, rating_count, update_count) in servers {
        let empty = Vec::new();
        let mine = votes.get(&n).unwrap_or(&empty);
        let expected = mine.iter().fold((0.0, 0), |(heat, at), vote| score::add_vote(heat, at, vote.1));
        assert_eq!((total, heat, heat_at), (mine.len() as i64, expected.0, expected.1), "server {n}");
        assert_eq!(rating_count, reviews.get(&n).map_or(0, |r| r.len() as i64));
        assert_eq!(update_count, posts.get(&n).map_or(0, |r| r.len() as i64));
        let mut days: BTreeMap<i64, i64> = BTreeMap::new();
        mine.iter().for_each(|vote| *days.entry(time::start_of_day(vote.1)).or_default() += 1);
        let kept = conn
            .query("select day, votes from vote_days where server_n = $1", values![n], |row| (row.get(0), row.get(1)))
            .unwrap();
        assert_eq!(kept.into_iter().collect::<BTreeMap<i64, i64>>(), days);
    }
    for player in 1..=PLAYERS {
        check_player(conn, player);
    }
    let worn: i64 =
        conn.query_one("select cast(sum(usage_count) as bigint) from textures", &[], |row| row.get(0)).unwrap();
    assert_eq!(worn, PLAYERS);
}

fn check_player(conn: &mut Conn, player: i64) {
    let sessions = conn
        .query(
            "select server_n, play_time from sessions where player_n = $1 and server_n <> $2",
            values![player, HIDDEN],
            |row| (row.get::<i64>(0), row.get::<i64>(1)),
        )
        .unwrap();
    let mut reports = conn
        .query(
            "select server_n, at, id, stats_json from player_stats where player_n = $1 and server_n <> $2",
            values![player, HIDDEN],
            |row| (row.get::<i64>(0), row.get::<i64>(1), row.get::<String>(2), row.get::<String>(3)),
        )
        .unwrap();
    reports.sort();
    let mut figures = achievements::PlayerTotals {
        play_time_s: sessions.iter().map(|s| s.1).sum(),
        sessions: sessions.len() as i64,
        servers: sessions.iter().map(|s| s.0).collect::<BTreeSet<_>>().len() as i64,
        tier_points: player % 2 * 60,
        ..Default::default()
    };
    let mut before = (0, 0, 0);
    for (server, _, _, json) in &reports {
        let json: serde_json::Value = serde_json::from_str(json).unwrap();
        let now = (*server, json["kills"].as_i64().unwrap(), json["wins"].as_i64().unwrap());
        if before.0 != now.0 {
            before = (now.0, 0, 0);
        }
        figures.kills += if now.1 < before.1 { now.1 } else { now.1 - before.1 };
        figures.wins += if now.2 < before.2 { now.2 } else { now.2 - before.2 };
        before = now;
    }
    for (table, count) in [("votes", &mut figures.votes), ("reviews", &mut figures.reviews)] {
        let sql = format!("select count(*) from {table} where player_n = $1 and server_n <> $2");
        *count = conn.query_one(&sql, values![player, HIDDEN], |row| row.get(0)).unwrap();
    }
    let kept = conn
        .query_one(
            "select total_play_time, session_count, servers_count, total_kills, total_deaths, total_wins, vote_count, review_count,
                    achievements from players where n = $1",
            values![player],
            |row| (0..9).map(|i| row.get::<i64>(i)).collect::<Vec<_>>(),
        )
        .unwrap();
    let f = figures;
    assert_eq!(
        kept[..8],
        [f.play_time_s, f.sessions, f.servers, f.kills, f.deaths, f.wins, f.votes, f.reviews],
        "player {player}"
    );
    assert_eq!(kept[8] as u64 & achievements::earned(&f), achievements::earned(&f));
}

#[test]
fn recomputing_touched_rows_equals_recomputing_all() {
    stores(|conn| {
        insert_base(conn);
        totals::recompute(conn, &RecomputeScope::All).unwrap();
        check(conn);
        let mut rng = TestRng(7);
        for round in 0..12 {
            let touched = add(conn, &mut rng, 1 + round * 4);
            totals::recompute(conn, &RecomputeScope::Touched(touched)).unwrap();
            check(conn);
            let before = stored(conn);
            totals::recompute(conn, &RecomputeScope::All).unwrap();
            assert_eq!(before, stored(conn));
        }
    });
}

#[test]
fn changed_rows_get_the_new_revision() {
    stores(|conn| {
        insert_base(conn);
        let before = revision::current(conn).unwrap();
        let touched = TouchedRows { servers: [2].into(), players: [4].into(), textures: [1].into() };
        totals::recompute(conn, &RecomputeScope::Touched(touched)).unwrap();
        let after = revision::current(conn).unwrap();
        assert_eq!((after.epoch, after.rev), (before.epoch, before.rev + 1));
        for (table, n) in [("servers", 2_i64), ("players", 4), ("textures", 1)] {
            let sql = format!("select n from {table} where rev = $1");
            assert_eq!(conn.query(&sql, values![after.rev], |row| row.get::<i64>(0)).unwrap(), [n]);
        }
        totals::recompute(conn, &RecomputeScope::All).unwrap();
        assert_eq!(revision::current(conn).unwrap(), revision::StoreRevision { epoch: after.epoch + 1, ..after });
    });
}

#[test]
fn an_unlisted_server_does_not_count() {
    stores(|conn| {
        insert_base(conn);
        let mut rng = TestRng(3);
        add(conn, &mut rng, 200);
        totals::recompute(conn, &RecomputeScope::All).unwrap();
        check(conn);
        conn.execute("update servers set visibility = 'UNLISTED'", &[]).unwrap();
        for server in 1..=SERVERS {
            let players = totals::players_of(conn, server).unwrap().into_iter().collect();
            totals::recompute(conn, &RecomputeScope::Touched(TouchedRows { players, ..Default::default() })).unwrap();
        }
        let counted: i64 = conn
            .query_one("select cast(sum(session_count + servers_count + vote_count + review_count + total_kills) as bigint) from players", &[], |row| row.get(0))
            .unwrap();
        assert_eq!(counted, 0);
        let earned: i64 =
            conn.query_one("select cast(max(achievements) as bigint) from players", &[], |row| row.get(0)).unwrap();
        assert_ne!(earned, 0, "achievements stay earned");
    });
}
