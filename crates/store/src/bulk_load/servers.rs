//! Servers and what users add to them: votes, reviews, update posts.

use super::bulk_row;

bulk_row! {
    BulkServer<'a> in "servers" {
        n: i64,
        id: &'a str,
        slug: &'a str,
        name: &'a str,
        short_description: &'a str,
        ip: String,
        port: i64,
        edition: &'a str,
        query_port: Option<i64>,
        is_tracked: bool,
        icon: &'a str,
        banner: &'a str,
        motd_image: &'a str,
        motd_raw: &'a str,
        website: Option<&'a str>,
        chat_url: Option<&'a str>,
        store_url: Option<&'a str>,
        video_url: Option<&'a str>,
        visibility: &'a str,
        is_online: bool,
        current_players: i64,
        max_players: i64,
        version: &'a str,
        protocol: i64,
        latency: i64,
        tps: Option<f64>,
        last_ping: i64,
        country: &'a str,
        game_mode: Option<&'a str>,
        owner_n: Option<i64>,
        created_at: i64,
        rev: i64,
    }
    derived {
        uptime: 0.0,
        trend: 0.0,
        recent_players: 0.0,
        total_votes: 0_i64,
        vote_heat: 0.0,
        vote_heat_at: 0_i64,
        rating_sum: 0_i64,
        rating_count: 0_i64,
        update_count: 0_i64,
    }
}

bulk_row! {
    BulkServerTag<'a> in "server_tags" {
        server_n: i64,
        position: i64,
        tag: &'a str,
    }
}

bulk_row! {
    BulkOutage<'a> in "outages" {
        server_n: i64,
        began_at: i64,
        ended_at: Option<i64>,
        reason: &'a str,
    }
}

bulk_row! {
    BulkVote<'a> in "votes" {
        server_n: i64,
        /// Counts the votes of a server from 1, oldest first.
        ordinal: i64,
        id: String,
        account_n: Option<i64>,
        player_n: i64,
        game_username: &'a str,
        voted_at: i64,
    }
}

bulk_row! {
    BulkReview<'a> in "reviews" {
        server_n: i64,
        /// Counts the reviews of a server from 1, oldest first.
        ordinal: i64,
        id: String,
        account_n: Option<i64>,
        player_n: i64,
        game_username: &'a str,
        rating: i64,
        content: String,
        created_at: i64,
        updated_at: i64,
    }
}

bulk_row! {
    BulkUpdatePost<'a> in "update_posts" {
        server_n: i64,
        /// Counts the approved posts of a server from 1, oldest first. `None` for posts that are not approved.
        ordinal: Option<i64>,
        id: String,
        account_n: i64,
        title: String,
        content: String,
        status: &'a str,
        created_at: i64,
        updated_at: i64,
    }
}
