//! `GET /servers/{slug}`

use super::{SLUG, with_server};
use crate::app::App;
use crate::error::ApiError;
use crate::v1::endpoint::{Call, Endpoint, Plan, Units, data, envelope};
use crate::v1::params::{Choice, period};
use rollcall_model::buckets::{self, SampleBucket, Window};
use rollcall_model::motd;
use rollcall_model::period::Period;
use rollcall_model::resources::{
    DailyVotes, Day, LatestStats, Owner, PeriodFigures, PeriodStats, Pictures, ServerDetail, ServerDetailData,
    StatsPoint, Timestamp, VoteStats,
};
use rollcall_model::score;
use rollcall_model::time::{DAY, start_of_day};
use rollcall_store::samples::{self, Resolution};
use rollcall_store::servers::{self, ServerRow};
use rollcall_store::{Conn, Result, sample_windows, votes};

pub const PERIOD: Choice<Period> = period("How far `statsHistory` and `dailyVotes` reach back.", "24h");

/// More points than a chart can show are useless.
const MOST_POINTS: i64 = 800;

pub const ENDPOINT: Endpoint = Endpoint {
    path: "/servers/{slug}",
    name: "serverDetail",
    tag: "Servers",
    summary: "Get a server",
    description: "One server: status, player history, statistics per period, and votes.",
    path_param: Some(SLUG),
    params: &[&PERIOD],
    max_age: 30,
    per_account: false,
    units: Units::One,
    data: data::<ServerDetailData>,
    plan,
};

fn plan(call: &Call) -> std::result::Result<Plan, ApiError> {
    let params = (call.segment.clone(), PERIOD.read_or_default(&call.query)?);
    Plan::reading(params, |app, conn, (slug, period)| {
        envelope(&ServerDetailData { server: load(app, conn, &slug, period)? })
    })
}

pub fn load(app: &App, conn: &mut Conn, slug: &str, period: Period) -> std::result::Result<ServerDetail, ApiError> {
    let n = with_server(app, slug, |entry| entry.n)?;
    let now = app.clock.now();
    let (row, history) = conn.batch_reads(|conn| {
        let row = servers::by_number(conn, n)?;
        let total_votes = row.as_ref().map_or(0, |row| row.total_votes);
        Ok((row, history(conn, n, total_votes, period, now)?))
    })?;
    // Deleted since the catalogue was refreshed.
    let row = row.filter(|row| row.is_public).ok_or_else(super::not_found)?;
    Ok(detail(app, row, history))
}

/// The detail of a server that need not be public.
pub fn of_row(app: &App, conn: &mut Conn, row: ServerRow, period: Period) -> Result<ServerDetail> {
    let (n, total_votes, now) = (row.n, row.total_votes, app.clock.now());
    let history = conn.batch_reads(|conn| history(conn, n, total_votes, period, now))?;
    Ok(detail(app, row, history))
}

fn detail(app: &App, row: ServerRow, history: History) -> ServerDetail {
    let mut server = current(row, &app.catalogue.pictures);
    server.uptime = history.periods.month.uptime_pct;
    server.stats_history = history.points;
    server.period_stats = history.periods;
    server.vote_stats = history.votes;
    server.daily_votes = history.daily_votes;
    server
}

/// The fields of the row; the histories are added later.
fn current(row: ServerRow, pictures: &Pictures) -> ServerDetail {
    ServerDetail {
        id: row.id,
        slug: row.slug,
        name: row.name,
        ip: row.ip,
        port: row.port,
        icon_url: pictures.url(&row.icon),
        banner_url: pictures.url(&row.banner),
        motd: motd::plain(&row.motd_raw),
        motd_raw: row.motd_raw,
        motd_image_url: pictures.url(&row.motd_image),
        website: row.website,
        chat_url: row.chat_url,
        store_url: row.store_url,
        video_url: row.video_url,
        current_players: row.current_players,
        max_players: row.max_players,
        is_online: row.is_online,
        country: row.country,
        version: row.version,
        protocol: row.protocol,
        uptime: row.uptime,
        rating: score::rating(row.rating_sum, row.rating_count),
        total_votes: row.total_votes,
        tags: row.tags,
        owner: row.owner.map(|owner| Owner {
            id: owner.id,
            username: owner.username,
            avatar: pictures.url(&owner.avatar),
        }),
        latest_stats: LatestStats {
            online_players: row.current_players,
            tps: row.tps.filter(|_| row.is_online),
            timestamp: row.last_ping.map(Timestamp),
        },
        stats_history: Vec::new(),
        period_stats: PeriodStats::default(),
        vote_stats: VoteStats::default(),
        daily_votes: Vec::new(),
    }
}

