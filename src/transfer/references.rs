//! Row numbers by id, for what a line refers to. Loaded when first asked for, which is after the resource itself.

use std::collections::HashMap;

use rollcall_store::{Conn, Result};

/// What a player takes over from the skin or cape it wears.
#[derive(Clone)]
pub(super) struct TextureRef {
    pub n: i64,
    pub kind: String,
    pub slug: String,
    pub model: Option<String>,
    pub png: String,
}

#[derive(Default)]
pub(super) struct References {
    accounts: Option<HashMap<String, i64>>,
    servers: Option<HashMap<String, i64>>,
    players: Option<HashMap<String, i64>>,
    textures: Option<HashMap<String, TextureRef>>,
}

impl References {
    pub fn account(&mut self, conn: &mut Conn, id: &str) -> Result<Option<i64>> {
        numbered(&mut self.accounts, conn, "accounts", id)
    }

    pub fn server(&mut self, conn: &mut Conn, id: &str) -> Result<Option<i64>> {
        numbered(&mut self.servers, conn, "servers", id)
    }

    pub fn player(&mut self, conn: &mut Conn, id: &str) -> Result<Option<i64>> {
        numbered(&mut self.players, conn, "players", id)
    }

    pub fn textures(&mut self, conn: &mut Conn) -> Result<&HashMap<String, TextureRef>> {
        if self.textures.is_none() {
            let mut found = HashMap::new();
            conn.for_each("select id, n, kind, slug, model, png from textures", &[], |row| {
                let texture = TextureRef {
                    n: row.get(1),
                    kind: row.get(2),
                    slug: row.get(3),
                    model: row.get(4),
                    png: row.get(5),
                };
                found.insert(row.get(0), texture);
            })?;
            self.textures = Some(found);
        }
        Ok(self.textures.as_ref().expect("loaded just now"))
    }
}

fn numbered(kept: &mut Option<HashMap<String, i64>>, conn: &mut Conn, table: &str, id: &str) -> Result<Option<i64>> {
    if kept.is_none() {
        let mut found = HashMap::new();
        conn.for_each(&format!("select id, n from {table}"), &[], |row| {
            found.insert(row.get(0), row.get(1));
        })?;
        *kept = Some(found);
    }
    Ok(kept.as_ref().and_then(|numbers| numbers.get(id)).copied())
}
