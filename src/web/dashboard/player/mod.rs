//! `/dashboard/player`: the player that an account is linked with, and what its user chooses for them.

mod linking;
mod settings;

use std::sync::Arc;

use askama::Template;
use axum::Router;
use axum::extract::{RawQuery, State};
use axum::http::StatusCode;
use axum::routing::get;

use super::DashboardLayout;
use crate::app::App;
use crate::http::query::Query;
use crate::web::current_user::CurrentUser;
use crate::web::filters;
use crate::web::form_route::form_route;
use crate::web::layout::Layout;
use crate::web::page::{self, PageResult};
use rollcall_model::message::Message;
use rollcall_model::time::MINUTE;
use rollcall_store::player_links::{self, PlayerLink};
use rollcall_store::player_settings::{self, PlayerSettings};
use rollcall_store::{Conn, Result, link_codes};

const PATH: &str = "/dashboard/player";

pub fn routes() -> Router<Arc<App>> {
    Router::new()
        .route(PATH, get(show))
        .route("/dashboard/player/link", form_route(PATH, linking::link))
        .route("/dashboard/player/code", form_route(PATH, linking::create_code))
        .route("/dashboard/player/unlink", form_route(PATH, linking::unlink))
        .route("/dashboard/player/appearance", form_route(PATH, settings::set_appearance))
        .route("/dashboard/player/country", form_route(PATH, settings::set_country))
        .route("/dashboard/player/erase", form_route(PATH, settings::erase))
}

#[derive(Template)]
#[template(path = "dashboard/player.html")]
struct PlayerPage {
    layout: Layout,
    dashboard: DashboardLayout,
    linked: Option<(PlayerLink, PlayerSettings)>,
    /// Address that players join in the game; `None` if the listener is off.
    join_address: Option<String>,
    /// A code that was just created; it is shown once.
    new_code: Option<String>,
    minutes: i64,
    must_confirm: bool,
}

impl PlayerPage {
    /// Whether joining would change anything: it also takes the place of a server's word.
    fn can_join(&self) -> bool {
        self.linked.as_ref().is_none_or(|(link, _)| link.method != "join")
    }
}

pub async fn show(State(app): State<Arc<App>>, user: CurrentUser, RawQuery(query): RawQuery) -> PageResult {
    let dashboard = DashboardLayout::new(&user, PATH).with_success_from(query.as_deref());
    let query = Query::parse(query.as_deref().unwrap_or_default()).unwrap_or_default();
    let proposed = Proposed { skin: query.get("skin").map(str::to_owned), cape: query.get("cape").map(str::to_owned) };
    render(&app, &user, dashboard, None, proposed).await
}

/// A skin or cape to fill into the form: pages of skins and capes link here.
#[derive(Default)]
struct Proposed {
    skin: Option<String>,
    cape: Option<String>,
}

async fn render(
    app: &App,
    user: &CurrentUser,
    dashboard: DashboardLayout,
    new_code: Option<String>,
    proposed: Proposed,
) -> PageResult {
    let account_n = user.account.n;
    let mut linked = app.pool.read(move |conn| load(conn, account_n)).await?;
    if let Some((_, settings)) = &mut linked {
        settings.skin_slug = proposed.skin.unwrap_or_else(|| std::mem::take(&mut settings.skin_slug));
        settings.cape_slug = proposed.cape.or_else(|| settings.cape_slug.take());
    }
    Ok(page::private(&PlayerPage {
        layout: Layout::new("/dashboard"),
        dashboard,
        linked,
        join_address: app.linking.join_address().map(str::to_owned),
        new_code,
        minutes: link_codes::LASTS / MINUTE,
        must_confirm: user.must_confirm(),
    }))
}

fn load(conn: &mut Conn, account_n: i64) -> Result<Option<(PlayerLink, PlayerSettings)>> {
    let link = player_links::of_account(conn, account_n)?;
    Ok(link.zip(player_settings::of_account(conn, account_n)?))
}

/// Shows the page again with an error message.
async fn reject(app: &App, user: &CurrentUser, status: StatusCode, error: impl Into<Message>) -> PageResult {
    let dashboard = DashboardLayout::new(user, PATH).with_error(error);
    Ok(page::with_status(render(app, user, dashboard, None, Proposed::default()).await?, status))
}
