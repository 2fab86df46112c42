//! `GET /players/{id}`

use serde_json::value::RawValue;

use super::profile::{Profile, load};
use crate::app::App;
use crate::catalogue::{LeaderboardMetric, ServerEntry, Servers};
use crate::error::ApiError;
use crate::v1::endpoint::{Call, Endpoint, PathParam, Plan, Units, data, envelope};
use rollcall_model::achievements::{self, CATALOGUE, PlayerTotals};
use rollcall_model::period::Period;
use rollcall_model::resources::{
    Achievements, ActivityDay, Day, LinkedSkin, Pictures, PlayerDetail, PlayerDetailData, PlayerReview, PlayerSession,
    PlayerStats, PlayerStatsPoint, ServerMention, StatsJson, StatsServer, Timestamp, VotedServer,
};
use rollcall_model::score::{self, RankInput};
use rollcall_store::Conn;
use rollcall_store::player_sessions::SessionRow;
use rollcall_store::player_stats::StatsRow;
use rollcall_store::players::PlayerRow;
use rollcall_store::reviews::PlayerReviewRow;

pub const ENDPOINT: Endpoint = Endpoint {
    path: "/players/{id}",
    name: "playerDetail",
    tag: "Players",
    summary: "Get a player",
    description: "The profile of a player: sessions, stats, achievements, votes and reviews.",
    path_param: Some(PathParam {
        name: "id",
        about: "Player id; else game UUID, with or without hyphens; else current nickname, case-insensitive (of several \
                players, the one seen last).",
    }),
    params: &[],
    max_age: 30,
    per_account: false,
    units: Units::One,
    data: data::<PlayerDetailData>,
    plan,
};

fn plan(call: &Call) -> std::result::Result<Plan, ApiError> {
    Plan::reading(call.segment.clone(), |app, conn, id| {
        let profile = profile(app, conn, &id)?;
        let servers = app.catalogue.servers();
        envelope(&PlayerDetailData { player: detail(app, &servers, profile) })
    })
}

/// The rows of a player, by id, game UUID or nickname.
pub fn profile(app: &App, conn: &mut Conn, id: &str) -> Result<Profile, ApiError> {
    let profile = load(conn, app, id, app.clock.now())?;
    profile.ok_or_else(|| ApiError::NotFound("Player not found: no player has this id, UUID or nickname".into()))
}

/// Rows of a profile with the servers they mention. Rows of servers that are not public are left out.
struct Mentions<'a> {
    servers: &'a Servers,
    pictures: &'a Pictures,
}

/// A report with its parsed counters and its server.
type Report<'a> = (StatsJson, Timestamp, &'a ServerEntry);

/// The API resource; it borrows names from the catalogue.
pub fn detail<'a>(app: &'a App, servers: &'a Servers, profile: Profile) -> PlayerDetail<'a> {
    let pictures = &app.catalogue.pictures;
    let mentions = Mentions { servers, pictures };
    let row = profile.row;
    let rank_score = rank_score(&row);
    let reports = mentions.reports(profile.stats);
    PlayerDetail {
        nickname_history: profile.nicknames,
        linked_skin_id: row.linked_skin_id.clone(),
        linked_skin_png_path: pictures.url(&row.linked_skin_png),
        linked_skin: linked_skin(&row, pictures),
        skin_url: pictures.url(&row.skin),
        kd_ratio: score::kd_ratio(row.total_kills, row.total_deaths),
        rank_score,
        rank: app.catalogue.leaderboards().get(LeaderboardMetric::Best, Period::AllTime).0.rank_of(rank_score),
        recent_sessions: mentions.sessions(profile.sessions),
        servers_played: profile.servers.into_iter().filter_map(|n| mentions.server(n)).collect(),
        latest_stats: reports.first().map(latest_stats),
        activity_data: profile.days.into_iter().map(|(day, count)| ActivityDay { date: Day(day), count }).collect(),
        achievements: earned(&row),
        voted_servers: mentions.votes(profile.votes),
        reviews: mentions.reviews(profile.reviews),
        stats_history: reports.into_iter().map(stats_point).collect(),
        id: row.id,
        game_uuid: row.game_uuid,
        main_nickname: row.nickname,
        country: row.country,
        skin_model: row.skin_model,
        tier_overall: row.tier_overall,
        tier_points: row.tier_points,
        tier_rank: row.tier_rank,
        created_at: Timestamp(row.created_at),
        updated_at: Timestamp(row.updated_at),
        total_play_time: row.total_play_time,
        session_count: row.session_count,
        total_kills: row.total_kills,
        total_deaths: row.total_deaths,
        total_wins: row.total_wins,
    }
}

