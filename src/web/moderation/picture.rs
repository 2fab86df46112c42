//! The picture of an upload in the queue.

use std::sync::Arc;

use axum::extract::State;

use crate::app::App;
use crate::web::current_user::Moderator;
use crate::web::dashboard::skins::picture;
use crate::web::page::{PageRejection, PageResult};
use crate::web::session::{PathId, or_not_found};
use rollcall_store::moderation::{ItemKind, queue};
use rollcall_store::texture_uploads::{self, TextureUpload};
use rollcall_store::{Conn, Result};

pub async fn show(State(app): State<Arc<App>>, _: Moderator, PathId(id): PathId) -> PageResult {
    picture::texture(&app, &upload_under_review(&app, id).await?).await
}

pub async fn show_figure(State(app): State<Arc<App>>, _: Moderator, PathId(id): PathId) -> PageResult {
    picture::figure(&app, upload_under_review(&app, id).await?).await
}

async fn upload_under_review(app: &App, id: String) -> std::result::Result<TextureUpload, PageRejection> {
    or_not_found(app.pool.read(move |conn| upload(conn, &id)).await?)
}

fn upload(conn: &mut Conn, item_id: &str) -> Result<Option<TextureUpload>> {
    match queue::find(conn, item_id)?.filter(|item| matches!(item.kind, ItemKind::Upload | ItemKind::TextureReport)) {
        Some(item) => texture_uploads::find(conn, &item.subject),
        None => Ok(None),
    }
}
