//! The store into one file, while others work on it.

use std::path::{Path, PathBuf};

use super::atomic_file::Part;
use super::{APPLICATION, Contents, Error, FORMAT, Progress, checksum, contents, ledger_of, progress, rows};
use rollcall_store::media::{Media, fits};
use rollcall_store::{Conn, Reading, migrate_ledger_like};

/// What a backup is made of.
pub struct Backup<'a> {
    pub database: &'a Path,
    pub media: &'a Media,
    pub now: i64,
    pub progress: Progress<'a>,
}

/// What was written.
#[derive(Debug)]
pub struct Written {
    pub contents: Contents,
    pub size: u64,
    /// Pictures that were left out, because they are not what their names say.
    pub damaged: Vec<String>,
}

/// Writes the file, or nothing. `conn` is a connection to the database; its schema may be older than the newest, so
/// that a store can be backed up before it is migrated.
///
/// The order matters: a picture is kept before any row names it, so the pictures come after the rows.
pub fn backup(conn: &mut Conn, file: &Path, from: Backup<'_>) -> Result<Written, Error> {
    let numbers = rows::migrations(conn, "main")?;
    if numbers.is_empty() {
        return Err(Error::Refused(format!("{} is no store of rollcall", from.database.display())));
    }
    rows::check_known(&numbers, &from.database.display().to_string())?;
    let part = Part::create(file)?;
    let path = part.path();
    let size: i64 =
        conn.one("select p.page_count * s.page_size from pragma_page_count p, pragma_page_size s", &[], |row| {
            row.get(0)
        })?;
    let copy = || Ok(conn.copy_into(path)?);
    let (contents, damaged) = progress::growing(path, "copying the store", size.cast_unsigned(), from.progress, copy)
        .and_then(|()| add(path, &from))
        .map_err(Error::while_writing(path))?;
    checksum::seal(path, from.progress)?;
    let size = path.metadata().map_err(Error::file(path))?.len();
    part.publish()?;
    Ok(Written { contents, size, damaged })
}

/// Everything beside the database, and a look at the whole.
fn add(path: &Path, from: &Backup<'_>) -> Result<(Contents, Vec<String>), Error> {
    let mut copy = Conn::open_aside(path)?;
    let ledger = ledger_of(from.database);
    if ledger.exists() {
        add_ledger(&mut copy, ledger)?;
    }
    let damaged = add_pictures(&mut copy, from)?;
    sign(&mut copy, from.now)?;
    (from.progress)("checking the copy", 0, 0);
    if let Some(fault) = copy.fault()? {
        return Err(Error::Refused(format!("the store is damaged, so it cannot be backed up: {fault}")));
    }
    Ok((contents(&mut copy)?, damaged))
}

/// What the ledger says of each key, and checks that must not be good again.
const KEPT: [&str; 5] = ["key_windows", "key_uses", "key_usage", "key_usage_days", "spent_solutions"];

/// The ledger's tables among the others, as they are on PostgreSQL. Who was signed in or at the playground when the
/// backup was made is of the moment, and stays behind: a restore must not bring back a sign-in that was ended since.
fn add_ledger(copy: &mut Conn, ledger: PathBuf) -> Result<(), Error> {
    copy.attach(&ledger, "ledger", Reading::Live)?;
    copy.fill(|copy| {
        let numbers = rows::migrations(copy, "ledger")?;
        rows::check_known(&numbers, &ledger.display().to_string())?;
        migrate_ledger_like(copy, &numbers)?;
        for table in rows::tables(copy, "ledger")?.iter().filter(|table| KEPT.contains(&table.as_str())) {
            rows::copy(copy, "ledger", table)?;
            if !table.starts_with("key_") {
                continue;
            }
            // The ledger is a moment younger. What it says of keys that were made in this moment must not fall to those
            // who get their numbers after a restore.
            copy.batch(&format!(
                "delete from {table} where key_n > (select coalesce(max(seq), 0) from sqlite_sequence where name = 'keys')"
            ))?;
        }
        Ok::<_, Error>(())
    })?;
    Ok(copy.detach("ledger")?)
}

fn add_pictures(copy: &mut Conn, from: &Backup<'_>) -> Result<Vec<String>, Error> {
    let mut damaged = Vec::new();
    copy.batch("create table pictures (name text primary key, bytes blob not null) without rowid")?;
    let paths = from.media.list_blocking()?;
    copy.fill(|copy| {
        for (path, done) in paths.iter().zip(0..) {
            (from.progress)("copying pictures", done, paths.len() as u64);
            match from.media.get_blocking(path)? {
                Some(bytes) if fits(path, &bytes) => {
                    copy.execute_bytes("insert into pictures (name, bytes) values (?1, ?2)", path, &bytes)?;
                }
                _ => damaged.push(path.clone()),
            }
        }
        Ok::<_, Error>(())
    })?;
    Ok(damaged)
}

/// Says what the file is.
fn sign(copy: &mut Conn, now: i64) -> rollcall_store::Result<()> {
    copy.batch(&format!(
        "create table backup (one bigint primary key check (one = 1), made_at bigint not null, made_by text not null,
                              sum blob not null);
         pragma application_id = {APPLICATION};
         pragma user_version = {FORMAT};"
    ))?;
    let by = concat!("rollcall ", env!("CARGO_PKG_VERSION"));
    let sql = format!("insert into backup (one, made_at, made_by, sum) values (1, {now}, ?1, ?2)");
    copy.execute_bytes(&sql, by, checksum::PLACEHOLDER)
}
