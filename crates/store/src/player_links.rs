//! Links between accounts and the game accounts of the same people: one of each. A link that was proved by joining
//! replaces one that a game server vouches for, never the reverse.

use super::audit::{self, Author};
use super::events::{self, NewEvent};
use super::link_codes::{self, VerifiedPlayer};
use super::{Conn, Result, erased_players, nickname_history, presence, revision};
use crate::values;
use rollcall_model::link_code::LinkCode;
use rollcall_model::message::translatable;
use rollcall_search::fold;

const BY_JOINING: &str = "join";
const BY_REPORT: &str = "report";

/// The game account that an account is linked with.
#[derive(Clone, Debug)]
pub struct PlayerLink {
    pub player_n: i64,
    pub player_id: String,
    pub game_uuid: String,
    pub nickname: String,
    /// `join` or `report`.
    pub method: String,
    /// The name of the server that vouches for a link by report, if it still exists.
    pub vouched_by: Option<String>,
    pub linked_at: i64,
}

pub fn of_account(conn: &mut Conn, account_n: i64) -> Result<Option<PlayerLink>> {
    conn.query_optional(
        "select p.n, p.id, p.game_uuid, p.nickname, l.method, s.name, l.linked_at
         from player_links l join players p on p.n = l.player_n left join servers s on s.n = l.server_n
         where l.account_n = $1",
        values![account_n],
        |row| PlayerLink {
            player_n: row.get(0),
            player_id: row.get(1),
            game_uuid: row.get(2),
            nickname: row.get(3),
            method: row.get(4),
            vouched_by: row.get(5),
            linked_at: row.get(6),
        },
    )
}

/// Whether the link of an account rests on the word of this server, or of another one of its owner. Such a player may be invented,
/// with all their play time.
pub fn is_vouched_by(conn: &mut Conn, account_n: i64, server_n: i64) -> Result<bool> {
    let sql = "select 1 from player_links l join servers v on v.n = l.server_n join servers s on s.n = $2
               where l.account_n = $1 and l.method = 'report' and (v.n = s.n or v.owner_n = s.owner_n)";
    Ok(conn.query_optional(sql, values![account_n, server_n], |_| ())?.is_some())
}

/// How far a player's account is known to be theirs, as the player's page shows it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum LinkProof {
    Joined,
    /// The number of the server that vouches for it, if it still exists.
    Vouched(Option<i64>),
}

/// `None` if the player is not linked with an account.
pub fn proof_of_player(conn: &mut Conn, player_n: i64) -> Result<Option<LinkProof>> {
    let sql = "select method, server_n from player_links where player_n = $1";
    conn.query_optional(sql, values![player_n], |row| match row.get::<String>(0).as_str() {
        BY_JOINING => LinkProof::Joined,
        _ => LinkProof::Vouched(row.get(1)),
    })
}

/// Result of a code that a user entered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LinkOutcome {
    /// `is_new`: the player was not known before.
    Linked { is_new: bool },
    /// The code is unknown, used or expired.
    WrongCode,
    /// The account is linked with another player.
    AccountTaken,
    /// Another account has proved to own the player.
    PlayerTaken,
    /// The player does not want to be stored.
    OptedOut,
    /// The player is not known, and no more players may be created today.
    TooManyNewPlayers,
}

/// A link as it is stored.
struct StoredLink {
    account_n: i64,
    player_n: i64,
    is_joined: bool,
}

