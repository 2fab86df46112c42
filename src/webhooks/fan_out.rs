//! Finds the events of each endpoint. The store has a cursor per endpoint; between two that match, this process remembers how far it has
//! looked, so that most events cost no write.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::sync::Arc;
use std::time::{Duration, Instant};

use super::Webhooks;
use rollcall_model::event::{EventKind, first_number};
use rollcall_model::time::MINUTE;
use rollcall_model::webhook::{ServerScope, WebhookType};
use rollcall_store::account_events::{self, AccountEvent};
use rollcall_store::events::{self, EventFilter, EventRow};
use rollcall_store::webhooks::fan_out::{self, Match, Progress, Subscription};
use rollcall_store::{Conn, Result};

/// How often the store is asked for new events.
const POLL_INTERVAL: Duration = Duration::from_millis(500);
/// Events read at once.
const BATCH: usize = 1_000;
/// An endpoint whose deliveries wait gets no more for this long.
const FULL_PAUSE: Duration = Duration::from_secs(5);
/// A cursor is stored when it is this far behind, or with new deliveries.
const STORED_EVERY: i64 = MINUTE;
/// Endpoints whose deliveries are added in one transaction.
const PER_TRANSACTION: usize = 32;

/// How far this process has looked.
#[derive(Default)]
pub(super) struct Positions {
    reached: HashMap<i64, Position>,
    full: HashMap<i64, Instant>,
}

struct Position {
    version: i64,
    /// No event of the endpoint is between its stored cursor and this number.
    reached: i64,
}

impl Positions {
    /// The place to continue for an endpoint.
    fn of(&mut self, subscription: &Subscription) -> i64 {
        let (version, cursor) = (subscription.version, subscription.cursor);
        let position = self.reached.entry(subscription.webhook_n).or_insert(Position { version, reached: cursor });
        if position.version != version {
            *position = Position { version, reached: cursor };
        }
        position.reached = position.reached.max(cursor);
        position.reached
    }

    fn set(&mut self, subscription: &Subscription, reached: i64) {
        let version = subscription.version;
        self.reached.insert(subscription.webhook_n, Position { version, reached });
    }

    /// Takes the stored cursor the next time.
    fn forget(&mut self, webhook_n: i64) {
        self.reached.remove(&webhook_n);
    }

    fn is_full(&self, webhook_n: i64) -> bool {
        self.full.get(&webhook_n).is_some_and(|at| at.elapsed() < FULL_PAUSE)
    }
}

/// Events read for some endpoints.
#[derive(Clone)]
struct Found {
    events: Arc<Vec<EventRow>>,
    account_events: Arc<Vec<AccountEvent>>,
    /// Owners and editors of the servers of these events; empty if no webhook needs them.
    managers: Arc<HashSet<(i64, i64)>>,
    /// Everything up to this number was read.
    until: i64,
    is_end: bool,
}

impl Found {
    fn matches(&self, subscription: &Subscription) -> Vec<Match> {
        let is_in_scope = |server_n: Option<i64>| match (subscription.scope, server_n) {
            (ServerScope::All, _) | (_, None) => true,
            (ServerScope::Own, Some(n)) => self.managers.contains(&(n, subscription.account_n)),
            (ServerScope::Chosen, Some(n)) => subscription.servers.contains(&n),
        };
        let events = self.events.iter().filter(|event| subscription.events.contains(&event.kind));
        let events = events.map(|event| (event.n, WebhookType::Event(event.kind), event.server.as_ref().map(|s| s.n)));
        let of_account = self.account_events.iter().filter(|event| event.account_n == subscription.account_n);
        let of_account = of_account.map(|event| (event.n, event.kind, event.server.as_ref().map(|s| s.n)));
        let of_account = of_account.filter(|(_, kind, server_n)| {
            // They are about servers of the account already.
            let is_in_scope = subscription.scope != ServerScope::Chosen || is_in_scope(*server_n);
            match kind {
                WebhookType::Alert(kind) => is_in_scope && subscription.alerts.contains(kind),
                // Their servers are unlisted, so they are not among all public ones.
                WebhookType::Event(kind) => {
                    is_in_scope && subscription.scope != ServerScope::All && subscription.events.contains(kind)
                }
                WebhookType::Test => false,
            }
        });
        let matches = events.filter(|(_, _, server_n)| is_in_scope(*server_n)).chain(of_account);
        let mut matches: Vec<Match> =
            matches.map(|(event_n, kind, server_n)| Match { event_n, kind, lane: server_n.unwrap_or(0) }).collect();
        matches.sort_unstable_by_key(|found| found.event_n);
        matches
    }
}

/// Whether an endpoint may want alerts, or outages of unlisted servers.
fn may_want_account_events(subscription: &Subscription) -> bool {
    let outages = [EventKind::ServerOffline, EventKind::ServerOnline];
    !subscription.alerts.is_empty()
        || subscription.scope != ServerScope::All && outages.iter().any(|kind| subscription.events.contains(kind))
}