impl<'a> Mentions<'a> {
    fn server(&self, n: i64) -> Option<ServerMention<'a>> {
        let server = self.servers.by_n(n)?;
        Some(ServerMention {
            id: server.id(),
            slug: server.slug(),
            name: server.name(),
            icon_url: self.pictures.url(server.icon()),
        })
    }

    fn reports(&self, rows: Vec<StatsRow>) -> Vec<Report<'a>> {
        let reports = rows.into_iter().filter_map(|report| {
            let server = self.servers.by_n(report.server_n)?;
            let json = RawValue::from_string(report.stats_json).ok()?;
            Some((StatsJson(json), Timestamp(report.at), server))
        });
        reports.collect()
    }

    fn sessions(&self, rows: Vec<SessionRow>) -> Vec<PlayerSession<'a>> {
        let sessions = rows.into_iter().filter_map(|session| {
            Some(PlayerSession {
                id: session.id,
                server: self.server(session.server_n)?,
                joined_at: Timestamp(session.joined_at),
                left_at: Timestamp(session.left_at),
                total_play_time: session.play_time,
            })
        });
        sessions.collect()
    }

    fn votes(&self, rows: Vec<(i64, i64)>) -> Vec<VotedServer<'a>> {
        let votes = rows.into_iter().filter_map(|(n, voted_at)| {
            let server = self.server(n)?;
            Some(VotedServer {
                server_id: server.id,
                server_slug: server.slug,
                server_name: server.name,
                server_icon_url: server.icon_url,
                voted_at: Timestamp(voted_at),
            })
        });
        votes.collect()
    }

    fn reviews(&self, rows: Vec<PlayerReviewRow>) -> Vec<PlayerReview<'a>> {
        let reviews = rows.into_iter().filter_map(|review| {
            Some(PlayerReview {
                id: review.id,
                rating: review.rating,
                content: review.content,
                created_at: Timestamp(review.created_at),
                server: self.server(review.server_n)?,
            })
        });
        reviews.collect()
    }
}

fn rank_score(row: &PlayerRow) -> f64 {
    score::rank_score(&RankInput {
        play_time_s: row.total_play_time,
        sessions: row.session_count,
        servers: row.servers_count,
        kills: row.total_kills,
        wins: row.total_wins,
        tier_points: row.tier_points,
    })
}

fn linked_skin(row: &PlayerRow, pictures: &Pictures) -> LinkedSkin {
    LinkedSkin {
        id: row.linked_skin_id.clone(),
        slug: row.linked_skin_slug.clone(),
        png_path: pictures.url(&row.linked_skin_png),
        model: row.linked_skin_model.clone(),
        name: row.linked_skin_name.clone(),
    }
}

fn latest_stats<'a>((json, timestamp, server): &Report<'a>) -> PlayerStats<'a> {
    PlayerStats {
        stats_json: json.clone(),
        timestamp: *timestamp,
        server: StatsServer { slug: server.slug(), name: server.name() },
    }
}

fn stats_point<'a>((stats_json, timestamp, server): Report<'a>) -> PlayerStatsPoint<'a> {
    PlayerStatsPoint { stats_json, timestamp, server_name: server.name() }
}

/// The totals that achievements depend on.
pub fn totals(row: &PlayerRow) -> PlayerTotals {
    PlayerTotals {
        play_time_s: row.total_play_time,
        sessions: row.session_count,
        servers: row.servers_count,
        kills: row.total_kills,
        deaths: row.total_deaths,
        wins: row.total_wins,
        votes: row.vote_count,
        reviews: row.review_count,
        tier_points: row.tier_points,
    }
}

fn earned(row: &PlayerRow) -> Achievements {
    let mask = row.achievements as u64;
    Achievements {
        earned: CATALOGUE.iter().enumerate().filter(|(bit, _)| mask >> bit & 1 == 1).map(|(_, a)| a).collect(),
        next_goals: achievements::next_goals(&totals(row), mask),
    }
}
