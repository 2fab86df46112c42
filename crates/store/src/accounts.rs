//! Accounts that can sign in, and their changes.

use super::audit::{self, Author};
use super::{Conn, Result, Row, revision};
use crate::values;
use rollcall_model::message::translatable;
use rollcall_search::fold;

#[derive(Clone)]
pub struct Account {
    pub n: i64,
    pub id: String,
    pub username: String,
    pub created_at: i64,
    /// An Argon2id hash in PHC format.
    pub password: String,
    pub generation: i64,
    pub operator: bool,
    /// May review texts of others.
    pub moderator: bool,
    /// Texts of the account skip the moderation queue.
    pub trusted: bool,
    pub disabled: bool,
    /// The TOTP secret: base32, or encrypted.
    pub second_factor: Option<String>,
    /// Set for a password that an operator made: the user must replace it, and cannot sign in with it from then on.
    pub password_expires_at: Option<i64>,
}

/// Permissions of an account beyond its own data.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    User,
    /// Judges what others write.
    Moderator,
    /// An operator.
    Admin,
}

impl Role {
    pub const ALL: [Self; 3] = [Self::User, Self::Moderator, Self::Admin];

    /// As the API shows it.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::User => "USER",
            Self::Moderator => "MODERATOR",
            Self::Admin => "ADMIN",
        }
    }

    /// Accepts any case.
    pub fn parse(text: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|role| role.as_str().eq_ignore_ascii_case(text))
    }
}

impl Account {
    pub fn role(&self) -> Role {
        match (self.operator, self.moderator) {
            (true, _) => Role::Admin,
            (false, true) => Role::Moderator,
            (false, false) => Role::User,
        }
    }

    /// Whether the account may use the moderation pages.
    pub fn is_moderator(&self) -> bool {
        self.role() != Role::User
    }

    /// Whether what the account writes is shown without a moderator.
    pub fn skips_moderation(&self) -> bool {
        self.trusted || self.operator
    }
}

impl std::fmt::Debug for Account {
    /// Without the password hash and the second factor.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Account").field("id", &self.id).field("username", &self.username).finish_non_exhaustive()
    }
}

const SELECT: &str = "select a.n, a.id, a.username, a.created_at, l.password, l.generation, l.operator, l.disabled,
                             l.second_factor, l.password_expires_at, l.moderator, l.trusted
                      from accounts a join logins l on l.account_n = a.n";

fn read(row: &Row) -> Account {
    Account {
        n: row.get(0),
        id: row.get(1),
        username: row.get(2),
        created_at: row.get(3),
        password: row.get(4),
        generation: row.get(5),
        operator: row.get(6),
        disabled: row.get(7),
        second_factor: row.get(8),
        password_expires_at: row.get(9),
        moderator: row.get(10),
        trusted: row.get(11),
    }
}

/// Finds an account by its name, ignoring case.
pub fn find(conn: &mut Conn, username: &str) -> Result<Option<Account>> {
    conn.query_optional(&format!("{SELECT} where a.username_key = $1"), values![fold(username)], read)
}

/// The number and id of the account with this name, even if it cannot sign in.
pub fn find_name(conn: &mut Conn, username: &str) -> Result<Option<(i64, String)>> {
    let sql = "select n, id from accounts where username_key = $1";
    conn.query_optional(sql, values![fold(username)], |row| (row.get(0), row.get(1)))
}

pub fn by_number(conn: &mut Conn, n: i64) -> Result<Option<Account>> {
    conn.query_optional(&format!("{SELECT} where a.n = $1"), values![n], read)
}

pub fn by_id(conn: &mut Conn, id: &str) -> Result<Option<Account>> {
    conn.query_optional(&format!("{SELECT} where a.id = $1"), values![id], read)
}

/// All accounts that can sign in, with their number of keys; oldest first.
pub fn all(conn: &mut Conn) -> Result<Vec<(Account, i64)>> {
    let keys = conn.query(
        "select account_n, count(*) from keys where account_n is not null group by account_n",
        &[],
        |row| (row.get::<i64>(0), row.get::<i64>(1)),
    )?;
    let keys: std::collections::HashMap<i64, i64> = keys.into_iter().collect();
    let accounts = conn.query(&format!("{SELECT} order by a.created_at, a.n"), &[], read)?;
    let with_keys = |account: Account| {
        let keys = keys.get(&account.n).copied().unwrap_or(0);
        (account, keys)
    };
    Ok(accounts.into_iter().map(with_keys).collect())
}