/// The events after a number that any of these endpoints may want.
fn find(conn: &mut Conn, subscriptions: &[Subscription], after: i64, now: i64) -> Result<Found> {
    let kinds: BTreeSet<i64> =
        subscriptions.iter().flat_map(|subscription| &subscription.events).map(|kind| kind.code()).collect();
    let kinds: Vec<EventKind> = kinds.into_iter().filter_map(EventKind::of_code).collect();
    let (mut events, mut until, mut is_end) = if kinds.is_empty() {
        (Vec::new(), events::newest_number(conn)?.max(after), true)
    } else {
        let filter = EventFilter { kinds, ..EventFilter::default() };
        let page = events::page(conn, &|_| None, &filter, Some(after), BATCH, now)?;
        (page.events, page.next, page.is_end)
    };
    let mut account_events = Vec::new();
    if subscriptions.iter().any(may_want_account_events) {
        let (found, reached) = account_events::between(conn, after, until, BATCH)?;
        account_events = found;
        if reached < until {
            events.retain(|event| event.n <= reached);
            (until, is_end) = (reached, false);
        }
    }
    let managers = match subscriptions.iter().any(|subscription| subscription.scope == ServerScope::Own) {
        true => {
            let servers: BTreeSet<i64> = events.iter().filter_map(|event| Some(event.server.as_ref()?.n)).collect();
            fan_out::managers(conn, &Vec::from_iter(servers))?
        }
        false => HashSet::new(),
    };
    Ok(Found { events: events.into(), account_events: account_events.into(), managers: managers.into(), until, is_end })
}

impl Webhooks {
    /// Adds deliveries for new events until the service stops.
    pub async fn fan_out_forever(self: Arc<Self>) {
        let (mut positions, mut failed) = (Positions::default(), false);
        loop {
            match self.fan_out(&mut positions).await {
                // There is more to read.
                Ok(true) => {
                    failed = false;
                    continue;
                }
                Ok(false) => {
                    failed = false;
                    metrics::counter!("rollcall_task_runs_total", "task" => "webhook_events").increment(1);
                }
                Err(error) => {
                    // A transaction without an answer may or may not have taken effect.
                    positions = Positions::default();
                    if !failed {
                        failed = true;
                        tracing::warn!(%error, "cannot read the events of webhooks");
                    }
                }
            }
            tokio::time::sleep(POLL_INTERVAL).await;
        }
    }

    /// One round; true if there is more to read.
    async fn fan_out(&self, positions: &mut Positions) -> Result<bool> {
        let read = |conn: &mut Conn| Ok((fan_out::subscriptions(conn)?, events::newest_number(conn)?));
        let (subscriptions, newest) = self.pool.read(read).await?;
        let is_known = |n: &i64| subscriptions.iter().any(|subscription| subscription.webhook_n == *n);
        positions.reached.retain(|n, _| is_known(n));
        positions.full.retain(|n, at| is_known(n) && at.elapsed() < FULL_PAUSE);
        let mut groups: BTreeMap<i64, Vec<Subscription>> = BTreeMap::new();
        let mut replays = Vec::new();
        for subscription in subscriptions {
            if positions.is_full(subscription.webhook_n) {
                continue;
            }
            if subscription.replay.is_some() {
                replays.push(subscription.clone());
            }
            let reached = positions.of(&subscription);
            if reached < newest {
                groups.entry(reached).or_default().push(subscription);
            }
        }
        let mut is_more = false;
        for (after, group) in groups {
            is_more |= self.fan_out_group(positions, after, group).await?;
        }
        for subscription in replays {
            is_more |= self.replay(positions, subscription).await?;
        }
        Ok(is_more)
    }

    async fn fan_out_group(&self, positions: &mut Positions, after: i64, group: Vec<Subscription>) -> Result<bool> {
        let now = self.clock.now();
        let group = Arc::new(group);
        let found = {
            let group = group.clone();
            self.pool.read(move |conn| find(conn, &group, after, now)).await?
        };
        let (mut wanted, mut unwanted) = (Vec::new(), Vec::new());
        for subscription in group.iter() {
            let matches = found.matches(subscription);
            if !matches.is_empty() {
                wanted.push((subscription.clone(), matches));
                continue;
            }
            positions.set(subscription, found.until);
            if found.until - subscription.cursor > first_number(STORED_EVERY) {
                unwanted.push(subscription.clone());
            }
        }
        let until = found.until;
        for batch in wanted.chunks(PER_TRANSACTION) {
            let batch = batch.to_vec();
            let advance = move |conn: &mut Conn| {
                let advance = |(subscription, matches): (Subscription, Vec<Match>)| {
                    let progress = fan_out::advance(conn, &subscription, &matches, until, now)?;
                    Ok((subscription, progress))
                };
                batch.into_iter().map(advance).collect::<Result<Vec<_>>>()
            };
            for (subscription, progress) in self.pool.write(advance).await? {
                match progress {
                    Progress::All => positions.set(&subscription, until),
                    Progress::Outdated => positions.forget(subscription.webhook_n),
                    Progress::Full => {
                        positions.forget(subscription.webhook_n);
                        positions.full.insert(subscription.webhook_n, Instant::now());
                    }
                }
            }
            self.wake();
        }
        if !unwanted.is_empty() {
            let save = move |conn: &mut Conn| {
                let cursors: Vec<_> = unwanted.iter().map(|subscription| (subscription, until)).collect();
                fan_out::save_cursors(conn, &cursors)
            };
            self.pool.write(save).await?;
        }
        Ok(!found.is_end)
    }

    async fn replay(&self, positions: &mut Positions, subscription: Subscription) -> Result<bool> {
        let (Some((after, end)), now) = (subscription.replay, self.clock.now()) else { return Ok(false) };
        let webhook_n = subscription.webhook_n;
        let found = {
            let subscriptions = [subscription.clone()];
            self.pool.read(move |conn| find(conn, &subscriptions, after, now)).await?
        };
        let (matches, until) = (found.matches(&subscription), found.until);
        let advance = move |conn: &mut Conn| fan_out::advance_replay(conn, &subscription, &matches, until, now);
        let progress = self.pool.write(advance).await?;
        self.wake();
        match progress {
            Progress::Full => {
                positions.full.insert(webhook_n, Instant::now());
                Ok(false)
            }
            Progress::All => Ok(until < end),
            Progress::Outdated => Ok(false),
        }
    }
}
