//! Accounts of the site. The first players are their owners: account `i` belongs to player `i`.

use std::collections::{HashMap, HashSet};

use super::players::Player;
use super::rng::{Of, Seed};
use super::scale::Scale;
use rollcall_model::id;
use rollcall_model::time::DAY;
use rollcall_search::fold;
use rollcall_store::values;
use rollcall_store::{Conn, Result};

pub struct Account {
    pub id: String,
    pub username: String,
    pub role: &'static str,
    pub created_at: i64,
}

/// More than any scale makes: every account whose id is one of the first so many is the generator's own.
const MOST_ACCOUNTS: usize = 10_000;

pub fn account_id(seed: Seed, index: usize) -> String {
    id::encode(seed.id(Of::Account, index, 0))
}

pub fn imagine(seed: Seed, scale: &Scale, players: &[Player]) -> Vec<Account> {
    (0..scale.accounts.min(MOST_ACCOUNTS))
        .map(|index| {
            let mut dice = seed.dice(Of::Account, index);
            let player = &players[index % players.len()];
            let username = if dice.chance(0.7) {
                player.nickname.clone()
            } else {
                format!("{}{}", player.nickname, dice.between(2, 99))
            };
            Account {
                id: account_id(seed, index),
                username,
                role: match index {
                    0 => "ADMIN",
                    1..4 => "MODERATOR",
                    _ => "USER",
                },
                created_at: player.created_at - dice.between(0, 60 * DAY),
            }
        })
        .collect()
}

/// Removes the generator's accounts of an earlier seed. One that somebody made a key for stays, and its key with it.
pub fn clear(conn: &mut Conn, seed: Seed) -> Result<()> {
    let ids: Vec<String> = (0..MOST_ACCOUNTS).map(|index| account_id(seed, index)).collect();
    let known: HashSet<String> = conn.query("select id from accounts", &[], |row| row.get(0))?.into_iter().collect();
    for id in ids.iter().filter(|id| known.contains(*id)) {
        conn.execute(
            "delete from accounts where id = $1 and not exists (select 1 from keys where keys.account_n = accounts.n)",
            values![id],
        )?;
    }
    Ok(())
}

/// Gives the row number of each account. One that is still there keeps its row.
pub fn write<'a>(conn: &mut Conn, accounts: &[Account], avatar: impl Fn(usize) -> &'a str) -> Result<Vec<i64>> {
    let mut taken: HashSet<String> = HashSet::new();
    let mut kept: HashMap<String, i64> = HashMap::new();
    conn.for_each("select n, id, username_key from accounts", &[], |row| {
        kept.insert(row.get(1), row.get(0));
        taken.insert(row.get(2));
    })?;
    let mut next: i64 = conn.one("select coalesce(max(n), 0) from accounts", &[], |row| row.get(0))?;
    let mut numbers = Vec::with_capacity(accounts.len());
    let columns = ["n", "id", "username", "username_key", "avatar", "role", "created_at"];
    conn.bulk_insert("accounts", &columns, |insert| {
        for (index, account) in accounts.iter().enumerate() {
            if let Some(&n) = kept.get(&account.id) {
                numbers.push(n);
                continue;
            }
            let username = unique(&account.username, &mut taken);
            next += 1;
            numbers.push(next);
            insert(values![
                next,
                &account.id,
                &username,
                fold(&username),
                avatar(index),
                account.role,
                account.created_at
            ])?;
        }
        Ok(())
    })?;
    Ok(numbers)
}

fn unique(username: &str, taken: &mut HashSet<String>) -> String {
    let mut candidate = username.to_owned();
    let mut number = 2;
    while !taken.insert(fold(&candidate)) {
        candidate = format!("{username}{number}");
        number += 1;
    }
    candidate
}
