//! `/dashboard/skins`: the skins and capes that a user uploaded.

mod edit;
mod new;
pub mod picture;

use std::sync::Arc;

use askama::Template;
use axum::Router;
use axum::extract::{RawQuery, State};
use axum::routing::get;

use super::DashboardLayout;
use crate::app::App;
use crate::texture_uploads::EnteredUpload;
use crate::web::contribution_status;
use crate::web::current_user::CurrentUser;
use crate::web::filters;
use crate::web::form_route::form_route;
use crate::web::layout::Layout;
use crate::web::page::{self, PageResult};
use rollcall_model::message::translatable;
use rollcall_model::visibility::Visibility;
use rollcall_store::texture_uploads::{self, TextureUpload};
use rollcall_store::{Conn, Result};

const PATH: &str = "/dashboard/skins";
/// Above the default cap of an account.
const MAX_SHOWN: i64 = 1_000;

pub fn routes() -> Router<Arc<App>> {
    Router::new()
        .route("/dashboard/skins", get(show))
        .route("/dashboard/skins/new", get(new::show).post(new::submit))
        .route("/dashboard/skins/{id}", get(edit::show).post(edit::save))
        .route("/dashboard/skins/{id}/delete", form_route("/dashboard/skins/{id}", edit::delete))
        .route("/dashboard/skins/{id}/picture.png", get(picture::show_own))
        .route("/dashboard/skins/{id}/figure.png", get(picture::show_own_figure))
}

#[derive(Template)]
#[template(path = "dashboard/skins.html")]
struct SkinsPage {
    layout: Layout,
    dashboard: DashboardLayout,
    /// With the reason of a moderator, which may be empty.
    uploads: Vec<(TextureUpload, String)>,
}

impl SkinsPage {
    fn status_name(&self, upload: &TextureUpload) -> &'static str {
        status_name(upload)
    }

    fn status_class(&self, upload: &TextureUpload) -> &'static str {
        contribution_status::class(&upload.status)
    }

    fn kind_name(&self, upload: &TextureUpload) -> &'static str {
        kind_name(upload)
    }
}

fn kind_name(upload: &TextureUpload) -> &'static str {
    if upload.is_skin { translatable("Skin") } else { translatable("Cape") }
}

/// What others see of it: an approved upload may be hidden by its uploader.
fn status_name(upload: &TextureUpload) -> &'static str {
    match (upload.status.as_str(), upload.texts.visibility) {
        ("APPROVED", Visibility::Unlisted) => translatable("Unlisted"),
        ("APPROVED", Visibility::Hidden) => translatable("Hidden by you"),
        (status, _) => contribution_status::name(status),
    }
}

/// Value, name and whether it is chosen, for a list of options.
type Options = Vec<(&'static str, &'static str, bool)>;

fn models(entered: &EnteredUpload) -> Options {
    let models = [
        ("", translatable("As the picture suggests")),
        ("classic", translatable("Classic arms (4 pixels)")),
        ("slim", translatable("Slim arms (3 pixels)")),
    ];
    models.map(|(value, name)| (value, name, entered.model == value)).into()
}

fn visibilities(entered: &EnteredUpload) -> Options {
    let names = [
        (Visibility::Public, translatable("Public")),
        (Visibility::Unlisted, translatable("Unlisted")),
        (Visibility::Hidden, translatable("Hidden")),
    ];
    names.map(|(value, name)| (value.name(), name, entered.visibility == value.name())).into()
}

async fn show(State(app): State<Arc<App>>, user: CurrentUser, RawQuery(query): RawQuery) -> PageResult {
    let account_n = user.account.n;
    let read = move |conn: &mut Conn| {
        let uploads = texture_uploads::of_account(conn, account_n, MAX_SHOWN)?;
        let with_reason = |upload: TextureUpload| {
            let is_turned_down = matches!(upload.status.as_str(), "REJECTED" | "HIDDEN");
            let reason = if is_turned_down { texture_uploads::reason(conn, &upload.id)? } else { String::new() };
            Ok((upload, reason))
        };
        uploads.into_iter().map(with_reason).collect::<Result<Vec<_>>>()
    };
    let uploads = app.pool.read(read).await?;
    let dashboard = DashboardLayout::new(&user, PATH).with_success_from(query.as_deref());
    Ok(page::private(&SkinsPage { layout: Layout::new("/dashboard"), dashboard, uploads }))
}
