//! `GET /players/{id}`

use serde_json::value::RawValue;

use crate::app::App;
use crate::catalogue::{Metric, Servers};
use crate::model::achievements::{self, CATALOGUE, Figures};
use crate::model::id::parse_uuid;
use crate::model::period::Period;
use crate::model::resources::{
    Achievements, ActivityDay, Day, LinkedSkin, PlayerDetail, PlayerDetailData, PlayerReview, PlayerStats,
    PlayerStatsPoint, ServerMention, Session, StatsJson, StatsServer, Timestamp, VotedServer,
};
use crate::model::score::{self, RankInput};
use crate::model::text::fold;
use crate::model::time::{DAY, start_of_day};
use crate::store::players::{self, PlayerRow};
use crate::store::reviews::PlayerReviewRow;
use crate::store::sessions::SessionRow;
use crate::store::stats::StatsRow;
use crate::store::{Conn, Result, nicknames, reviews, sessions, stats, votes};
use crate::v1::endpoint::{Call, Endpoint, PathParam, Plan, data, envelope};
use crate::v1::error::ApiError;

/// How much of each list a profile shows.
const RECENT_SESSIONS: i64 = 20;
const SERVERS_PLAYED: i64 = 50;
const STATS_HISTORY: i64 = 30;
const VOTED_SERVERS: i64 = 20;
const REVIEWS: i64 = 20;
/// A year of activity, as calendars of it show.
const ACTIVITY_DAYS: i64 = 365;

pub const ENDPOINT: Endpoint = Endpoint {
    path: "/players/{id}",
    name: "playerDetail",
    tag: "Players",
    summary: "One player",
    description: "A player's profile: sessions, stats, achievements, votes and reviews.",
    path_param: Some(PathParam {
        name: "id",
        about: "A player id; else a game UUID, with or without hyphens; else the current nickname without regard to \
                case (of several players, the one seen last).",
    }),
    params: &[],
    max_age: 30,
    per_account: false,
    data: data::<PlayerDetailData>,
    plan,
};

fn plan(call: &Call) -> std::result::Result<Plan, ApiError> {
    Plan::new(call.segment.clone(), |app, id| async move {
        let (now, find) = (app.clock.now(), app.clone());
        let profile = app.pool.read(move |conn| load(conn, &find, &id, now)).await?;
        let profile =
            profile.ok_or_else(|| ApiError::NotFound("There is no player of that id, UUID or name".into()))?;
        envelope(&PlayerDetailData { player: detail(&app, profile) })
    })
}

struct Profile {
    row: PlayerRow,
    nicknames: Vec<String>,
    sessions: Vec<SessionRow>,
    servers: Vec<i64>,
    days: Vec<(i64, i64)>,
    stats: Vec<StatsRow>,
    votes: Vec<(i64, i64)>,
    reviews: Vec<PlayerReviewRow>,
}

fn load(conn: &mut Conn, app: &App, id: &str, now: i64) -> Result<Option<Profile>> {
    // No id or name holds a NUL, and PostgreSQL refuses to look for one.
    if id.contains('\0') {
        return Ok(None);
    }
    let Some(row) = find(conn, id)? else { return Ok(None) };
    let n = row.n;
    let since = start_of_day(now) - ACTIVITY_DAYS * DAY;
    Ok(Some(Profile {
        nicknames: nicknames::of_player(conn, n)?,
        sessions: shown(
            app,
            RECENT_SESSIONS,
            |s: &SessionRow| s.server_n,
            |limit| sessions::recent_of_player(conn, n, limit),
        )?,
        servers: shown(app, SERVERS_PLAYED, |&server| server, |limit| sessions::servers_of_player(conn, n, limit))?,
        days: days(app, &sessions::begun_by_player(conn, n, since)?),
        stats: shown(app, STATS_HISTORY, |s: &StatsRow| s.server_n, |limit| stats::of_player(conn, n, limit))?,
        votes: shown(app, VOTED_SERVERS, |&(server, _)| server, |limit| votes::of_player(conn, n, limit))?,
        reviews: shown(app, REVIEWS, |r: &PlayerReviewRow| r.server_n, |limit| reviews::of_player(conn, n, limit))?,
        row,
    }))
}

/// The first rows that belong to public servers. Hidden ones are few: to ask for a little more now and then costs less
/// than to look at every row's server.
fn shown<T>(
    app: &App,
    limit: i64,
    server: impl Fn(&T) -> i64,
    mut ask: impl FnMut(i64) -> Result<Vec<T>>,
) -> Result<Vec<T>> {
    let mut asked = limit;
    loop {
        let mut rows = ask(asked)?;
        let are_all = (rows.len() as i64) < asked;
        let servers = app.catalogue.servers();
        rows.retain(|row| servers.by_n(server(row)).is_some());
        if are_all || rows.len() as i64 >= limit {
            rows.truncate(limit as usize);
            return Ok(rows);
        }
        asked *= 8;
    }
}

