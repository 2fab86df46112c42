//! `/dashboard/skins/{id}`: one upload: what became of it, its texts, and its end.

use std::sync::Arc;

use askama::Template;
use axum::extract::{RawQuery, State};
use axum::http::StatusCode;

use super::{Options, PATH, kind_name, models, status_name, visibilities};
use crate::app::App;
use crate::texture_uploads::{EnteredUpload, MAX_DESCRIPTION_CHARS, MAX_NAME_CHARS, MAX_TAGS, prepare_edit};
use crate::web::assets;
use crate::web::contribution_status;
use crate::web::csrf_form::CsrfForm;
use crate::web::current_user::CurrentUser;
use crate::web::dashboard::DashboardLayout;
use crate::web::filters;
use crate::web::layout::Layout;
use crate::web::page::{self, PageRejection, PageResult};
use crate::web::session::{PathId, or_not_found};
use rollcall_model::message::{Message, translatable};
use rollcall_store::texture_uploads::{self, TextureUpload};
use rollcall_store::{Conn, revision};

#[derive(Template)]
#[template(path = "dashboard/skin_edit.html")]
struct EditSkinPage {
    layout: Layout,
    dashboard: DashboardLayout,
    upload: TextureUpload,
    /// Why a moderator turned it down; may be empty.
    reason: String,
    entered: EnteredUpload,
    default_skin: String,
    max_name_chars: usize,
    max_description_chars: usize,
    max_tags: usize,
}

impl EditSkinPage {
    fn models(&self) -> Options {
        models(&self.entered).into_iter().skip(1).collect()
    }

    fn visibilities(&self) -> Options {
        visibilities(&self.entered)
    }

    fn kind_name(&self) -> &'static str {
        kind_name(&self.upload)
    }

    fn status_name(&self) -> &'static str {
        status_name(&self.upload)
    }

    fn status_class(&self) -> &'static str {
        contribution_status::class(&self.upload.status)
    }

    fn viewer_script(&self) -> &'static str {
        assets::VIEWER
    }
}

async fn find(app: &App, user: &CurrentUser, id: &str) -> Result<(TextureUpload, String), PageRejection> {
    let (account_n, id) = (user.account.n, id.to_owned());
    let read = move |conn: &mut Conn| {
        let Some(upload) = texture_uploads::find_own(conn, account_n, &id)? else { return Ok(None) };
        let is_turned_down = matches!(upload.status.as_str(), "REJECTED" | "HIDDEN");
        let reason = if is_turned_down { texture_uploads::reason(conn, &id)? } else { String::new() };
        Ok(Some((upload, reason)))
    };
    or_not_found(app.pool.read(read).await?)
}

fn stored(upload: &TextureUpload) -> EnteredUpload {
    let texts = &upload.texts;
    EnteredUpload {
        kind: upload.kind().to_owned(),
        model: texts.model.clone().unwrap_or_default(),
        name: texts.name.clone(),
        description: texts.description.clone(),
        tags: texts.tags.join(", "),
        visibility: texts.visibility.name().to_owned(),
        ..EnteredUpload::default()
    }
}

fn render(
    app: &App,
    dashboard: DashboardLayout,
    (upload, reason): (TextureUpload, String),
    entered: EnteredUpload,
) -> EditSkinPage {
    EditSkinPage {
        layout: Layout::new("/dashboard"),
        dashboard,
        upload,
        reason,
        entered,
        default_skin: app.default_skin(),
        max_name_chars: MAX_NAME_CHARS,
        max_description_chars: MAX_DESCRIPTION_CHARS,
        max_tags: MAX_TAGS,
    }
}

pub async fn show(
    State(app): State<Arc<App>>,
    user: CurrentUser,
    PathId(id): PathId,
    RawQuery(query): RawQuery,
) -> PageResult {
    let found = find(&app, &user, &id).await?;
    let entered = stored(&found.0);
    let dashboard = DashboardLayout::new(&user, PATH).with_success_from(query.as_deref());
    Ok(page::private(&render(&app, dashboard, found, entered)))
}

pub async fn save(State(app): State<Arc<App>>, PathId(id): PathId, form: CsrfForm<CurrentUser>) -> PageResult {
    let user = &form.sender;
    let found = find(&app, user, &id).await?;
    let entered = EnteredUpload {
        kind: found.0.kind().to_owned(),
        model: form.text("model").to_owned(),
        name: form.text("name").to_owned(),
        description: form.text("description").to_owned(),
        tags: form.text("tags").to_owned(),
        visibility: form.text("visibility").to_owned(),
        ..EnteredUpload::default()
    };
    let (texts, held) = match prepare_edit(&app.moderation, &user.account, &found.0, &entered) {
        Ok(prepared) => prepared,
        Err(error) => return rejected(&app, user, found, entered, error),
    };
    let (account_n, author, done) =
        (user.account.n, user.author(), if held.is_some() { "upload-held" } else { "upload-saved" });
    let upload_id = id.clone();
    let work = move |conn: &mut Conn| {
        let rev = revision::bump(conn)?;
        texture_uploads::edit(conn, (account_n, &upload_id), &texts, held.as_deref(), rev, &author)
    };
    or_not_found(app.pool.write(work).await?.then_some(()))?;
    Ok(page::redirect(&format!("{PATH}/{id}?done={done}")))
}

fn rejected(
    app: &App,
    user: &CurrentUser,
    found: (TextureUpload, String),
    entered: EnteredUpload,
    error: impl Into<Message>,
) -> PageResult {
    let dashboard = DashboardLayout::new(user, PATH).with_error(error);
    let page = page::private(&render(app, dashboard, found, entered));
    Ok(page::with_status(page, StatusCode::UNPROCESSABLE_ENTITY))
}

pub async fn delete(State(app): State<Arc<App>>, PathId(id): PathId, form: CsrfForm<CurrentUser>) -> PageResult {
    let user = &form.sender;
    if form.text("sure") != "yes" {
        let found = find(&app, user, &id).await?;
        let entered = stored(&found.0);
        let error = translatable("Nothing was changed. Go back and check the box to confirm.");
        return rejected(&app, user, found, entered, error);
    }
    let (account_n, author) = (user.account.n, user.author());
    let work = move |conn: &mut Conn| {
        let rev = revision::bump(conn)?;
        texture_uploads::delete_own(conn, account_n, &id, rev, &author)
    };
    or_not_found(app.pool.write(work).await?.then_some(()))?;
    Ok(page::redirect(&format!("{PATH}?done=upload-deleted")))
}
