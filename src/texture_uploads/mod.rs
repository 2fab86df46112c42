//! Rules of uploaded skins and capes: what may be written about them, who sees them first, and where their pictures are.

mod entered_upload;
mod picture_source;
mod site_address;
mod skin_lookup;

use bytes::Bytes;

pub use entered_upload::{EnteredUpload, MAX_DESCRIPTION_CHARS, MAX_NAME_CHARS, MAX_TAGS};
pub use picture_source::{CopyError, CopySources};
pub use skin_lookup::SkinLookup;

use crate::error::ApiError;
use crate::moderation::{Moderation, PICTURES_HELD_ALWAYS, Verdict};
use rollcall_model::message::Message;
use rollcall_paint::{ArmModel, TextureKind, UploadedTexture, normalize_upload};
use rollcall_store::accounts::Account;
use rollcall_store::audit::Author;
use rollcall_store::hidden_textures::UPLOAD;
use rollcall_store::media::{Media, path_in_kind};
use rollcall_store::texture_uploads::{self, NewUpload, TextureUpload, UploadOutcome, UploadTexts};
use rollcall_store::{Conn, Result, revision};

/// Why an upload was not stored.
pub enum UploadError {
    Refused(Message),
    Failed(ApiError),
}

impl From<Message> for UploadError {
    fn from(message: Message) -> Self {
        Self::Refused(message)
    }
}

impl From<ApiError> for UploadError {
    fn from(error: ApiError) -> Self {
        Self::Failed(error)
    }
}

/// Why a moderator must see an upload first; an error if the rules refuse its texts.
fn why_held(
    moderation: &Moderation,
    account: &Account,
    texts: &UploadTexts,
    has_new_picture: bool,
) -> std::result::Result<Option<String>, Message> {
    let tags = texts.tags.join(" ");
    let is_trusted = account.skips_moderation();
    match moderation.rules.check(&[&texts.name, &texts.description, &tags], &[], is_trusted) {
        Verdict::Refused(error) => Err(error),
        Verdict::Held(why) => Ok(Some(why)),
        Verdict::Shown if has_new_picture && moderation.hold_uploads && !is_trusted => {
            Ok(Some(PICTURES_HELD_ALWAYS.to_owned()))
        }
        Verdict::Shown => Ok(None),
    }
}

/// Checks an uploaded file and its texts, and stores the picture. What it returns is to be submitted.
pub async fn prepare(
    moderation: &Moderation,
    media: &Media,
    account: &Account,
    file: Bytes,
    entered: &EnteredUpload,
) -> std::result::Result<NewUpload, UploadError> {
    let is_skin = entered.is_skin()?;
    let mut texts = entered.texts(is_skin)?;
    let held = why_held(moderation, account, &texts, true)?;
    let kind = match (is_skin, texts.model.as_deref()) {
        (false, _) => TextureKind::Cape,
        (true, Some("slim")) => TextureKind::Skin(ArmModel::Slim),
        (true, _) => TextureKind::Skin(ArmModel::Classic),
    };
    // Decoding takes milliseconds, which other requests must not wait for.
    let decoded = tokio::task::spawn_blocking(move || decode(&file, kind)).await;
    let (picture, imported_pngs) = decoded.map_err(|error| ApiError::Internal(error.to_string()))??;
    if is_skin && texts.model.is_none() {
        texts.model = picture.suggested_model.map(|model| model_name(model).to_owned());
    }
    let png = media.put_png(UPLOAD, &picture.png).await.map_err(ApiError::from)?;
    let based_on = entered.based_on.trim_end_matches('/').rsplit('/').next().unwrap_or_default().to_owned();
    let (account_n, pixel_hash) = (account.n, picture.pixel_hash);
    Ok(NewUpload { is_skin, account_n, texts, png, pixel_hash, imported_pngs, based_on, held })
}

/// The normalized picture, and the paths that it has in the gallery if it was imported: normalized, or as the file is.
fn decode(file: &[u8], kind: TextureKind) -> std::result::Result<(UploadedTexture, [String; 2]), Message> {
    let picture = normalize_upload(file, kind)?;
    let folder = if kind == TextureKind::Cape { "cape" } else { "skin" };
    let imported_pngs = [&picture.png, &picture.uploaded_png].map(|png| path_in_kind(folder, png));
    Ok((picture, imported_pngs))
}

fn model_name(model: ArmModel) -> &'static str {
    match model {
        ArmModel::Classic => "classic",
        ArmModel::Slim => "slim",
    }
}

/// Stores an upload, or says where its pixels are already. Call it in a transaction.
pub fn submit(conn: &mut Conn, moderation: &Moderation, new: &NewUpload, author: &Author) -> Result<UploadOutcome> {
    // First: of two uploads of one picture at the same time, the second must see the first.
    let rev = revision::bump(conn)?;
    texture_uploads::submit(conn, new, moderation.upload_caps, rev, author)
}

/// Checks changed texts of an upload: what is stored, and why a moderator must see it first.
pub fn prepare_edit(
    moderation: &Moderation,
    account: &Account,
    upload: &TextureUpload,
    entered: &EnteredUpload,
) -> std::result::Result<(UploadTexts, Option<String>), Message> {
    let mut texts = entered.texts(upload.is_skin)?;
    texts.model = texts.model.or_else(|| upload.texts.model.clone());
    let says_more = (&texts.name, &texts.description, &texts.tags)
        != (&upload.texts.name, &upload.texts.description, &upload.texts.tags);
    let held = why_held(moderation, account, &texts, false)?.filter(|_| says_more);
    Ok((texts, held))
}
