//! `/render/skin/{slug}.png` and `/render/cape/{slug}.png`

use super::request::{ImageRequest, ImageResult, PNG};
use super::size::FIGURE;
use crate::app::App;
use crate::error::ApiError;
use crate::http::drawn_pictures::DrawnPicture;
use bytes::Bytes;
use rollcall_paint::{ArmModel, CapeTexture, WornSkin, default_skin, render_cape, render_skin};

/// A skin by the path of its picture, which holds the hash of the content.
#[derive(Debug)]
pub struct Skin {
    png: String,
    model: ArmModel,
}

impl Skin {
    pub fn new(png: String, model: &str) -> Self {
        Self { png, model: if model == "slim" { ArmModel::Slim } else { ArmModel::Classic } }
    }

    pub fn path(&self) -> &str {
        &self.png
    }

    /// The stored picture, or the default skin in place of one that the game would not show.
    pub fn texture(&self, png: &[u8]) -> WornSkin {
        let texture = WornSkin::decode(png, self.model);
        let texture = texture.or_else(|| WornSkin::decode(&default_skin(self.model), self.model));
        texture.expect("the default skin is a valid texture")
    }

    pub fn default_of(app: &App) -> Self {
        Self { png: app.default_skin(), model: ArmModel::Classic }
    }
}

/// A way to look at a skin. The name is part of the cache key.
pub struct SkinView {
    pub name: &'static str,
    pub render: fn(&WornSkin, u32) -> Vec<u8>,
}

pub async fn skin(request: ImageRequest) -> ImageResult {
    let size = FIGURE.read(&request.query)?;
    let slug = request.name(".png")?;
    let skin = {
        let skins = request.app.catalogue.skins();
        let skin = skins.by_slug(slug).ok_or_else(|| ApiError::NotFound("Skin not found".into()))?;
        Skin::new(skin.row.png.clone(), skin.row.model.as_deref().unwrap_or_default())
    };
    let picture = draw_skin(&request.app, skin, SkinView { name: "skin", render: render_skin }, size).await?;
    Ok(request.respond(&picture, PNG))
}

pub async fn draw_skin(app: &App, skin: Skin, view: SkinView, size: u32) -> Result<DrawnPicture, ApiError> {
    let key = format!("{}:{:?}:{size}:{}", view.name, skin.model, skin.png);
    let prepare = async {
        let png = read(app, &skin.png).await?;
        Ok(move || Ok((view.render)(&skin.texture(&png), size)))
    };
    app.drawn_pictures.get(&key, prepare).await
}

pub async fn cape(request: ImageRequest) -> ImageResult {
    let size = FIGURE.read(&request.query)?;
    let slug = request.name(".png")?;
    let app = &request.app;
    let png = app.catalogue.capes().by_slug(slug).map(|cape| cape.row.png.clone());
    let png = png.ok_or_else(|| ApiError::NotFound("Cape not found".into()))?;
    let prepare = async {
        let bytes = read(app, &png).await?;
        Ok(move || {
            let texture = CapeTexture::decode(&bytes);
            let texture = texture.ok_or_else(|| ApiError::NotFound("This cape cannot be drawn".into()))?;
            Ok(render_cape(&texture, size))
        })
    };
    let picture = app.drawn_pictures.get(&format!("cape:{size}:{png}"), prepare).await?;
    Ok(request.respond(&picture, PNG))
}

/// A stored picture; empty if it is missing.
pub async fn read(app: &App, path: &str) -> Result<Bytes, ApiError> {
    let picture = app.media.get(path).await.map_err(ApiError::from)?;
    Ok(picture.unwrap_or_default())
}
