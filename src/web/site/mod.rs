//! The public site: pages about servers, players, skins and capes, for people and search engines.

mod achievements;
mod changelog;
mod creator;
mod document;
mod embed_codes;
mod feeds;
mod flag;
mod heat_map;
mod home;
mod leaderboards;
mod list_query;
mod manifest;
mod paging;
mod player;
mod player_link;
mod player_stats;
mod players;
mod players_chart;
mod review;
mod search;
mod server;
pub mod server_tile;
mod servers;
mod sitemap;
mod status;
mod suggest;
mod texture;
mod texture_acts;
mod textures;
mod unlisted_server;
mod unlisted_texture;
mod vote;

use std::sync::Arc;

use axum::Router;
use axum::routing::get;

use crate::app::App;
use crate::web::form_route::form_route;

pub fn routes() -> Router<Arc<App>> {
    Router::new()
        .route("/", get(home::show))
        .route("/servers", get(servers::show))
        .route("/servers/{slug}", get(server::show))
        .route("/servers/{slug}/vote", get(vote::show).post(vote::submit))
        .route("/servers/{slug}/review", get(review::show).post(review::submit))
        .route("/servers/{slug}/review/delete", form_route("/servers/{slug}/review", review::delete))
        .route("/servers/{slug}/feed.xml", get(feeds::server))
        .route("/feeds/servers.xml", get(feeds::servers))
        .route("/feeds/updates.xml", get(feeds::updates))
        .route("/players", get(players::show))
        .route("/players/{id}", get(player::show))
        .route("/leaderboards", get(leaderboards::show))
        .route("/skins", get(textures::skins))
        .route("/skins/{slug}", get(texture::show))
        .route("/skins/{slug}/download", get(texture_acts::download))
        .route("/skins/{slug}/like", form_route("/skins/{slug}", texture_acts::like))
        .route("/skins/{slug}/favorite", form_route("/skins/{slug}", texture_acts::favorite))
        .route("/skins/{slug}/wear", form_route("/skins/{slug}", texture_acts::wear))
        .route("/skins/{slug}/report", form_route("/skins/{slug}", texture_acts::report))
        .route("/skins/{slug}/feature", form_route("/skins/{slug}", texture_acts::feature))
        .route("/capes", get(textures::capes))
        .route("/capes/{slug}", get(texture::show))
        .route("/capes/{slug}/download", get(texture_acts::download))
        .route("/capes/{slug}/like", form_route("/capes/{slug}", texture_acts::like))
        .route("/capes/{slug}/favorite", form_route("/capes/{slug}", texture_acts::favorite))
        .route("/capes/{slug}/wear", form_route("/capes/{slug}", texture_acts::wear))
        .route("/capes/{slug}/report", form_route("/capes/{slug}", texture_acts::report))
        .route("/capes/{slug}/feature", form_route("/capes/{slug}", texture_acts::feature))
        .route("/creators/{username}", get(creator::show))
        .route("/search", get(search::show))
        .route("/search/suggest", get(suggest::show))
        .route("/status", get(status::show))
        .route("/changelog", get(changelog::show))
        .route("/robots.txt", get(sitemap::robots))
        .route("/sitemap.xml", get(sitemap::index))
        .route("/sitemaps/{name}", get(sitemap::file))
        .route("/manifest.webmanifest", get(manifest::show))
}
