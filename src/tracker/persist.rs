//! Keeps what a batch of rounds found, in one transaction: samples and what they sum up to, what each server shows, its
//! outages, and who was seen. A crash loses the batch or keeps it whole.

use super::outage_detector::{Outcome, State, Verdict, judge};
use super::pictures::Drawn;
use super::sanitize::Believed;
use super::schedule::Beat;
use rollcall_model::buckets::{Bucket, Sample};
use rollcall_model::time::{MINUTE, start_of_hour};
use rollcall_store::presence::{self, Sighting};
use rollcall_store::servers::{self, Shown};
use rollcall_store::tracking::{self, Due};
use rollcall_store::{Conn, Result, changes, outages, samples};

/// Whoever is in a list of some was there all the time since he was last in it, if that is no longer ago.
const PARTIAL_GRACE: i64 = 30 * MINUTE;
/// The same for a list of everybody, in pauses between two rounds.
const WHOLE_GRACE: i64 = 3;

/// A round that is over.
#[derive(Clone, Debug)]
pub struct Finished {
    pub due: Due,
    pub at: i64,
    pub outcome: Outcome,
    /// What the server told of itself, beyond its players.
    pub told: Told,
    /// New players that this server may still bring today.
    pub most_new: usize,
}

#[derive(Clone, Debug, Default)]
pub struct Told {
    pub form: Option<&'static str>,
    pub version: String,
    pub protocol: i64,
    pub motd_raw: String,
    pub drawn: Drawn,
    pub country: Option<&'static str>,
}

/// What a server's round came to, for whoever logs it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Kept {
    pub server_n: i64,
    pub new_players: usize,
    pub went_out: bool,
    pub came_back: bool,
}

/// Rows of a batch, gathered before they are written together.
#[derive(Default)]
struct Rows {
    samples: Vec<(i64, Sample)>,
    pieces: Vec<(i64, Bucket)>,
    shown: Vec<Shown>,
    began: Vec<(i64, i64, &'static str)>,
    ended: Vec<(i64, i64)>,
    rounds: Vec<Due>,
    /// Those whose next round comes sooner than it was to.
    moved: Vec<(i64, i64)>,
    sightings: Vec<Sighting>,
    aged: Vec<(i64, i64)>,
    kept: Vec<Kept>,
}

/// To be called in a transaction. Rounds that somebody else has taken over meanwhile are left out, and so are those that were
/// kept before.
pub fn keep(conn: &mut Conn, batch: &[Finished], beat: Beat) -> Result<Vec<Kept>> {
    let rev = changes::raise(conn)?;
    let open = tracking::still_open(conn, &batch.iter().map(|round| &round.due).collect::<Vec<_>>())?;
    let mut rows = Rows::default();
    let mut roll = None;
    for round in batch.iter().filter(|round| open.contains(&round.due.server_n)) {
        if round.due.server.is_some() {
            rows.take(round, &round.outcome, beat);
        } else {
            roll = Some(round);
        }
    }
    servers::show(conn, &rows.shown, rev)?;
    if let Some(round) = roll {
        // Summed after this batch's servers show what they have.
        if let Some((players, latency_ms)) = servers::whole_roll(conn)? {
            let believed = Believed { players, ..Believed::default() };
            rows.take(round, &Outcome::Answered { believed, latency_ms }, beat);
        }
    }
    samples::insert(conn, &rows.samples)?;
    samples::add(conn, &rows.pieces)?;
    outages::begin(conn, &rows.began)?;
    outages::end(conn, &rows.ended)?;
    tracking::save(conn, &rows.rounds)?;
    tracking::move_rounds(conn, &rows.moved)?;
    for (server_n, at) in &rows.aged {
        samples::forget_old(conn, *server_n, *at)?;
    }
    let made = presence::keep(conn, &rows.sightings, rev)?;
    for (sighting, made) in rows.sightings.iter().zip(made) {
        if let Some(kept) = rows.kept.iter_mut().find(|kept| kept.server_n == sighting.server_n) {
            kept.new_players = made;
        }
    }
    Ok(rows.kept)
}

impl Rows {
    fn take(&mut self, round: &Finished, outcome: &Outcome, beat: Beat) {
        let due = &round.due;
        let mut next_due = due.next_due;
        let answered = matches!(outcome, Outcome::Answered { .. });
        if answered && due.failing_since.is_some() {
            // Whoever is back is asked as often as anybody else.
            next_due = next_due.min(beat.next_due(due.server_n, round.at, beat.pause(None, round.at)));
            self.moved.push((due.server_n, next_due));
        }
        let pause = (next_due - round.at).max(1);
        let Some(verdict) = judge(&state(due), round.at, pause, outcome) else { return };
        let n = due.server_n;
        // Once an hour is often enough to forget, and not for all of them in the same minute.
        let own_hour = |at: i64| start_of_hour(at + n.rem_euclid(60) * MINUTE);
        if let (Some(first), Some(before)) = (verdict.samples.first(), due.sample_at)
            && own_hour(before) != own_hour(first.at)
        {
            self.aged.push((n, round.at));
        }
        self.samples.extend(verdict.samples.iter().map(|sample| (n, *sample)));
        self.pieces.extend(verdict.pieces.iter().map(|piece| (n, *piece)));
        if let (Some(since), Outcome::Failed { reason }) = (verdict.outage_began, outcome) {
            self.began.push((n, since, reason));
        }
        // Whoever shows as offline may have been out before we knew of him, in another store.
        if answered && (verdict.outage_ended || due.server.as_ref().is_some_and(|server| !server.is_online)) {
            self.ended.push((n, round.at));
        }
        if due.server.is_some() {
            self.show(round, outcome, &verdict);
        }
        self.rounds.push(after(round, outcome, &verdict, next_due));
        self.kept.push(Kept {
            server_n: n,
            new_players: 0,
            went_out: verdict.outage_began.is_some(),
            came_back: verdict.outage_ended,
        });
    }

