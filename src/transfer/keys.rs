//! `keys.ndjson`

use serde::{Deserialize, Serialize};

use super::context::ImportContext;
use super::{LineError, NdjsonLine, Resource, checks};
use rollcall_model::time;
use rollcall_store::Conn;
use rollcall_store::keys::check_name;
use rollcall_store::transfer::keys::{self, TransferKey, TransferSecret};
use rollcall_store::transfer::{StagedRow, StagedTable};

/// Hex digits of a SHA-256.
const HASH_LENGTH: usize = 64;
/// The current secret, and the previous one during a rotation.
const MAX_SECRETS: usize = 2;
/// Longer than the beginning of a key that lists show.
const MAX_HINT: usize = 16;
const MAX_LIMIT: i64 = u32::MAX as i64;

#[derive(Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(super) struct KeyLine {
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
    secrets: Option<Vec<SecretLine>>,
}

/// Only the hash: the secret itself is never stored.
#[derive(Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct SecretLine {
    hash: String,
    hint: String,
    created_at: String,
    ends_at: Option<String>,
}

impl From<TransferKey<String>> for KeyLine {
    fn from(key: TransferKey<String>) -> Self {
        Self {
            id: key.id,
            name: key.name,
            account_id: key.account,
            per_minute: own_limit(key.per_minute),
            per_day: own_limit(key.per_day),
            per_month: own_limit(key.per_month),
            disabled: Some(key.disabled),
            blocked: Some(key.blocked),
            created_at: key.created_at.map(time::iso),
            expires_at: key.expires_at.map(time::iso),
            secrets: Some(key.secrets.into_iter().map(SecretLine::from).collect()),
        }
    }
}

impl From<TransferSecret> for SecretLine {
    fn from(secret: TransferSecret) -> Self {
        let TransferSecret { hash, hint, created_at, ends_at } = secret;
        Self { hash, hint, created_at: time::iso(created_at), ends_at: ends_at.map(time::iso) }
    }
}

impl NdjsonLine for KeyLine {
    fn table(_: Resource) -> &'static StagedTable {
        &keys::TABLE
    }

    fn key(&self) -> String {
        format!("id {:?}", self.id)
    }

    fn for_each(conn: &mut Conn, _: Resource, write: &mut dyn FnMut(Self)) -> rollcall_store::Result<()> {
        keys::for_each(conn, |key| write(key.into()))
    }

    fn check(self, context: &mut ImportContext) -> Result<StagedRow, LineError> {
        checks::id(&self.id)?;
        let secrets = check_secrets(context, &self.id, self.secrets.unwrap_or_default())?;
        let account = context.account_or_none("accountId", self.account_id.as_ref())?;
        let key = TransferKey {
            name: check_name(&self.name)?.to_owned(),
            id: self.id,
            account,
            per_minute: stored_limit("perMinute", self.per_minute)?,
            per_day: stored_limit("perDay", self.per_day)?,
            per_month: stored_limit("perMonth", self.per_month)?,
            disabled: self.disabled.unwrap_or(false),
            blocked: self.blocked.unwrap_or(false),
            created_at: checks::time_or_none("createdAt", self.created_at.as_ref())?,
            expires_at: checks::time_or_none("expiresAt", self.expires_at.as_ref())?,
            secrets,
        };
        Ok(key.into())
    }
}

fn check_secrets(
    context: &mut ImportContext,
    key_id: &str,
    lines: Vec<SecretLine>,
) -> Result<Vec<TransferSecret>, LineError> {
    let mut secrets: Vec<TransferSecret> = Vec::new();
    for SecretLine { hash, hint, created_at, ends_at } in lines {
        if hash.len() != HASH_LENGTH || !hash.bytes().all(|b| matches!(b, b'0'..=b'9' | b'a'..=b'f')) {
            return Err(format!("hash must be {HASH_LENGTH} hex digits in lower case, not {hash:?}").into());
        }
        checks::name("hint", &hint, MAX_HINT)?;
        let owner = format!("{key_id} {hash}");
        let is_repeated = secrets.iter().any(|secret| secret.hash == hash);
        if is_repeated || !context.unique("hash", keys::for_each_secret_hash)?.claim(&owner, &hash) {
            return Err(format!("hash {hash:?} is already used by another secret").into());
        }
        let created_at = checks::time("createdAt", &created_at)?;
        let ends_at = checks::time_or_none("endsAt", ends_at.as_ref())?;
        secrets.push(TransferSecret { hash, hint, created_at, ends_at });
    }
    if secrets.len() > MAX_SECRETS {
        return Err(format!("secrets must have at most {MAX_SECRETS} entries, not {}", secrets.len()).into());
    }
    Ok(secrets)
}

/// A key without a limit of its own stores 0 and uses the configured one.
fn stored_limit(field: &str, limit: Option<i64>) -> Result<i64, LineError> {
    Ok(match limit {
        Some(limit) => checks::in_range(field, limit, 1, MAX_LIMIT)?,
        None => 0,
    })
}

fn own_limit(stored: i64) -> Option<i64> {
    (stored > 0).then_some(stored)
}
