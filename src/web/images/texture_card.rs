//! `/card/skin/{slug}.png` and `/card/cape/{slug}.png`: the picture that other sites show with a link to a skin, which a body wears,
//! or to a cape.

use xxhash_rust::xxh3::xxh3_128;

use super::request::{ImageRequest, ImageResult, PNG};
use super::server_card::site;
use super::texture::{Skin, read};
use crate::error::ApiError;
use crate::web::language::Language;
use rollcall_paint::{CapeTexture, CardFigure, CardSubject, PlayerCard, player_card};
use rollcall_store::textures::TextureRow;

/// All that the card shows. Equal facts have the same card.
#[derive(Debug)]
struct Facts {
    name: String,
    details: String,
    texture: Texture,
    figures: [(&'static str, String); 4],
    site: String,
}

#[derive(Debug)]
enum Texture {
    Skin(Skin),
    /// The path of its picture.
    Cape(String),
}

pub async fn show_skin(request: ImageRequest) -> ImageResult {
    let found = request.app.catalogue.skins().by_slug(request.name(".png")?).map(|entry| entry.row.clone());
    let row = found.ok_or_else(|| ApiError::NotFound("Skin not found".into()))?;
    let skin = Skin::new(row.png.clone(), row.model.as_deref().unwrap_or_default());
    show(request, &row, Texture::Skin(skin)).await
}

pub async fn show_cape(request: ImageRequest) -> ImageResult {
    let found = request.app.catalogue.capes().by_slug(request.name(".png")?).map(|entry| entry.row.clone());
    let row = found.ok_or_else(|| ApiError::NotFound("Cape not found".into()))?;
    let cape = Texture::Cape(row.png.clone());
    show(request, &row, cape).await
}

async fn show(request: ImageRequest, row: &TextureRow, texture: Texture) -> ImageResult {
    let app = request.app.clone();
    let count = |value: i64| Language::English.count(value);
    let facts = Facts {
        name: row.name.clone(),
        details: format!("{} by {}", if row.is_skin { "Skin" } else { "Cape" }, row.owner.username),
        texture,
        figures: [
            ("Wearers", count(row.usage_count)),
            ("Likes", count(row.like_count)),
            ("Favorites", count(row.favorite_count)),
            ("Downloads", count(row.download_count)),
        ],
        site: site(&app),
    };
    let key = format!("texture-card:{:032x}", xxh3_128(format!("{facts:?}").as_bytes()));
    let prepare = async {
        let png = match &facts.texture {
            Texture::Skin(skin) => read(&app, skin.path()).await?,
            Texture::Cape(path) => read(&app, path).await?,
        };
        Ok(move || facts.draw(&png))
    };
    let picture = app.drawn_pictures.get(&key, prepare).await?;
    Ok(request.respond(&picture, PNG))
}

impl Facts {
    fn draw(&self, png: &[u8]) -> Result<Vec<u8>, ApiError> {
        match &self.texture {
            Texture::Skin(skin) => Ok(self.card(CardSubject::Body(&skin.texture(png)))),
            Texture::Cape(_) => {
                let cape = CapeTexture::decode(png);
                let cape = cape.ok_or_else(|| ApiError::NotFound("This cape cannot be drawn".into()))?;
                Ok(self.card(CardSubject::Cape(&cape)))
            }
        }
    }

    fn card(&self, subject: CardSubject) -> Vec<u8> {
        let figures = self.figures.each_ref().map(|(label, value)| CardFigure { label, value });
        player_card(&PlayerCard {
            nickname: &self.name,
            details: &self.details,
            subject,
            figures: &figures,
            site: &self.site,
        })
    }
}
