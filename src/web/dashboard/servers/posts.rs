//! `/dashboard/servers/{slug}/posts`: update posts of a server, drafts and scheduled posts.

use std::sync::Arc;

use askama::Template;
use axum::extract::{Path, RawQuery, State};
use axum::http::StatusCode;

use super::managed;
use super::post_form::{Action, EnteredPost, PostTarget};
use crate::app::App;
use crate::moderation::text::{MAX_POST_CHARS, MAX_TITLE_CHARS};
use crate::moderation::{CAP_PERIOD, explain, markdown};
use crate::web::contribution_status;
use crate::web::csrf_form::{CsrfForm, LongCsrfForm};
use crate::web::current_user::CurrentUser;
use crate::web::dashboard::DashboardLayout;
use crate::web::filters;
use crate::web::form_rejection::FormRejection;
use crate::web::layout::Layout;
use crate::web::page::{self, PageResult};
use crate::web::path_segment::Segment;
use crate::web::session::or_not_found;
use crate::web::view::language;
use rollcall_model::message::{Message, translatable};
use rollcall_model::time::iso;
use rollcall_store::moderation::PENDING;
use rollcall_store::post_drafts::{self, MAX_DRAFTS, PostDraft, SaveOutcome};
use rollcall_store::server_access::ManagedServer;
use rollcall_store::submitted_posts::{self, PublishOutcome, WrittenPost};
use rollcall_store::{Conn, Result, servers};

/// Posts on the page.
const SHOWN: i64 = 50;

#[derive(Template)]
#[template(path = "dashboard/server_posts.html")]
struct PostsPage {
    layout: Layout,
    dashboard: DashboardLayout,
    server: ManagedServer,
    /// The id of the post or draft in the form; empty for a new one.
    id: String,
    is_published: bool,
    entered: EnteredPost,
    /// The entered text as it would be shown.
    preview: Option<String>,
    drafts: Vec<PostDraft>,
    posts: Vec<WrittenPost>,
    max_title_chars: usize,
    max_chars: usize,
}

impl PostsPage {
    fn tab(&self) -> &'static str {
        "posts"
    }

    fn status_name(&self, post: &WrittenPost) -> &'static str {
        contribution_status::name(&post.status)
    }

    /// Why a post waits for a moderator.
    fn why_held(&self, post: &WrittenPost) -> Option<String> {
        let is_held = !post.why_held.is_empty() && post.status == PENDING;
        is_held.then(|| language().message(&explain(&post.why_held)))
    }

    fn status_class(&self, post: &WrittenPost) -> &'static str {
        contribution_status::class(&post.status)
    }
}

/// Content of the form.
#[derive(Default)]
struct FormState {
    target: PostTarget,
    entered: EnteredPost,
    preview: Option<String>,
}

pub async fn show(
    State(app): State<Arc<App>>,
    user: CurrentUser,
    Segment(slug): Segment,
    RawQuery(query): RawQuery,
) -> PageResult {
    let server = managed(&app, &user, &slug).await?;
    let dashboard = DashboardLayout::new(&user, "/dashboard/servers").with_success_from(query.as_deref());
    render(&app, dashboard, server, FormState::default()).await
}

/// The page with a post or a draft in its form.
pub async fn show_one(
    State(app): State<Arc<App>>,
    user: CurrentUser,
    Path((slug, id)): Path<(String, String)>,
) -> PageResult {
    let server = managed(&app, &user, &slug).await?;
    let n = server.n;
    let found = app.pool.read(move |conn| find(conn, n, &id)).await?;
    let (target, entered) = or_not_found(found)?;
    let dashboard = DashboardLayout::new(&user, "/dashboard/servers");
    render(&app, dashboard, server, FormState { target, entered, preview: None }).await
}

fn find(conn: &mut Conn, server_n: i64, id: &str) -> Result<Option<(PostTarget, EnteredPost)>> {
    if let Some(draft) = post_drafts::find(conn, server_n, id)? {
        // As the field of the form has it: a minute in UTC.
        let publish_at = draft.publish_at.map(|at| iso(at)[..16].to_owned()).unwrap_or_default();
        let entered = EnteredPost { title: draft.title, content: draft.content, publish_at };
        return Ok(Some((PostTarget::Draft(draft.id), entered)));
    }
    let post = submitted_posts::find(conn, server_n, id)?;
    Ok(post.map(|post| {
        let entered = EnteredPost { title: post.title, content: post.content, publish_at: String::new() };
        (PostTarget::Post(post.id), entered)
    }))
}

async fn render(app: &App, dashboard: DashboardLayout, server: ManagedServer, form: FormState) -> PageResult {
    let n = server.n;
    let read = move |conn: &mut _| Ok((post_drafts::of_server(conn, n)?, submitted_posts::of_server(conn, n, SHOWN)?));
    let (drafts, posts) = app.pool.read(read).await?;
    Ok(page::private(&PostsPage {
        layout: Layout::new("/dashboard"),
        dashboard,
        server,
        id: form.target.id().to_owned(),
        is_published: matches!(form.target, PostTarget::Post(_)),
        entered: form.entered,
        preview: form.preview,
        drafts,
        posts,
        max_title_chars: MAX_TITLE_CHARS,
        max_chars: MAX_POST_CHARS,
    }))
}

