//! Endpoints of accounts that get events and alerts as messages.

pub mod deliveries;
pub mod delivery_log;
pub mod fan_out;
mod queue;

use crate::audit::{self, Author};
use crate::{Conn, Result, Row, Value, events, values};
use rollcall_model::message::translatable;
use rollcall_model::secret::Secret;
use rollcall_model::time::DAY;
use rollcall_model::webhook::{ServerScope, WebhookFormat, WebhookType};

/// How long the secret before a rotation also signs.
pub const ROTATION_GRACE: i64 = DAY;

/// Why an endpoint gets nothing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WebhookState {
    Active,
    /// By its user.
    Disabled,
    /// By the receiver, which answered 410.
    Gone,
}

impl WebhookState {
    pub fn name(self) -> &'static str {
        match self {
            Self::Active => "active",
            Self::Disabled => "disabled",
            Self::Gone => "gone",
        }
    }

    fn of_name(name: &str) -> Self {
        [Self::Active, Self::Gone].into_iter().find(|state| state.name() == name).unwrap_or(Self::Disabled)
    }
}

/// Choices of its user.
#[derive(Clone, Debug)]
pub struct WebhookSettings {
    pub name: String,
    pub host: String,
    /// As it is stored: encrypted, if the operator has set a key.
    pub url: Secret,
    pub format: WebhookFormat,
    pub types: Vec<WebhookType>,
    pub scope: ServerScope,
    /// For [`ServerScope::Chosen`].
    pub servers: Vec<i64>,
}

/// A stored endpoint.
#[derive(Clone, Debug)]
pub struct Webhook {
    pub n: i64,
    pub id: String,
    pub account_n: i64,
    pub settings: WebhookSettings,
    pub state: WebhookState,
    pub secrets: SigningSecrets,
    pub failures: i64,
    /// Until when nothing is sent because the receiver fails; 0: it does not.
    pub retry_at: i64,
    pub is_replaying: bool,
    pub created_at: i64,
}

/// As they are stored.
#[derive(Clone, Debug)]
pub struct SigningSecrets {
    pub newest: Secret,
    /// The one before, and when it ends.
    pub old: Option<(Secret, i64)>,
}

impl SigningSecrets {
    fn read(row: &Row, first: usize) -> Self {
        let secret = |text: String| Secret::from(text.as_str());
        let old = row.get::<Option<String>>(first + 1).map(secret);
        Self { newest: secret(row.get(first)), old: old.zip(row.get::<Option<i64>>(first + 2)) }
    }

    /// Those that sign now, the newest first.
    pub fn valid(&self, now: i64) -> impl Iterator<Item = &Secret> {
        let old = self.old.iter().filter(move |(_, ends_at)| *ends_at > now).map(|(secret, _)| secret);
        std::iter::once(&self.newest).chain(old)
    }
}

const COLUMNS: &str =
    "w.n, w.id, w.account_n, w.name, w.host, w.url, w.format, w.types, w.servers, w.state, w.secret, w.old_secret,
    w.old_secret_ends_at, w.failures, w.retry_at, w.replay_n is not null, w.created_at";

/// Without the chosen servers.
fn read(row: &Row) -> Webhook {
    let url: String = row.get(5);
    Webhook {
        n: row.get(0),
        id: row.get(1),
        account_n: row.get(2),
        settings: WebhookSettings {
            name: row.get(3),
            host: row.get(4),
            url: Secret::from(url.as_str()),
            format: WebhookFormat::parse(&row.get::<String>(6)).unwrap_or(WebhookFormat::Standard),
            types: parse_types(&row.get::<String>(7)),
            // One that a newer version wrote sends less, not more.
            scope: ServerScope::parse(&row.get::<String>(8)).unwrap_or(ServerScope::Chosen),
            servers: Vec::new(),
        },
        state: WebhookState::of_name(&row.get::<String>(9)),
        secrets: SigningSecrets::read(row, 10),
        failures: row.get(13),
        retry_at: row.get(14),
        is_replaying: row.get(15),
        created_at: row.get(16),
    }
}

fn parse_types(text: &str) -> Vec<WebhookType> {
    text.split(' ').filter_map(WebhookType::parse).collect()
}

fn join_types(types: &[WebhookType]) -> String {
    types.iter().map(|kind| kind.name()).collect::<Vec<_>>().join(" ")
}

/// The endpoints of an account, oldest first, without their chosen servers.
pub fn of_account(conn: &mut Conn, account_n: i64) -> Result<Vec<Webhook>> {
    let sql = format!("select {COLUMNS} from webhooks w where w.account_n = $1 order by w.n");
    conn.query(&sql, values![account_n], read)
}

