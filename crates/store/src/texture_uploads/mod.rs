//! Uploaded skins and capes. `textures` holds those that are approved and public; only their uploader and moderators
//! see the others.

mod gallery_row;
mod slug;

use super::audit::{self, Author};
use super::moderation::{self, APPROVED, EarlierWork, ItemKind, NewItem, PENDING};
use super::textures::{SKIN, kind};
use super::{Conn, Result, Row};
use crate::values;
use rollcall_model::id;
use rollcall_model::message::translatable;
use rollcall_model::time::DAY;
use rollcall_model::visibility::Visibility;

const TAG_SEPARATOR: &str = ",";
/// In the audit log; [`submit`] counts them.
const UPLOADED: &str = translatable("skin or cape uploaded");
const EDITED: &str = translatable("skin or cape edited");
const DELETED: &str = translatable("skin or cape deleted");

/// Texts of the uploader about the picture.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UploadTexts {
    pub name: String,
    pub description: String,
    pub tags: Vec<String>,
    /// `None` for a cape.
    pub model: Option<String>,
    pub visibility: Visibility,
}

#[derive(Clone, Debug)]
pub struct TextureUpload {
    pub id: String,
    pub is_skin: bool,
    pub slug: String,
    pub account_n: Option<i64>,
    pub texts: UploadTexts,
    pub png: String,
    pub status: String,
    /// The id and the slug of what it is based on.
    pub based_on: Option<(String, String)>,
    pub created_at: i64,
    pub updated_at: i64,
}

impl TextureUpload {
    pub fn kind(&self) -> &'static str {
        kind(self.is_skin)
    }

    /// Whether it is on the public lists.
    pub fn is_listed(&self) -> bool {
        self.status == APPROVED && self.texts.visibility == Visibility::Public
    }

    /// The address of its page, if others may open it.
    pub fn page(&self) -> Option<String> {
        let is_open = self.status == APPROVED && self.texts.visibility != Visibility::Hidden;
        is_open.then(|| format!("/{}s/{}", self.kind(), self.slug))
    }
}

const SELECT: &str =
    "select u.id, u.kind, u.slug, u.account_n, u.name, u.description, u.tags, u.model, u.visibility, u.png,
            u.status, u.based_on, b.slug, u.created_at, u.updated_at
     from texture_uploads u left join textures b on b.id = u.based_on and not b.hidden";

fn read(row: &Row) -> TextureUpload {
    let tags: String = row.get(6);
    let based_on: Option<String> = row.get(11);
    TextureUpload {
        id: row.get(0),
        is_skin: row.get::<String>(1) == SKIN,
        slug: row.get(2),
        account_n: row.get(3),
        texts: UploadTexts {
            name: row.get(4),
            description: row.get(5),
            tags: tags.split(TAG_SEPARATOR).filter(|tag| !tag.is_empty()).map(str::to_owned).collect(),
            model: row.get(7),
            visibility: Visibility::parse(&row.get::<String>(8)).unwrap_or(Visibility::Hidden),
        },
        png: row.get(9),
        status: row.get(10),
        based_on: based_on.zip(row.get::<Option<String>>(12)),
        created_at: row.get(13),
        updated_at: row.get(14),
    }
}

pub fn find(conn: &mut Conn, id: &str) -> Result<Option<TextureUpload>> {
    conn.query_optional(&format!("{SELECT} where u.id = $1"), values![id], read)
}

/// The upload of an account; `None` if it belongs to another one.
pub fn find_own(conn: &mut Conn, account_n: i64, id: &str) -> Result<Option<TextureUpload>> {
    Ok(find(conn, id)?.filter(|upload| upload.account_n == Some(account_n)))
}

/// An approved upload that is on no list.
pub fn unlisted(conn: &mut Conn, is_skin: bool, slug: &str) -> Result<Option<TextureUpload>> {
    let sql =
        format!("{SELECT} where u.kind = $1 and u.slug = $2 and u.status = 'APPROVED' and u.visibility = 'UNLISTED'");
    conn.query_optional(&sql, values![kind(is_skin), slug], read)
}

/// The newest uploads of an account.
pub fn of_account(conn: &mut Conn, account_n: i64, limit: i64) -> Result<Vec<TextureUpload>> {
    let sql = format!("{SELECT} where u.account_n = $1 order by u.created_at desc, u.id limit $2");
    conn.query(&sql, values![account_n, limit], read)
}

/// Why the newest decision about an upload turned it down; the uploader reads it.
pub fn reason(conn: &mut Conn, id: &str) -> Result<String> {
    let sql = "select reason from moderation_items where subject = $1 and kind in ('upload', 'texture-report')
               and state <> 'open' order by decided_at desc limit 1";
    Ok(conn.query_optional(sql, values![id], |row| row.get(0))?.unwrap_or_default())
}

