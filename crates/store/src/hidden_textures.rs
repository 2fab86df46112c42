//! Skins and capes that are not shown: hidden by a moderator, or by their uploader.

use crate::media::kind_of;
use crate::textures::SKIN;
use crate::{Conn, Result, builtin_skins, values};

/// The kind of the pictures that people upload.
pub const UPLOAD: &str = "upload";

/// Hides a texture, or shows it again. Who wears a hidden skin gets the default one. The default skins stay. Runs in the
/// transaction of the decision; `rev` is its revision.
pub(crate) fn set_hidden(conn: &mut Conn, texture_id: &str, is_hidden: bool, rev: i64) -> Result<()> {
    let [classic, slim] = builtin_skins::default_skin_ids();
    if texture_id == classic || texture_id == slim {
        return Ok(());
    }
    let sql = "update textures set hidden = $2, is_featured = case when $2 then false else is_featured end, rev = $3
               where id = $1 and hidden <> $2 returning n, kind";
    let changed = conn.query_optional(sql, values![texture_id, is_hidden, rev], |row| {
        (row.get::<i64>(0), row.get::<String>(1) == SKIN)
    })?;
    match changed {
        Some((n, is_skin)) if is_hidden => {
            take_off(conn, n, [classic, slim], rev)?;
            conn.execute(
                "insert into texture_removals (texture_n, is_skin, rev) values ($1, $2, $3)
                 on conflict (texture_n) do update set is_skin = excluded.is_skin, rev = excluded.rev",
                values![n, is_skin, rev],
            )?;
        }
        Some((n, _)) => {
            conn.execute("delete from texture_removals where texture_n = $1", values![n])?;
        }
        None => {}
    }
    Ok(())
}

/// Wearers of the skin get the default one of the same model, wearers of the cape get none.
fn take_off(conn: &mut Conn, n: i64, [classic, slim]: [String; 2], rev: i64) -> Result<()> {
    for (default_id, condition) in [(slim, "p.skin_model = 'slim'"), (classic, "true")] {
        let sql = format!(
            "update players as p set skin = case when p.skin = o.png then d.png else p.skin end, linked_skin_n = d.n, rev = $3
             from textures d, textures o where d.id = $2 and o.n = $1 and p.linked_skin_n = $1 and {condition}"
        );
        let moved = conn.execute(&sql, values![n, &default_id, rev])?;
        if moved > 0 {
            let sql = "update textures set usage_count = usage_count + $2, rev = $3 where id = $1";
            conn.execute(sql, values![&default_id, moved.cast_signed(), rev])?;
        }
    }
    conn.execute("update players set cape_n = null, rev = $2 where cape_n = $1", values![n, rev])?;
    conn.execute("update textures set usage_count = 0 where n = $1", values![n])?;
    Ok(())
}

/// Whether the picture of a skin or cape is not for everyone: no moderator has approved it, or it was hidden.
pub fn is_withheld(conn: &mut Conn, path: &str) -> Result<bool> {
    let sql = match kind_of(path) {
        Some(UPLOAD) => {
            "select not exists (select 1 from textures where png = $1 and not hidden)
                    and not exists (select 1 from texture_uploads
                                    where png = $1 and status = 'APPROVED' and visibility = 'UNLISTED')"
        }
        Some("skin" | "cape") => {
            "select exists (select 1 from textures where png = $1 and hidden)
                    and not exists (select 1 from textures where png = $1 and not hidden)"
        }
        _ => return Ok(false),
    };
    conn.query_one(sql, values![path], |row| row.get(0))
}
