//! `/card/skin/{slug}.png`: the picture that other sites show with a link to a skin: a body that wears it.

use xxhash_rust::xxh3::xxh3_128;

use super::request::{ImageRequest, ImageResult, PNG};
use super::server_card::site;
use super::texture::{Skin, read};
use crate::error::ApiError;
use crate::web::language::Language;
use rollcall_paint::{CardFigure, PlayerCard, player_card};

/// All that the card shows. Equal facts have the same card.
#[derive(Debug)]
struct Facts {
    name: String,
    details: String,
    skin: Skin,
    figures: [(&'static str, String); 4],
    site: String,
}

pub async fn show(request: ImageRequest) -> ImageResult {
    let app = request.app.clone();
    let facts = {
        let skins = app.catalogue.skins();
        let found = skins.by_slug(request.name(".png")?);
        let row = &found.ok_or_else(|| ApiError::NotFound("Skin not found".into()))?.row;
        let count = |value: i64| Language::English.count(value);
        Facts {
            name: row.name.clone(),
            details: format!("Skin by {}", row.owner.username),
            skin: Skin::new(row.png.clone(), row.model.as_deref().unwrap_or_default()),
            figures: [
                ("Wearers", count(row.usage_count)),
                ("Likes", count(row.like_count)),
                ("Favorites", count(row.favorite_count)),
                ("Downloads", count(row.download_count)),
            ],
            site: site(&app),
        }
    };
    let key = format!("skin-card:{:032x}", xxh3_128(format!("{facts:?}").as_bytes()));
    let prepare = async {
        let texture = read(&app, facts.skin.path()).await?;
        Ok(move || {
            let figures = facts.figures.each_ref().map(|(label, value)| CardFigure { label, value });
            Ok(player_card(&PlayerCard {
                nickname: &facts.name,
                details: &facts.details,
                skin: &facts.skin.texture(&texture),
                figures: &figures,
                site: &facts.site,
            }))
        })
    };
    let picture = app.drawn_pictures.get(&key, prepare).await?;
    Ok(request.respond(&picture, PNG))
}
