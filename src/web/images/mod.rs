//! Pictures, badges and widgets for other sites: without a key, cacheable by anyone for a minute, limited per client IP.

mod badge;
mod banner;
mod embed;
mod icon;
mod player;
mod player_card;
mod request;
mod server_card;
mod size;
mod text_width;
mod texture;
mod texture_card;

use std::sync::Arc;

use axum::Router;
use axum::routing::get;

use crate::app::App;

pub fn routes() -> Router<Arc<App>> {
    Router::new()
        .route("/render/face/{file}", get(player::face))
        .route("/render/head/{file}", get(player::head))
        .route("/render/body/{file}", get(player::body))
        .route("/render/skin/{file}", get(texture::skin))
        .route("/render/cape/{file}", get(texture::cape))
        .route("/render/banner/{file}", get(banner::show))
        .route("/card/server/{file}", get(server_card::show))
        .route("/card/player/{file}", get(player_card::show))
        .route("/card/skin/{file}", get(texture_card::show_skin))
        .route("/card/cape/{file}", get(texture_card::show_cape))
        .route("/badge/{file}", get(badge::show))
        .route("/embed/{slug}", get(embed::show))
        .route("/icon-180.png", get(icon::touch))
        .route("/icon-192.png", get(icon::medium))
        .route("/icon-512.png", get(icon::large))
}
