//! What checking a line may look at: the rows it refers to, what others hold, the pictures.

use std::collections::HashMap;
use std::collections::hash_map::Entry;

use super::pictures::{Missing, PictureBook};
use super::references::{References, TextureRef};
use super::unique::Unique;
use super::{Resource, Wrong};
use rollcall_store::totals::{Scope, Touched};
use rollcall_store::values;
use rollcall_store::{Conn, Result as StoreResult};

/// Past this many lines, computing all totals anew is quicker than finding out which ones changed.
const MOST_MARKED: usize = 5_000;

pub(super) struct Context<'c, 'a> {
    pub conn: &'c mut Conn,
    pub now: i64,
    pub resource: Resource,
    pub marks: Marks,
    pub progress: &'a mut dyn FnMut(&str, u64),
    references: References,
    uniques: HashMap<&'static str, Unique>,
    ordinals: HashMap<(&'static str, i64), i64>,
    pictures: PictureBook<'a>,
}

impl<'c, 'a> Context<'c, 'a> {
    pub fn new(
        conn: &'c mut Conn,
        now: i64,
        pictures: PictureBook<'a>,
        progress: &'a mut dyn FnMut(&str, u64),
    ) -> Self {
        Self {
            conn,
            now,
            resource: Resource::Accounts,
            marks: Marks::default(),
            progress,
            references: References::default(),
            uniques: HashMap::new(),
            ordinals: HashMap::new(),
            pictures,
        }
    }

    pub fn account(&mut self, field: &str, id: &str) -> Result<i64, Wrong> {
        let found = self.references.account(self.conn, id)?;
        found.ok_or_else(|| format!("{field} {id:?} names no account").into())
    }

    pub fn account_or_none(&mut self, field: &str, id: Option<&String>) -> Result<Option<i64>, Wrong> {
        id.map(|id| self.account(field, id)).transpose()
    }

    pub fn server(&mut self, id: &str) -> Result<i64, Wrong> {
        let found = self.references.server(self.conn, id)?;
        found.ok_or_else(|| format!("serverId {id:?} names no server").into())
    }

    pub fn player(&mut self, id: &str) -> Result<i64, Wrong> {
        let found = self.references.player(self.conn, id)?;
        found.ok_or_else(|| format!("playerId {id:?} names no player").into())
    }

    pub fn player_or_none(&mut self, id: Option<&String>) -> Result<Option<i64>, Wrong> {
        id.map(|id| self.player(id)).transpose()
    }

    /// A skin or cape by its id.
    pub fn texture(&mut self, field: &str, kind: &str, id: &str) -> Result<TextureRef, Wrong> {
        let found = self.references.textures(self.conn)?.get(id).filter(|texture| texture.kind == kind).cloned();
        found.ok_or_else(|| format!("{field} {id:?} names no {kind}").into())
    }

    /// The built-in skin of a model, which everybody wears who has linked none.
    pub fn default_skin(&mut self, model: &str) -> Result<TextureRef, Wrong> {
        let slug = format!("default-{model}");
        let textures = self.references.textures(self.conn)?;
        let found = textures.values().find(|texture| texture.kind == "skin" && texture.slug == slug).cloned();
        found.ok_or_else(|| format!("linkedSkinId is missing, and there is no skin {slug} to fall back on").into())
    }

    /// What rows of one kind must not share; `sql` gives id and value of those that are there.
    pub fn unique(&mut self, name: &'static str, sql: &str) -> StoreResult<&mut Unique> {
        Ok(match self.uniques.entry(name) {
            Entry::Occupied(entry) => entry.into_mut(),
            Entry::Vacant(entry) => entry.insert(Unique::load(self.conn, sql)?),
        })
    }

    /// A place after all rows of the server, until totals are recomputed.
    pub fn next_place(&mut self, table: &'static str, server_n: i64) -> StoreResult<i64> {
        let last = match self.ordinals.entry((table, server_n)) {
            Entry::Occupied(entry) => entry.into_mut(),
            Entry::Vacant(entry) => {
                let sql = format!("select coalesce(max(ordinal), 0) from {table} where server_n = $1");
                entry.insert(self.conn.one(&sql, values![server_n], |row| row.get(0))?)
            }
        };
        *last += 1;
        Ok(*last)
    }

    pub fn picture(&mut self, field: &str, path: Option<String>, missing: Missing) -> Result<String, Wrong> {
        Ok(self.pictures.settle(field, path, missing)?)
    }
}

/// The rows whose totals may have changed, while they are few.
#[derive(Default)]
pub(super) struct Marks {
    touched: Touched,
    rows: usize,
}

impl Marks {
    pub fn rows(&mut self, more: usize) {
        self.rows += more;
    }

    /// `None` once there are too many.
    pub fn touched(&mut self) -> Option<&mut Touched> {
        (self.rows <= MOST_MARKED).then_some(&mut self.touched)
    }

    pub fn into_scope(mut self) -> Scope {
        match self.touched() {
            Some(touched) if touched.len() <= MOST_MARKED => Scope::Touched(std::mem::take(touched)),
            _ => Scope::All,
        }
    }
}
