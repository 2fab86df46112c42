//! `/players/{name}`: everything about one player.

use std::sync::Arc;

use askama::Template;
use axum::body::Body;
use axum::extract::{Path, State};
use axum::http::header::HeaderMap;
use axum::http::{Response, Uri};

use super::achievements::{self, Goal};
use super::flag::flag_url;
use super::heat_map::{self, HeatMap};
use super::player_link::PlayerLinks;
use super::player_stats::{self, Counter};
use super::server_tile::media_path;
use crate::app::App;
use crate::error::ApiError;
use crate::http::query::encode;
use crate::v1::players::detail;
use crate::web::layout::Layout;
use crate::web::page;
use crate::web::view;
use crate::web::{assets, filters};
use rollcall_model::achievements::Achievement;
use rollcall_model::resources::{PictureUrl, PlayerDetail};
use rollcall_store::player_links::{self, LinkProof};

#[derive(Template)]
#[template(path = "site/player.html")]
struct PlayerPage<'a> {
    layout: Layout,
    player: PlayerDetail<'a>,
    heat_map: HeatMap,
    counters: Vec<Counter>,
    goals: Vec<Goal>,
    votes: i64,
    /// How far the player's account is known to be theirs.
    linked: Option<LinkedBy>,
    now: i64,
}

enum LinkedBy {
    Joining,
    /// Slug and name of the server that vouches for it; `None` if it is not public.
    Server(Option<(String, String)>),
}

pub async fn show(State(app): State<Arc<App>>, Path(id): Path<String>, uri: Uri, headers: HeaderMap) -> Response<Body> {
    page::cached(&app, &headers, render(&app, id, &uri)).await
}

async fn render(app: &Arc<App>, id: String, uri: &Uri) -> Result<String, ApiError> {
    let query = uri.query().map(|query| format!("?{query}")).unwrap_or_default();
    page::render_from_store(app, move |app, conn| {
        let profile = detail::profile(app, conn, &id)?;
        let links = PlayerLinks::load(conn, [profile.row.nickname.as_str()].into_iter())?;
        let segment = links.segment(&profile.row.id, &profile.row.nickname).to_owned();
        if segment != id {
            return Err(ApiError::Moved(format!("/players/{}{query}", encode(&segment))));
        }
        let (now, totals) = (app.clock.now(), detail::totals(&profile.row));
        let servers = app.catalogue.servers();
        let linked = player_links::proof_of_player(conn, profile.row.n)?.map(|proof| match proof {
            LinkProof::Joined => LinkedBy::Joining,
            LinkProof::Vouched(server_n) => {
                let server = server_n.and_then(|n| servers.by_n(n));
                LinkedBy::Server(server.map(|server| (server.slug().to_owned(), server.name().to_owned())))
            }
        });
        let player = detail::detail(app, &servers, profile);
        let path = format!("/players/{}", encode(&segment));
        let card = format!("{}/card/player/{}.png", app.public_url, player.id);
        page::render(&PlayerPage {
            layout: Layout::public("/players", path.clone()).with_json(format!("/v1{path}")).with_card(card),
            heat_map: HeatMap::new(&player.activity_data, now, view::language()),
            counters: player_stats::counters(&player),
            goals: player.achievements.next_goals.iter().map(|goal| achievements::goal(goal, &totals)).collect(),
            votes: totals.votes,
            linked,
            player,
            now,
        })
    })
    .await
}

impl PlayerPage<'_> {
    fn flag(&self, country: &str) -> Option<&'static str> {
        flag_url(country)
    }

    fn picture<'b>(&self, url: &'b PictureUrl) -> &'b str {
        media_path(&url.0)
    }

    fn rank(&self) -> i64 {
        i64::from(self.player.rank)
    }

    fn viewer_script(&self) -> &'static str {
        assets::VIEWER
    }

    /// Earlier nicknames, the latest first.
    fn former_nicknames(&self) -> impl Iterator<Item = &str> {
        self.player.nickname_history.iter().rev().map(String::as_str).filter(|name| *name != self.player.main_nickname)
    }

    fn achievement_name(&self, achievement: &Achievement) -> &'static str {
        achievements::name(achievement)
    }

    fn achievement_icon(&self, achievement: &Achievement) -> &'static str {
        achievements::icon(achievement)
    }

    fn heat_height(&self) -> i64 {
        heat_map::HEIGHT
    }

    fn heat_side(&self) -> i64 {
        heat_map::SIDE
    }

    fn square_title(&self, count: &i64, at: &i64) -> String {
        let language = view::language();
        format!("{}, {}", language.translate_plural("{} session|{} sessions", *count), language.day(*at))
    }

    fn rise(&self, from: &f64, to: &f64) -> String {
        let language = view::language();
        language.fill("From {} to {}", &[&language.decimal(*from, 1), &language.decimal(*to, 1)])
    }

    fn description(&self) -> String {
        let (language, player) = (view::language(), &self.player);
        let sessions = language.translate_plural("{} session|{} sessions", player.session_count);
        let rank = language.fill("Rank {}", &[&language.count(i64::from(player.rank))]);
        format!("{}: {rank}, {sessions}.", player.main_nickname)
    }

    /// Structured data for search engines. JSON in a script element: `<` is escaped, so that no name can end the element.
    fn json_ld(&self) -> String {
        let player = &self.player;
        let (public_url, path) = (&self.layout.view.public_url, self.layout.canonical.as_deref().unwrap_or_default());
        let data = serde_json::json!({
            "@context": "https://schema.org",
            "@type": "ProfilePage",
            "dateCreated": player.created_at,
            "dateModified": player.updated_at,
            "mainEntity": {
                "@type": "Person",
                "name": player.main_nickname,
                "alternateName": self.former_nicknames().collect::<Vec<_>>(),
                "identifier": player.game_uuid,
                "url": format!("{public_url}{path}"),
                "image": format!("{public_url}/render/body/{}.png?size=256", player.game_uuid),
            },
        });
        data.to_string().replace('<', "\\u003c")
    }
}
