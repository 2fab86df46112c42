//! Everything that is stored about an account, for its user: one list of rows per subject. Hashes and secrets are left out.

use serde_json::{Map, Value as Json};

use super::{Conn, Result, Row, account_events};
use crate::values;
use rollcall_model::time::iso;
use rollcall_model::webhook::WebhookType;

/// How a column is written.
#[derive(Clone, Copy)]
enum Kind {
    Text,
    Number,
    Flag,
    /// Milliseconds, written as a timestamp.
    Time,
    /// The number of a type, written as its name.
    Type,
}
use Kind::{Flag, Number, Text, Time, Type};

/// The rows of one subject. `$1` is the number of the account.
pub struct ExportTable {
    pub name: &'static str,
    sql: &'static str,
    columns: &'static [(&'static str, Kind)],
}

/// In the store.
pub const STORE: &[ExportTable] = &[
    ExportTable {
        name: "account",
        sql: "select a.id, a.username, a.role, a.created_at, l.trusted, l.disabled, l.second_factor is not null
              from accounts a join logins l on l.account_n = a.n where a.n = $1",
        columns: &[
            ("id", Text),
            ("username", Text),
            ("role", Text),
            ("createdAt", Time),
            ("trusted", Flag),
            ("disabled", Flag),
            ("secondFactor", Flag),
        ],
    },
    ExportTable {
        name: "passkeys",
        sql: "select id, name, created_at, used_at from passkeys where account_n = $1 order by created_at, id",
        columns: &[("id", Text), ("name", Text), ("createdAt", Time), ("usedAt", Time)],
    },
    ExportTable {
        name: "keys",
        sql: "select id, name, disabled, blocked, created_at, expires_at, restrictions from keys where account_n = $1 order by n",
        columns: &[
            ("id", Text),
            ("name", Text),
            ("disabled", Flag),
            ("blocked", Flag),
            ("createdAt", Time),
            ("expiresAt", Time),
            ("restrictions", Text),
        ],
    },
    ExportTable {
        name: "limit_requests",
        sql: "select r.id, k.id, r.per_minute, r.per_day, r.per_month, r.reason, r.status, r.answer, r.created_at, r.decided_at
              from limit_requests r join keys k on k.n = r.key_n where k.account_n = $1 order by r.n",
        columns: &[
            ("id", Text),
            ("keyId", Text),
            ("perMinute", Number),
            ("perDay", Number),
            ("perMonth", Number),
            ("reason", Text),
            ("status", Text),
            ("answer", Text),
            ("createdAt", Time),
            ("decidedAt", Time),
        ],
    },
    ExportTable {
        name: "servers",
        sql: "select id, slug, name, ip, port, visibility, created_at from servers where owner_n = $1 order by n",
        columns: &[
            ("id", Text),
            ("slug", Text),
            ("name", Text),
            ("ip", Text),
            ("port", Number),
            ("visibility", Text),
            ("createdAt", Time),
        ],
    },
    ExportTable {
        name: "links",
        sql: "select p.id, p.game_uuid, p.nickname, l.method, s.name, l.linked_at
              from player_links l join players p on p.n = l.player_n left join servers s on s.n = l.server_n
              where l.account_n = $1",
        columns: &[
            ("playerId", Text),
            ("gameUuid", Text),
            ("nickname", Text),
            ("method", Text),
            ("vouchedBy", Text),
            ("linkedAt", Time),
        ],
    },
    ExportTable {
        name: "votes",
        sql: "select v.id, s.slug, v.game_username, v.voted_at from votes v join servers s on s.n = v.server_n
              where v.account_n = $1 order by v.voted_at, v.id",
        columns: &[("id", Text), ("server", Text), ("gameUsername", Text), ("votedAt", Time)],
    },
    ExportTable {
        name: "reviews",
        sql: "select r.id, s.slug, r.game_username, r.rating, r.content, r.status, r.created_at, r.updated_at
              from submitted_reviews r join servers s on s.n = r.server_n where r.account_n = $1
              union all
              select r.id, s.slug, r.game_username, r.rating, r.content, 'APPROVED', r.created_at, r.updated_at
              from reviews r join servers s on s.n = r.server_n
              where r.account_n = $1 and not exists (select 1 from submitted_reviews o where o.id = r.id)
              order by 7, 1",
        columns: &[
            ("id", Text),
            ("server", Text),
            ("gameUsername", Text),
            ("rating", Number),
            ("content", Text),
            ("status", Text),
            ("createdAt", Time),
            ("updatedAt", Time),
        ],
    },
    ExportTable {
        name: "posts",
        sql: "select p.id, s.slug, p.title, p.content, p.status, p.created_at, p.updated_at
              from update_posts p join servers s on s.n = p.server_n where p.account_n = $1 order by p.created_at, p.id",
        columns: &[
            ("id", Text),
            ("server", Text),
            ("title", Text),
            ("content", Text),
            ("status", Text),
            ("createdAt", Time),
            ("updatedAt", Time),
        ],
    },
    ExportTable {
        name: "post_drafts",
        sql: "select d.id, s.slug, d.title, d.content, d.publish_at, d.created_at, d.updated_at
              from post_drafts d join servers s on s.n = d.server_n where d.account_n = $1 order by d.created_at, d.id",
        columns: &[
            ("id", Text),
            ("server", Text),
            ("title", Text),
            ("content", Text),
            ("publishAt", Time),
            ("createdAt", Time),
            ("updatedAt", Time),
        ],
    },
    ExportTable {
        name: "decisions",
        sql: "select id, kind, subject, state, reason, appeal, opened_at, decided_at, appealed_at from moderation_items
              where author_n = $1 order by n",
        columns: &[
            ("id", Text),
            ("kind", Text),
            ("subject", Text),
            ("state", Text),
            ("reason", Text),
            ("appeal", Text),
            ("openedAt", Time),
            ("decidedAt", Time),
            ("appealedAt", Time),
        ],
    },
    ExportTable {
        name: "skins_and_capes",
        sql: "select id, kind, slug, name, description, created_at from textures where owner_n = $1 order by n",
        columns: &[
            ("id", Text),
            ("kind", Text),
            ("slug", Text),
            ("name", Text),
            ("description", Text),
            ("createdAt", Time),
        ],
    },
    ExportTable {
        name: "uploads",
        sql: "select id, kind, slug, name, description, tags, model, status, visibility, based_on, created_at, updated_at
              from texture_uploads where account_n = $1 order by created_at, id",
        columns: &[
            ("id", Text),
            ("kind", Text),
            ("slug", Text),
            ("name", Text),
            ("description", Text),
            ("tags", Text),
            ("model", Text),
            ("status", Text),
            ("visibility", Text),
            ("basedOn", Text),
            ("createdAt", Time),
            ("updatedAt", Time),
        ],
    },
    ExportTable {
        name: "likes_and_favorites",
        sql: "select t.id, 'like', null as collection from texture_likes l join textures t on t.n = l.texture_n
              where l.account_n = $1
              union all
              select t.id, 'favorite', c.id from texture_favorites f join textures t on t.n = f.texture_n
                     left join favorite_places p on p.account_n = f.account_n and p.texture_n = f.texture_n
                     left join favorite_collections c on c.n = p.collection_n
              where f.account_n = $1
              order by 1, 2",
        columns: &[("id", Text), ("mark", Text), ("collectionId", Text)],
    },
    ExportTable {
        name: "collections",
        sql: "select id, name, created_at from favorite_collections where account_n = $1 order by n",
        columns: &[("id", Text), ("name", Text), ("createdAt", Time)],
    },
    ExportTable {
        name: "webhooks",
        sql: "select id, name, host, format, types, servers, state, created_at from webhooks where account_n = $1 order by n",
        columns: &[
            ("id", Text),
            ("name", Text),
            ("host", Text),
            ("format", Text),
            ("types", Text),
            ("servers", Text),
            ("state", Text),
            ("createdAt", Time),
        ],
    },
    ExportTable {
        name: "webhook_deliveries",
        sql: "select w.id, d.message_id, d.state, d.attempts, d.status, d.error, d.request, d.response, d.created_at, d.updated_at
              from webhook_deliveries d join webhooks w on w.n = d.webhook_n where w.account_n = $1 order by d.n",
        columns: &[
            ("webhookId", Text),
            ("messageId", Text),
            ("state", Text),
            ("attempts", Number),
            ("status", Number),
            ("error", Text),
            ("request", Text),
            ("response", Text),
            ("createdAt", Time),
            ("updatedAt", Time),
        ],
    },
    ExportTable {
        name: "alerts",
        sql: account_events::EXPORT,
        columns: &[("at", Time), ("type", Type), ("server", Text), ("facts", Text)],
    },
    ExportTable {
        name: "log",
        sql: "select l.at, l.action, l.detail, l.key_id, case when l.actor = a.username then l.address end
              from audit l join accounts a on a.n = l.account_n where l.account_n = $1 order by l.n",
        columns: &[("at", Time), ("action", Text), ("detail", Text), ("keyId", Text), ("address", Text)],
    },
];

