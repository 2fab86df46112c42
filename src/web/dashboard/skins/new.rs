//! `/dashboard/skins/new`: uploading a skin or cape.

use std::sync::Arc;

use askama::Template;
use axum::extract::{RawQuery, State};
use axum::http::StatusCode;

use super::{Options, PATH, models, visibilities};
use crate::app::App;
use crate::catalogue::Textures;
use crate::http::query::Query;
use crate::texture_uploads::{
    self, CopyError, CopySources, EnteredUpload, MAX_DESCRIPTION_CHARS, MAX_NAME_CHARS, MAX_TAGS, UploadError,
};
use crate::web::assets;
use crate::web::current_user::CurrentUser;
use crate::web::dashboard::DashboardLayout;
use crate::web::filters;
use crate::web::form_rejection::FormRejection;
use crate::web::layout::Layout;
use crate::web::page::{self, PageRejection, PageResult};
use crate::web::upload_form::TextureUploadForm;
use rollcall_model::message::{Message, translatable};
use rollcall_model::time::DAY;
use rollcall_model::visibility::Visibility;
use rollcall_store::texture_uploads::{UploadCaps, UploadOutcome};

/// Tags that are suggested; the most common ones.
const SUGGESTED_TAGS: usize = 30;

#[derive(Template)]
#[template(path = "dashboard/skin_new.html")]
struct NewSkinPage {
    layout: Layout,
    dashboard: DashboardLayout,
    entered: EnteredUpload,
    suggested_tags: Vec<String>,
    /// The skin below a cape.
    default_skin: String,
    is_held: bool,
    can_copy_players: bool,
    max_kib: usize,
    max_name_chars: usize,
    max_description_chars: usize,
    max_tags: usize,
}

impl NewSkinPage {
    fn models(&self) -> Options {
        models(&self.entered)
    }

    fn visibilities(&self) -> Options {
        visibilities(&self.entered)
    }

    fn viewer_script(&self) -> &'static str {
        assets::VIEWER
    }
}

fn suggested_tags(app: &App) -> Vec<String> {
    let by_count = |textures: &Textures| {
        let mut tags: Vec<(u64, String)> = textures.tags().map(|(tag, count)| (count, tag.to_owned())).collect();
        tags.sort_by(|a, b| b.0.cmp(&a.0).then_with(|| a.1.cmp(&b.1)));
        tags.into_iter().take(SUGGESTED_TAGS).map(|(_, tag)| tag).collect()
    };
    by_count(&app.catalogue.skins())
}

fn render(app: &App, user: &CurrentUser, dashboard: DashboardLayout, entered: EnteredUpload) -> NewSkinPage {
    NewSkinPage {
        layout: Layout::new("/dashboard"),
        dashboard,
        entered,
        suggested_tags: suggested_tags(app),
        default_skin: app.default_skin(),
        is_held: app.moderation.hold_uploads && !user.account.skips_moderation(),
        can_copy_players: app.skin_lookup.is_some(),
        max_kib: rollcall_paint::MAX_UPLOAD_BYTES / 1024,
        max_name_chars: MAX_NAME_CHARS,
        max_description_chars: MAX_DESCRIPTION_CHARS,
        max_tags: MAX_TAGS,
    }
}

pub async fn show(State(app): State<Arc<App>>, user: CurrentUser, RawQuery(query): RawQuery) -> PageResult {
    let query = Query::parse(query.as_deref().unwrap_or_default()).unwrap_or_default();
    let entered = EnteredUpload {
        kind: if query.get("kind") == Some("cape") { "cape" } else { "skin" }.to_owned(),
        based_on: query.get("based_on").unwrap_or_default().chars().take(200).collect(),
        visibility: Visibility::default().name().to_owned(),
        ..EnteredUpload::default()
    };
    Ok(page::private(&render(&app, &user, DashboardLayout::new(&user, PATH), entered)))
}