struct History {
    points: Vec<StatsPoint>,
    periods: PeriodStats,
    votes: VoteStats,
    daily_votes: Vec<DailyVotes>,
}

fn history(conn: &mut Conn, n: i64, total_votes: i64, period: Period, now: i64) -> Result<History> {
    let mut since = |period: Period| votes::count_since(conn, n, total_votes, period.since(now));
    let votes = VoteStats {
        day: since(Period::Day)?,
        week: since(Period::Week)?,
        month: since(Period::Month)?,
        quarter: since(Period::Quarter)?,
    };
    let counted = votes::days(conn, n, start_of_day(period.since(now)))?;
    Ok(History {
        points: stats_history(conn, n, period, now)?,
        periods: period_stats(conn, n, now)?,
        votes,
        daily_votes: every_day(&counted, period, now),
    })
}

fn period_stats(conn: &mut Conn, n: i64, now: i64) -> Result<PeriodStats> {
    let mut figures = |period: Period| -> Result<PeriodFigures> {
        let sum = sample_windows::sum(conn, n, Window::since(period.since(now)))?;
        Ok(buckets::period_figures([sum]))
    };
    Ok(PeriodStats {
        day: figures(Period::Day)?,
        week: figures(Period::Week)?,
        month: figures(Period::Month)?,
        quarter: figures(Period::Quarter)?,
        all_time: figures(Period::AllTime)?,
    })
}

/// Buckets of a width that suits the period; a chart starts with its first whole bucket.
fn stats_history(conn: &mut Conn, n: i64, period: Period, now: i64) -> Result<Vec<StatsPoint>> {
    let since = period.since(now);
    let resolution = match period {
        Period::Day => {
            if let Some(raw) = samples::raw(conn, n, since, MOST_POINTS)? {
                return Ok(raw.into_iter().map(|(at, players)| point(at, players)).collect());
            }
            Resolution::FiveMinutes
        }
        Period::Week | Period::Month => Resolution::Hour,
        Period::Quarter | Period::AllTime => Resolution::Day,
    };
    let buckets = samples::buckets(conn, n, resolution, since)?;
    Ok(points(&thin(buckets)))
}

fn points(buckets: &[SampleBucket]) -> Vec<StatsPoint> {
    let watched = buckets.iter().filter(|bucket| bucket.watched_ms > 0);
    watched.map(|bucket| point(bucket.at, bucket.average_players(0) as i64)).collect()
}

fn point(at: i64, online_players: i64) -> StatsPoint {
    StatsPoint { timestamp: Timestamp(at), online_players }
}

/// Merges buckets into equal spans, so that years fit into a chart.
fn thin(buckets: Vec<SampleBucket>) -> Vec<SampleBucket> {
    let span = buckets.len().div_ceil(MOST_POINTS as usize).max(1);
    buckets
        .chunks(span)
        .map(|chunk| {
            let mut whole = SampleBucket::empty(chunk[0].at);
            for bucket in chunk {
                whole.merge(bucket);
            }
            whole
        })
        .collect()
}

/// Days without votes are 0; all-time begins with the first vote.
fn every_day(counted: &[(i64, i64)], period: Period, now: i64) -> Vec<DailyVotes> {
    let first = match period.length() {
        Some(_) => start_of_day(period.since(now)),
        None => counted.first().map_or(now + DAY, |(day, _)| *day),
    };
    let mut counted = counted.iter().peekable();
    (first..=now)
        .step_by(DAY as usize)
        .map(|day| DailyVotes {
            day: Day(day),
            votes: counted.next_if(|(at, _)| *at == day).map_or(0, |(_, votes)| *votes),
        })
        .collect()
}
