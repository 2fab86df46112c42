//! Finds single servers by address or id.

use super::{Conn, Result, servers};
use crate::values;
use rollcall_model::token;
use rollcall_model::visibility::Visibility;

/// A server that was found by its address.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ServerAtAddress {
    pub id: String,
    pub slug: String,
    pub is_hidden: bool,
    /// Names the server in the path of its claim.
    pub claim_segment: String,
}

/// Names a hidden server in the path of its claim, to those who know its address: the slug would tell its name, and who knows the
/// id alone, from when it was public, may not know where it is now.
pub fn secret_segment(id: &str, host: &str, port: i64) -> String {
    let digest = token::hash(&servers::address(&host.to_lowercase(), port));
    format!("{id}-{}", &digest[..SEGMENT_DIGITS])
}

/// 64 bits.
const SEGMENT_DIGITS: usize = 16;

/// Another server at the same address. `hosts` are spellings of one host: as typed, ASCII and Unicode, all in lower case.
pub fn at_address(
    conn: &mut Conn,
    hosts: [&str; 3],
    port: i64,
    edition: &str,
    except_id: &str,
) -> Result<Option<ServerAtAddress>> {
    let [typed, ascii, unicode] = hosts;
    conn.query_optional(
        "select id, slug, visibility, ip, port from servers
         where lower(ip) in ($1, $2, $3) and port = $4 and edition = $5 and id <> $6",
        values![typed, ascii, unicode, port, edition, except_id],
        |row| {
            let (id, slug): (String, String) = (row.get(0), row.get(1));
            let is_hidden = row.get::<String>(2) == Visibility::Hidden.name();
            let claim_segment = match is_hidden {
                true => secret_segment(&id, &row.get::<String>(3), row.get(4)),
                false => slug.clone(),
            };
            ServerAtAddress { id, slug, is_hidden, claim_segment }
        },
    )
}

/// Fails when there is no server with this id.
pub fn number_and_slug(conn: &mut Conn, id: &str) -> Result<(i64, String)> {
    conn.query_one("select n, slug from servers where id = $1", values![id], |row| (row.get(0), row.get(1)))
}
