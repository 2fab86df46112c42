//! `/card/player/{id}.png`: the picture that other sites show with a link to a player.

use xxhash_rust::xxh3::xxh3_128;

use super::request::{ImageRequest, ImageResult, PNG};
use super::server_card::site;
use super::texture::{Skin, read};
use crate::app::App;
use crate::error::ApiError;
use crate::v1::players::detail;
use crate::web::language::Language;
use rollcall_paint::{CardFigure, CardSubject, PlayerCard, player_card};
use rollcall_store::Conn;

/// All that the card shows. Equal facts have the same card.
#[derive(Debug)]
struct Facts {
    nickname: String,
    details: String,
    skin: Skin,
    figures: [(&'static str, String); 4],
    site: String,
}

pub async fn show(request: ImageRequest) -> ImageResult {
    let id = request.name(".png")?.to_owned();
    let app = request.app.clone();
    let facts = {
        let app = app.clone();
        request.app.pool.read_replicated(move |conn| Ok(load(&app, conn, &id))).await??
    };
    let key = format!("player-card:{:032x}", xxh3_128(format!("{facts:?}").as_bytes()));
    let prepare = async {
        let texture = read(&app, facts.skin.path()).await?;
        Ok(move || Ok(facts.draw(&texture)))
    };
    let picture = app.drawn_pictures.get(&key, prepare).await?;
    Ok(request.respond(&picture, PNG))
}

/// The same figures as in the API.
fn load(app: &App, conn: &mut Conn, id: &str) -> Result<Facts, ApiError> {
    let profile = detail::profile(app, conn, id)?;
    let skin = Skin::new(profile.row.linked_skin_png.clone(), &profile.row.linked_skin_model);
    let servers = app.catalogue.servers();
    let player = detail::detail(app, &servers, profile);
    let english = Language::English;
    let tier = match player.tier_overall.as_str() {
        "" => "–".to_owned(),
        tier => tier.to_owned(),
    };
    let hours = player.total_play_time / 3600;
    let play_time = match hours {
        0 => format!("{} min", player.total_play_time / 60),
        hours => format!("{} h", english.count(hours)),
    };
    Ok(Facts {
        details: player.country.clone().unwrap_or_default(),
        figures: [
            ("Tier", tier),
            ("Rank", format!("#{}", english.count(player.rank as i64))),
            ("Play time", play_time),
            ("Sessions", english.count(player.session_count)),
        ],
        skin,
        nickname: player.main_nickname,
        site: site(app),
    })
}

impl Facts {
    fn draw(&self, texture: &[u8]) -> Vec<u8> {
        let figures = self.figures.each_ref().map(|(label, value)| CardFigure { label, value });
        player_card(&PlayerCard {
            nickname: &self.nickname,
            details: &self.details,
            subject: CardSubject::Body(&self.skin.texture(texture)),
            figures: &figures,
            site: &self.site,
        })
    }
}
