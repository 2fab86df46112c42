//! SQL of `rollcall backup` and `rollcall restore`.
//!
//! A backup is a SQLite database: the tables of the store and the ledger, `pictures` (path and bytes), and `backup`,
//! one row with the time, the version that wrote it and the checksum of the file.

use std::path::Path;

use crate::pictures::PICTURE_COLUMNS;
use crate::{AttachMode, Conn, Result, is_known_migration, migrate_ledger_like, values};
use rollcall_model::text::is_control_or_bidi;
use rollcall_search::fold;

/// `application_id` in SQLite's header, "Roll": tells backups from other databases.
pub const APPLICATION_ID: u32 = 0x526f_6c6c;
/// `user_version` in SQLite's header. Raise it when older versions can no longer read a backup.
pub const FORMAT_VERSION: u32 = 1;

/// The name under which a restore attaches the backup.
const BACKUP: &str = "backup";
/// The name under which a backup attaches the ledger.
const LEDGER: &str = "ledger";

/// Why rows could not be copied between two databases.
#[derive(Debug, thiserror::Error)]
pub enum CopyError {
    /// The tables differ from what their migrations create.
    #[error("table {0} differs from what its migrations create")]
    ChangedTable(String),
    /// A newer version ran a migration that this version does not know.
    #[error("migration {0} is unknown")]
    UnknownMigration(i64),
    #[error(transparent)]
    Store(#[from] crate::Error),
}

/// Row counts of the tables that a user knows, by name.
pub fn contents(conn: &mut Conn) -> Result<Vec<(&'static str, u64)>> {
    let count = |table: &'static str| {
        let rows: i64 = conn.query_one(&format!("select count(*) from {table}"), &[], |row| row.get(0))?;
        Ok((table, rows.cast_unsigned()))
    };
    ["servers", "players", "accounts", "keys", "pictures"].into_iter().map(count).collect()
}

/// Size of the database in bytes.
pub fn database_size(conn: &mut Conn) -> Result<u64> {
    let sql = "select p.page_count * s.page_size from pragma_page_count p, pragma_page_size s";
    Ok(conn.query_one(sql, &[], |row| row.get::<i64>(0))?.cast_unsigned())
}

/// The migrations that a store has run, in order; none if the database is not a store.
pub fn migrations(conn: &mut Conn) -> Result<Vec<i64>> {
    migrations_of(conn, "main")
}

/// The first migration that only a newer version knows.
pub fn unknown_migration(migrations: &[i64]) -> Option<i64> {
    migrations.iter().copied().find(|number| !is_known_migration(*number))
}

fn migrations_of(conn: &mut Conn, schema: &str) -> Result<Vec<i64>> {
    let tables: i64 = conn.query_one(
        &format!("select count(*) from {schema}.sqlite_master where type = 'table' and name = 'migrations'"),
        &[],
        |row| row.get(0),
    )?;
    if tables == 0 {
        return Ok(Vec::new());
    }
    let numbers = format!("select coalesce(cast(number as integer), 0) from {schema}.migrations order by 1");
    conn.query(&numbers, &[], |row| row.get(0))
}

/// The ledger tables that belong in a backup: usage of keys, and spent challenges, which must stay spent.
const LEDGER_TABLES: [&str; 5] = ["key_windows", "key_uses", "key_usage", "key_usage_days", "spent_solutions"];

/// Copies the ledger into a backup, beside the tables of the store, as they are on PostgreSQL. Login sessions and
/// playground passes are left out: a restore must not revive a session that was ended since.
pub fn copy_ledger(backup: &mut Conn, ledger: &Path) -> std::result::Result<(), CopyError> {
    backup.attach(ledger, LEDGER, AttachMode::for_reading(ledger))?;
    backup.deferred_transaction(|backup| {
        let migrations = migrations_of(backup, LEDGER)?;
        if let Some(number) = unknown_migration(&migrations) {
            return Err(CopyError::UnknownMigration(number));
        }
        migrate_ledger_like(backup, &migrations)?;
        for table in tables(backup, LEDGER)?.iter().filter(|table| LEDGER_TABLES.contains(&table.as_str())) {
            copy_table(backup, LEDGER, table)?;
            if table.starts_with("key_") {
                delete_usage_of_newer_keys(backup, table)?;
            }
        }
        Ok(())
    })?;
    Ok(backup.detach(LEDGER)?)
}

/// The ledger is read after the store and may know newer keys. After a restore their row numbers go to other keys,
/// which must not inherit their usage.
fn delete_usage_of_newer_keys(backup: &mut Conn, table: &str) -> Result<()> {
    backup.execute_batch(&format!(
        "delete from {table} where key_n > (select coalesce(max(seq), 0) from sqlite_sequence where name = 'keys')"
    ))
}

