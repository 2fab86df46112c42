use serde::{Deserialize, Serialize};

use super::context::Context;
use super::staging::{Table, int, text};
use super::{Missing, Record, Resource, Staged, Words, Wrong, checks};
use rollcall_model::time;
use rollcall_search::fold;
use rollcall_store::Row;
use rollcall_store::values;

#[derive(Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(super) struct Account {
    id: String,
    username: String,
    avatar: Option<String>,
    role: Option<String>,
    created_at: Option<String>,
}

static TABLE: Table = Table {
    name: "accounts",
    key: "id",
    columns: &[
        text("id"),
        text("username"),
        text("username_key"),
        text("avatar"),
        text("role"),
        int("created_at").kept_or_now(),
    ],
    computed: &[],
    lists: &[],
    touches: &[],
};

impl Record for Account {
    fn table(_: Resource) -> &'static Table {
        &TABLE
    }

    fn key(&self) -> String {
        format!("id {:?}", self.id)
    }

    fn select(_: Resource, words: &Words) -> Vec<String> {
        vec![format!("select id, username, avatar, role, created_at from accounts order by id{}", words.bytes)]
    }

    fn read(row: &Row) -> Self {
        Self {
            id: row.get(0),
            username: row.get(1),
            avatar: row.get(2),
            role: row.get(3),
            created_at: Some(time::iso(row.get(4))),
        }
    }

    fn pictures(&self) -> Vec<&str> {
        self.avatar.iter().map(String::as_str).collect()
    }

    fn check(self, context: &mut Context) -> Result<Staged, Wrong> {
        checks::id(&self.id)?;
        let username = checks::filled("username", &self.username)?;
        let key = fold(username);
        if !context.unique("username", "select id, username_key from accounts")?.claim(&self.id, &key) {
            return Err(format!("username {username:?} belongs to another account").into());
        }
        let role = self.role.as_deref().unwrap_or("USER");
        if role.is_empty() || !role.bytes().all(|b| b.is_ascii_uppercase() || b == b'_') {
            return Err(format!("role must be a word in capitals such as USER, not {role:?}").into());
        }
        let created_at = checks::time_or_none("createdAt", self.created_at.as_ref())?;
        let avatar = context.picture("avatar", self.avatar, Missing::Avatar { id: &self.id })?;
        Ok(Staged::from(values![&self.id, username, key, avatar, role, created_at].as_slice()))
    }
}