/// Links an account with the player who got this code by joining. The code ends only if that succeeds. Call it in a transaction;
/// of simultaneous ones the first links, because each waits for the lock of the revision.
pub fn link_by_join(
    conn: &mut Conn,
    account_n: i64,
    code: &LinkCode,
    may_create: bool,
    author: &Author,
) -> Result<LinkOutcome> {
    let rev = revision::bump(conn)?;
    let Some(player) = link_codes::find_player(conn, code, author.at)? else { return Ok(LinkOutcome::WrongCode) };
    if erased_players::contains_uuid(conn, &player.game_uuid)? {
        return Ok(LinkOutcome::OptedOut);
    }
    let known = find_player(conn, &player.game_uuid)?;
    let of_account = stored(conn, "account_n", account_n)?;
    if of_account.is_some_and(|link| known.as_ref().is_none_or(|(n, _)| link.player_n != *n)) {
        return Ok(LinkOutcome::AccountTaken);
    }
    if let Some((player_n, _)) = known
        && let Some(other) = stored(conn, "player_n", player_n)?.filter(|link| link.account_n != account_n)
    {
        if other.is_joined {
            return Ok(LinkOutcome::PlayerTaken);
        }
        remove(conn, other.account_n)?;
        let action = translatable("player unlinked: another account proved to own it");
        audit::log_account(conn, Some(other.account_n), action, "", author)?;
    }
    if known.is_none() && !may_create {
        return Ok(LinkOutcome::TooManyNewPlayers);
    }
    let player_n = match &known {
        Some((n, nickname)) => {
            confirm_nickname(conn, *n, nickname, &player, author.at, rev)?;
            *n
        }
        None => presence::insert_verified(conn, &player.game_uuid, &player.nickname, author.at, rev)?,
    };
    link_codes::spend_of_player(conn, &player.game_uuid)?;
    link_codes::spend_of_account(conn, account_n)?;
    conn.execute(
        "insert into player_links (account_n, player_n, method, linked_at) values ($1, $2, $3, $4)
         on conflict (account_n) do update set method = excluded.method, server_n = null, linked_at = excluded.linked_at",
        values![account_n, player_n, BY_JOINING, author.at],
    )?;
    audit::log_account(conn, Some(account_n), translatable("player linked by joining"), "", author)?;
    Ok(LinkOutcome::Linked { is_new: known.is_none() })
}

/// Links the account of a code with a player on the word of a game server. The error says why not, for the server's owner.
pub(crate) fn link_by_report(
    conn: &mut Conn,
    code_hash: &str,
    player_n: i64,
    server_n: i64,
    at: i64,
) -> Result<std::result::Result<(), &'static str>> {
    let Some(account_n) = link_codes::find_account(conn, code_hash, at)? else {
        return Ok(Err("the code is unknown, used or expired"));
    };
    if stored(conn, "account_n", account_n)?.is_some() {
        return Ok(Err("the account is linked with a player already"));
    }
    if stored(conn, "player_n", player_n)?.is_some() {
        return Ok(Err("the player is linked with an account already"));
    }
    link_codes::spend_of_account(conn, account_n)?;
    conn.execute(
        "insert into player_links (account_n, player_n, method, server_n, linked_at) values ($1, $2, $3, $4, $5)",
        values![account_n, player_n, BY_REPORT, server_n, at],
    )?;
    let slug: String = conn.query_one("select slug from servers where n = $1", values![server_n], |row| row.get(0))?;
    let author = Author { name: translatable("game server").into(), address: None, at };
    audit::log_account(conn, Some(account_n), translatable("player linked by a report"), &slug, &author)?;
    Ok(Ok(()))
}

/// False if the account was not linked. Call it in a transaction.
pub fn unlink(conn: &mut Conn, account_n: i64, author: &Author) -> Result<bool> {
    let is_removed = remove(conn, account_n)?;
    if is_removed {
        audit::log_account(conn, Some(account_n), translatable("player unlinked"), "", author)?;
    }
    Ok(is_removed)
}

fn remove(conn: &mut Conn, account_n: i64) -> Result<bool> {
    Ok(conn.execute("delete from player_links where account_n = $1", values![account_n])? > 0)
}

fn stored(conn: &mut Conn, column: &str, n: i64) -> Result<Option<StoredLink>> {
    let sql = format!("select account_n, player_n, method from player_links where {column} = $1");
    conn.query_optional(&sql, values![n], |row| StoredLink {
        account_n: row.get(0),
        player_n: row.get(1),
        is_joined: row.get::<String>(2) == BY_JOINING,
    })
}

/// The number and the nickname of a player.
fn find_player(conn: &mut Conn, game_uuid: &str) -> Result<Option<(i64, String)>> {
    let sql = "select n, nickname from players where game_uuid = $1";
    conn.query_optional(sql, values![game_uuid], |row| (row.get(0), row.get(1)))
}

/// The session server knows the current name, whatever game servers reported.
fn confirm_nickname(
    conn: &mut Conn,
    player_n: i64,
    nickname: &str,
    player: &VerifiedPlayer,
    at: i64,
    rev: i64,
) -> Result<()> {
    if nickname == player.nickname {
        return Ok(());
    }
    nickname_history::append(conn, player_n, nickname, &player.nickname)?;
    events::write(conn, &[NewEvent::of_rename(at, player_n, nickname, &player.nickname)])?;
    conn.execute(
        "update players set nickname = $2, nickname_key = $3, nickname_at = $4, nickname_server_n = null, updated_at = $4,
                rev = $5
         where n = $1",
        values![player_n, &player.nickname, fold(&player.nickname), at, rev],
    )?;
    Ok(())
}
