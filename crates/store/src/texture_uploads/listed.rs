//! The row of an upload in `textures`, which the API and the gallery show.

use super::{TextureUpload, find, slug};
use crate::builtin_skins::{default_skin_ids, system_id};
use crate::{Conn, Result, values};

/// Makes `textures` agree with an upload: its row is added, changed or removed.
pub fn follow(conn: &mut Conn, id: &str, rev: i64) -> Result<()> {
    // The uploader deleted it meanwhile.
    let Some(upload) = find(conn, id)? else { return remove(conn, id, rev) };
    if !upload.is_listed() {
        return remove(conn, id, rev);
    }
    let shown = conn.query_optional("select n from textures where id = $1", values![id], |row| row.get::<i64>(0))?;
    let n = match shown {
        Some(n) => {
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
    Ok(())
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
            upload.public_png(),
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
        values![n, texts.model.as_deref(), rev, upload.public_png()],
    )?;
    Ok(())
}

/// Removes the row; nothing happens if there is none. Who wears the skin gets the default one, who wears the cape gets none.
pub fn remove(conn: &mut Conn, id: &str, rev: i64) -> Result<()> {
    let sql = "select n, kind = 'skin', model from textures where id = $1";
    let shown = conn.query_optional(sql, values![id], |row| {
        (row.get::<i64>(0), row.get::<bool>(1), row.get::<Option<String>>(2))
    })?;
    let Some((n, is_skin, model)) = shown else { return Ok(()) };
    let [classic, slim] = default_skin_ids();
    let default = if model.as_deref() == Some("slim") { slim } else { classic };
    let fell_back = conn.execute(
        "update players set skin = case when skin = o.png then d.png else skin end,
                skin_model = case when skin = o.png then d.model else skin_model end, linked_skin_n = d.n, rev = $3
         from textures o, textures d where o.n = $1 and d.id = $2 and players.linked_skin_n = o.n",
        values![n, &default, rev],
    )?;
    if fell_back > 0 {
        conn.execute(
            "update textures set usage_count = usage_count + $2, rev = $3 where id = $1",
            values![&default, fell_back.cast_signed(), rev],
        )?;
    }
    conn.execute("update players set cape_n = null, rev = $2 where cape_n = $1", values![n, rev])?;
    // With its tags, likes and favorites.
    conn.execute("delete from textures where n = $1", values![n])?;
    conn.execute(
        "insert into texture_removals (texture_n, is_skin, rev) values ($1, $2, $3)
         on conflict (texture_n) do update set is_skin = excluded.is_skin, rev = excluded.rev",
        values![n, is_skin, rev],
    )?;
    Ok(())
}
