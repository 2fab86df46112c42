//! `GET /servers/{slug}/explain`

use super::{SLUG, not_found};
use crate::app::App;
use crate::catalogue::ServerStats;
use crate::error::ApiError;
use crate::v1::endpoint::{Call, Endpoint, Plan, Units, data, envelope};
use rollcall_model::buckets::{SampleBucket, Window};
use rollcall_model::resources::{
    CountConfidence, ExplainedHotScore, ExplainedPlayers, ExplainedRank, ExplainedRating, ExplainedTrend,
    ExplainedUptime, HotScoreInputs, RankInputs, RatingInputs, ServerExplanation, Timestamp, TrendInputs, UptimeInputs,
};
use rollcall_model::score::{self, Mean};
use rollcall_store::sample_history::{self, LatestSample};
use rollcall_store::server_stats::{TREND_WINDOW, UPTIME_PERIOD};
use rollcall_store::{Conn, Result as StoreResult, sample_windows, server_presence};

const UPTIME: &str = "100 * onlineMs / watchedMs, rounded half up to two decimals; 0 if watchedMs is 0";
const TREND: &str = "100 * (playerMs / watchedMs - playerMsBefore / watchedMsBefore) / (playerMsBefore / watchedMsBefore), rounded \
                     half away from zero to one decimal; 0 if playerMsBefore is 0; a watchedMs of 0 counts as 1";
const HOT_SCORE: &str = "(voteHeat * 2 ^ (-(computedAt - voteHeatAt) / 48 hours) + 2 * ln(1 + recentPlayers)) * uptime / 100, \
                         rounded to three decimals";
const RATING: &str = "ratingSum / reviews, rounded half up to two decimals; 0 without reviews";
const RANK: &str = "1 + ahead + tiedAhead";

pub const ENDPOINT: Endpoint = Endpoint {
    path: "/servers/{slug}/explain",
    name: "explainServer",
    tag: "Servers",
    summary: "Explain the figures of a server",
    description: "Uptime, trend, hot score, rating and rank, each with its formula, the inputs that give exactly this value, the share of \
                  time that was watched, and the time of computation; and how far the player count can be trusted. Lists show \
                  the figures as of the last minute.",
    path_param: Some(SLUG),
    params: &[],
    max_age: 30,
    per_account: false,
    units: Units::One,
    data: data::<ServerExplanation>,
    plan,
};

fn plan(call: &Call) -> Result<Plan, ApiError> {
    Plan::reading(call.segment.clone(), |app, conn, slug| envelope(&explain(app, conn, slug)?))
}

fn explain(app: &App, conn: &mut Conn, slug: String) -> Result<ServerExplanation, ApiError> {
    let now = app.clock.now();
    let (n, stats, rank) = {
        let servers = app.catalogue.servers();
        let entry = servers.by_slug(&slug).ok_or_else(not_found)?;
        (entry.n, entry.stats, rank(servers.vote_rank(entry), entry.stats.total_votes, servers.public_count(), now))
    };
    let found = conn.batch_reads(|conn| Found::read(conn, n, now))?;
    let uptime = found.uptime(now);
    Ok(ServerExplanation {
        trend: found.trend(now),
        hot_score: found.hot_score(&stats, uptime.value, now),
        rating: rating(&stats, now),
        rank,
        players: found.players(&stats),
        uptime,
        slug,
    })
}

/// Data of the store.
struct Found {
    month: (Window, SampleBucket),
    day: (Window, SampleBucket),
    two_days: (Window, SampleBucket),
    latest: Option<LatestSample>,
    named: i64,
}

impl Found {
    fn read(conn: &mut Conn, n: i64, now: i64) -> StoreResult<Self> {
        let mut sum = |window: Window| sample_windows::sum(conn, n, window).map(|sum| (window, sum));
        Ok(Self {
            month: sum(Window::since(UPTIME_PERIOD.since(now)))?,
            day: sum(Window::ending_at(now, TREND_WINDOW))?,
            two_days: sum(Window::ending_at(now, 2 * TREND_WINDOW))?,
            latest: sample_history::latest(conn, n)?,
            named: server_presence::numbers(conn, n, now)?.len() as i64,
        })
    }