/// An endpoint of an account.
pub fn find(conn: &mut Conn, account_n: i64, id: &str) -> Result<Option<Webhook>> {
    let sql = format!("select {COLUMNS} from webhooks w where w.account_n = $1 and w.id = $2");
    let Some(mut webhook) = conn.query_optional(&sql, values![account_n, id], read)? else { return Ok(None) };
    let sql = "select server_n from webhook_servers where webhook_n = $1 order by server_n";
    webhook.settings.servers = conn.query(sql, values![webhook.n], |row| row.get(0))?;
    Ok(Some(webhook))
}

/// The numbers of servers that an account may name: public ones, and its own. The error is a slug that is none.
pub fn servers_by_slug(
    conn: &mut Conn,
    account_n: i64,
    slugs: &[String],
) -> Result<std::result::Result<Vec<i64>, String>> {
    let sql = "select n from servers s where slug = $2 and (visibility = 'PUBLIC' or owner_n = $1
                   or exists (select 1 from server_editors e where e.server_n = s.n and e.account_n = $1))";
    let mut found = Vec::with_capacity(slugs.len());
    for slug in slugs {
        match conn.query_optional(sql, values![account_n, slug], |row| row.get(0))? {
            Some(n) => found.push(n),
            None => return Ok(Err(slug.clone())),
        }
    }
    Ok(Ok(found))
}

/// The slugs of the chosen servers of an endpoint, by name.
pub fn chosen_slugs(conn: &mut Conn, n: i64) -> Result<Vec<String>> {
    let sql = "select s.slug from webhook_servers w join servers s on s.n = w.server_n where w.webhook_n = $1 order by s.slug";
    conn.query(sql, values![n], |row| row.get(0))
}

/// Result of adding an endpoint.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Creation {
    Created,
    /// The form was sent twice.
    AlreadyCreated,
    TooMany,
}

/// Adds an endpoint, which gets what happens from now on. Call it in a transaction.
pub fn create(
    conn: &mut Conn,
    (account_n, id): (i64, &str),
    settings: &WebhookSettings,
    secret: &Secret,
    max: u32,
    author: &Author,
) -> Result<Creation> {
    // Two forms at once must not pass the limit together.
    let lock = if conn.is_postgres() { " for update" } else { "" };
    conn.query(&format!("select 1 from accounts where n = $1{lock}"), values![account_n], |_| ())?;
    let existing: Vec<String> =
        conn.query("select id from webhooks where account_n = $1", values![account_n], |row| row.get(0))?;
    if existing.iter().any(|known| known == id) {
        return Ok(Creation::AlreadyCreated);
    }
    if existing.len() >= max as usize {
        return Ok(Creation::TooMany);
    }
    let cursor = events::newest_number(conn)?;
    let n = conn.query_one(
        "insert into webhooks (id, account_n, name, host, url, format, types, servers, state, secret, version, cursor_n, failures,
                               retry_at, created_at)
         values ($1, $2, $3, $4, $5, $6, $7, $8, 'active', $9, 1, $10, 0, 0, $11) returning n",
        values![
            id,
            account_n,
            &settings.name,
            &settings.host,
            settings.url.reveal(),
            settings.format.name(),
            join_types(&settings.types),
            settings.scope.name(),
            secret.reveal(),
            cursor,
            author.at
        ],
        |row| row.get(0),
    )?;
    set_servers(conn, n, settings)?;
    log(conn, account_n, translatable("webhook created"), &settings.host, author)?;
    Ok(Creation::Created)
}

fn set_servers(conn: &mut Conn, n: i64, settings: &WebhookSettings) -> Result<()> {
    conn.execute("delete from webhook_servers where webhook_n = $1", values![n])?;
    if settings.scope != ServerScope::Chosen {
        return Ok(());
    }
    let rows: Vec<Vec<Value>> = settings.servers.iter().map(|server_n| values![n, *server_n].to_vec()).collect();
    conn.execute_many(
        "insert into webhook_servers (webhook_n, server_n)
         select v.column1, v.column2 from (values {rows}) v where exists (select 1 from servers s where s.n = v.column2)
         on conflict do nothing",
        &["bigint", "bigint"],
        &rows,
    )
}

fn log(conn: &mut Conn, account_n: i64, action: &str, host: &str, author: &Author) -> Result<()> {
    audit::log_account(conn, Some(account_n), action, host, author)
}