/// Accounts before the number `before` whose names have this prefix, with their number of keys; newest first.
pub fn page(conn: &mut Conn, prefix: &str, before: i64, limit: i64) -> Result<Vec<(Account, i64)>> {
    let accounts = conn.query(
        &format!(
            "{SELECT} where a.n < $1 and substr(a.username_key, 1, length(cast($2 as text))) = $2
             order by a.n desc limit $3"
        ),
        values![before, fold(prefix), limit],
        read,
    )?;
    let keys = "select count(*) from keys where account_n = $1";
    let with_keys = |account: Account| Ok((conn.query_one(keys, values![account.n], |row| row.get(0))?, account));
    let counted: Result<Vec<(i64, Account)>> = accounts.into_iter().map(with_keys).collect();
    Ok(counted?.into_iter().map(|(keys, account)| (account, keys)).collect())
}

pub struct NewAccount<'a> {
    pub id: &'a str,
    pub username: &'a str,
    pub avatar: &'a str,
    pub password: &'a str,
    pub operator: bool,
    /// Of a password that an operator made.
    pub password_expires_at: Option<i64>,
}

/// `None` if the name is taken.
pub fn create(conn: &mut Conn, new: &NewAccount, author: &Author) -> Result<Option<i64>> {
    conn.transaction(|conn| {
        let role = if new.operator { Role::Admin } else { Role::User };
        let n = conn.query_optional(
            "insert into accounts (id, username, username_key, avatar, role, created_at)
             values ($1, $2, $3, $4, $5, $6) on conflict do nothing returning n",
            values![new.id, new.username, fold(new.username), new.avatar, role.as_str(), author.at],
            |row| row.get::<i64>(0),
        )?;
        let Some(n) = n else { return Ok(None) };
        conn.execute(
            "insert into logins (account_n, password, generation, operator, disabled, password_expires_at)
             values ($1, $2, 1, $3, false, $4)",
            values![n, new.password, new.operator, new.password_expires_at],
        )?;
        let detail = if new.operator { "an operator" } else { "" };
        audit::log_account(conn, Some(n), translatable("account created"), detail, author)?;
        Ok(Some(n))
    })
}

/// Locks the account for this transaction; false if it was disabled or its password changed since `account` was read. A change
/// begun under an old password must not be made.
pub fn lock_if_unchanged(conn: &mut Conn, account: &Account) -> Result<bool> {
    let lock = if conn.is_postgres() { " for update" } else { "" };
    let sql = format!("select 1 from logins where account_n = $1 and generation = $2 and not disabled{lock}");
    Ok(conn.query_optional(&sql, values![account.n, account.generation], |_| ())?.is_some())
}

/// A disabled account cannot sign in, its sessions end and its keys are refused.
pub fn set_disabled(conn: &mut Conn, n: i64, disabled: bool, author: &Author) -> Result<()> {
    conn.transaction(|conn| {
        let rev = revision::bump_keys(conn)?;
        conn.execute("update keys set rev = $2 where account_n = $1", values![n, rev])?;
        conn.execute(
            "update logins set disabled = $2, generation = generation + 1 where account_n = $1",
            values![n, disabled],
        )?;
        if !disabled {
            // Webhooks get what happens from now on, as after they were disabled themselves.
            conn.execute(
                "update webhooks set cursor_n = (select event_n from store_state), version = version + 1 where account_n = $1",
                values![n],
            )?;
        }
        let action = if disabled {
            translatable("account disabled by an operator")
        } else {
            translatable("account enabled by an operator")
        };
        audit::log_account(conn, Some(n), action, "", author)
    })
}

/// Sets what an account may do. It takes effect with the next request, also for sessions that are open.
pub fn set_role(conn: &mut Conn, n: i64, role: Role, author: &Author) -> Result<()> {
    conn.transaction(|conn| {
        // Responses of the API show the role of reviewers.
        revision::bump(conn)?;
        conn.execute("update accounts set role = $2 where n = $1", values![n, role.as_str()])?;
        conn.execute(
            "update logins set operator = $2, moderator = $3 where account_n = $1",
            values![n, role == Role::Admin, role == Role::Moderator],
        )?;
        audit::log_account(conn, Some(n), translatable("role changed"), role.as_str(), author)
    })
}

/// Lets what an account writes skip the moderation queue, or not.
pub fn set_trusted(conn: &mut Conn, n: i64, trusted: bool, author: &Author) -> Result<()> {
    conn.transaction(|conn| {
        conn.execute("update logins set trusted = $2 where account_n = $1", values![n, trusted])?;
        let action = if trusted { translatable("account trusted") } else { translatable("account no longer trusted") };
        audit::log_account(conn, Some(n), action, "", author)
    })
}

/// Signs an account out everywhere: sessions of an older generation are invalid.
pub fn end_sessions(conn: &mut Conn, n: i64, author: &Author) -> Result<()> {
    conn.transaction(|conn| {
        conn.execute("update logins set generation = generation + 1 where account_n = $1", values![n])?;
        audit::log_account(conn, Some(n), translatable("signed out everywhere by an operator"), "", author)
    })
}