/// Sessions per UTC day, from when each began and where: `(start of the day, sessions)`.
fn days(app: &App, begun: &[(i64, i64)]) -> Vec<(i64, i64)> {
    let servers = app.catalogue.servers();
    let mut days: Vec<(i64, i64)> = Vec::new();
    for &(joined_at, _) in begun.iter().filter(|(_, server)| servers.by_n(*server).is_some()) {
        let day = start_of_day(joined_at);
        match days.last_mut() {
            Some((last, count)) if *last == day => *count += 1,
            _ => days.push((day, 1)),
        }
    }
    days
}

fn find(conn: &mut Conn, id: &str) -> Result<Option<PlayerRow>> {
    if let Some(row) = players::by_id(conn, id)? {
        return Ok(Some(row));
    }
    if let Some(uuid) = parse_uuid(id)
        && let Some(row) = players::by_uuid(conn, &uuid)?
    {
        return Ok(Some(row));
    }
    players::by_nickname(conn, &fold(id))
}

fn detail(app: &App, profile: Profile) -> PlayerDetail {
    let pictures = &app.catalogue.pictures;
    let row = profile.row;
    let rank_score = score::rank_score(&RankInput {
        play_time_s: row.total_play_time,
        sessions: row.session_count,
        servers: row.servers_count,
        kills: row.total_kills,
        wins: row.total_wins,
        tier_points: row.tier_points,
    });
    let rank = app.catalogue.boards().get(Metric::Best, Period::AllTime).0.rank(rank_score);
    let servers = app.catalogue.servers();
    let mention = |n: i64| mention(&servers, app, n);
    let mut reports = profile.stats.into_iter().filter_map(|report| {
        let server = servers.by_n(report.server_n)?;
        let json = RawValue::from_string(report.stats_json).ok()?;
        Some((StatsJson(json), Timestamp(report.at), server.slug().to_owned(), server.name().to_owned()))
    });
    let reports: Vec<_> = reports.by_ref().collect();
    PlayerDetail {
        nickname_history: profile.nicknames,
        linked_skin_id: row.linked_skin_id.clone(),
        linked_skin_png_path: pictures.url(&row.linked_skin_png),
        linked_skin: LinkedSkin {
            id: row.linked_skin_id.clone(),
            slug: row.linked_skin_slug.clone(),
            png_path: pictures.url(&row.linked_skin_png),
            model: row.linked_skin_model.clone(),
            name: row.linked_skin_name.clone(),
        },
        skin_url: pictures.url(&row.skin),
        kd_ratio: score::kd_ratio(row.total_kills, row.total_deaths),
        rank_score,
        rank,
        recent_sessions: profile
            .sessions
            .into_iter()
            .filter_map(|session| {
                Some(Session {
                    id: session.id,
                    server: mention(session.server_n)?,
                    joined_at: Timestamp(session.joined_at),
                    left_at: Timestamp(session.left_at),
                    total_play_time: session.play_time,
                })
            })
            .collect(),
        servers_played: profile.servers.into_iter().filter_map(mention).collect(),
        latest_stats: reports.first().map(|(json, timestamp, slug, name)| PlayerStats {
            stats_json: json.clone(),
            timestamp: *timestamp,
            server: StatsServer { slug: slug.clone(), name: name.clone() },
        }),
        activity_data: profile.days.into_iter().map(|(day, count)| ActivityDay { date: Day(day), count }).collect(),
        achievements: earned(&row),
        voted_servers: profile
            .votes
            .into_iter()
            .filter_map(|(n, voted_at)| {
                let server = mention(n)?;
                Some(VotedServer {
                    server_id: server.id,
                    server_slug: server.slug,
                    server_name: server.name,
                    server_icon_url: server.icon_url,
                    voted_at: Timestamp(voted_at),
                })
            })
            .collect(),
        reviews: profile
            .reviews
            .into_iter()
            .filter_map(|review| {
                Some(PlayerReview {
                    id: review.id,
                    rating: review.rating,
                    content: review.content,
                    created_at: Timestamp(review.created_at),
                    server: mention(review.server_n)?,
                })
            })
            .collect(),
        stats_history: reports
            .into_iter()
            .map(|(stats_json, timestamp, _, server_name)| PlayerStatsPoint { stats_json, timestamp, server_name })
            .collect(),
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

fn mention(servers: &Servers, app: &App, n: i64) -> Option<ServerMention> {
    let server = servers.by_n(n)?;
    Some(ServerMention {
        id: server.id().to_owned(),
        slug: server.slug().to_owned(),
        name: server.name().to_owned(),
        icon_url: app.catalogue.pictures.url(server.icon()),
    })
}

fn earned(row: &PlayerRow) -> Achievements {
    let mask = row.achievements as u64;
    let figures = Figures {
        play_time_s: row.total_play_time,
        sessions: row.session_count,
        servers: row.servers_count,
        kills: row.total_kills,
        deaths: row.total_deaths,
        wins: row.total_wins,
        votes: row.vote_count,
        reviews: row.review_count,
        tier_points: row.tier_points,
    };
    Achievements {
        earned: CATALOGUE.iter().enumerate().filter(|(bit, _)| mask >> bit & 1 == 1).map(|(_, a)| a).collect(),
        next_goals: achievements::next_goals(&figures, mask),
    }
}