/// In the ledger.
pub const LEDGER: &[ExportTable] = &[ExportTable {
    name: "sessions",
    sql: "select id, agent, address, created_at, seen_at from sign_ins where account_n = $1 order by created_at, id",
    columns: &[("id", Text), ("browser", Text), ("address", Text), ("signedInAt", Time), ("lastUsedAt", Time)],
}];

/// The rows of an account, one JSON object per line.
pub fn lines(conn: &mut Conn, table: &ExportTable, account_n: i64) -> Result<String> {
    let mut text = String::new();
    conn.for_each(table.sql, values![account_n], |row| add_line(&mut text, table.columns, row))?;
    Ok(text)
}

/// Daily usage of a key, one JSON object per line. In the ledger.
pub fn usage_lines(conn: &mut Conn, key_n: i64, key_id: &str) -> Result<String> {
    let columns = [("day", Time), ("endpoint", Text), ("status", Text), ("requests", Number), ("bytes", Number)];
    let mut text = String::new();
    conn.for_each(
        "select day, endpoint, status, requests, bytes from key_usage_days where key_n = $1 order by day, endpoint, status",
        values![key_n],
        |row| {
            let mut object = object(&columns, row);
            object.insert("keyId".into(), key_id.into());
            push(&mut text, object);
        },
    )?;
    Ok(text)
}

fn add_line(text: &mut String, columns: &[(&str, Kind)], row: &Row) {
    push(text, object(columns, row));
}

fn object(columns: &[(&str, Kind)], row: &Row) -> Map<String, Json> {
    let value = |(column, (name, kind)): (usize, &(&str, Kind))| {
        let value = match kind {
            Text => row.get::<Option<String>>(column).map(Json::from),
            Number => row.get::<Option<i64>>(column).map(Json::from),
            Flag => Some(row.get::<bool>(column).into()),
            Time => row.get::<Option<i64>>(column).map(|at| iso(at).into()),
            Type => WebhookType::of_code(row.get(column)).map(|kind| kind.name().into()),
        };
        ((*name).to_owned(), value.unwrap_or_default())
    };
    columns.iter().enumerate().map(value).collect()
}

fn push(text: &mut String, object: Map<String, Json>) {
    *text += &Json::Object(object).to_string();
    text.push('\n');
}