/// Publishes, schedules or saves the text of the form.
pub async fn save(State(app): State<Arc<App>>, Segment(slug): Segment, form: LongCsrfForm<CurrentUser>) -> PageResult {
    let user = &form.sender;
    let server = managed(&app, user, &slug).await?;
    let entered = EnteredPost::read(&form);
    let (n, id) = (server.n, form.text("id").to_owned());
    let target = match id.is_empty() {
        true => PostTarget::New,
        false => or_not_found(app.pool.read(move |conn| find(conn, n, &id)).await?)?.0,
    };
    let dashboard = DashboardLayout::new(user, "/dashboard/servers");
    if form.text("action") == "preview" {
        let preview = Some(markdown::render(entered.bounded_content()).html);
        return render(&app, dashboard, server, FormState { target, entered: entered.bounded(), preview }).await;
    }
    match write(&app, user, &server, &target, &entered, form.text("action")).await? {
        Ok(done) => Ok(page::redirect(&format!("/dashboard/servers/{}/posts?done={done}", server.slug))),
        Err(rejection) => {
            let dashboard = DashboardLayout { error: Some(language().message(&rejection.message)), ..dashboard };
            let state = FormState { target, entered: entered.bounded(), preview: None };
            Ok(rejection.respond(render(&app, dashboard, server, state).await?))
        }
    }
}

/// Returns the name of the message that confirms it.
async fn write(
    app: &App,
    user: &CurrentUser,
    server: &ManagedServer,
    target: &PostTarget,
    entered: &EnteredPost,
    action: &str,
) -> Result<std::result::Result<&'static str, FormRejection>> {
    let n = server.n;
    let website = app.pool.read(move |conn| servers::by_number(conn, n)).await?.and_then(|server| server.website);
    let action = match entered.check(action, target, &app.moderation.rules, website.as_deref(), user) {
        Ok(action) => action,
        Err(error) => return Ok(Err(FormRejection::invalid(error))),
    };
    let (n, account_n, author, target) = (server.n, user.account.n, user.author(), target.clone());
    let per_day = app.moderation.posts_per_day;
    app.pool
        .write(move |conn| {
            let is_public = !matches!(action, Action::SaveDraft(_));
            if is_public && submitted_posts::written_since(conn, account_n, author.at - CAP_PERIOD)? >= per_day {
                let error = translatable("You have published too many posts within a day. Try again tomorrow.");
                return Ok(Err(FormRejection::too_many(error, CAP_PERIOD / 1000)));
            }
            let outcome = match (&action, &target) {
                (Action::SaveDraft(draft) | Action::Schedule(draft), _) => {
                    let draft = post_drafts::NewDraft { server_n: n, account_n, ..draft.clone() };
                    return Ok(match post_drafts::save(conn, &draft, &author)? {
                        SaveOutcome::Saved if draft.publish_at.is_some() => Ok("post-scheduled"),
                        SaveOutcome::Saved => Ok("draft-saved"),
                        SaveOutcome::Gone => Err(gone()),
                        SaveOutcome::TooMany => Err(FormRejection::invalid(Message::new(
                            "A server can have at most {} drafts. Publish or delete some first.",
                            &[&MAX_DRAFTS],
                        ))),
                    });
                }
                (Action::Publish(text), PostTarget::New) => {
                    submitted_posts::publish(conn, n, account_n, text, &author)?
                }
                (Action::Publish(text), PostTarget::Draft(id)) => {
                    submitted_posts::publish_draft(conn, id, None, text, &author)?
                }
                (Action::Publish(text), PostTarget::Post(id)) => {
                    submitted_posts::edit(conn, n, account_n, id, text, &author)?
                }
            };
            Ok(match outcome {
                PublishOutcome::Shown => Ok("post-published"),
                PublishOutcome::Held => Ok("post-held"),
                PublishOutcome::Gone => Err(gone()),
            })
        })
        .await
}

fn gone() -> FormRejection {
    FormRejection::new(StatusCode::CONFLICT, translatable("The post was published or deleted meanwhile."))
}

/// Deletes a post or a draft.
pub async fn delete(
    State(app): State<Arc<App>>,
    Path((slug, id)): Path<(String, String)>,
    form: CsrfForm<CurrentUser>,
) -> PageResult {
    let user = &form.sender;
    let server = managed(&app, user, &slug).await?;
    let (n, author) = (server.n, user.author());
    let deleted = app.pool.write(move |conn| {
        if post_drafts::delete(conn, n, &id, &author)? {
            return Ok(Some("draft-deleted"));
        }
        Ok(submitted_posts::delete(conn, n, &id, &author)?.then_some("post-deleted"))
    });
    let done = or_not_found(deleted.await?)?;
    Ok(page::redirect(&format!("/dashboard/servers/{}/posts?done={done}", server.slug)))
}
