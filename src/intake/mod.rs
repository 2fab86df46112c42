//! Reports that game servers send: who may send them, how they are read, and how they are stored. `server/reports.rs` is the
//! HTTP side.

mod azlink;
mod bounds;
mod claim_proof;
mod json_fields;
mod report_format;

use std::collections::HashMap;
use std::hash::Hash;
use std::net::IpAddr;
use std::sync::Mutex;

use crate::batch_writer::BatchWriter;
use crate::limits::{AttemptLimiter, NewPlayerQuota, bucket};
pub use bounds::ParsedReport;
pub use claim_proof::UnprovedClaim;
use rollcall_model::clock::Clock;
use rollcall_model::server_token;
use rollcall_model::time::{MINUTE, SECOND};
use rollcall_store::reports::{self, MIN_INTERVAL, Report, ReportOutcome};
use rollcall_store::server_tokens::{self, TokenServer};
use rollcall_store::{Pool, Result};

/// Bytes of a report.
pub const MAX_BYTES: usize = 64 * 1024;
/// Wrong tokens per client IP and minute.
const WRONG_TOKENS_PER_MINUTE: u32 = 30;
/// Refusals that are written down per server and minute: its owner reads the last one.
const REFUSALS_PER_MINUTE: u32 = 6;
/// Bounds memory: twice the servers that one node is built for. When full, all are forgotten; the store still checks.
const MAX_REMEMBERED: usize = 200_000;
const POISON: &str = "nothing panics under this lock";

/// The format of a report.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ReportFormat {
    /// `POST /report/v1`
    Own,
    /// `POST /api/azlink`, as the AzLink plugin sends it.
    AzLink,
}

/// The last report that this process accepted from a server.
struct LastAccepted {
    at: i64,
    id: Option<String>,
}

pub struct Intake {
    pool: Pool,
    clock: Clock,
    /// Whether events tell who joined and left.
    tells_players: bool,
    queue: BatchWriter<Report, ReportOutcome>,
    wrong_tokens: AttemptLimiter<IpAddr>,
    refusals: AttemptLimiter<i64>,
    new_players: Mutex<NewPlayerQuota>,
    /// Saves a transaction for a server that sends too often.
    accepted: Mutex<HashMap<i64, LastAccepted>>,
    /// Senders of earlier reports, by the hash of their token: saves a query for each report. The store checks the token again
    /// in the transaction that stores the report.
    senders: Mutex<HashMap<String, TokenServer>>,
    /// By server and account. In memory only: the page of the claim shows it to the person who is setting the token up.
    refused_proofs: Mutex<HashMap<(i64, i64), RefusedProof>>,
}

/// A report that did not prove a claim.
#[derive(Clone, Copy, Debug)]
pub struct RefusedProof {
    pub at: i64,
    pub why: UnprovedClaim,
}

/// The sender of a report.
pub struct Sender {
    pub server: TokenServer,
    token_hash: String,
    /// Whether it is among the senders of earlier reports.
    is_known: bool,
    /// The account that became the owner by this report.
    pub new_owner: Option<String>,
}

/// Why a token is not accepted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TokenRejection {
    Unknown,
    /// Too many wrong tokens from the client IP; seconds until the next try.
    Throttled(i64),
    /// The token of a claim that this report does not prove.
    Unproved(UnprovedClaim),
}

impl Intake {
    /// `tells_players`: whether events tell who joined and left.
    pub fn new(pool: Pool, clock: Clock, tells_players: bool) -> Self {
        Self {
            pool,
            clock,
            tells_players,
            queue: BatchWriter::new("reports"),
            wrong_tokens: AttemptLimiter::new(WRONG_TOKENS_PER_MINUTE, MINUTE),
            refusals: AttemptLimiter::new(REFUSALS_PER_MINUTE, MINUTE),
            new_players: Mutex::default(),
            accepted: Mutex::default(),
            senders: Mutex::default(),
            refused_proofs: Mutex::default(),
        }
    }

    /// Stores reports until the service stops.
    pub async fn run(&self) {
        self.queue.run(&self.pool, reports::record).await;
    }

    /// The sender with a token, if it has sent a report before. [`Self::submit`] checks the token again.
    pub fn known_sender(&self, token: &str) -> Option<Sender> {
        let token_hash = server_token::hash_of(token)?;
        let server = self.senders.lock().expect(POISON).get(&token_hash)?.clone();
        Some(Sender { server, token_hash, is_known: true, new_owner: None })
    }

    /// The sender with a token, from the store. Wrong ones are counted per client IP: a host may run many servers, which report
    /// at the same moment.
    pub async fn authenticate(
        &self,
        token: &str,
        client: IpAddr,
    ) -> Result<std::result::Result<Sender, TokenRejection>> {
        let now = self.clock.now();
        let mut rejection = TokenRejection::Unknown;
        if let Some(hash) = server_token::hash_of(token) {
            if let Some(server) = self.find_server(&hash).await? {
                return Ok(Ok(Sender { server, token_hash: hash, is_known: false, new_owner: None }));
            }
            if let Some(claim) = claim_proof::settle(&self.pool, &self.clock, hash.clone(), client).await? {
                let Some(why) = claim.unproved else {
                    let new_owner = Some(claim.username);
                    return Ok(Ok(Sender { server: claim.server, token_hash: hash, is_known: false, new_owner }));
                };
                remember(&self.refused_proofs, (claim.server.n, claim.account_n), RefusedProof { at: now, why });
                rejection = TokenRejection::Unproved(why);
            }
        }
        Ok(Err(match self.wrong_tokens.take(bucket(client), now) {
            Ok(()) => rejection,
            Err(seconds) => TokenRejection::Throttled(seconds),
        }))
    }

