//! Skins and capes that moderators hide. Those that somebody uploaded have a status instead (`texture_uploads`).

use crate::{Conn, Result, builtin_skins, revision, values};

/// Hides a texture, or shows it again. Who wears a hidden skin gets the default one. The default skins stay. Runs in the
/// transaction of the decision; `rev` is its revision.
pub(crate) fn set_hidden(conn: &mut Conn, texture_id: &str, is_hidden: bool, rev: i64) -> Result<()> {
    let [classic, slim] = builtin_skins::default_skin_ids();
    if texture_id == classic || texture_id == slim {
        return Ok(());
    }
    let sql = "update textures set hidden = $2, is_featured = case when $2 then false else is_featured end, rev = $3
               where id = $1 and hidden <> $2 returning n";
    let Some(n) = conn.query_optional(sql, values![texture_id, is_hidden, rev], |row| row.get::<i64>(0))? else {
        return Ok(());
    };
    if !is_hidden {
        return Ok(());
    }
    for (default_id, condition) in [(slim, "p.skin_model = 'slim'"), (classic, "true")] {
        let sql = format!(
            "update players as p set skin = case when p.skin = o.png then d.png else p.skin end, linked_skin_n = d.n, rev = $3
             from textures d, textures o where d.id = $2 and o.n = $1 and p.linked_skin_n = $1 and {condition}"
        );
        let moved = conn.execute(&sql, values![n, &default_id, rev])?;
        let sql = "update textures set usage_count = usage_count + $2, rev = $3 where id = $1";
        conn.execute(sql, values![&default_id, moved as i64, rev])?;
    }
    conn.execute("update players set cape_n = null, rev = $2 where cape_n = $1", values![n, rev])?;
    conn.execute("update textures set usage_count = 0 where n = $1", values![n])?;
    // Read models add and replace rows; what is gone needs a full load.
    revision::bump_epoch(conn)?;
    Ok(())
}
