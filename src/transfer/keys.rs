use serde::{Deserialize, Serialize};

use super::context::Context;
use super::dialect::read_list;
use super::staging::{List, Table, flag, int, text};
use super::{Record, Resource, Staged, Words, Wrong, checks};
use rollcall_model::time;
use rollcall_store::keys::check_name;
use rollcall_store::values;
use rollcall_store::{Row, Value};

/// Hex digits of a SHA-256.
const HASH_LENGTH: usize = 64;
/// One, and the one before it while a key is being rotated.
const MOST_SECRETS: usize = 2;

#[derive(Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(super) struct Key {
    id: String,
    name: String,
    account_id: Option<String>,
    per_minute: Option<i64>,
    per_day: Option<i64>,
    per_month: Option<i64>,
    disabled: Option<bool>,
    blocked: Option<bool>,
    created_at: Option<String>,
    expires_at: Option<String>,
    secrets: Option<Vec<Secret>>,
}

/// Only the hash: the secret itself is kept nowhere.
#[derive(Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct Secret {
    hash: String,
    hint: String,
    created_at: String,
    ends_at: Option<String>,
}

/// A secret as the query gives it.
#[derive(Deserialize)]
struct KeptSecret {
    hash: String,
    hint: String,
    at: i64,
    end: Option<i64>,
}

const LARGEST_LIMIT: i64 = u32::MAX as i64;

static TABLE: Table = Table {
    name: "keys",
    key: "id",
    columns: &[
        text("id"),
        text("name"),
        int("account_n"),
        int("per_minute"),
        int("per_day"),
        int("per_month"),
        flag("disabled"),
        flag("blocked"),
        int("created_at").kept_or_now(),
        int("expires_at"),
    ],
    computed: &[],
    lists: &[List {
        table: "key_secrets",
        parent: "key_n",
        columns: &[text("hash"), text("hint"), int("created_at"), int("ends_at")],
    }],
    touches: &[],
};

impl Record for Key {
    fn table(_: Resource) -> &'static Table {
        &TABLE
    }

    fn key(&self) -> String {
        format!("id {:?}", self.id)
    }

    fn select(_: Resource, words: &Words) -> Vec<String> {
        let secret = words.object("'hash', s.hash, 'hint', s.hint, 'at', s.created_at, 'end', s.ends_at");
        let order = format!("s.created_at, s.hash{}", words.bytes);
        vec![format!(
            "select k.id, k.name, a.id, k.per_minute, k.per_day, k.per_month, k.disabled, k.blocked, k.created_at, k.expires_at,
                    {}
             from keys k left join accounts a on a.n = k.account_n order by k.id{}",
            words.list(&secret, "key_secrets s where s.key_n = k.n", &order),
            words.bytes
        )]
    }

    fn read(row: &Row) -> Self {
        let secrets: Vec<KeptSecret> = read_list(&row.get::<String>(10));
        let secrets = secrets.into_iter().map(|KeptSecret { hash, hint, at, end }| Secret {
            hash,
            hint,
            created_at: time::iso(at),
            ends_at: end.map(time::iso),
        });
        Self {
            id: row.get(0),
            name: row.get(1),
            account_id: row.get(2),
            per_minute: given(row.get(3)),
            per_day: given(row.get(4)),
            per_month: given(row.get(5)),
            disabled: row.get(6),
            blocked: row.get(7),
            created_at: Some(time::iso(row.get(8))),
            expires_at: row.get::<Option<i64>>(9).map(time::iso),
            secrets: Some(secrets.collect()),
        }
    }

    fn check(self, context: &mut Context) -> Result<Staged, Wrong> {
        checks::id(&self.id)?;
        let mut secrets: Vec<[Value; 4]> = Vec::new();
        for Secret { hash, hint, created_at, ends_at } in self.secrets.unwrap_or_default() {
            if hash.len() != HASH_LENGTH || !hash.bytes().all(|b| matches!(b, b'0'..=b'9' | b'a'..=b'f')) {
                return Err(format!("hash must be {HASH_LENGTH} hex digits in lower case, not {hash:?}").into());
            }
            let hashes = "select k.id || ' ' || s.hash, s.hash from key_secrets s join keys k on k.n = s.key_n";
            let owner = format!("{} {hash}", self.id);
            let twice = secrets.iter().any(|[known, ..]| *known == Value::from(&hash));
            if twice || !context.unique("hash", hashes)?.claim(&owner, &hash) {
                return Err(format!("hash {hash:?} belongs to another secret").into());
            }
            let created_at = checks::time("createdAt", &created_at)?;
            let ends_at = checks::time_or_none("endsAt", ends_at.as_ref())?;
            secrets.push([hash.into(), hint.into(), created_at.into(), ends_at.into()]);
        }
        if secrets.len() > MOST_SECRETS {
            return Err(format!("secrets holds {}, and a key has at most {MOST_SECRETS}", secrets.len()).into());
        }
        let account = context.account_or_none("accountId", self.account_id.as_ref())?;
        let values = values![
            &self.id,
            check_name(&self.name)?,
            account,
            limit("perMinute", self.per_minute)?,
            limit("perDay", self.per_day)?,
            limit("perMonth", self.per_month)?,
            self.disabled.unwrap_or(false),
            self.blocked.unwrap_or(false),
            checks::time_or_none("createdAt", self.created_at.as_ref())?,
            checks::time_or_none("expiresAt", self.expires_at.as_ref())?,
        ]
        .to_vec();
        Ok(Staged { values, lists: vec![secrets.into_iter().map(Vec::from).collect()] })
    }
}

/// A limit that the key was not given is kept as 0: the configured one counts.
fn limit(name: &str, given: Option<i64>) -> Result<i64, Wrong> {
    Ok(match given {
        Some(limit) => checks::within(name, limit, 1, LARGEST_LIMIT)?,
        None => 0,
    })
}

fn given(kept: i64) -> Option<i64> {
    (kept > 0).then_some(kept)
}
