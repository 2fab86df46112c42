//! `/render/banner/{slug}.png?scale=1|2`: the banner of a server. At twice the size every pixel is a square of four: banners are
//! pixel art, and a stored one may not be ours to draw again.

use super::request::{ImageRequest, ImageResult, PNG};
use super::texture::read;
use crate::error::ApiError;
use rollcall_paint::enlarge;

pub async fn show(request: ImageRequest) -> ImageResult {
    let scale = match request.query.get("scale") {
        None | Some("1") => 1,
        Some("2") => 2,
        Some(_) => return Err(ApiError::BadRequest("scale must be 1 or 2".into()).into()),
    };
    let slug = request.name(".png")?;
    let app = &request.app;
    let banner = app.catalogue.servers().by_slug(slug).map(|server| server.banner().to_owned());
    let banner = banner.ok_or_else(|| ApiError::NotFound("Server not found".into()))?;
    let prepare = async {
        let bytes = read(app, &banner).await?;
        Ok(move || enlarge(&bytes, scale).ok_or_else(|| ApiError::NotFound("This server has no banner".into())))
    };
    let picture = app.drawn_pictures.get(&format!("banner:{scale}:{banner}"), prepare).await?;
    Ok(request.respond(&picture, PNG))
}
