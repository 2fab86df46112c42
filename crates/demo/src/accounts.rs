//! Site accounts. Account `i` belongs to player `i`.

use std::collections::HashSet;

use super::picture_paths::{PicturePaths, shared_path};
use super::players::DemoPlayer;
use super::rng::{Stream, WorldSeed};
use super::world_size::WorldSize;
use rollcall_model::id;
use rollcall_model::time::DAY;
use rollcall_search::fold;
use rollcall_store::bulk_load::{self, BulkAccount};
use rollcall_store::{Conn, Result, demo_data};

pub struct DemoAccount {
    pub id: String,
    pub username: String,
    pub role: &'static str,
    pub created_at: i64,
}

/// More than any world size has. An account with one of the first so many ids of a seed was generated.
const MAX_ACCOUNTS: usize = 10_000;

fn account_id(seed: WorldSeed, index: usize) -> String {
    id::encode(seed.id_bits(Stream::Account, index, 0))
}

pub fn generate(seed: WorldSeed, size: &WorldSize, players: &[DemoPlayer]) -> Vec<DemoAccount> {
    (0..size.accounts.min(MAX_ACCOUNTS))
        .map(|index| {
            let mut rng = seed.rng(Stream::Account, index);
            let player = &players[index % players.len()];
            let username = if rng.chance(0.7) {
                player.nickname.clone()
            } else {
                format!("{}{}", player.nickname, rng.between(2, 99))
            };
            DemoAccount {
                id: account_id(seed, index),
                username,
                role: match index {
                    0 => "ADMIN",
                    1..4 => "MODERATOR",
                    _ => "USER",
                },
                created_at: player.created_at - rng.between(0, 60 * DAY),
            }
        })
        .collect()
}

/// Deletes the accounts that were generated from `seed`. Accounts with an API key stay, so that the key keeps working.
pub fn delete_generated(conn: &mut Conn, seed: WorldSeed) -> Result<()> {
    demo_data::delete_accounts_without_keys(conn, (0..MAX_ACCOUNTS).map(|index| account_id(seed, index)))
}

/// Returns the row number of each account. An account that exists already keeps its row.
pub fn insert(conn: &mut Conn, accounts: &[DemoAccount], pictures: &PicturePaths) -> Result<Vec<i64>> {
    let mut existing = bulk_load::existing_accounts(conn)?;
    let mut next_n = existing.max_n;
    let mut row_numbers = Vec::with_capacity(accounts.len());
    bulk_load::insert_rows::<BulkAccount>(conn, |insert| {
        for (index, account) in accounts.iter().enumerate() {
            if let Some(&n) = existing.numbers.get(&account.id) {
                row_numbers.push(n);
                continue;
            }
            let username = unique_username(&account.username, &mut existing.username_keys);
            next_n += 1;
            row_numbers.push(next_n);
            insert(BulkAccount {
                n: next_n,
                id: &account.id,
                username_key: fold(&username),
                username,
                avatar: shared_path(&pictures.avatars, index),
                role: account.role,
                created_at: account.created_at,
            })?;
        }
        Ok(())
    })?;
    Ok(row_numbers)
}

fn unique_username(username: &str, taken_keys: &mut HashSet<String>) -> String {
    let mut candidate = username.to_owned();
    let mut number = 2;
    while !taken_keys.insert(fold(&candidate)) {
        candidate = format!("{username}{number}");
        number += 1;
    }
    candidate
}
