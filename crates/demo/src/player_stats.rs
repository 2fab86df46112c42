//! Stats that servers report about players: cumulative counters, and what each report added.

use super::players::{self, DemoPlayer};
use super::rng::{DemoRng, Stream, WorldSeed};
use super::servers;
use super::sessions::DemoSession;
use rollcall_model::id;
use rollcall_store::bulk_load::{self, BulkPlayerStats};
use rollcall_store::{Conn, Result};

/// A player with more sessions has a report only for every n-th of them, to stay near this number.
const MAX_REPORTS: usize = 12;

#[derive(Clone, Copy, Default)]
struct StatCounters {
    kills: i64,
    deaths: i64,
    wins: i64,
    blocks_broken: i64,
    play_minutes: i64,
}

/// Gains of a player per minute of play.
struct StatRates {
    kills: f64,
    deaths: f64,
    wins: f64,
}

impl StatRates {
    fn generate(rng: &mut DemoRng, tier_points: i64) -> Self {
        let skill = 1.0 + (tier_points as f64 + 1.0).ln() * 0.45;
        Self {
            kills: 0.12 * skill * rng.log_normal(1.0, 0.5),
            deaths: 0.11 * rng.log_normal(1.0, 0.4),
            wins: 0.012 * skill,
        }
    }
}

/// A player's counters on one server.
struct ServerCounters {
    server: u32,
    current: StatCounters,
    reported: StatCounters,
}

/// `sessions` must be ordered by player, then by time. Every `every`-th player has reports.
pub fn insert(
    conn: &mut Conn,
    seed: WorldSeed,
    players: &[DemoPlayer],
    sessions: &[DemoSession],
    every: usize,
) -> Result<()> {
    bulk_load::insert_rows::<BulkPlayerStats>(conn, |insert| {
        for own in sessions.chunk_by(|a, b| a.player == b.player) {
            let index = own[0].player as usize;
            if !index.is_multiple_of(every) {
                continue;
            }
            let mut rng = seed.rng(Stream::PlayerStats, index);
            let rates = StatRates::generate(&mut rng, players[index].tier_points);
            let mut per_server: Vec<ServerCounters> = Vec::new();
            let report_every = own.len().div_ceil(MAX_REPORTS);
            let mut row = 0;
            for (i, session) in own.iter().enumerate() {
                let known = per_server.len();
                let position = per_server.iter().position(|on| on.server == session.server).unwrap_or_else(|| {
                    let (current, reported) = (StatCounters::default(), StatCounters::default());
                    per_server.push(ServerCounters { server: session.server, current, reported });
                    per_server.len() - 1
                });
                let ServerCounters { current, reported, .. } = &mut per_server[position];
                play(&mut rng, current, &rates, session.seconds);
                // The first session on each server and the player's last session are always reported.
                if !i.is_multiple_of(report_every) && i + 1 < own.len() && position < known {
                    continue;
                }
                insert(BulkPlayerStats {
                    id: id::encode(seed.id_bits(Stream::PlayerStats, index, row)),
                    player_n: players::row_n(index),
                    server_n: servers::row_n(session.server as usize),
                    at: session.left_at(),
                    stats_json: to_json(current),
                    kills_gain: current.kills - reported.kills,
                    deaths_gain: current.deaths - reported.deaths,
                    wins_gain: current.wins - reported.wins,
                })?;
                *reported = *current;
                row += 1;
            }
        }
        Ok(())
    })
}

fn play(rng: &mut DemoRng, counters: &mut StatCounters, rates: &StatRates, seconds: u32) {
    let minutes = f64::from(seconds) / 60.0;
    let mut gain = |per_minute: f64| (minutes * per_minute * (0.5 + rng.unit()) + rng.unit()) as i64;
    counters.kills += gain(rates.kills);
    counters.deaths += gain(rates.deaths);
    counters.wins += gain(rates.wins);
    counters.blocks_broken += gain(9.0);
    counters.play_minutes += minutes as i64;
}

fn to_json(counters: &StatCounters) -> String {
    format!(
        r#"{{"kills":{},"deaths":{},"wins":{},"blocksBroken":{},"playMinutes":{}}}"#,
        counters.kills, counters.deaths, counters.wins, counters.blocks_broken, counters.play_minutes
    )
}
