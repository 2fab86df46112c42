//! The rows of a generated world.

use std::collections::HashSet;

use super::super::words::countries::COUNTRIES;
use super::super::words::server_names::LOCALIZED_SERVERS;
use super::*;
use rollcall_model::buckets::{DAY_BUCKET, FIVE_MINUTES, HOUR_BUCKET};
use rollcall_model::slug;
use rollcall_model::time::{DAY, HOUR, MINUTE};
use rollcall_model::{country, motd};
use rollcall_store::values;

#[test]
fn the_same_seed_and_time_give_the_same_rows() {
    let (mut one, mut other) = (store(), store());
    one.generate(SEED, NOW);
    other.generate(SEED, NOW);
    let (first, second) = (one.dump(), other.dump());
    assert!(first.len() > 10_000);
    assert!(first == second);
    // Generating over existing rows gives the same rows too.
    one.generate(SEED, NOW);
    assert!(one.dump() == second);
}

#[test]
fn ids_do_not_depend_on_the_time() {
    let (mut one, mut other) = (store(), store());
    one.generate(SEED, NOW);
    other.generate(SEED, NOW + 3 * DAY + 7 * HOUR);
    for table in
        ["accounts", "servers", "textures", "players", "votes", "reviews", "update_posts", "sessions", "player_stats"]
    {
        let sql = format!("select id from {table} order by id");
        assert_eq!(one.texts(&sql), other.texts(&sql), "{table}");
    }
    let names = "select name || slug || motd_raw from servers order by n";
    assert_eq!(one.texts(names), other.texts(names));
    other.generate(SEED + 1, NOW);
    assert_ne!(one.texts(names), other.texts(names));
}

#[test]
fn every_case_of_the_contract_occurs() {
    let mut store = store();
    store.generate(SEED, NOW);
    for what in [
        "servers where visibility = 'UNLISTED'",
        "servers where visibility = 'PUBLIC' and is_online",
        "servers where visibility = 'PUBLIC' and not is_online",
        "accounts where role = 'SYSTEM' and username = 'rollcall'",
        "accounts where role = 'USER'",
        "update_posts where status = 'APPROVED' and ordinal is not null",
        "update_posts where status = 'PENDING' and ordinal is null",
        "update_posts where status = 'REJECTED' and ordinal is null",
        "votes where account_n is null and player_n is not null",
        "votes where account_n is not null",
        "reviews where updated_at > created_at",
        "textures where kind = 'skin' and slug = 'default-classic' and model = 'classic'",
        "textures where kind = 'skin' and slug = 'default-slim' and model = 'slim'",
        "textures where kind = 'cape' and model is null",
        "textures where is_featured",
        "textures where like_count > 0 and favorite_count > 0",
        "textures where usage_count > 0 and slug not like 'default-%'",
        "players where skin_model = 'slim'",
        "players where tier_overall = 'Unranked'",
        "players where tier_overall <> 'Unranked'",
        "player_nicknames where position > 0",
        "servers where name glob '*[^ -~]*'",
        "servers where version like 'Paper%'",
        "servers where motd_raw like '%§x§%'",
        "servers where motd_raw like '%§l%'",
        "servers where motd_raw like '%§k%'",
    ] {
        assert!(store.count(what) > 0, "{what}");
    }
    for rating in 1..=5 {
        assert!(store.count(&format!("reviews where rating = {rating}")) > 0, "{rating}");
    }
    for column in [
        "servers.website",
        "servers.chat_url",
        "servers.store_url",
        "servers.video_url",
        "servers.game_mode",
        "servers.owner_n",
        "players.country",
        "players.cape_n",
        "reviews.account_n",
        "votes.account_n",
    ] {
        let (table, field) = column.split_once('.').unwrap();
        assert!(store.count(&format!("{table} where {field} is null")) > 0, "{column} is never null");
        assert!(store.count(&format!("{table} where {field} is not null")) > 0, "{column} is always null");
    }
}

#[test]
fn required_values_are_never_missing() {
    let mut store = store();
    store.generate(SEED, NOW);
    for what in [
        "servers where last_ping is null or is_online and (tps is null or latency = 0)",
        "servers where not is_online and tps is not null",
        "servers where total_votes = 0 or rating_count = 0 or update_count = 0",
        "servers where slug in ('top', 'countries', 'versions')",
        "servers where current_players > max_players",
        "servers s where not exists (select 1 from server_tags t where t.server_n = s.n)",
        "players where tier_rank is null or last_tier_sync_at is null",
        "players where length(nickname) not between 3 and 16 or nickname glob '*[^A-Za-z0-9_]*'",
        "players p where p.nickname <> (select h.nickname from player_nicknames h where h.player_n = p.n
                                        order by h.position desc limit 1)",
        "players p where not exists (select 1 from player_stats t join servers s on s.n = t.server_n
                                     where t.player_n = p.n and s.visibility = 'PUBLIC')",
        "votes where player_n is null",
        "reviews where player_n is null or content = ''",
        "sessions where left_at < joined_at or left_at - joined_at <> play_time * 1000",
        "player_stats where kills_gain < 0 or deaths_gain < 0 or wins_gain < 0",
    ] {
        assert_eq!(store.count(what), 0, "{what}");
    }
    for time in [
        "servers.created_at",
        "servers.last_ping",
        "players.created_at",
        "players.updated_at",
        "players.last_seen_at",
        "players.last_tier_sync_at",
        "votes.voted_at",
        "reviews.updated_at",
        "update_posts.updated_at",
        "sessions.left_at",
        "player_stats.at",
        "textures.created_at",
        "accounts.created_at",
        "samples.at",
    ] {
        let (table, field) = time.split_once('.').unwrap();
        assert_eq!(store.count(&format!("{table} where {field} > {NOW}")), 0, "{time} in the future");
    }
}

