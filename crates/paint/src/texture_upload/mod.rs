//! Skins and capes that people upload: checked before they are decoded, brought into the layout that the game uses today, and
//! encoded again. Only the pixels survive.

mod cape_conversion;
mod png_chunks;
mod skin_conversion;
#[cfg(test)]
mod tests;

use sha2::{Digest, Sha256};

use crate::encode::encode_png;
use crate::raster::Raster;
use crate::skin_layout::ArmModel;
use crate::untrusted_picture::decode_png;
use rollcall_model::id::hex;
use rollcall_model::message::{Message, translatable};

/// Bytes of an uploaded file.
pub const MAX_UPLOAD_BYTES: usize = 512 * 1024;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TextureKind {
    /// With the arms that its author says it has.
    Skin(ArmModel),
    Cape,
}

/// An upload that was accepted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UploadedTexture {
    pub width: u32,
    pub height: u32,
    /// The pixels; transparent ones have no colour.
    pub rgba: Vec<u8>,
    /// The same pixels as a file without other chunks.
    pub png: Vec<u8>,
    /// The pixels as they were uploaded, as a file: what [`crate::sanitize_png`] makes of it.
    pub uploaded_png: Vec<u8>,
    /// Equal for equal pixels, however the file was made.
    pub pixel_hash: String,
    /// The arms that the pixels look like; `None` for a cape. The declared model is not changed by it.
    pub suggested_model: Option<ArmModel>,
}

/// The pixels of an uploaded file in the game's layout, or what is wrong with the file and what is accepted.
pub fn normalize_upload(bytes: &[u8], kind: TextureKind) -> Result<UploadedTexture, Message> {
    if bytes.len() > MAX_UPLOAD_BYTES {
        return Err(Message::new(
            "The file has {} KiB; at most {} KiB are accepted.",
            &[&bytes.len().div_ceil(1024), &(MAX_UPLOAD_BYTES / 1024)],
        ));
    }
    let file = png_chunks::check(bytes)?;
    match kind {
        TextureKind::Skin(_) => skin_conversion::check_size(file.size)?,
        TextureKind::Cape => cape_conversion::check_size(file.size)?,
    }
    let decoded = decode_png(&file.without_ancillary_chunks, |size| size == file.size).ok_or(translatable(
        "The PNG is damaged: its pixels cannot be read. Save it again as a PNG and upload that.",
    ))?;
    let uploaded_png = encode_png(file.size.0, file.size.1, decoded.as_rgba());
    let (mut raster, suggested_model) = match kind {
        TextureKind::Skin(model) => {
            let (raster, suggested) = skin_conversion::normalize(decoded, model)?;
            (raster, Some(suggested))
        }
        TextureKind::Cape => (cape_conversion::normalize(&decoded)?, None),
    };
    clear_transparent_pixels(&mut raster);
    let (width, height) = raster.size();
    let rgba = raster.as_rgba().to_vec();
    let pixel_hash = pixel_hash(width, height, &rgba);
    Ok(UploadedTexture { width, height, rgba, png: raster.into_png(), uploaded_png, pixel_hash, suggested_model })
}

/// Invisible pixels must not make two pictures differ, nor carry data.
fn clear_transparent_pixels(raster: &mut Raster) {
    for pixel in raster.as_rgba_mut().as_chunks_mut::<4>().0 {
        if pixel[3] == 0 {
            *pixel = [0; 4];
        }
    }
}

fn pixel_hash(width: u32, height: u32, rgba: &[u8]) -> String {
    let mut hash = Sha256::new();
    hash.update(width.to_be_bytes());
    hash.update(height.to_be_bytes());
    hash.update(rgba);
    hex(&hash.finalize())
}

fn nothing_visible() -> Message {
    translatable("The picture is empty: nothing of it would be visible. Upload one with visible pixels.").into()
}
