//! Claiming a server: its owner shows a code where only the owner can put it.

use super::{Listings, owner_actions};
use crate::tracked_servers::{self, ServerError, ServerSettings};
use rollcall_minecraft::{Edition, Host, PingRequest};
use rollcall_model::message::translatable;
use rollcall_model::motd;
use rollcall_store::audit::Author;
use rollcall_store::listings::claims::{self, Claim, GrantOutcome};
use rollcall_store::servers::{self, ServerListing};
use rollcall_store::{Conn, accounts, revision, server_access};

/// Where the TXT record is: `_rollcall.play.example.org`.
const TXT_PREFIX: &str = "_rollcall";
const CODE_PREFIX: &str = "rollcall-";
/// Without characters that are mistaken for each other.
const CODE_ALPHABET: &[u8; 32] = b"23456789ABCDEFGHJKLMNPQRSTUVWXYZ";
/// 50 bits. The code is bound to an account, so there is nothing to guess.
const CODE_CHARS: usize = 10;

/// Result of a lookup at the address of a claim.
pub struct AddressEvidence {
    /// The MOTD without formatting, or why there is none.
    pub motd: Result<String, String>,
    /// The TXT records, or why they cannot be read.
    pub txt: Result<Vec<String>, String>,
    code: String,
}

impl AddressEvidence {
    /// How the code was found, for the log; `None` if it was not.
    fn proof(&self) -> Option<&'static str> {
        if self.motd.as_ref().is_ok_and(|motd| contains_code(motd, &self.code)) {
            return Some(translatable("ownership proved by MOTD"));
        }
        let is_code = |text: &String| text.trim().eq_ignore_ascii_case(&self.code);
        let in_txt = self.txt.as_ref().is_ok_and(|texts| texts.iter().any(is_code));
        in_txt.then_some(translatable("ownership proved by TXT record"))
    }
}

/// Some servers change the case of their MOTD.
fn contains_code(motd: &str, code: &str) -> bool {
    motd.to_ascii_uppercase().contains(&code.to_ascii_uppercase())
}

/// Result of a claim.
#[derive(Debug, PartialEq, Eq)]
pub enum ClaimOutcome {
    /// The account owns the server.
    Owner,
    /// The owner moved the server to the address that was proved. The slug may be another one.
    Moved(String),
    /// Another account owns it: moderators decide.
    Disputed,
    /// The code was not found.
    NotFound,
}

/// A claim with a new code, for the address of the server or for the one it moves to.
pub fn new_claim(server: &ServerListing, account_n: i64, moves_to: Option<(String, i64)>, now: i64) -> Claim {
    let (host, port) = moves_to.unwrap_or_else(|| (server.ip.clone(), server.port));
    let code = (0..CODE_CHARS).map(|_| char::from(CODE_ALPHABET[rand::random_range(0..CODE_ALPHABET.len())]));
    Claim {
        server_n: server.n,
        account_n,
        code: CODE_PREFIX.chars().chain(code).collect(),
        token_hint: String::new(),
        host,
        port,
        created_at: now,
        ends_at: now + claims::LIFETIME,
    }
}

impl Listings {
    /// Looks for the code of a claim.
    pub async fn look_at(&self, claim: &Claim, edition: Edition) -> AddressEvidence {
        let (motd, txt) = match (claim.host.parse::<Host>(), u16::try_from(claim.port)) {
            (Ok(host), Ok(port)) => {
                let request = PingRequest::new(host.clone(), port, edition);
                let txt = self.pinger.resolver.txt_records(TXT_PREFIX, &host);
                let (ping, txt) = tokio::join!(self.pinger.ping(&request), txt);
                let motd = ping.map(|reply| motd::plain(&reply.status.motd_raw)).map_err(|error| error.to_string());
                (motd, txt.map_err(|error| error.to_string()))
            }
            _ => (Err("the address is not valid".to_owned()), Ok(Vec::new())),
        };
        AddressEvidence { motd, txt, code: claim.code.clone() }
    }

    /// Completes a claim if its code was found.
    pub async fn settle(
        &self,
        claim: Claim,
        evidence: &AddressEvidence,
        author: Author,
    ) -> Result<ClaimOutcome, ServerError> {
        let Some(proof) = evidence.proof() else { return Ok(ClaimOutcome::NotFound) };
        let media = self.media.clone();
        let work = move |conn: &mut Conn| {
            conn.transaction(|conn| {
                // First: two proofs at the same time happen one after the other.
                revision::bump(conn)?;
                let valid = claims::find(conn, claim.server_n, claim.account_n, author.at)?;
                // Replaced or ended while the code was looked for.
                if valid.is_none_or(|valid| valid.code != claim.code) {
                    return Ok(ClaimOutcome::NotFound);
                }
                let Some(server) = servers::listing_by_number(conn, claim.server_n)? else {
                    return Ok(ClaimOutcome::NotFound);
                };
                if (&server.ip, server.port) == (&claim.host, claim.port) {
                    return match claims::grant(conn, claim.server_n, claim.account_n, proof, &author)? {
                        GrantOutcome::Granted => {
                            owner_actions::restore_for_new_owner(conn, &media, &server, &author)?;
                            Ok(ClaimOutcome::Owner)
                        }
                        GrantOutcome::Disputed => Ok(ClaimOutcome::Disputed),
                    };
                }
                // The owner may have moved the server since another account began to claim it at its old address.
                if !may_move(conn, &server, claim.account_n)? {
                    return Ok(ClaimOutcome::NotFound);
                }
                let address = Some(servers::address(&claim.host, claim.port));
                let settings = ServerSettings { address, ..ServerSettings::default() };
                let slug = tracked_servers::change(conn, &media, &server.slug, &settings, &author)?;
                claims::end(conn, claim.server_n, claim.account_n)?;
                Ok(ClaimOutcome::Moved(slug))
            })
        };
        self.pool.try_write(work).await
    }
}

fn may_move(conn: &mut Conn, server: &ServerListing, account_n: i64) -> rollcall_store::Result<bool> {
    let Some(account) = accounts::by_number(conn, account_n)? else { return Ok(false) };
    let managed = server_access::find(conn, &server.slug, account_n, account.operator)?;
    Ok(managed.is_some_and(|managed| managed.role.can_give_away()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn evidence(motd: Result<&str, &str>, txt: &[&str]) -> AddressEvidence {
        AddressEvidence {
            motd: motd.map(str::to_owned).map_err(str::to_owned),
            txt: Ok(txt.iter().map(|text| (*text).to_owned()).collect()),
            code: "rollcall-ABCDEFGH23".to_owned(),
        }
    }

    #[test]
    fn a_code_proves_ownership_wherever_it_stands_in_the_motd_and_alone_in_a_txt_record() {
        let by_motd = Some("ownership proved by MOTD");
        let by_txt = Some("ownership proved by TXT record");
        assert_eq!(evidence(Ok("Welcome! rollcall-ABCDEFGH23\nhave fun"), &[]).proof(), by_motd);
        assert_eq!(evidence(Ok("ROLLCALL-ABCDEFGH23"), &[]).proof(), by_motd);
        assert_eq!(evidence(Err("timed out"), &["v=spf1", " rollcall-abcdefgh23 "]).proof(), by_txt);
        assert_eq!(evidence(Ok("rollcall-ABCDEFGH24"), &["rollcall-ABCDEFGH23x", ""]).proof(), None);
        assert_eq!(evidence(Err("timed out"), &[]).proof(), None);
    }
}
