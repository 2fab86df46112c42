//! The state that checking a line needs: referenced rows, unique values, ordinals and pictures.

use std::collections::HashMap;
use std::collections::hash_map::Entry;

use super::pictures::{DefaultPicture, PictureImporter};
use super::references::References;
use super::unique::{LoadValues, UniqueValues};
use super::{LineError, Resource};
use rollcall_store::transfer::TouchedRowTracker;
use rollcall_store::transfer::textures::TextureReference;
use rollcall_store::{Conn, Result as StoreResult};

pub(super) struct ImportContext<'c, 'a> {
    pub conn: &'c mut Conn,
    pub now: i64,
    pub resource: Resource,
    pub touched: TouchedRowTracker,
    pub progress: &'a mut dyn FnMut(&str, u64),
    references: References,
    unique_values: HashMap<&'static str, UniqueValues>,
    last_ordinals: HashMap<(Resource, i64), i64>,
    pub pictures: PictureImporter<'a>,
}

impl<'c, 'a> ImportContext<'c, 'a> {
    pub fn new(
        conn: &'c mut Conn,
        now: i64,
        pictures: PictureImporter<'a>,
        progress: &'a mut dyn FnMut(&str, u64),
    ) -> Self {
        Self {
            conn,
            now,
            resource: Resource::Accounts,
            touched: TouchedRowTracker::default(),
            progress,
            references: References::default(),
            unique_values: HashMap::new(),
            last_ordinals: HashMap::new(),
            pictures,
        }
    }

    pub fn account(&mut self, field: &str, id: &str) -> Result<i64, LineError> {
        let account = self.references.account(self.conn, id)?;
        account.ok_or_else(|| format!("{field} {id:?} is not the id of an account").into())
    }

    pub fn account_or_none(&mut self, field: &str, id: Option<&String>) -> Result<Option<i64>, LineError> {
        id.map(|id| self.account(field, id)).transpose()
    }

    pub fn server(&mut self, id: &str) -> Result<i64, LineError> {
        let server = self.references.server(self.conn, id)?;
        server.ok_or_else(|| format!("serverId {id:?} is not the id of a server").into())
    }

    pub fn player(&mut self, id: &str) -> Result<i64, LineError> {
        let player = self.references.player(self.conn, id)?;
        player.ok_or_else(|| format!("playerId {id:?} is not the id of a player").into())
    }

    pub fn player_or_none(&mut self, id: Option<&String>) -> Result<Option<i64>, LineError> {
        id.map(|id| self.player(id)).transpose()
    }

    /// A skin or cape by its id.
    pub fn texture(&mut self, field: &str, kind: &str, id: &str) -> Result<TextureReference, LineError> {
        let texture = self.references.textures(self.conn)?.get(id).filter(|texture| texture.kind == kind).cloned();
        texture.ok_or_else(|| format!("{field} {id:?} is not the id of a {kind}").into())
    }

    /// The built-in skin of a model, used by players without a linked skin.
    pub fn default_skin(&mut self, model: &str) -> Result<TextureReference, LineError> {
        let slug = format!("default-{model}");
        let textures = self.references.textures(self.conn)?;
        let skin = textures.values().find(|texture| texture.kind == "skin" && texture.slug == slug).cloned();
        skin.ok_or_else(|| format!("linkedSkinId is missing and the built-in skin {slug} does not exist").into())
    }

    /// Values that must be unique; `load` reads those in the store.
    pub fn unique(&mut self, name: &'static str, load: LoadValues) -> StoreResult<&mut UniqueValues> {
        Ok(match self.unique_values.entry(name) {
            Entry::Occupied(entry) => entry.into_mut(),
            Entry::Vacant(entry) => entry.insert(UniqueValues::load(self.conn, load)?),
        })
    }

    /// An ordinal after all rows of the server. The totals renumber the rows later. `last_ordinal` reads the highest
    /// one in the store.
    pub fn next_ordinal(
        &mut self,
        server_n: i64,
        last_ordinal: fn(&mut Conn, i64) -> StoreResult<i64>,
    ) -> StoreResult<i64> {
        let last = match self.last_ordinals.entry((self.resource, server_n)) {
            Entry::Occupied(entry) => entry.into_mut(),
            Entry::Vacant(entry) => entry.insert(last_ordinal(self.conn, server_n)?),
        };
        *last += 1;
        Ok(*last)
    }

    pub fn picture(&mut self, field: &str, path: Option<String>, default: DefaultPicture) -> Result<String, LineError> {
        Ok(self.pictures.import(field, path, default)?)
    }
}
