//! Votes and reviews after the generated history. They are cast as before it ended: by the same players, on the same servers
//! and at the same rates. What happens in a span of time depends on the world alone. Votes are cast like those of visitors, and
//! delivered to the receivers of the servers.

use std::sync::Arc;
use std::time::Duration;

use super::rng::{DemoRng, Stream};
use super::vote_receivers::DemoVoteReceivers;
use super::world::DemoWorld;
use super::{reviews, servers, votes};
use rollcall_model::clock::Clock;
use rollcall_model::id;
use rollcall_model::time::{DAY, MINUTE, start_of_day};
use rollcall_store::bulk_load::{self, BulkReview};
use rollcall_store::demo_data::{self, OrdinalTable};
use rollcall_store::totals::{self, RecomputeScope, TouchedRows};
use rollcall_store::voting::{self, Ballot, CastOutcome, VotedBy};
use rollcall_store::{Conn, Pool, Result, revision};

/// Events are drawn for a slot of time at once.
const SLOT: i64 = 10 * MINUTE;
/// How often events are written.
const WRITE_INTERVAL: Duration = Duration::from_secs(5);
/// Bits of a stream index for the events of one slot and server.
const EVENT_BITS: usize = 8;

/// A vote or review that is about to be written.
struct DemoEvent {
    server: usize,
    at: i64,
    id: String,
    rng: DemoRng,
}

/// The part of a demo world that goes on while the demo runs.
pub struct LiveActivity {
    world: Arc<DemoWorld>,
    receivers: DemoVoteReceivers,
    votes_per_day: Vec<f64>,
    reviews_per_day: Vec<f64>,
}

impl LiveActivity {
    pub(crate) fn new(world: Arc<DemoWorld>, receivers: DemoVoteReceivers) -> Self {
        Self { votes_per_day: votes::per_day(&world), reviews_per_day: reviews::per_day(&world), receivers, world }
    }

    /// Writes events as time passes, until the service stops.
    pub async fn run(self: Arc<Self>, pool: Pool, clock: Clock) {
        let mut written_until = clock.now();
        let activity = Arc::clone(&self);
        if let Err(error) = pool.write(move |conn| activity.receivers.store(conn, written_until)).await {
            tracing::warn!(%error, "the servers of the demo receive no votes");
        }
        loop {
            tokio::time::sleep(WRITE_INTERVAL).await;
            let (activity, from, to) = (Arc::clone(&self), written_until, clock.now());
            match pool.write(move |conn| activity.write(conn, from, to)).await {
                // A clock that is set back must not repeat what has happened.
                Ok(()) => written_until = to.max(from),
                Err(error) => tracing::warn!(%error, "cannot write the votes and reviews of the demo"),
            }
        }
    }

    /// Writes what happens after `from`, up to and including `to`.
    pub fn write(&self, conn: &mut Conn, from: i64, to: i64) -> Result<()> {
        let votes = self.events(Stream::LiveVotes, &self.votes_per_day, from, to);
        let reviews = self.events(Stream::LiveReviews, &self.reviews_per_day, from, to);
        conn.transaction(|conn| {
            // First, like the tracker: locks taken in one order cannot deadlock.
            revision::bump(conn)?;
            if votes.is_empty() && reviews.is_empty() {
                return Ok(());
            }
            let account_ns = self.account_ns(conn)?;
            // A user may have removed servers.
            let existing = demo_data::server_numbers(conn)?;
            let is_listed = |event: &DemoEvent| existing.contains(&servers::row_n(event.server));
            let mut touched = TouchedRows::default();
            for vote in votes.into_iter().filter(is_listed) {
                self.cast_vote(conn, vote, &account_ns)?;
            }
            for review in reviews.into_iter().filter(is_listed) {
                self.write_review(conn, review, &account_ns, &mut touched)?;
            }
            totals::recompute(conn, &RecomputeScope::Touched(touched))
        })
    }

    /// The events in a span of time, oldest first.
    fn events(&self, stream: Stream, per_day: &[f64], from: i64, to: i64) -> Vec<DemoEvent> {
        let seed = self.world.seed;
        let mut events = Vec::new();
        for slot in from.div_euclid(SLOT)..=to.div_euclid(SLOT) {
            for (server, rate) in per_day.iter().enumerate() {
                let index = (slot as usize * per_day.len() + server) << EVENT_BITS;
                let mut rng = seed.rng(stream, index);
                let count = rng.poisson(rate * SLOT as f64 / DAY as f64).min((1 << EVENT_BITS) - 1);
                for row in 1..=count {
                    let at = slot * SLOT + rng.between(0, SLOT - 1);
                    if from < at && at <= to {
                        let id = id::encode(seed.id_bits(stream, index, row));
                        events.push(DemoEvent { server, at, id, rng: seed.rng(stream, index + row) });
                    }
                }
            }
        }
        events.sort_by_key(|event| event.at);
        events
    }

    fn cast_vote(&self, conn: &mut Conn, mut event: DemoEvent, account_ns: &[i64]) -> Result<()> {
        let server_n = servers::row_n(event.server);
        // A player votes for a server once a day.
        let voters = indexes(demo_data::voters_since(conn, server_n, start_of_day(event.at))?);
        let (_, vote) = votes::vote(&self.world, &mut event.rng, account_ns, event.server, event.at, &voters);
        let ballot = Ballot {
            server_n,
            at: event.at,
            account_n: vote.account_n,
            address: format!("demo {}", vote.game_username),
            nickname: vote.game_username.to_owned(),
            shows_nickname: true,
        };
        // Several players of the world share an account, which votes once a day.
        if voting::cast(conn, std::slice::from_ref(&ballot))? == [CastOutcome::AlreadyVoted(VotedBy::Account)] {
            voting::cast(conn, &[Ballot { account_n: None, ..ballot }])?;
        }
        Ok(())
    }

    fn write_review(
        &self,
        conn: &mut Conn,
        mut event: DemoEvent,
        account_ns: &[i64],
        touched: &mut TouchedRows,
    ) -> Result<()> {
        let server_n = servers::row_n(event.server);
        let reviewers = indexes(demo_data::reviewers(conn, server_n)?);
        let (_, review) = reviews::review(&self.world, &mut event.rng, account_ns, event.server, event.at, &reviewers);
        touched.servers.insert(server_n);
        touched.players.insert(review.player_n);
        let ordinal = demo_data::last_ordinal(conn, OrdinalTable::Reviews, server_n)? + 1;
        bulk_load::insert_rows::<BulkReview>(conn, |insert| insert(BulkReview { ordinal, id: event.id, ..review }))
    }

    /// The row numbers of the accounts, in the order of the world.
    fn account_ns(&self, conn: &mut Conn) -> Result<Vec<i64>> {
        let existing = bulk_load::existing_accounts(conn)?.numbers;
        Ok(self.world.accounts.iter().map_while(|account| existing.get(&account.id).copied()).collect())
    }
}

/// The index of a row number.
fn index(row_n: i64) -> Option<usize> {
    usize::try_from(row_n - 1).ok()
}

fn indexes(row_ns: Vec<i64>) -> Vec<usize> {
    row_ns.into_iter().filter_map(index).collect()
}
