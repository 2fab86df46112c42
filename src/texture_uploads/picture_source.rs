//! The source of the picture of an upload: the file, a skin or cape of this site, or the skin that a player wears.

use bytes::Bytes;

use super::entered_upload::EnteredUpload;
use super::model_name;
use super::site_address::SiteAddress;
use super::skin_lookup::{SkinLookup, SkinLookupError};
use crate::error::ApiError;
use rollcall_minecraft::join_verify::codec::is_valid_name;
use rollcall_model::message::{Message, translatable};
use rollcall_store::media::Media;
use rollcall_store::textures::{self, PublicPicture};
use rollcall_store::{Error, Pool};

/// Characters of a wrong value that an error repeats.
const SHOWN_CHARS: usize = 80;

/// Sources that pictures are copied from.
pub struct CopySources<'a> {
    pub public_url: &'a str,
    pub pool: &'a Pool,
    pub media: &'a Media,
    /// `None` if skins of players cannot be copied.
    pub skin_lookup: Option<&'a SkinLookup>,
}

pub enum CopyError {
    Refused(Message),
    /// Seconds until the next try.
    TooMany(i64),
    /// The session server gave no usable answer.
    NoAnswer,
    Failed(ApiError),
}

impl From<Message> for CopyError {
    fn from(message: Message) -> Self {
        Self::Refused(message)
    }
}

impl From<Error> for CopyError {
    fn from(error: Error) -> Self {
        Self::Failed(error.into())
    }
}

impl CopySources<'_> {
    /// The file of an upload. If it is a copy, its kind and model are entered, unless the user chose another model.
    pub async fn file(&self, account_n: i64, file: Bytes, entered: &mut EnteredUpload) -> Result<Bytes, CopyError> {
        let given = [!file.is_empty(), !entered.address.is_empty(), !entered.player.is_empty()];
        match given.into_iter().filter(|is_given| *is_given).count() {
            0 => Err(Message::from(translatable("Choose a file, or enter what to copy.")).into()),
            1 if !entered.address.is_empty() => self.copy_texture(entered).await,
            1 if !entered.player.is_empty() => self.copy_worn_skin(account_n, entered).await,
            1 => Ok(file),
            _ => Err(Message::from(translatable("Choose a file, or one thing to copy, not several.")).into()),
        }
    }

    async fn copy_texture(&self, entered: &mut EnteredUpload) -> Result<Bytes, CopyError> {
        let address = SiteAddress::parse(&entered.address, self.public_url).ok_or_else(|| {
            Message::new(
                "“{}” is not the address of a skin or cape of this site, such as {}. From other sites, save the picture and choose the file.",
                &[&shortened(&entered.address), &format!("{}/skins/red-fox", self.public_url)],
            )
        })?;
        let find = move |conn: &mut rollcall_store::Conn| match &address {
            SiteAddress::Page { is_skin, slug } => textures::public_by_slug(conn, *is_skin, slug),
            SiteAddress::Picture(png) => textures::public_by_png(conn, png),
        };
        let found = self.pool.read(find).await?;
        let not_found = || Message::new("There is no public skin or cape at “{}”.", &[&shortened(&entered.address)]);
        let PublicPicture { is_skin, png, model } = found.ok_or_else(not_found)?;
        let picture = self.media.get(&png).await;
        let picture = picture.map_err(|error| CopyError::Failed(error.into()))?;
        let picture = picture.ok_or_else(not_found)?;
        entered.copied(is_skin, model.as_deref().unwrap_or_default());
        Ok(picture)
    }

    async fn copy_worn_skin(&self, account_n: i64, entered: &mut EnteredUpload) -> Result<Bytes, CopyError> {
        let disabled = || Message::from(translatable("Skins of players cannot be copied here."));
        let lookup = self.skin_lookup.ok_or_else(disabled)?;
        let name = entered.player.clone();
        if !is_valid_name(&name) {
            let text = "“{}” cannot be the name of a player: it has 1 to 16 letters, digits or signs.";
            return Err(Message::new(text, &[&shortened(&name)]).into());
        }
        // Wrong texts must not cost requests to others.
        entered.texts(true)?;
        let found = lookup.find(account_n, &name).await.map_err(|error| match error {
            SkinLookupError::TooMany(seconds) => CopyError::TooMany(seconds),
            SkinLookupError::NoSuchPlayer => Message::new("There is no player with the name “{}”.", &[&name]).into(),
            SkinLookupError::DefaultSkin => {
                Message::new("{} wears a skin of the game itself, which need not be copied.", &[&name]).into()
            }
            SkinLookupError::Unusable(reason) => {
                tracing::warn!(reason, "cannot copy the skin of a player");
                CopyError::NoAnswer
            }
        })?;
        entered.copied(true, model_name(found.model));
        Ok(found.png)
    }
}

impl EnteredUpload {
    /// Enters what the original is.
    fn copied(&mut self, is_skin: bool, model: &str) {
        self.kind = if is_skin { "skin" } else { "cape" }.to_owned();
        if self.model.is_empty() {
            model.clone_into(&mut self.model);
        }
    }
}

fn shortened(text: &str) -> String {
    let mut shown: String = text.chars().take(SHOWN_CHARS).collect();
    if shown.len() < text.len() {
        shown.push('…');
    }
    shown
}