    async fn find_server(&self, token_hash: &str) -> Result<Option<TokenServer>> {
        let (wanted, now) = (token_hash.to_owned(), self.clock.now());
        self.pool.read(move |conn| server_tokens::find(conn, &wanted, now)).await
    }

    /// The last report that did not prove the claim of an account.
    pub fn refused_proof(&self, server_n: i64, account_n: i64) -> Option<RefusedProof> {
        self.refused_proofs.lock().expect(POISON).get(&(server_n, account_n)).copied()
    }

    /// The error is a sentence for the owner of the server.
    pub fn parse(&self, format: ReportFormat, body: &[u8]) -> std::result::Result<ParsedReport, String> {
        match format {
            ReportFormat::Own => report_format::parse(body, self.clock.now()),
            ReportFormat::AzLink => azlink::parse(body),
        }
    }

    /// Stores a report together with those that arrive at the same time.
    pub async fn submit(&self, sender: &Sender, format: ReportFormat, parsed: ParsedReport) -> Result<ReportOutcome> {
        let (server_n, at) = (sender.server.n, self.clock.now());
        if let Some(outcome) = self.outcome_from_memory(server_n, parsed.id.as_deref(), at) {
            // Who no longer may send learns that instead.
            return Ok(match self.find_server(&sender.token_hash).await? {
                Some(server) if !server.is_archived => outcome,
                Some(_) => ReportOutcome::Archived,
                None => ReportOutcome::UnknownToken,
            });
        }
        let id = parsed.id.clone();
        let report = Report {
            max_new_players: self.new_players.lock().expect(POISON).remaining(server_n, at),
            tells_players: self.tells_players,
            ..parsed.into_report(sender, at, format.name())
        };
        let outcome = self.queue.write(report).await?;
        match &outcome {
            ReportOutcome::Accepted(accepted) => {
                self.new_players.lock().expect(POISON).consume(server_n, accepted.new_players);
                remember(&self.accepted, server_n, LastAccepted { at, id });
                if !sender.is_known {
                    remember(&self.senders, sender.token_hash.clone(), sender.server.clone());
                }
            }
            ReportOutcome::UnknownToken | ReportOutcome::Archived => {
                self.senders.lock().expect(POISON).remove(&sender.token_hash);
            }
            ReportOutcome::Duplicate | ReportOutcome::TooSoon { .. } => {}
        }
        Ok(outcome)
    }

    fn outcome_from_memory(&self, server_n: i64, id: Option<&str>, at: i64) -> Option<ReportOutcome> {
        let accepted = self.accepted.lock().expect(POISON);
        let last = accepted.get(&server_n)?;
        if id.is_some() && last.id.as_deref() == id {
            return Some(ReportOutcome::Duplicate);
        }
        // A report with an id may be an older one that is sent again, which only the store knows.
        let next_at = last.at + MIN_INTERVAL;
        (id.is_none() && at < next_at).then_some(ReportOutcome::TooSoon { next_at })
    }

    /// Writes down why a report was refused, for the owner's page. Only a few a minute: a broken sender repeats itself.
    pub async fn record_refusal(&self, server: &TokenServer, refusal: &str) -> Result<()> {
        let (server_n, now, refusal) = (server.n, self.clock.now(), refusal.to_owned());
        if self.refusals.take(server_n, now).is_err() {
            return Ok(());
        }
        self.pool.write(move |conn| reports::record_refusal(conn, server_n, now, &refusal)).await
    }

    /// Whole seconds until a time, at least one.
    pub fn seconds_until(&self, at: i64) -> i64 {
        ((at - self.clock.now() + SECOND - 1) / SECOND).max(1)
    }
}

/// Forgets everything else when there is too much.
fn remember<K: Eq + Hash, V>(memory: &Mutex<HashMap<K, V>>, key: K, value: V) {
    let mut memory = memory.lock().expect(POISON);
    if memory.len() >= MAX_REMEMBERED && !memory.contains_key(&key) {
        memory.clear();
    }
    memory.insert(key, value);
}

impl ReportFormat {
    /// A stable name, which is stored.
    pub fn name(self) -> &'static str {
        match self {
            Self::Own => "report",
            Self::AzLink => "azlink",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_new_entry_makes_a_full_memory_forget() {
        let memory: Mutex<HashMap<usize, i64>> = Mutex::new((0..MAX_REMEMBERED).map(|key| (key, 0)).collect());
        let remembered_after = |key: usize| {
            remember(&memory, key, 1);
            memory.lock().expect(POISON).len()
        };
        assert_eq!(remembered_after(0), MAX_REMEMBERED, "as many servers as fit report again and again");
        assert_eq!(remembered_after(MAX_REMEMBERED), 1);
    }
}