    fn uptime(&self, now: i64) -> ExplainedUptime {
        let (window, sum) = &self.month;
        ExplainedUptime {
            value: score::uptime(sum.online_ms, sum.watched_ms),
            formula: UPTIME,
            inputs: UptimeInputs {
                since: Timestamp(window.since),
                online_ms: sum.online_ms,
                watched_ms: sum.watched_ms,
            },
            coverage: Some(coverage(sum, window, now)),
            computed_at: Timestamp(now),
        }
    }

    fn trend(&self, now: i64) -> ExplainedTrend {
        let ((day, last), (two_days, both)) = (&self.day, &self.two_days);
        let recent = Mean { sum: last.player_ms, weight: last.watched_ms };
        let before = Mean { sum: both.player_ms - last.player_ms, weight: both.watched_ms - last.watched_ms };
        ExplainedTrend {
            value: score::trend(recent, before),
            formula: TREND,
            inputs: TrendInputs {
                since: Timestamp(day.since),
                since_before: Timestamp(two_days.since),
                player_ms: recent.sum,
                watched_ms: recent.weight,
                player_ms_before: before.sum,
                watched_ms_before: before.weight,
            },
            coverage: Some(coverage(both, two_days, now)),
            computed_at: Timestamp(now),
        }
    }

    fn hot_score(&self, stats: &ServerStats, uptime: f64, now: i64) -> ExplainedHotScore {
        let (window, day) = &self.day;
        let recent_players = day.average_players(1);
        let heat = score::decay(stats.vote_heat, stats.vote_heat_at, now);
        ExplainedHotScore {
            value: score::hot_score(heat, recent_players, uptime),
            formula: HOT_SCORE,
            inputs: HotScoreInputs {
                vote_heat: stats.vote_heat,
                vote_heat_at: Timestamp(stats.vote_heat_at),
                recent_players,
                uptime,
            },
            coverage: Some(coverage(day, window, now)),
            computed_at: Timestamp(now),
        }
    }

    fn players(&self, stats: &ServerStats) -> ExplainedPlayers {
        let online = self.latest.filter(|sample| sample.online && stats.is_online);
        let rejected = online.and_then(|sample| sample.rejected_players);
        let value = online.map_or(0, |sample| sample.players);
        let confidence = match (online, rejected) {
            (None, _) => CountConfidence::Offline,
            (_, Some(_)) => CountConfidence::Capped,
            _ if self.named >= value => CountConfidence::Listed,
            _ => CountConfidence::Sampled,
        };
        ExplainedPlayers {
            value,
            confidence,
            reported: rejected.unwrap_or(value),
            named: self.named,
            sampled_at: self.latest.map(|sample| Timestamp(sample.at)),
        }
    }
}

fn coverage(sum: &SampleBucket, window: &Window, now: i64) -> f64 {
    score::ratio(sum.watched_ms.min(now - window.since), now - window.since, 4)
}

fn rating(stats: &ServerStats, now: i64) -> ExplainedRating {
    ExplainedRating {
        value: score::rating(stats.rating_sum, stats.rating_count),
        formula: RATING,
        inputs: RatingInputs { rating_sum: stats.rating_sum, reviews: stats.rating_count },
        coverage: None,
        computed_at: Timestamp(now),
    }
}

fn rank((ahead, tied_ahead): (usize, usize), total_votes: i64, servers: usize, now: i64) -> ExplainedRank {
    let (ahead, tied_ahead) = (ahead as u64, tied_ahead as u64);
    ExplainedRank {
        value: 1 + ahead + tied_ahead,
        formula: RANK,
        inputs: RankInputs { total_votes, ahead, tied_ahead, servers: servers as u64 },
        coverage: None,
        computed_at: Timestamp(now),
    }
}