/// An uploaded picture.
#[derive(Clone, Debug)]
pub struct NewUpload {
    pub is_skin: bool,
    pub account_n: i64,
    pub texts: UploadTexts,
    /// `upload/….png`
    pub png: String,
    pub pixel_hash: String,
    /// The paths that the picture and the uploaded file have if they were imported.
    pub imported_pngs: [String; 2],
    /// The slug of what it is based on; empty: nothing.
    pub based_on: String,
    /// Why a moderator must see it first.
    pub held: Option<String>,
}

#[derive(Clone, Copy, Debug)]
pub struct UploadCaps {
    /// By one account on one day (UTC).
    pub per_day: i64,
    /// Of one account.
    pub per_account: i64,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum UploadOutcome {
    /// The id of the upload.
    Shown(String),
    /// A moderator must approve it.
    Held(String),
    /// The same pixels were uploaded before: the address of that page.
    Duplicate(String),
    /// The account itself uploaded them: the id of that upload.
    OwnDuplicate(String),
    /// The same, but the first upload is not public.
    DuplicateNotShown,
    NoSuchOriginal,
    TooManyToday,
    TooMany,
}

/// Stores an upload. It is listed at once, unless it is held. Call it in a transaction, after [`super::revision::bump`] with its revision:
/// of two uploads of the same pixels the second must see the first.
pub fn submit(conn: &mut Conn, new: &NewUpload, caps: UploadCaps, rev: i64, author: &Author) -> Result<UploadOutcome> {
    if let Some(duplicate) = find_duplicate(conn, new)? {
        return Ok(duplicate);
    }
    let today = author.at - author.at.rem_euclid(DAY);
    if audit::count_since(conn, new.account_n, UPLOADED, today)? >= caps.per_day {
        return Ok(UploadOutcome::TooManyToday);
    }
    let stored = "select count(*) from texture_uploads where account_n = $1";
    if conn.query_one(stored, values![new.account_n], |row| row.get::<i64>(0))? >= caps.per_account {
        return Ok(UploadOutcome::TooMany);
    }
    let based_on = match original(conn, new.is_skin, &new.based_on)? {
        None if !new.based_on.is_empty() => return Ok(UploadOutcome::NoSuchOriginal),
        based_on => based_on,
    };
    let held = match &new.held {
        Some(why) => Some(why.clone()),
        None => moderation::why_reviewed_first(conn, new.account_n, EarlierWork::Uploads, None, author.at)?
            .map(str::to_owned),
    };
    let id = id::encode(rand::random());
    let slug = slug::free(conn, new.is_skin, &new.texts.name, &id)?;
    let texts = &new.texts;
    conn.execute(
        "insert into texture_uploads (id, kind, slug, account_n, name, description, model, tags, png, pixel_hash, status, visibility,
                                      based_on, created_at, updated_at)
         values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $14)",
        values![
            &id,
            kind(new.is_skin),
            &slug,
            new.account_n,
            &texts.name,
            &texts.description,
            texts.model.as_deref(),
            texts.tags.join(TAG_SEPARATOR),
            &new.png,
            &new.pixel_hash,
            if held.is_some() { PENDING } else { APPROVED },
            texts.visibility.name(),
            based_on,
            author.at
        ],
    )?;
    show_or_hold(conn, &id, new.account_n, held.as_deref(), rev, author)?;
    audit::log_account(conn, Some(new.account_n), UPLOADED, &slug, author)?;
    Ok(if held.is_some() { UploadOutcome::Held(id) } else { UploadOutcome::Shown(id) })
}

/// Existing texture with the same pixels.
fn find_duplicate(conn: &mut Conn, new: &NewUpload) -> Result<Option<UploadOutcome>> {
    let sql = format!("{SELECT} where u.kind = $1 and u.pixel_hash = $2");
    if let Some(first) = conn.query_optional(&sql, values![kind(new.is_skin), &new.pixel_hash], read)? {
        if first.account_n == Some(new.account_n) {
            return Ok(Some(UploadOutcome::OwnDuplicate(first.id)));
        }
        // The URL of an unlisted upload is disclosed by its uploader only.
        let page = first.page().filter(|_| first.is_listed());
        return Ok(Some(page.map_or(UploadOutcome::DuplicateNotShown, UploadOutcome::Duplicate)));
    }
    // Imported textures have no hash of their pixels, but a file that was downloaded from the gallery is known.
    let sql = "select slug, hidden from textures where kind = $1 and png in ($2, $3, $4) order by hidden, n limit 1";
    let [picture, file] = &new.imported_pngs;
    let values = values![kind(new.is_skin), &new.png, picture, file];
    let found = conn.query_optional(sql, values, |row| (row.get::<String>(0), row.get::<bool>(1)))?;
    Ok(found.map(|(slug, is_hidden)| match is_hidden {
        true => UploadOutcome::DuplicateNotShown,
        false => UploadOutcome::Duplicate(format!("/{}s/{slug}", kind(new.is_skin))),
    }))
}

