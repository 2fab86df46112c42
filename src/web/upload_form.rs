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

/// Bytes of the whole form.
const MAX_BYTES: usize = 260 * 1024;
/// Bytes of the CSRF token.
const MAX_TOKEN_BYTES: u64 = 256;
/// The field with the file.
const FILE: &str = "file";

pub struct UploadForm<U> {
    pub sender: U,
    pub file: Bytes,
}

impl<U: Authorize> FromRequest<Arc<App>> for UploadForm<U> {
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
                let text = translatable("The file is larger than 256 KiB. Nothing was changed.");
                error_page::with_message(StatusCode::PAYLOAD_TOO_LARGE, translatable("File too large"), text)
            }
            error => error_page::error_page(&error),
        })?;
        let (token, file) = read_fields(bytes, boundary).await.map_err(|_| {
            let text = translatable("The form is damaged. Nothing was changed.");
            error_page::with_message(StatusCode::BAD_REQUEST, translatable("Bad request"), text)
        })?;
        let sender = authorize_sender(app, &parts, &token).await?;
        Ok(Self { sender, file })
    }
}

/// The token and the file; empty if they are missing.
async fn read_fields(bytes: Bytes, boundary: String) -> multer::Result<(String, Bytes)> {
    let stream = futures_util::stream::once(async move { Ok::<_, Infallible>(bytes) });
    let sizes = SizeLimit::new().per_field(MAX_BYTES as u64).for_field(TOKEN, MAX_TOKEN_BYTES);
    let constraints = Constraints::new().allowed_fields(vec![TOKEN, FILE]).size_limit(sizes);
    let mut form = Multipart::with_constraints(stream, boundary, constraints);
    let (mut token, mut file) = (String::new(), Bytes::new());
    while let Some(field) = form.next_field().await? {
        match field.name() {
            Some(TOKEN) => token = field.text().await?,
            Some(FILE) => file = field.bytes().await?,
            _ => {}
        }
    }
    Ok((token, file))
}
