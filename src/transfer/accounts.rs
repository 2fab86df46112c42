//! `accounts.ndjson`

use serde::{Deserialize, Serialize};

use super::context::ImportContext;
use super::{DefaultPicture, LineError, NdjsonLine, Resource, checks};
use rollcall_model::time;
use rollcall_store::Conn;
use rollcall_store::transfer::accounts::{self, TransferAccount, username_key};
use rollcall_store::transfer::{StagedRow, StagedTable};

#[derive(Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(super) struct AccountLine {
    id: String,
    username: String,
    avatar: Option<String>,
    role: Option<String>,
    created_at: Option<String>,
}

impl From<TransferAccount> for AccountLine {
    fn from(account: TransferAccount) -> Self {
        Self {
            id: account.id,
            username: account.username,
            avatar: Some(account.avatar),
            role: Some(account.role),
            created_at: account.created_at.map(time::iso),
        }
    }
}

impl NdjsonLine for AccountLine {
    fn table(_: Resource) -> &'static StagedTable {
        &accounts::TABLE
    }

    fn key(&self) -> String {
        format!("id {:?}", self.id)
    }

    fn for_each(conn: &mut Conn, _: Resource, write: &mut dyn FnMut(Self)) -> rollcall_store::Result<()> {
        accounts::for_each(conn, |account| write(account.into()))
    }

    fn pictures(&self) -> Vec<&str> {
        self.avatar.iter().map(String::as_str).collect()
    }

    fn check(self, context: &mut ImportContext) -> Result<StagedRow, LineError> {
        checks::id(&self.id)?;
        checks::name("username", &self.username, checks::MAX_NAME)?;
        let usernames = context.unique("username", accounts::for_each_username_key)?;
        if !usernames.claim(&self.id, &username_key(&self.username)) {
            return Err(format!("username {:?} is already used by another account", self.username).into());
        }
        let role = self.role.unwrap_or_else(|| "USER".to_owned());
        checks::name("role", &role, checks::MAX_NAME)?;
        if !role.bytes().all(|b| b.is_ascii_uppercase() || b == b'_') {
            return Err(format!("role must be a word in capitals such as USER, not {role:?}").into());
        }
        let created_at = checks::time_or_none("createdAt", self.created_at.as_ref())?;
        let avatar = context.picture("avatar", self.avatar, DefaultPicture::Avatar { id: &self.id })?;
        Ok(TransferAccount { id: self.id, username: self.username, avatar, role, created_at }.into())
    }
}
