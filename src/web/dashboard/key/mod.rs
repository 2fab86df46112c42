//! The pages of one API key: each tab has its own address.

pub mod overview;
pub mod security;
pub mod settings;

use askama::Template;

use super::key_view::{self, KeyView};
use crate::app::App;
use crate::error::ApiError;
use crate::web::csrf_form::CsrfForm;
use crate::web::current_user::CurrentUser;
use crate::web::filters;
use crate::web::live_part::LivePart;
use crate::web::page::{self, PageRejection, PageResult};
use crate::web::session::or_not_found;
use rollcall_model::message::translatable;
use rollcall_store::audit::Author;
use rollcall_store::keys::{self, KeyRecord};
use rollcall_store::{Conn, Result};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum KeyTab {
    Overview,
    Usage,
    Security,
    Settings,
}

impl KeyTab {
    const ALL: [Self; 4] = [Self::Overview, Self::Usage, Self::Security, Self::Settings];

    /// The last segment of its path.
    fn name(self) -> &'static str {
        match self {
            Self::Overview => "",
            Self::Usage => "usage",
            Self::Security => "security",
            Self::Settings => "settings",
        }
    }

    fn title(self) -> &'static str {
        match self {
            Self::Overview => translatable("Overview"),
            Self::Usage => translatable("Usage"),
            Self::Security => translatable("Security"),
            Self::Settings => translatable("Settings"),
        }
    }

    /// An unknown name is the overview.
    fn parse(name: Option<&str>) -> Self {
        Self::ALL.into_iter().find(|tab| Some(tab.name()) == name).unwrap_or(Self::Overview)
    }
}

/// The head that all tabs share (`web/templates/dashboard/key_layout.html`).
pub struct KeyHead {
    pub view: KeyView,
    tab: KeyTab,
    /// Status, last use and alerts.
    pub state: LivePart,
    /// URL for refreshing the parts of the page.
    pub live: String,
}

#[derive(Template)]
#[template(path = "live/key_state.html")]
struct State<'a> {
    view: &'a KeyView,
}

/// Status, last use and alerts of a key.
pub fn state_part(view: &KeyView) -> std::result::Result<LivePart, ApiError> {
    LivePart::new("key-state", &State { view })
}

impl KeyHead {
    async fn load(app: &App, key: KeyRecord, tab: KeyTab, now: i64) -> std::result::Result<Self, PageRejection> {
        let view = or_not_found(key_view::load_key_views(app, vec![key], now).await?.pop())?;
        let state = state_part(&view)?;
        let live = format!("/dashboard/keys/{}/live?tab={}", view.key.id, tab.name());
        Ok(Self { view, tab, state, live })
    }

    fn name(&self) -> &str {
        &self.view.key.name
    }

    /// Path, title and whether it is the current one.
    fn tabs(&self) -> [(String, &'static str, bool); 4] {
        let root = format!("/dashboard/keys/{}", self.view.key.id);
        KeyTab::ALL.map(|tab| {
            let path = if tab == KeyTab::Overview { root.clone() } else { format!("{root}/{}", tab.name()) };
            (path, tab.title(), tab == self.tab)
        })
    }
}

/// A key of the current user; 404 for keys of others.
pub async fn find_own(app: &App, user: &CurrentUser, id: &str) -> std::result::Result<KeyRecord, PageRejection> {
    let id = id.to_owned();
    let key = app.pool.read(move |conn| keys::find(conn, &id)).await?;
    or_not_found(key.filter(|key| key.account == Some(user.account.n)))
}

/// Changes a key and redirects to one of its tabs with a message.
async fn change(
    app: &App,
    form: &CsrfForm<CurrentUser>,
    key: &KeyRecord,
    tab_and_done: &str,
    work: impl FnOnce(&mut Conn, i64, &Author) -> Result<()> + Send + 'static,
) -> PageResult {
    let (n, author) = (key.n, form.sender.author());
    app.pool.write(move |conn| work(conn, n, &author)).await?;
    Ok(page::redirect(&format!("/dashboard/keys/{}/{tab_and_done}", key.id)))
}
