//! Submitting a server: it is pinged at once, and listed if it replies.

use super::Listings;
use super::duplicates::{NO_SERVER, answered_at};
use super::owner_actions::{SAME_ADDRESS, review_notice};
use crate::tracked_servers::{self, NewServer, ServerError, ServerSettings};
use rollcall_minecraft::{Edition, Host, PingReply, PingRequest};
use rollcall_model::message::{Message, translatable};
use rollcall_store::audit::Author;
use rollcall_store::listings::{self, AnsweredAt, Listing, ListingStatus, SameAddress, WaitsFor};
use rollcall_store::media::Media;
use rollcall_store::moderation::{self, ItemKind, NewItem};
use rollcall_store::{Conn, revision, tracking};

/// Reply to the ping of a submitted address.
#[derive(Clone)]
pub struct ProbeOutcome {
    /// The reply, or why there was none.
    pub reply: Result<PingReply, String>,
    /// Where the reply came from.
    pub answered_at: Option<AnsweredAt>,
    /// Servers that are listed already and answer at the same address.
    pub same_address: Vec<SameAddress>,
}

/// A submitted server.
pub struct Submission {
    pub account_n: i64,
    pub address: String,
    pub settings: ServerSettings,
    pub probe: ProbeOutcome,
    pub max_per_account: u32,
    /// Why a moderator must see its texts first.
    pub held: Option<String>,
}

impl Listings {
    /// Pings an address as a player would type it. The error says what is wrong with the address.
    pub async fn probe(&self, address: &str, edition: Edition) -> Result<ProbeOutcome, ServerError> {
        let (host, port) = tracked_servers::split_address(address)?;
        let host = host.parse::<Host>().map_err(|reason| ServerError::Invalid(reason.into()))?;
        let port = port.unwrap_or(edition.default_port());
        let reply = self.pinger.ping(&PingRequest::new(host, port, edition)).await;
        let answered_at = reply.as_ref().ok().map(|reply| answered_at(reply.address, port, edition));
        let same_address = match &answered_at {
            Some(at) => self.at_same_address(at, NO_SERVER).await?,
            None => Vec::new(),
        };
        Ok(ProbeOutcome { reply: reply.map_err(|error| error.to_string()), answered_at, same_address })
    }

    /// Adds a submitted server. It is listed at once if it replied and is no duplicate.
    pub async fn submit(&self, submission: Submission, author: Author) -> Result<NewServer, ServerError> {
        let media = self.media.clone();
        self.pool.try_write(move |conn| conn.transaction(|conn| add(conn, &media, &submission, &author))).await
    }
}

/// Whether another server is listed at the address; looks again for those that were added since the ping.
fn is_duplicate(conn: &mut Conn, probe: &ProbeOutcome) -> rollcall_store::Result<bool> {
    if !probe.same_address.is_empty() {
        return Ok(true);
    }
    match &probe.answered_at {
        Some(at) => Ok(!listings::at_same_address(conn, at, NO_SERVER)?.is_empty()),
        None => Ok(false),
    }
}

fn add(conn: &mut Conn, media: &Media, submission: &Submission, author: &Author) -> Result<NewServer, ServerError> {
    // First: of two submissions of one address at the same time, the second must see the first.
    revision::bump(conn)?;
    let max = submission.max_per_account;
    if listings::count_submitted(conn, submission.account_n)? >= i64::from(max) {
        return Err(ServerError::Conflict(Message::new(
            "your account has submitted as many servers as it may ({}); a deleted server counts for 30 days",
            &[&max],
        )));
    }
    let probe = &submission.probe;
    let held = if is_duplicate(conn, probe)? { Some(SAME_ADDRESS) } else { submission.held.as_deref() };
    let (status, waits_for, reason) = match (&probe.reply, held) {
        (_, Some(why)) => (ListingStatus::Pending, WaitsFor::Review, review_notice(why)),
        (Err(_), None) => {
            (ListingStatus::Pending, WaitsFor::Ping, translatable("It is listed as soon as it replies to a ping."))
        }
        (Ok(_), None) => (ListingStatus::Approved, WaitsFor::Nothing, ""),
    };
    let mut listing = Listing {
        server_n: 0,
        submitted_by: Some(submission.account_n),
        submitted_at: author.at,
        status,
        waits_for,
        reason: reason.to_owned(),
        visibility: submission.settings.visibility.unwrap_or_default(),
        banner: String::new(),
        archived_at: None,
        deleted_at: None,
    };
    let settings = ServerSettings {
        visibility: Some(listing.effective_visibility()),
        is_tracked: Some(true),
        ..submission.settings.clone()
    };
    let added = tracked_servers::add(conn, media, &submission.address, &settings, author)?;
    listing.server_n = added.n;
    listings::save(conn, &listing)?;
    if let Some(at) = &probe.answered_at {
        tracking::start_tracking_at(conn, added.n, &at.ip, author.at)?;
    }
    if let Some(why) = held {
        let (server_n, author_n) = (Some(added.n), Some(submission.account_n));
        let item = NewItem { kind: ItemKind::Server, subject: &added.id, server_n, author_n, why };
        moderation::open(conn, &item, author.at)?;
    }
    Ok(added)
}
