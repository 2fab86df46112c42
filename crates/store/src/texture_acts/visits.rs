//! Views and downloads: each account or address counts once per texture and UTC day.

use std::collections::BTreeMap;
use std::collections::btree_map::Entry;

use super::{DOWNLOAD_WEIGHT, VIEW_WEIGHT, add_to_trend, take_day};
use crate::voting::voter_address::AddressKeys;
use crate::{Conn, Result, revision, values};
use rollcall_model::time::{DAY, start_of_day};

/// How long it is remembered who has visited, as long as the keys of the addresses.
const KEPT: i64 = 2 * DAY;

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum VisitKind {
    View,
    Download,
}

/// The visitor. An address is the client IP, or its network where one customer has many addresses.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Visitor {
    Account(i64),
    Address(String),
}

#[derive(Clone, Debug)]
pub struct Visit {
    pub texture_n: i64,
    pub kind: VisitKind,
    pub visitor: Visitor,
    pub at: i64,
}

/// Additions of a batch to a texture.
#[derive(Default)]
struct Counted {
    views: i64,
    downloads: i64,
    at: i64,
}

/// Counts a batch of visits; call it in a transaction. Counting a batch twice changes nothing.
pub fn count(conn: &mut Conn, visits: &[Visit]) -> Result<()> {
    let rev = revision::bump(conn)?;
    let mut textures: BTreeMap<i64, Option<Counted>> = BTreeMap::new();
    let mut addresses = AddressKeys::default();
    for visit in visits {
        let counted = match textures.entry(visit.texture_n) {
            Entry::Occupied(known) => known.into_mut(),
            Entry::Vacant(new) => {
                let sql = "select 1 from textures where n = $1";
                let exists = conn.query_optional(sql, values![visit.texture_n], |_| ())?.is_some();
                new.insert(exists.then(Counted::default))
            }
        };
        let Some(counted) = counted else { continue };
        let day = start_of_day(visit.at);
        let act = match visit.kind {
            VisitKind::View => "view",
            VisitKind::Download => "download",
        };
        let visitor = match &visit.visitor {
            Visitor::Account(n) => format!("{act}:account:{n}"),
            Visitor::Address(address) => format!("{act}:address:{}", addresses.fingerprint(conn, day, address)?),
        };
        if take_day(conn, visit.texture_n, day, &visitor)? {
            match visit.kind {
                VisitKind::View => counted.views += 1,
                VisitKind::Download => counted.downloads += 1,
            }
            counted.at = counted.at.max(visit.at);
        }
    }
    for (texture_n, counted) in textures {
        let Some(counted) = counted.filter(|counted| counted.at > 0) else { continue };
        conn.execute(
            "update textures set view_count = view_count + $2, download_count = download_count + $3, rev = $4 where n = $1",
            values![texture_n, counted.views, counted.downloads, rev],
        )?;
        let weight = counted.views as f64 * VIEW_WEIGHT + counted.downloads as f64 * DOWNLOAD_WEIGHT;
        add_to_trend(conn, texture_n, weight, counted.at)?;
    }
    Ok(())
}

/// Whether [`delete_expired`] has anything to delete.
pub fn has_expired(conn: &mut Conn, now: i64) -> Result<bool> {
    let sql = "select 1 from texture_visits where day < $1 limit 1";
    Ok(conn.query_optional(sql, values![oldest_day(now)], |_| ())?.is_some())
}

/// Deletes the visitors of earlier days. Their addresses cannot be recovered since the keys of these days were deleted.
pub fn delete_expired(conn: &mut Conn, now: i64) -> Result<()> {
    conn.execute("delete from texture_visits where day < $1", values![oldest_day(now)])?;
    Ok(())
}

fn oldest_day(now: i64) -> i64 {
    start_of_day(now) + DAY - KEPT
}