#[test]
fn the_newest_rows_are_recent() {
    let mut store = store();
    store.generate(SEED, NOW);
    let hour = NOW - HOUR;
    for what in [
        format!("votes where voted_at > {}", NOW - 5 * MINUTE),
        format!("reviews where created_at > {hour}"),
        format!("players where created_at > {hour}"),
        format!("sessions where left_at > {}", NOW - MINUTE),
    ] {
        assert!(store.count(&what) > 0, "{what}");
    }
}

#[test]
fn servers_match_their_last_sample() {
    let mut store = store();
    store.generate(SEED, NOW);
    let mismatched = "servers s join samples l on l.server_n = s.n
                      and l.at = (select max(at) from samples where server_n = s.n)
                  where l.at <> s.last_ping or l.online <> s.is_online or l.players <> s.current_players
                      or s.is_online and l.latency <> s.latency";
    assert_eq!(store.count(mismatched), 0);
    assert_eq!(store.count(&format!("servers where last_ping <= {}", NOW - MINUTE)), 0);
    let total: i64 = store
        .conn
        .query_one("select cast(sum(current_players) as bigint) from servers where visibility = 'PUBLIC'", &[], |row| {
            row.get(0)
        })
        .unwrap();
    let sampled: i64 = store
        .conn
        .query_one("select players from samples where server_n = 0 order by at desc limit 1", &[], |row| row.get(0))
        .unwrap();
    assert_eq!(sampled, total);
}

#[test]
fn coarse_buckets_are_sums_of_fine_ones() {
    let mut store = store();
    store.generate(SEED, NOW);
    for (fine, fine_width, coarse, width) in [
        ("samples_5m", FIVE_MINUTES, "samples_hour", HOUR_BUCKET),
        ("samples_hour", HOUR_BUCKET, "samples_day", DAY_BUCKET),
    ] {
        // The first coarse bucket of a server may go back further than the fine ones.
        let sql = format!(
            "select count(*) from {coarse} c join (
                 select server_n, at - at % {width} as start, sum(watched_ms) as watched, sum(online_ms) as online,
                        sum(player_ms) as players, max(peak) as peak, min(low) as low
                 from {fine} group by 1, 2) f on f.server_n = c.server_n and f.start = c.at
             where c.at >= (select max(first) from (select min(at) + {width} as first from {fine} group by server_n))
               and (watched <> watched_ms or online <> online_ms or f.players <> player_ms
                    or f.peak <> c.peak or f.low <> c.low)"
        );
        assert_eq!(store.conn.query_one(&sql, &[], |row| row.get::<i64>(0)).unwrap(), 0, "{coarse}");
        assert_eq!(
            store
                .count(&format!("{fine} where watched_ms > {fine_width} or watched_ms <= 0 or at % {fine_width} <> 0")),
            0
        );
        assert!(store.count(&format!("{coarse} where server_n = 0")) > 10);
    }
    let averages: (f64, f64) = store
        .conn
        .query_one(
            "select (select avg(players) from samples where server_n = 1 and at > $1),
                    (select sum(player_ms) * 1.0 / sum(watched_ms) from samples_hour where server_n = 1 and at > $1)",
            values![NOW - DAY],
            |row| (row.get(0), row.get(1)),
        )
        .unwrap();
    assert!((averages.0 - averages.1).abs() <= averages.0 * 0.1 + 1.0, "{averages:?}");
}

#[test]
fn word_tables_give_valid_countries_slugs_and_motds() {
    for demo_country in COUNTRIES {
        assert_eq!(country::by_name(demo_country.name).map(|known| known.name), Some(demo_country.name));
    }
    let slugs: HashSet<&str> = LOCALIZED_SERVERS.iter().map(|localized| localized.slug).collect();
    assert_eq!(slugs.len(), LOCALIZED_SERVERS.len());
    let mut store = store();
    store.generate(SEED, NOW);
    for slug in store.texts("select slug from servers union all select slug from textures") {
        assert!(slug::is_valid_slug(&slug), "{slug}");
    }
    for raw in store.texts("select motd_raw from servers") {
        assert!(!motd::plain(&raw).is_empty());
    }
}

#[test]
fn every_picture_path_exists() {
    let mut store = store();
    store.generate(SEED, NOW);
    let paths = store.texts(
        "select icon from servers union select banner from servers union select motd_image from servers
         union select png from textures union select skin from players union select avatar from accounts",
    );
    assert!(paths.len() >= 8);
    for path in paths {
        assert!(store.media.get_blocking(&path).unwrap().is_some(), "{path}");
    }
}