    fn show(&mut self, round: &Finished, outcome: &Outcome, verdict: &Verdict) {
        let Some(is_online) = verdict.online else { return };
        let mut shown = Shown { n: round.due.server_n, is_online, players: 0, last_ping: round.at, ..Shown::default() };
        if let Outcome::Answered { believed, latency_ms } = outcome {
            let told = &round.told;
            shown.players = believed.players;
            shown.max_players = Some(believed.max_players);
            shown.latency = Some(*latency_ms);
            shown.version = Some(told.version.clone()).filter(|version| !version.is_empty());
            shown.protocol = Some(told.protocol);
            shown.motd_raw = Some(told.motd_raw.clone());
            shown.icon.clone_from(&told.drawn.icon);
            shown.motd_image.clone_from(&told.drawn.motd_image);
            shown.country = told.country.map(str::to_owned);
            let pause = verdict.state.sample.map_or(0, |(_, pause)| pause);
            if !believed.seen.is_empty() {
                self.sightings.push(Sighting {
                    server_n: round.due.server_n,
                    is_public: round.due.server.as_ref().is_some_and(|server| server.is_public),
                    at: round.at,
                    grace: if believed.everybody {
                        WHOLE_GRACE * pause
                    } else {
                        PARTIAL_GRACE.max(WHOLE_GRACE * pause)
                    },
                    seen: believed.seen.clone(),
                    most_new: round.most_new,
                });
            }
        }
        self.shown.push(shown);
    }
}

fn state(due: &Due) -> State {
    let sample = due.sample_at.map(|at| Sample {
        at,
        online: due.sample_online,
        players: due.sample_players,
        latency_ms: 0,
        tps: None,
    });
    State {
        sample: sample.map(|sample| (sample, due.sample_pause)),
        failures: due.failures,
        failing_since: due.failing_since,
    }
}

/// What is known once the round is over.
fn after(round: &Finished, outcome: &Outcome, verdict: &Verdict, next_due: i64) -> Due {
    let state = &verdict.state;
    let mut due = Due { next_due, failures: state.failures, failing_since: state.failing_since, ..round.due.clone() };
    if let Some((sample, pause)) = state.sample {
        due.sample_at = Some(sample.at);
        due.sample_online = sample.online;
        due.sample_players = sample.players;
        due.sample_pause = pause;
    }
    if let Outcome::Answered { believed, .. } = outcome {
        let told = &round.told;
        due.note = believed.note.clone();
        due.form = told.form.unwrap_or_default().to_owned();
        if let Some(hash) = &told.drawn.icon_hash {
            due.icon_hash.clone_from(hash);
        }
        if let Some(hash) = &told.drawn.motd_hash {
            due.motd_hash.clone_from(hash);
        }
        if told.drawn.icon_hash.is_some() || told.drawn.motd_hash.is_some() {
            due.pictured_at = round.at;
        }
    }
    due
}
