//! Totals of skins and capes: likes, favorites, wearers.

use super::ScopeSql;
use crate::{Conn, Result};

pub(super) fn recompute(conn: &mut Conn, scope: &ScopeSql) -> Result<()> {
    conn.execute(
        &format!(
            "update textures set like_count = c.likes, favorite_count = c.favorites, usage_count = c.worn
             from (
                 select r.n,
                        (select count(*) from texture_likes l where l.texture_n = r.n) as likes,
                        (select count(*) from texture_favorites f where f.texture_n = r.n) as favorites,
                        (select count(*) from players p where p.linked_skin_n = r.n)
                            + (select count(*) from players p where p.cape_n = r.n) as worn
                 from {}) c
             where c.n = textures.n
               and (like_count <> c.likes or favorite_count <> c.favorites or usage_count <> c.worn)",
            scope.rows("textures", "n", "textures")
        ),
        &[],
    )?;
    Ok(())
}
