//! Servers that are listed twice: one address has many names.

use crate::{Conn, Result, Row, values};
use rollcall_model::visibility::Visibility;

/// Where a server answers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AnsweredAt {
    pub ip: String,
    /// The typed port, and the one that an SRV record names.
    pub ports: [i64; 2],
    pub edition: String,
}

/// A server that answers at the same IP address and port as another one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SameAddress {
    pub slug: String,
    pub name: String,
    pub is_public: bool,
    pub host: String,
}

/// Servers of one edition whose last reply came from one IP address. Those that wait for their first reply are left out: of several
/// names for one address, the first that replied is listed.
const SELECT: &str = "select s.slug, s.name, s.visibility, s.ip
    from tracking t join servers s on s.n = t.server_n left join listings l on l.server_n = s.n
    where t.address = $1 and s.edition = $2 and s.n <> $3 and coalesce(l.waits_for, '') <> 'ping'";

fn read(row: &Row) -> SameAddress {
    SameAddress {
        slug: row.get(0),
        name: row.get(1),
        is_public: row.get::<String>(2) == Visibility::Public.name(),
        host: row.get(3),
    }
}

/// The servers at one of the two ports, without the server with the number `except`.
pub fn at_same_address(conn: &mut Conn, at: &AnsweredAt, except: i64) -> Result<Vec<SameAddress>> {
    let sql = format!("{SELECT} and s.port in ($4, $5) order by s.n limit 5");
    conn.query(&sql, values![&at.ip, &at.edition, except, at.ports[0], at.ports[1]], read)
}

/// The servers at another port of the same IP address: an SRV record may lead from it to one of the two.
pub fn at_other_port(conn: &mut Conn, at: &AnsweredAt, port: i64, except: i64) -> Result<Vec<SameAddress>> {
    let sql = format!("{SELECT} and s.port = $4 order by s.n limit 20");
    conn.query(&sql, values![&at.ip, &at.edition, except, port], read)
}
