//! Accounts.

use std::collections::{HashMap, HashSet};

use super::{Conn, Result, bulk_row};

bulk_row! {
    BulkAccount<'a> in "accounts" {
        n: i64,
        id: &'a str,
        username: String,
        username_key: String,
        avatar: &'a str,
        role: &'a str,
        created_at: i64,
    }
}

/// What new accounts must not collide with.
pub struct ExistingAccounts {
    /// Row numbers by id.
    pub numbers: HashMap<String, i64>,
    pub username_keys: HashSet<String>,
    pub max_n: i64,
}

pub fn existing_accounts(conn: &mut Conn) -> Result<ExistingAccounts> {
    let mut existing = ExistingAccounts { numbers: HashMap::new(), username_keys: HashSet::new(), max_n: 0 };
    conn.for_each("select n, id, username_key from accounts", &[], |row| {
        let n = row.get(0);
        existing.numbers.insert(row.get(1), n);
        existing.username_keys.insert(row.get(2));
        existing.max_n = existing.max_n.max(n);
    })?;
    Ok(existing)
}
