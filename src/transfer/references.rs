//! Row numbers by id, for the rows that a line refers to. Each map is loaded on first use, which is after the import
//! of the resource itself.

use std::collections::HashMap;

use rollcall_store::transfer::textures::TextureReference;
use rollcall_store::transfer::{accounts, players, servers, textures};
use rollcall_store::{Conn, Result};

type RowNumbers = HashMap<String, i64>;

#[derive(Default)]
pub(super) struct References {
    accounts: Option<RowNumbers>,
    servers: Option<RowNumbers>,
    players: Option<RowNumbers>,
    textures: Option<HashMap<String, TextureReference>>,
}

impl References {
    pub fn account(&mut self, conn: &mut Conn, id: &str) -> Result<Option<i64>> {
        Ok(load_once(&mut self.accounts, || accounts::row_numbers(conn))?.get(id).copied())
    }

    pub fn server(&mut self, conn: &mut Conn, id: &str) -> Result<Option<i64>> {
        Ok(load_once(&mut self.servers, || servers::row_numbers(conn))?.get(id).copied())
    }

    pub fn player(&mut self, conn: &mut Conn, id: &str) -> Result<Option<i64>> {
        Ok(load_once(&mut self.players, || players::row_numbers(conn))?.get(id).copied())
    }

    pub fn textures(&mut self, conn: &mut Conn) -> Result<&HashMap<String, TextureReference>> {
        load_once(&mut self.textures, || textures::references(conn))
    }
}

fn load_once<T>(loaded: &mut Option<T>, load: impl FnOnce() -> Result<T>) -> Result<&T> {
    if loaded.is_none() {
        *loaded = Some(load()?);
    }
    Ok(loaded.as_ref().expect("loaded above"))
}
