//! The row of an upload in `textures`, which the API and the gallery show.

use super::{TextureUpload, find, slug};
use crate::builtin_skins::system_id;
use crate::events::{self, NewEvent};
use crate::hidden_textures::set_hidden;
use crate::{Conn, Result, values};
use rollcall_model::event::{EventFacts, EventKind};

/// Makes `textures` agree with an upload: its row is added, changed, hidden or removed. A hidden row keeps its likes and favorites.
pub fn follow(conn: &mut Conn, id: &str, at: i64, rev: i64) -> Result<()> {
    // The uploader deleted it meanwhile.
    let Some(upload) = find(conn, id)? else { return remove(conn, id, rev) };
    if !upload.is_listed() {
        return set_hidden(conn, id, true, rev);
    }
    let shown = conn.query_optional("select n from textures where id = $1", values![id], |row| row.get::<i64>(0))?;
    let n = match shown {
        Some(n) => {
            set_hidden(conn, id, false, rev)?;
            change(conn, n, &upload, rev)?;
            n
        }
        None => add(conn, &upload, rev)?,
    };
    conn.execute("delete from texture_tags where texture_n = $1", values![n])?;
    for (position, tag) in upload.texts.tags.iter().enumerate() {
        let sql = "insert into texture_tags (texture_n, position, tag) values ($1, $2, $3)";
        conn.execute(sql, values![n, position as i64, tag])?;
    }
    if !upload.is_skin {
        return Ok(());
    }
    let event = NewEvent {
        kind: EventKind::SkinPublished,
        at,
        server_n: None,
        player_n: None,
        subject: Some(upload.id),
        facts: EventFacts::default(),
    };
    events::write_once(conn, event)
}

fn add(conn: &mut Conn, upload: &TextureUpload, rev: i64) -> Result<i64> {
    // An import may have taken the slug meanwhile.
    let taken = "select 1 from textures where kind = $1 and slug = $2";
    let mut slug = upload.slug.clone();
    if conn.query_optional(taken, values![upload.kind(), &slug], |_| ())?.is_some() {
        slug = slug::free(conn, upload.is_skin, &upload.texts.name, &upload.id)?;
        conn.execute("update texture_uploads set slug = $2 where id = $1", values![&upload.id, &slug])?;
    }
    let texts = &upload.texts;
    let n = conn.query_one(
        "insert into textures (kind, id, slug, name, description, model, png, owner_n, is_featured, created_at, view_count,
                               download_count, like_count, favorite_count, usage_count, rev)
         values ($1, $2, $3, $4, $5, $6, $7, coalesce($8, (select n from accounts where id = $9)), false, $10, 0, 0, 0, 0, 0, $11)
         returning n",
        values![
            upload.kind(),
            &upload.id,
            &slug,
            &texts.name,
            &texts.description,
            texts.model.as_deref(),
            &upload.png,
            upload.account_n,
            system_id(),
            upload.created_at,
            rev
        ],
        |row| row.get::<i64>(0),
    )?;
    // SQLite may use the number of a removed row again.
    conn.execute("delete from texture_removals where texture_n = $1", values![n])?;
    Ok(n)
}

fn change(conn: &mut Conn, n: i64, upload: &TextureUpload, rev: i64) -> Result<()> {
    let texts = &upload.texts;
    conn.execute(
        "update textures set name = $2, description = $3, model = $4, rev = $5 where n = $1",
        values![n, &texts.name, &texts.description, texts.model.as_deref(), rev],
    )?;
    conn.execute(
        "update players set skin_model = $2, rev = $3 where linked_skin_n = $1 and skin = $4 and skin_model <> $2",
        values![n, texts.model.as_deref(), rev, &upload.png],
    )?;
    Ok(())
}

/// Removes the row; nothing happens if there is none.
pub fn remove(conn: &mut Conn, id: &str, rev: i64) -> Result<()> {
    set_hidden(conn, id, true, rev)?;
    // With its tags, likes and favorites.
    conn.execute("delete from textures where id = $1", values![id])?;
    Ok(())
}
