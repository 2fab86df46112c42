//! A form with one file (`multipart/form-data`), checked like [`super::csrf_form`].

use std::convert::Infallible;
use std::sync::Arc;

use axum::extract::{FromRequest, Request};
use axum::http::{StatusCode, header};
use bytes::Bytes;
use multer::{Constraints, Multipart, SizeLimit};

use super::csrf_form::{TOKEN, authorize_sender, check_origin};
use super::current_user::Authorize;
use super::error_page;
use super::page::PageRejection;
use crate::app::App;
use crate::error::ApiError;
use rollcall_model::message::translatable;

/// Bytes of a whole form with a banner, and with a skin or cape: the file and the other fields.
const MAX_BANNER_FORM: usize = 260 * 1024;
const MAX_TEXTURE_FORM: usize = 544 * 1024;
/// Bytes of a field that is no file.
const MAX_TEXT_BYTES: u64 = 16 * 1024;
/// Fields of a form.
const MAX_FIELDS: usize = 16;
/// Bytes of the CSRF token.
const MAX_TOKEN_BYTES: u64 = 256;
/// The field with the file.
const FILE: &str = "file";

/// A form with a skin or cape.
pub type TextureUploadForm<U> = UploadForm<U, MAX_TEXTURE_FORM>;

pub struct UploadForm<U, const MAX_BYTES: usize = MAX_BANNER_FORM> {
    pub sender: U,
    pub file: Bytes,
    /// Name and value of the other fields.
    texts: Vec<(String, String)>,
}

impl<U, const MAX_BYTES: usize> UploadForm<U, MAX_BYTES> {
    /// The trimmed value of a field; empty if it is missing.
    pub fn text(&self, name: &str) -> &str {
        find(&self.texts, name).trim()
    }
}

fn find<'a>(texts: &'a [(String, String)], name: &str) -> &'a str {
    texts.iter().find(|(given, _)| given == name).map_or("", |(_, value)| value)
}

impl<U: Authorize, const MAX_BYTES: usize> FromRequest<Arc<App>> for UploadForm<U, MAX_BYTES> {
    type Rejection = PageRejection;

    async fn from_request(request: Request, app: &Arc<App>) -> Result<Self, Self::Rejection> {
        let (parts, body) = request.into_parts();
        check_origin(app, &parts)?;
        let content_type = parts.headers.get(header::CONTENT_TYPE).and_then(|value| value.to_str().ok());
        let boundary = content_type.and_then(|content_type| multer::parse_boundary(content_type).ok());
        let Some(boundary) = boundary else {
            let text = translatable("Files must be sent as multipart/form-data.");
            let title = translatable("Unsupported content type");
            return Err(error_page::with_message(StatusCode::UNSUPPORTED_MEDIA_TYPE, title, text).into());
        };
        let bytes = app.body_reader.read(body, MAX_BYTES, &parts.extensions).await.map_err(|error| match error {
            ApiError::BodyTooLarge => {
                let text = match MAX_BYTES {
                    MAX_BANNER_FORM => translatable("The file is larger than 256 KiB. Nothing was changed."),
                    _ => translatable("The file is larger than 512 KiB. Nothing was changed."),
                };
                error_page::with_message(StatusCode::PAYLOAD_TOO_LARGE, translatable("File too large"), text)
            }
            error => error_page::error_page(&error),
        })?;
        let (texts, file) = read_fields(bytes, boundary).await.ok_or_else(|| {
            let text = translatable("The form is damaged. Nothing was changed.");
            error_page::with_message(StatusCode::BAD_REQUEST, translatable("Bad request"), text)
        })?;
        let sender = authorize_sender(app, &parts, find(&texts, TOKEN)).await?;
        Ok(Self { sender, file, texts })
    }
}

/// The texts and the file, which is empty if it is missing. `None` if the form is damaged, or a text has NUL, which PostgreSQL
/// cannot store.
async fn read_fields(bytes: Bytes, boundary: String) -> Option<(Vec<(String, String)>, Bytes)> {
    let max_bytes = bytes.len() as u64;
    let stream = futures_util::stream::once(async move { Ok::<_, Infallible>(bytes) });
    let sizes = SizeLimit::new().per_field(MAX_TEXT_BYTES).for_field(TOKEN, MAX_TOKEN_BYTES).for_field(FILE, max_bytes);
    let constraints = Constraints::new().size_limit(sizes);
    let mut form = Multipart::with_constraints(stream, boundary, constraints);
    let (mut texts, mut file) = (Vec::new(), Bytes::new());
    while let Some(field) = form.next_field().await.ok()? {
        if texts.len() == MAX_FIELDS {
            return None;
        }
        match field.name().map(str::to_owned) {
            Some(name) if name == FILE => file = field.bytes().await.ok()?,
            Some(name) => {
                let value = field.text().await.ok()?;
                if value.contains('\0') {
                    return None;
                }
                texts.push((name, value));
            }
            None => {}
        }
    }
    Some((texts, file))
}
