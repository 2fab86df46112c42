//! Errors with pictures, worded for the operator.

use std::error::Error as _;

#[derive(Debug, thiserror::Error)]
pub enum Error {
    #[error("picture storage: {0}")]
    Files(object_store::Error),
    #[error("picture storage: {}", describe(.0))]
    Remote(object_store::Error),
    #[error("cannot use {0} for pictures: {1}")]
    Folder(String, std::io::Error),
    /// The bucket cannot be used: it is missing, or the credentials are wrong.
    #[error("cannot use {0} for pictures: {1}")]
    Bucket(String, String),
    #[error("{0:?} is not a kind of picture")]
    Kind(String),
}

impl Error {
    /// Whether the picture store cannot be reached at the moment, or refuses us. Nothing is wrong with the request.
    pub fn is_outage(&self) -> bool {
        matches!(self, Self::Remote(_) | Self::Bucket(..))
    }
}

/// The reason why a bucket cannot be listed, and what to do about it. `None`: it may go away by itself.
pub(super) fn misconfiguration(error: &object_store::Error) -> Option<String> {
    let text = text(error);
    let code = s3_code(&text).map_or_else(String::new, |code| format!(" ({code})"));
    match status(&text)? {
        401 | 403 => Some(format!(
            "access denied{code}; check media.access_key_id and media.secret_access_key, and that they may list, read, write and \
             delete"
        )),
        404 => Some(format!("there is no such bucket{code}; create it first")),
        _ => None,
    }
}

/// The status of a response. The error of a list has it in its text only.
fn status(text: &str) -> Option<u16> {
    let (_, rest) = text.split_once("non-2xx status code: ")?;
    rest.split_whitespace().next()?.parse().ok()
}

/// An error of S3 in one line. The XML of a response shrinks to its code.
pub(super) fn describe(error: &object_store::Error) -> String {
    let text = text(error);
    match (text.split_once('<'), s3_code(&text)) {
        (Some((before, _)), Some(code)) => format!("{} {code}", before.trim_end()),
        _ => text.split_whitespace().collect::<Vec<_>>().join(" "),
    }
}

/// The innermost error that still says which request failed.
fn text(error: &object_store::Error) -> String {
    error.source().map_or_else(|| error.to_string(), ToString::to_string)
}

/// `AccessDenied` from `<Code>AccessDenied</Code>`.
fn s3_code(text: &str) -> Option<&str> {
    let (_, rest) = text.split_once("<Code>")?;
    rest.split_once("</Code>").map(|(code, _)| code)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn wrong_credentials_and_a_missing_bucket_are_told_from_an_outage() {
        let failed = |status: &str| object_store::Error::Generic {
            store: "S3",
            source: format!(
                "Error performing GET http://s3.test/b in 3ms - Server returned non-2xx status code: {status}: …"
            )
            .into(),
        };
        assert!(misconfiguration(&failed("403 Forbidden")).is_some_and(|reason| reason.starts_with("access denied;")));
        assert!(misconfiguration(&failed("404 Not Found")).is_some_and(|reason| reason.contains("no such bucket;")));
        assert_eq!(misconfiguration(&failed("503 Service Unavailable")), None);
    }

    #[test]
    fn the_xml_of_a_response_shrinks_to_its_code() {
        let body = "Error performing GET http://s3.test/b in 3ms - Server returned non-2xx status code: 403 Forbidden: <?xml \
                    version=\"1.0\"?>\n<Error><Code>SignatureDoesNotMatch</Code><Message>…</Message></Error>";
        let error = object_store::Error::PermissionDenied { path: "icon".into(), source: body.into() };
        assert_eq!(
            Error::Remote(error).to_string(),
            "picture storage: Error performing GET http://s3.test/b in 3ms - Server returned non-2xx status code: 403 Forbidden: \
             SignatureDoesNotMatch"
        );
    }
}
