//! What servers report about their players: counters that only grow, and what each report added.

use super::players::{self, Player};
use super::rng::{Dice, Of, Seed};
use super::servers;
use super::sessions::Session;
use rollcall_model::id;
use rollcall_store::values;
use rollcall_store::{Conn, Result};

/// Reports kept per player; a server reports when somebody leaves, and old reports are thinned.
const MOST_REPORTS: usize = 12;

#[derive(Clone, Copy, Default)]
struct Counters {
    kills: i64,
    deaths: i64,
    wins: i64,
    blocks_broken: i64,
    play_minutes: i64,
}

/// How good somebody is, per minute played.
struct Skill {
    kills: f64,
    deaths: f64,
    wins: f64,
}

impl Skill {
    fn of(dice: &mut Dice, tier_points: i64) -> Self {
        let talent = 1.0 + (tier_points as f64 + 1.0).ln() * 0.45;
        Self {
            kills: 0.12 * talent * dice.log_normal(1.0, 0.5),
            deaths: 0.11 * dice.log_normal(1.0, 0.4),
            wins: 0.012 * talent,
        }
    }
}

const COLUMNS: &[&str] = &["id", "player_n", "server_n", "at", "stats_json", "kills_gain", "deaths_gain", "wins_gain"];

/// `sessions` must be in the order of the players and of time. Every `every`-th player has reports.
pub fn write(conn: &mut Conn, seed: Seed, players: &[Player], sessions: &[Session], every: usize) -> Result<()> {
    conn.bulk_insert("player_stats", COLUMNS, |insert| {
        for own in sessions.chunk_by(|a, b| a.player == b.player) {
            let index = own[0].player as usize;
            if !index.is_multiple_of(every) {
                continue;
            }
            let mut dice = seed.dice(Of::Stats, index);
            let skill = Skill::of(&mut dice, players[index].tier_points);
            let mut standings: Vec<(u32, Counters, Counters)> = Vec::new();
            let thinning = own.len().div_ceil(MOST_REPORTS);
            let mut row = 0;
            for (i, session) in own.iter().enumerate() {
                let known = standings.len();
                let place = standings.iter().position(|(server, ..)| *server == session.server).unwrap_or_else(|| {
                    standings.push((session.server, Counters::default(), Counters::default()));
                    standings.len() - 1
                });
                let (_, now, reported) = &mut standings[place];
                play(&mut dice, now, &skill, session.seconds);
                // The first of each server and the last of all are reported: nobody's stats are missing or old.
                if !i.is_multiple_of(thinning) && i + 1 < own.len() && place < known {
                    continue;
                }
                insert(values![
                    id::encode(seed.id(Of::Stats, index, row)),
                    players::number(index),
                    servers::number(session.server as usize),
                    session.left_at(),
                    report(now),
                    now.kills - reported.kills,
                    now.deaths - reported.deaths,
                    now.wins - reported.wins,
                ])?;
                *reported = *now;
                row += 1;
            }
        }
        Ok(())
    })
}

fn play(dice: &mut Dice, counters: &mut Counters, skill: &Skill, seconds: u32) {
    let minutes = f64::from(seconds) / 60.0;
    let mut gained = |per_minute: f64| (minutes * per_minute * (0.5 + dice.unit()) + dice.unit()) as i64;
    counters.kills += gained(skill.kills);
    counters.deaths += gained(skill.deaths);
    counters.wins += gained(skill.wins);
    counters.blocks_broken += gained(9.0);
    counters.play_minutes += minutes as i64;
}

fn report(counters: &Counters) -> String {
    format!(
        r#"{{"kills":{},"deaths":{},"wins":{},"blocksBroken":{},"playMinutes":{}}}"#,
        counters.kills, counters.deaths, counters.wins, counters.blocks_broken, counters.play_minutes
    )
}
