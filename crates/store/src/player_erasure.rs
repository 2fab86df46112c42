//! Removes players who opted out. Their votes and reviews stay and keep counting, without a name; everything else is deleted.

use super::audit::{self, Author};
use super::erased_players::{self, Identity};
use super::voting::ANONYMOUS;
use super::{Conn, Result, events, revision};
use crate::values;
use rollcall_model::id::is_name_only_uuid;
use rollcall_model::message::translatable;
use rollcall_search::fold;

/// Data needed to remove a player.
struct ErasedPlayer {
    n: i64,
    game_uuid: String,
    nickname: String,
    skin_n: i64,
    cape_n: Option<i64>,
}

/// Removes a player; false if there is none. Call it in a transaction. Read models load everything again, because rows were
/// deleted.
pub fn erase(conn: &mut Conn, player_n: i64, author: &Author) -> Result<bool> {
    let rev = revision::bump(conn)?;
    let account_n = linked_account(conn, player_n)?;
    let Some(player) = find(conn, player_n)? else { return Ok(false) };
    remove(conn, &player, author.at, rev)?;
    revision::bump_epoch(conn)?;
    audit::log_account(conn, account_n, translatable("player opted out"), "", author)?;
    Ok(true)
}

/// Removes the player of an account, if joining proved that it is theirs: a game server's word is not enough for what cannot be
/// undone. False if it is not. Call it in a transaction.
pub fn erase_own(conn: &mut Conn, account_n: i64, author: &Author) -> Result<bool> {
    // First, because it locks: another account may prove to own the player at this moment.
    revision::bump(conn)?;
    let sql = "select player_n from player_links where account_n = $1 and method = 'join'";
    match conn.query_optional(sql, values![account_n], |row| row.get(0))? {
        Some(player_n) => erase(conn, player_n, author),
        None => Ok(false),
    }
}

/// Removes the players among those just imported who opted out before. Runs in the transaction of the import, which announces
/// the change. Returns how many there were.
pub fn erase_imported(conn: &mut Conn, at: i64) -> Result<usize> {
    if !erased_players::is_any(conn)? {
        return Ok(0);
    }
    let players =
        conn.query("select n, game_uuid from players", &[], |row| (row.get::<i64>(0), row.get::<String>(1)))?;
    let identities: Vec<Identity> = players.iter().map(|(_, uuid)| Identity::Uuid(uuid)).collect();
    let is_erased = erased_players::select(conn, &identities)?;
    let erased: Vec<i64> = players.iter().zip(is_erased).filter(|(_, erased)| *erased).map(|((n, _), _)| *n).collect();
    if erased.is_empty() {
        return Ok(0);
    }
    let rev = revision::bump(conn)?;
    for &n in &erased {
        if let Some(player) = find(conn, n)? {
            remove(conn, &player, at, rev)?;
        }
    }
    revision::bump_epoch(conn)?;
    Ok(erased.len())
}

fn linked_account(conn: &mut Conn, player_n: i64) -> Result<Option<i64>> {
    conn.query_optional("select account_n from player_links where player_n = $1", values![player_n], |row| row.get(0))
}

fn find(conn: &mut Conn, n: i64) -> Result<Option<ErasedPlayer>> {
    let sql = "select game_uuid, nickname, linked_skin_n, cape_n from players where n = $1";
    conn.query_optional(sql, values![n], |row| ErasedPlayer {
        n,
        game_uuid: row.get(0),
        nickname: row.get(1),
        skin_n: row.get(2),
        cape_n: row.get(3),
    })
}

fn remove(conn: &mut Conn, player: &ErasedPlayer, at: i64, rev: i64) -> Result<()> {
    let n = player.n;
    let reported = "select distinct nickname from reported_names where player_n = $1";
    let mut names: Vec<String> = conn.query(reported, values![n], |row| row.get(0))?;
    names.push(player.nickname.clone());
    // An id of ours tells nothing: such a player is known by name alone.
    if !is_name_only_uuid(&player.game_uuid) {
        erased_players::add(conn, Identity::Uuid(&player.game_uuid), at)?;
    }
    for name in &names {
        erased_players::add(conn, Identity::Name(name), at)?;
        conn.execute("delete from vote_guards where voter = $1", values![format!("name:{}", fold(name))])?;
    }
    anonymise(conn, n, at)?;
    for texture_n in [Some(player.skin_n), player.cape_n].into_iter().flatten() {
        conn.execute(
            "update textures set usage_count = usage_count - 1, rev = $2 where n = $1",
            values![texture_n, rev],
        )?;
    }
    conn.execute("delete from join_codes where game_uuid = $1", values![&player.game_uuid])?;
    // With their names, sessions, counters and the link to an account.
    conn.execute("delete from players where n = $1", values![n])?;
    Ok(())
}

/// Takes the name from votes and reviews, and from deliveries. A vote that has not been delivered yet never will be.
fn anonymise(conn: &mut Conn, player_n: i64, at: i64) -> Result<()> {
    conn.execute(
        "update vote_deliveries set username = $2, username_key = '', updated_at = $3,
                state = case when due_at is null then state else 'rejected' end,
                detail = case when due_at is null then detail else 'the player opted out' end, due_at = null
         where vote_id in (select id from votes where player_n = $1)",
        values![player_n, ANONYMOUS, at],
    )?;
    for table in ["votes", "reviews", "submitted_reviews"] {
        let sql = format!("update {table} set game_username = $2, player_n = null where player_n = $1");
        conn.execute(&sql, values![player_n, ANONYMOUS])?;
    }
    // What was sent about the player stays in no log here.
    conn.execute(
        "update webhook_deliveries set request = '', response = ''
         where webhook_n in (select n from webhooks) and event_n in (select n from events where player_n = $1)",
        values![player_n],
    )?;
    events::anonymise(conn, player_n)
}
