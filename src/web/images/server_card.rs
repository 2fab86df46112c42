//! `/card/server/{slug}.png`: the picture that other sites show with a link to a server, with its figures of now. In English,
//! because sites fetch it once for all their readers.

use xxhash_rust::xxh3::xxh3_128;

use super::request::{ImageRequest, ImageResult, PNG};
use super::texture::read;
use crate::app::App;
use crate::v1::servers::detail;
use crate::web::language::Language;
use crate::web::site::server_tile::{address, media_path};
use rollcall_model::country;
use rollcall_model::period::Period;
use rollcall_model::resources::{ServerDetail, StatsPoint};
use rollcall_model::time::{DAY, MINUTE};
use rollcall_paint::{CardFigure, ServerCard, server_card};

/// The chart has one point for each of these.
const STEP: i64 = 10 * MINUTE;

/// All that the card shows. Equal facts have the same card.
#[derive(Debug)]
struct Facts {
    name: String,
    address: String,
    is_online: bool,
    details: String,
    icon: String,
    figures: [(&'static str, String); 4],
    players: Vec<Option<i64>>,
    site: String,
}

pub async fn show(request: ImageRequest) -> ImageResult {
    let slug = request.name(".png")?.to_owned();
    let app = request.app.clone();
    let facts = {
        let app = app.clone();
        let load = move |conn: &mut rollcall_store::Conn| Ok(detail::load(&app, conn, &slug, Period::Day));
        Facts::new(&request.app, request.app.pool.read_replicated(load).await??)
    };
    let key = format!("server-card:{:032x}", xxh3_128(format!("{facts:?}").as_bytes()));
    let prepare = async {
        let icon = read(&app, &facts.icon).await?;
        Ok(move || Ok(facts.draw(&icon)))
    };
    let picture = app.drawn_pictures.get(&key, prepare).await?;
    Ok(request.respond(&picture, PNG))
}

impl Facts {
    fn new(app: &App, server: ServerDetail) -> Self {
        let english = Language::English;
        let players = match server.is_online {
            true => format!("{}/{}", english.count(server.current_players), english.count(server.max_players)),
            false => "–".to_owned(),
        };
        let rating = match server.rating > 0.0 {
            true => format!("{} / 5", english.decimal(server.rating, 1)),
            false => "–".to_owned(),
        };
        let known = [server.country.as_str(), server.version.as_str()];
        let known = known.into_iter().filter(|text| !text.is_empty() && *text != country::UNKNOWN);
        Self {
            details: known.collect::<Vec<_>>().join(" · "),
            address: address(&server.ip, server.port),
            is_online: server.is_online,
            icon: media_path(&server.icon_url.0).trim_start_matches("/media/").to_owned(),
            figures: [
                ("Players", players),
                ("Uptime, 30 d", format!("{} %", english.decimal(server.uptime, 2))),
                ("Rating", rating),
                ("Votes, 30 d", english.count(server.vote_stats.month)),
            ],
            players: slots(&server.stats_history, app.clock.now()),
            name: server.name,
            site: site(app),
        }
    }

    fn draw(&self, icon: &[u8]) -> Vec<u8> {
        let figures = self.figures.each_ref().map(|(label, value)| CardFigure { label, value });
        server_card(&ServerCard {
            name: &self.name,
            address: &self.address,
            is_online: self.is_online,
            state: if self.is_online { "Online" } else { "Offline" },
            details: &self.details,
            icon,
            figures: &figures,
            players: &self.players,
            caption: "Players in the last 24 hours",
            site: &self.site,
        })
    }
}

/// The players of the last day in steps; `None` where nothing is known.
fn slots(history: &[StatsPoint], now: i64) -> Vec<Option<i64>> {
    let start = now - now.rem_euclid(STEP) + STEP - DAY;
    let mut slots = vec![None; (DAY / STEP) as usize];
    for point in history {
        let slot = usize::try_from((point.timestamp.0 - start).div_euclid(STEP)).ok();
        if let Some(slot) = slot.and_then(|slot| slots.get_mut(slot)) {
            *slot = Some(point.online_players);
        }
    }
    // The last step has just begun.
    if slots.last() == Some(&None) {
        slots.pop();
    }
    slots
}

/// The host of the site, as people know it.
pub fn site(app: &App) -> String {
    let url = app.public_url.as_str();
    url.strip_prefix("https://").or_else(|| url.strip_prefix("http://")).unwrap_or(url).to_owned()
}