/// Copies all rows of a backup into a database that has the backup's schema. Takes only tables of our own schema, so
/// that nothing else in the file gets in.
pub fn copy_from_backup(conn: &mut Conn, backup: &Path) -> std::result::Result<(), CopyError> {
    conn.attach(backup, BACKUP, AttachMode::Immutable)?;
    conn.deferred_transaction(|conn| {
        for table in tables(conn, "main")? {
            copy_table(conn, BACKUP, &table)?;
        }
        copy_sequences(conn)?;
        Ok::<_, CopyError>(())
    })?;
    Ok(conn.detach(BACKUP)?)
}

/// Row numbers that were used once are not used again, even if their rows are deleted.
fn copy_sequences(conn: &mut Conn) -> Result<()> {
    let exists = "select count(*) from main.sqlite_master where name = 'sqlite_sequence'";
    if conn.query_one(exists, &[], |row| row.get::<i64>(0))? > 0 {
        conn.execute_batch(&format!(
            "delete from main.sqlite_sequence;
             insert into main.sqlite_sequence (name, seq)
             select name, seq from {BACKUP}.sqlite_sequence where name in (select name from main.sqlite_master)"
        ))?;
    }
    Ok(())
}

/// Fills an empty table with the rows of the same table in an attached database. The tables must be identical: then
/// SQLite copies whole pages instead of rows.
fn copy_table(conn: &mut Conn, from: &str, table: &str) -> std::result::Result<(), CopyError> {
    let differing: i64 = conn.query_one(
        &format!(
            "select count(*) from (select cid, name from pragma_table_info($1, 'main')
                                   except select cid, name from pragma_table_info($1, '{from}'))"
        ),
        values![table],
        |row| row.get(0),
    )?;
    if differing > 0 {
        return Err(CopyError::ChangedTable(table.to_owned()));
    }
    conn.execute_batch(&format!("delete from main.{table}; insert into main.{table} select * from {from}.{table}"))?;
    Ok(())
}

/// The tables of a schema, except the list of migrations.
fn tables(conn: &mut Conn, schema: &str) -> Result<Vec<String>> {
    conn.query(
        &format!(
            "select name from {schema}.sqlite_master
             where type = 'table' and name not like 'sqlite\\_%' escape '\\' and name <> 'migrations' order by name"
        ),
        &[],
        |row| row.get(0),
    )
}

/// Adds the pictures that `pictures` inserts.
pub fn add_pictures<T, E: From<crate::Error>>(
    backup: &mut Conn,
    pictures: impl FnOnce(&mut Conn) -> std::result::Result<T, E>,
) -> std::result::Result<T, E> {
    backup.execute_batch("create table pictures (name text primary key, bytes blob not null) without rowid")?;
    backup.deferred_transaction(pictures)
}

pub fn insert_picture(backup: &mut Conn, path: &str, bytes: &[u8]) -> Result<()> {
    backup.execute_with_blob("insert into pictures (name, bytes) values (?1, ?2)", path, bytes)
}

/// The path and bytes of each picture. Neither is checked: the path need not even be UTF-8.
pub fn for_each_picture(backup: &mut Conn, mut read: impl FnMut(&[u8], &[u8])) -> Result<()> {
    backup.for_each("select cast(name as blob), cast(bytes as blob) from pictures", &[], |row| {
        let (name, bytes): (Option<Vec<u8>>, Option<Vec<u8>>) = (row.get(0), row.get(1));
        read(&name.unwrap_or_default(), &bytes.unwrap_or_default());
    })
}

/// Marks a database as a backup and stores a placeholder for its checksum.
pub fn write_header(backup: &mut Conn, made_at: i64, made_by: &str, placeholder: &[u8]) -> Result<()> {
    backup.execute_batch(&format!(
        "create table backup (one bigint primary key check (one = 1), made_at bigint not null, made_by text not null,
                              sum blob not null);
         pragma application_id = {APPLICATION_ID};
         pragma user_version = {FORMAT_VERSION};"
    ))?;
    let sql = format!("insert into backup (one, made_at, made_by, sum) values (1, {made_at}, ?1, ?2)");
    backup.execute_with_blob(&sql, made_by, placeholder)
}

/// When a backup was written.
pub fn made_at(backup: &mut Conn) -> Result<i64> {
    backup.query_one("select coalesce(max(cast(made_at as integer)), 0) from backup", &[], |row| row.get(0))
}

/// The first link of a server that is not a web address. Pages show these links, and `javascript:` would run there.
pub fn foreign_link(backup: &mut Conn) -> Result<Option<String>> {
    for column in ["website", "chat_url", "store_url", "video_url"] {
        let sql = format!(
            "select {column} from servers
             where substr({column}, 1, 8) <> 'https://' and substr({column}, 1, 7) <> 'http://' limit 1"
        );
        if let Some(link) = backup.query_optional(&sql, &[], |row| row.get(0))? {
            return Ok(Some(link));
        }
    }
    Ok(None)
}

