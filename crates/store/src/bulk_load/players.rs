//! Players and what belongs to them: nicknames, sessions, reported stats.

use super::bulk_row;

bulk_row! {
    BulkPlayer<'a> in "players" {
        n: i64,
        id: String,
        game_uuid: String,
        nickname: &'a str,
        nickname_key: String,
        country: Option<&'a str>,
        skin: &'a str,
        skin_model: &'a str,
        linked_skin_n: i64,
        cape_n: Option<i64>,
        tier_overall: &'a str,
        tier_points: i64,
        tier_rank: i64,
        last_tier_sync_at: i64,
        created_at: i64,
        updated_at: i64,
        last_seen_at: i64,
        rev: i64,
    }
    derived {
        total_play_time: 0_i64,
        session_count: 0_i64,
        servers_count: 0_i64,
        total_kills: 0_i64,
        total_deaths: 0_i64,
        total_wins: 0_i64,
        vote_count: 0_i64,
        review_count: 0_i64,
        achievements: 0_i64,
    }
}

bulk_row! {
    BulkPlayerNickname<'a> in "player_nicknames" {
        player_n: i64,
        position: i64,
        nickname: &'a str,
    }
}

bulk_row! {
    BulkPlayerSession in "sessions" {
        id: String,
        player_n: i64,
        server_n: i64,
        joined_at: i64,
        left_at: i64,
        play_time: i64,
    }
}

bulk_row! {
    /// One report of a server about a player: the counters, and what they gained since the report before.
    BulkPlayerStats in "player_stats" {
        id: String,
        player_n: i64,
        server_n: i64,
        at: i64,
        stats_json: String,
        kills_gain: i64,
        deaths_gain: i64,
        wins_gain: i64,
    }
}
