//! How often a skin or cape is liked, kept as a favorite, and worn.

use crate::store::{Conn, Result};

pub(super) fn total(conn: &mut Conn) -> Result<()> {
    conn.execute(
        "update textures set like_count = c.likes, favorite_count = c.favorites, usage_count = c.worn
         from (
             select t.n,
                    (select count(*) from texture_likes l where l.texture_n = t.n) as likes,
                    (select count(*) from texture_favorites f where f.texture_n = t.n) as favorites,
                    (select count(*) from players p where p.linked_skin_n = t.n)
                        + (select count(*) from players p where p.cape_n = t.n) as worn
             from touched_textures t) c
         where c.n = textures.n
           and (like_count <> c.likes or favorite_count <> c.favorites or usage_count <> c.worn)",
        &[],
    )?;
    Ok(())
}