pub async fn submit(State(app): State<Arc<App>>, form: TextureUploadForm<CurrentUser>) -> PageResult {
    let user = &form.sender;
    let mut entered = entered(&form);
    let rejected = |rejection: FormRejection, entered: EnteredUpload| {
        let dashboard = DashboardLayout::new(user, PATH).with_error(rejection.message.clone());
        Ok(rejection.respond(page::private(&render(&app, user, dashboard, entered))))
    };
    let sources = CopySources {
        public_url: &app.public_url,
        pool: &app.pool,
        media: &app.media,
        skin_lookup: app.skin_lookup.as_ref(),
    };
    let file = match sources.file(user.account.n, form.file.clone(), &mut entered).await {
        Ok(file) => file,
        Err(error) => return rejected(copy_rejection(error)?, entered),
    };
    let prepared = texture_uploads::prepare(&app.moderation, &app.media, &user.account, file, &entered).await;
    let new = match prepared {
        Ok(new) => new,
        Err(UploadError::Failed(error)) => return Err(error.into()),
        Err(UploadError::Refused(error)) => return rejected(FormRejection::invalid(error), entered),
    };
    let (moderation, author) = (app.moderation.clone(), user.author());
    let outcome = app.pool.write(move |conn| texture_uploads::submit(conn, &moderation, &new, &author)).await?;
    match page_after(outcome, &app.moderation.upload_caps, user.session.now) {
        Ok(page) => Ok(page::redirect(&page)),
        Err(rejection) => rejected(rejection, entered),
    }
}

fn entered(form: &TextureUploadForm<CurrentUser>) -> EnteredUpload {
    let field = |name| form.text(name).to_owned();
    EnteredUpload {
        kind: field("kind"),
        model: field("model"),
        name: field("name"),
        description: field("description"),
        tags: field("tags"),
        visibility: field("visibility"),
        based_on: field("based_on"),
        address: field("address"),
        player: field("player"),
    }
}

/// The page of the upload, or why there is none.
fn page_after(outcome: UploadOutcome, caps: &UploadCaps, now: i64) -> Result<String, FormRejection> {
    Err(match outcome {
        UploadOutcome::Shown(id) => return Ok(format!("{PATH}/{id}?done=upload-shown")),
        UploadOutcome::Held(id) => return Ok(format!("{PATH}/{id}?done=upload-held")),
        UploadOutcome::Duplicate(page) => return Ok(page),
        UploadOutcome::OwnDuplicate(id) => return Ok(format!("{PATH}/{id}?done=upload-duplicate")),
        UploadOutcome::DuplicateNotShown => FormRejection::new(
            StatusCode::CONFLICT,
            translatable("The same picture was uploaded before and is not public. Upload another one."),
        ),
        UploadOutcome::NoSuchOriginal => FormRejection::invalid(translatable(
            "There is no public skin or cape of this kind with the address in “Based on”. Enter the last part of its address.",
        )),
        UploadOutcome::TooManyToday => FormRejection::too_many(
            Message::new(
                "You uploaded {} pictures today, which is the limit. Try again tomorrow (UTC).",
                &[&caps.per_day],
            ),
            (DAY - now.rem_euclid(DAY)) / 1000,
        ),
        UploadOutcome::TooMany => FormRejection::new(
            StatusCode::CONFLICT,
            Message::new("One account may have {} uploads. Delete one first.", &[&caps.per_account]),
        ),
    })
}

fn copy_rejection(error: CopyError) -> Result<FormRejection, PageRejection> {
    Ok(match error {
        CopyError::Refused(message) => FormRejection::invalid(message),
        CopyError::TooMany(seconds) => {
            FormRejection::too_many(translatable("Too many players were looked up. Try again in a minute."), seconds)
        }
        CopyError::NoAnswer => FormRejection::new(
            StatusCode::BAD_GATEWAY,
            translatable("The session server gave no usable answer. Try again later, or choose a file."),
        ),
        CopyError::Failed(error) => return Err(error.into()),
    })
}
