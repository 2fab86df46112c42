//! What a poll found out.

use std::net::IpAddr;

use super::availability::PollOutcome;
use super::pictures::RenderedPictures;
use rollcall_store::tracking::ClaimedPoll;

/// A poll whose result is ready to store.
#[derive(Clone, Debug)]
pub struct CompletedPoll {
    pub claim: ClaimedPoll,
    pub at: i64,
    pub outcome: PollOutcome,
    pub info: ReportedInfo,
    /// New players that this server may still create today.
    pub new_player_limit: usize,
}

/// What a server reported besides its players.
#[derive(Clone, Debug, Default)]
pub struct ReportedInfo {
    /// Of the ping protocol that worked.
    pub protocol_name: Option<&'static str>,
    /// The address that answered.
    pub address: Option<IpAddr>,
    pub version: String,
    pub protocol: i64,
    pub motd_raw: String,
    pub pictures: RenderedPictures,
    pub country: Option<&'static str>,
}
