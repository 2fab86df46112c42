//! The slug of an upload: from its name, and different from those of all textures and uploads of the kind.

use super::kind;
use crate::{Conn, Result, values};
use rollcall_model::slug::{is_valid_slug, slug};

/// A slug that only the texture and the upload with this id may have.
pub fn free(conn: &mut Conn, is_skin: bool, name: &str, id: &str) -> Result<String> {
    let kind = kind(is_skin);
    let from_name = slug(name);
    let base = if from_name.is_empty() { kind } else { &from_name };
    let taken = "select 1 from textures where kind = $1 and slug = $2 and id <> $3
                 union all select 1 from texture_uploads where kind = $1 and slug = $2 and id <> $3 limit 1";
    let mut candidate = base.to_owned();
    let mut number = 1;
    while !is_valid_slug(&candidate) || conn.query_optional(taken, values![kind, &candidate, id], |_| ())?.is_some() {
        number += 1;
        // A popular name must not cost a query for each upload that has it.
        candidate =
            if number < 10 { format!("{base}-{number}") } else { format!("{base}-{:08x}", rand::random::<u32>()) };
    }
    Ok(candidate)
}