/// Changes the settings; what waits is sent to the new URL. Call it in a transaction.
pub fn change(conn: &mut Conn, webhook: &Webhook, settings: &WebhookSettings, author: &Author) -> Result<()> {
    conn.execute(
        "update webhooks set name = $2, host = $3, url = $4, format = $5, types = $6, servers = $7, version = version + 1,
                failures = 0, retry_at = 0
         where n = $1",
        values![
            webhook.n,
            &settings.name,
            &settings.host,
            settings.url.reveal(),
            settings.format.name(),
            join_types(&settings.types),
            settings.scope.name()
        ],
    )?;
    set_servers(conn, webhook.n, settings)?;
    queue::wake(conn, webhook.n, author.at)?;
    log(conn, webhook.account_n, translatable("webhook changed"), &settings.host, author)
}

/// Sets a new secret; the one before it also signs for a day. False if `newest`, which the user saw, is not the newest one: the form was
/// sent twice. Call it in a transaction.
pub fn rotate(conn: &mut Conn, webhook: &Webhook, newest: i64, secret: &Secret, author: &Author) -> Result<bool> {
    let rotated = conn.execute(
        "update webhooks set old_secret = secret, old_secret_ends_at = $3, secret = $4, version = version + 1
         where n = $1 and version = $2",
        values![webhook.n, newest, author.at + ROTATION_GRACE, secret.reveal()],
    )?;
    if rotated > 0 {
        let host = &webhook.settings.host;
        log(conn, webhook.account_n, translatable("webhook secret rotated"), host, author)?;
    }
    Ok(rotated > 0)
}

/// The number of changes of an endpoint, for [`rotate`].
pub fn version(conn: &mut Conn, n: i64) -> Result<i64> {
    conn.query_one("select version from webhooks where n = $1", values![n], |row| row.get(0))
}

/// Sends what happens from now on. Call it in a transaction.
pub fn enable(conn: &mut Conn, webhook: &Webhook, author: &Author) -> Result<()> {
    let cursor = events::newest_number(conn)?;
    let enabled = conn.execute(
        "update webhooks set state = 'active', version = version + 1, cursor_n = $2, failures = 0, retry_at = 0
         where n = $1 and state <> 'active'",
        values![webhook.n, cursor],
    )?;
    if enabled > 0 {
        log(conn, webhook.account_n, translatable("webhook enabled"), &webhook.settings.host, author)?;
    }
    Ok(())
}

/// Sends nothing more; what waits is cancelled. Call it in a transaction.
pub fn disable(conn: &mut Conn, webhook: &Webhook, author: &Author) -> Result<()> {
    if stop(conn, webhook.n, WebhookState::Disabled, author.at)? {
        log(conn, webhook.account_n, translatable("webhook disabled"), &webhook.settings.host, author)?;
    }
    Ok(())
}

/// Why deliveries of a disabled endpoint were cancelled.
const DISABLED: &str = "the webhook was disabled";

/// Whether it was active.
fn stop(conn: &mut Conn, n: i64, state: WebhookState, now: i64) -> Result<bool> {
    let stopped = conn.execute(
        "update webhooks set state = $2, version = version + 1, replay_n = null, replay_until_n = null
         where n = $1 and state = 'active'",
        values![n, state.name()],
    )?;
    queue::cancel_all(conn, n, DISABLED, now)?;
    Ok(stopped > 0)
}

/// Deletes an endpoint with its deliveries. Call it in a transaction.
pub fn delete(conn: &mut Conn, webhook: &Webhook, author: &Author) -> Result<()> {
    conn.execute("delete from webhooks where n = $1", values![webhook.n])?;
    log(conn, webhook.account_n, translatable("webhook deleted"), &webhook.settings.host, author)
}

/// What is stored encrypted: number and id of each endpoint, with URL, secret and old secret as they are stored.
pub fn stored_secrets(conn: &mut Conn) -> Result<Vec<StoredSecret>> {
    let sql = "select n, id, url, secret, old_secret from webhooks order by n";
    let rows = conn.query(sql, &[], |row| {
        let (n, id): (i64, String) = (row.get(0), row.get(1));
        let columns = [("url", row.get(2)), ("secret", row.get(3)), ("old_secret", row.get::<Option<String>>(4))];
        columns.map(|(column, stored)| stored.map(|stored| StoredSecret { n, id: id.clone(), column, stored }))
    })?;
    Ok(rows.into_iter().flatten().flatten().collect())
}

/// A text that is stored encrypted, if the operator has set a key.
pub struct StoredSecret {
    pub n: i64,
    pub id: String,
    pub column: &'static str,
    pub stored: String,
}

/// Replaces the stored form of a text, unless it changed since it was read.
pub fn replace_secret(conn: &mut Conn, before: &StoredSecret, after: &str) -> Result<()> {
    let column = before.column;
    let sql = format!("update webhooks set {column} = $3 where n = $1 and {column} = $2");
    conn.execute(&sql, values![before.n, &before.stored, after])?;
    Ok(())
}