/// The id of a public texture.
fn original(conn: &mut Conn, is_skin: bool, slug: &str) -> Result<Option<String>> {
    let sql = "select id from textures where kind = $1 and slug = $2 and not hidden";
    conn.query_optional(sql, values![kind(is_skin), slug], |row| row.get(0))
}

/// Puts the upload on the list, if it belongs there, or into the queue.
fn show_or_hold(
    conn: &mut Conn,
    id: &str,
    account_n: i64,
    held: Option<&str>,
    rev: i64,
    author: &Author,
) -> Result<()> {
    match held {
        Some(why) => {
            let (subject, author_n) = (id, Some(account_n));
            let item = NewItem { kind: ItemKind::Upload, subject, server_n: None, author_n, why };
            moderation::open(conn, &item, author.at)?;
        }
        None => moderation::withdraw(conn, ItemKind::Upload, id)?,
    }
    gallery_row::follow(conn, id, author.at, rev)
}

/// Changes what an upload says; the picture stays. `held` says why a moderator must see it first. False if it is not the account's.
/// Call it in a transaction, after [`super::revision::bump`] with its revision.
pub fn edit(
    conn: &mut Conn,
    (account_n, id): (i64, &str),
    texts: &UploadTexts,
    held: Option<&str>,
    rev: i64,
    author: &Author,
) -> Result<bool> {
    let Some(before) = find_own(conn, account_n, id)? else { return Ok(false) };
    let is_waiting = before.status == PENDING;
    let held = match held {
        Some(why) => Some(why.to_owned()),
        None => {
            let (earlier, status) = (EarlierWork::Uploads, Some(before.status.as_str()));
            moderation::why_reviewed_first(conn, account_n, earlier, status, author.at)?.map(str::to_owned)
        }
    };
    // A picture that no moderator has seen stays in the queue, whatever is written about it.
    let status = if held.is_some() || is_waiting { PENDING } else { APPROVED };
    conn.execute(
        "update texture_uploads set name = $2, description = $3, model = $4, tags = $5, visibility = $6, status = $7, updated_at = $8
         where id = $1",
        values![
            id,
            &texts.name,
            &texts.description,
            texts.model.as_deref(),
            texts.tags.join(TAG_SEPARATOR),
            texts.visibility.name(),
            status,
            author.at
        ],
    )?;
    moderation::renew(conn, id)?;
    if held.is_none() && is_waiting {
        gallery_row::follow(conn, id, author.at, rev)?;
    } else {
        show_or_hold(conn, id, account_n, held.as_deref(), rev, author)?;
    }
    audit::log_account(conn, Some(account_n), EDITED, &before.slug, author)?;
    Ok(true)
}

/// Deletes an upload. False if it is not the account's. Call it in a transaction, after [`super::revision::bump`] with its revision.
pub fn delete_own(conn: &mut Conn, account_n: i64, id: &str, rev: i64, author: &Author) -> Result<bool> {
    let Some(upload) = find_own(conn, account_n, id)? else { return Ok(false) };
    gallery_row::remove(conn, id, rev)?;
    conn.execute("delete from texture_uploads where id = $1", values![id])?;
    moderation::withdraw_all(conn, id)?;
    audit::log_account(conn, Some(account_n), DELETED, &upload.slug, author)?;
    Ok(true)
}

/// Shows an upload or takes it away. Call it in the transaction of the decision at `at`, whose revision is `rev`.
pub(crate) fn set_status(conn: &mut Conn, id: &str, status: &str, at: i64, rev: i64) -> Result<()> {
    conn.execute("update texture_uploads set status = $2 where id = $1", values![id, status])?;
    gallery_row::follow(conn, id, at, rev)
}

/// Deletes what only the user of a deleted account could see. Public textures go to the system account.
pub(crate) fn release(conn: &mut Conn, account_n: i64) -> Result<()> {
    let own = "account_n = $1 and not (status = 'APPROVED' and visibility = 'PUBLIC')";
    // Their rows of `textures` are hidden, so no player wears them and no process shows them.
    let sql = format!("delete from textures where hidden and id in (select id from texture_uploads where {own})");
    conn.execute(&sql, values![account_n])?;
    conn.execute(&format!("delete from texture_uploads where {own}"), values![account_n])?;
    Ok(())
}

/// Numbers of the textures that were hidden or deleted after `rev`, and whether they were skins.
pub fn removed_since(conn: &mut Conn, rev: i64) -> Result<Vec<(i64, bool)>> {
    let sql = "select texture_n, is_skin from texture_removals where rev > $1";
    conn.query(sql, values![rev], |row| (row.get(0), row.get(1)))
}