/// Names that people see. Older versions imported them with characters that change how other text looks.
const NAMES: [(&str, &str); 24] = [
    ("servers", "name"),
    ("servers", "short_description"),
    ("servers", "version"),
    ("servers", "country"),
    ("servers", "game_mode"),
    ("server_tags", "tag"),
    ("accounts", "username"),
    ("accounts", "role"),
    ("keys", "name"),
    ("players", "nickname"),
    ("players", "country"),
    ("player_nicknames", "nickname"),
    ("reported_names", "nickname"),
    ("join_codes", "nickname"),
    ("textures", "name"),
    ("texture_tags", "tag"),
    ("favorite_collections", "name"),
    ("texture_uploads", "name"),
    ("texture_uploads", "tags"),
    ("votes", "game_username"),
    ("reviews", "game_username"),
    ("submitted_reviews", "game_username"),
    ("update_posts", "title"),
    ("post_drafts", "title"),
];

/// Columns by which a name is found: the folded name.
const NAME_KEYS: [(&str, &str, &str); 3] = [
    ("accounts", "username", "username_key"),
    ("players", "nickname", "nickname_key"),
    ("reported_names", "nickname", "nickname_key"),
];

/// Replaces control and direction characters in names, and in the keys of these names.
pub fn clean_names(conn: &mut Conn) -> Result<()> {
    for (table, column) in NAMES {
        let key = NAME_KEYS.iter().find(|(of, named, _)| (*of, *named) == (table, column)).map(|(.., key)| *key);
        let mut misleading = Vec::new();
        conn.for_each(&format!("select distinct {column} from {table}"), &[], |row| {
            let name: Option<String> = row.get(0);
            misleading.extend(name.filter(|name| name.chars().any(is_control_or_bidi)));
        })?;
        for name in misleading {
            let clean: String = name.chars().map(|c| if is_control_or_bidi(c) { '\u{fffd}' } else { c }).collect();
            let clean = if table == "accounts" && key.is_some() { free_username(conn, clean)? } else { clean };
            match key {
                Some(key) => {
                    let sql = format!("update {table} set {column} = $2, {key} = $3 where {column} = $1");
                    conn.execute(&sql, values![&name, &clean, fold(&clean)])?;
                }
                None => {
                    let sql = format!("update {table} set {column} = $2 where {column} = $1");
                    conn.execute(&sql, values![&name, clean])?;
                }
            }
        }
    }
    Ok(())
}

/// Renders the posts that were written in Markdown again: their HTML is shown as it is, and a backup may come from anyone.
pub fn render_posts(conn: &mut Conn, render: impl Fn(&str) -> String) -> Result<()> {
    let written = "select n, content from update_posts where html <> ''";
    let posts = conn.query(written, &[], |row| (row.get::<i64>(0), row.get::<String>(1)))?;
    for (n, content) in posts {
        conn.execute("update update_posts set html = $2 where n = $1", values![n, render(&content)])?;
    }
    Ok(())
}

/// The username, with a number if another account has it: names that differed in what was replaced are equal now.
fn free_username(conn: &mut Conn, username: String) -> Result<String> {
    let mut candidate = username.clone();
    let mut number = 1;
    let sql = "select count(*) from accounts where username_key = $1";
    while conn.query_one(sql, values![fold(&candidate)], |row| row.get::<i64>(0))? > 0 {
        number += 1;
        candidate = format!("{username}{number}");
    }
    Ok(candidate)
}

/// Points the rows at pictures that were encoded again and so have another name; each pair is the old and the new one.
pub fn rename_pictures(conn: &mut Conn, renamed: &[(String, String)]) -> Result<()> {
    if renamed.is_empty() {
        return Ok(());
    }
    conn.execute_batch("create temp table renamed (old text primary key, new text not null) without rowid")?;
    for (old, new) in renamed {
        conn.execute("insert into renamed (old, new) values ($1, $2)", values![old, new])?;
    }
    for (table, column, _) in PICTURE_COLUMNS {
        conn.execute_batch(&format!(
            "update {table} set {column} = (select new from renamed where old = {column})
             where {column} in (select old from renamed)"
        ))?;
    }
    conn.execute_batch("drop table renamed")
}

/// The checksum in a backup, and the page of the file that it is in.
pub struct ChecksumPage {
    /// Counted from 1.
    pub number: i64,
    pub size: i64,
    pub checksum: Vec<u8>,
}

/// The only row of the table `backup` is in the root page of that table.
pub fn checksum_page(backup: &mut Conn) -> Result<Option<ChecksumPage>> {
    let page = backup.query_optional(
        "select cast(m.rootpage as integer), p.page_size, cast(b.sum as blob)
         from backup b, pragma_page_size p, sqlite_master m where m.type = 'table' and m.name = 'backup'",
        &[],
        |row| (row.get::<i64>(0), row.get::<i64>(1), row.get::<Option<Vec<u8>>>(2)),
    )?;
    Ok(page.and_then(|(number, size, checksum)| Some(ChecksumPage { number, size, checksum: checksum? })))
}
