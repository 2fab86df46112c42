//! `[media]`

use std::net::IpAddr;
use std::path::Path;

use axum::http::Uri;
use rollcall_model::secret::Secret;
use rollcall_store::media::{MediaPlace, S3Settings};
use serde::Deserialize;

use super::parse::is_http_url;

const SCHEME: &str = "s3://";
const DEFAULT_REGION: &str = "us-east-1";
/// The folder in the data folder.
const FOLDER: &str = "media";
/// Ends of host names that the public DNS does not have.
const PRIVATE_SUFFIXES: [&str; 5] = [".internal", ".local", ".localhost", ".home.arpa", ".svc"];

/// Location of pictures.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct MediaSettings {
    /// Empty: a folder of this machine.
    url: String,
    endpoint: String,
    region: String,
    path_style: bool,
    access_key_id: String,
    secret_access_key: Secret,
    session_token: Secret,
    /// Empty: this service.
    public_url: String,
}

impl MediaSettings {
    pub fn check(&self) -> Result<(), String> {
        if !self.endpoint.is_empty() {
            self.check_endpoint()?;
        }
        let is_plain = is_http_url(&self.public_url)
            && self.public_url.bytes().all(|byte| byte.is_ascii_graphic())
            && !self.public_url.contains(['?', '#', '@', '"', '\'', ';', ',', '<', '>', '\\'])
            && !self.public_url.ends_with('/');
        if !self.public_url.is_empty() && !is_plain {
            return Err(format!(
                "media.public_url must be a URL such as https://pictures.example.org, without a trailing slash, not \"{}\"",
                self.public_url
            ));
        }
        if !self.public_url.is_empty() && self.url.is_empty() {
            return Err("media.public_url needs media.url: pictures in a folder are served by this service".into());
        }
        if self.url.is_empty() {
            return Ok(());
        }
        self.bucket("media.url", &self.url).map(drop)
    }

    fn check_endpoint(&self) -> Result<(), String> {
        let endpoint = &self.endpoint;
        if !is_http_url(endpoint) || endpoint.contains(['?', '#', '@']) {
            return Err(format!("media.endpoint must be a URL such as https://s3.example.org, not \"{endpoint}\""));
        }
        let url: Uri = endpoint.parse().expect("checked above");
        if url.scheme_str() == Some("http") && !is_private(url.host().unwrap_or_default()) {
            return Err(format!(
                "media.endpoint must begin with https://, not \"{endpoint}\"; http:// is for hosts of your own network"
            ));
        }
        Ok(())
    }

    /// The base URL from which browsers load pictures, if not from this service.
    pub fn public_url(&self) -> Option<&str> {
        Some(self.public_url.as_str()).filter(|url| !url.is_empty())
    }

    /// Scheme, host and port of [`Self::public_url`], for the policies of pages; empty if there is none.
    pub fn public_origin(&self) -> String {
        let Ok(url) = self.public_url.parse::<Uri>() else { return String::new() };
        match (url.scheme_str(), url.authority()) {
            (Some(scheme), Some(authority)) => format!("{scheme}://{authority}"),
            _ => String::new(),
        }
    }

    /// Picture location of this service.
    pub fn place(&self, data: &Path) -> Result<MediaPlace, String> {
        if self.url.is_empty() {
            return Ok(MediaPlace::Folder(data.join(FOLDER)));
        }
        self.s3("media.url", &self.url, data)
    }

    /// Another place, such as the destination of a copy: a folder, or a bucket that takes the other settings. `name` is what an
    /// error calls it.
    pub fn other_place(&self, name: &str, text: &str, data: &Path) -> Result<MediaPlace, String> {
        if text.starts_with(SCHEME) { self.s3(name, text, data) } else { Ok(MediaPlace::Folder(text.into())) }
    }

    fn s3(&self, name: &str, url: &str, data: &Path) -> Result<MediaPlace, String> {
        let settings = self.bucket(name, url)?;
        Ok(MediaPlace::S3 { settings: Box::new(settings), staging_folder: data.join(FOLDER) })
    }

    fn bucket(&self, name: &str, url: &str) -> Result<S3Settings, String> {
        let is_name = |part: &str| {
            let is_name_byte = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b'.');
            !part.is_empty() && part.bytes().all(is_name_byte) && !matches!(part, "." | "..")
        };
        let rest = url.strip_prefix(SCHEME).map(|rest| rest.trim_end_matches('/'));
        let Some(rest) = rest.filter(|rest| rest.split('/').all(is_name)) else {
            return Err(format!("{name} must be a bucket such as s3://pictures or s3://bucket/prefix, not \"{url}\""));
        };
        if self.access_key_id.is_empty() || self.secret_access_key.is_empty() {
            return Err(format!(
                "{name} = \"{url}\" needs media.access_key_id and media.secret_access_key, or AWS_ACCESS_KEY_ID and \
                 AWS_SECRET_ACCESS_KEY in the environment"
            ));
        }
        let (bucket, prefix) = rest.split_once('/').unwrap_or((rest, ""));
        let region = if self.region.is_empty() { DEFAULT_REGION } else { &self.region };
        Ok(S3Settings {
            bucket: bucket.to_owned(),
            prefix: prefix.to_owned(),
            endpoint: Some(self.endpoint.clone()).filter(|endpoint| !endpoint.is_empty()),
            region: region.to_owned(),
            path_style: self.path_style,
            access_key_id: self.access_key_id.clone(),
            secret_access_key: self.secret_access_key.clone(),
            session_token: self.session_token.clone(),
        })
    }
}

/// Whether a host is in a network of the operator, as far as its name says.
fn is_private(host: &str) -> bool {
    match host.trim_matches(['[', ']']).parse::<IpAddr>().map(|address| address.to_canonical()) {
        Ok(IpAddr::V4(address)) => address.is_loopback() || address.is_private() || address.is_link_local(),
        Ok(IpAddr::V6(address)) => {
            address.is_loopback() || address.is_unique_local() || address.is_unicast_link_local()
        }
        Err(_) => !host.contains('.') || PRIVATE_SUFFIXES.iter().any(|suffix| host.ends_with(suffix)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn settings(url: &str) -> MediaSettings {
        MediaSettings {
            url: url.into(),
            endpoint: String::new(),
            region: String::new(),
            path_style: true,
            access_key_id: "key".into(),
            secret_access_key: "hunter2".into(),
            session_token: Secret::default(),
            public_url: String::new(),
        }
    }

    #[test]
    fn a_bucket_may_have_a_prefix_and_nothing_shows_the_secret() {
        let place = |url: &str| settings(url).place(Path::new("data")).map(|place| place.to_string());
        assert_eq!(place("").unwrap(), "data/media");
        assert_eq!(place("s3://pictures").unwrap(), "s3://pictures");
        assert_eq!(place("s3://pictures/a/b/").unwrap(), "s3://pictures/a/b");
        assert!(!format!("{:?}", settings("s3://pictures")).contains("hunter2"));
        for wrong in ["pictures", "s3://", "s3://a//b", "s3://a/../b", "s3://a b", "https://s3.example.org/a"] {
            assert!(settings(wrong).check().is_err_and(|error| error.starts_with("media.url")), "{wrong}");
        }
        let keyless = MediaSettings { secret_access_key: Secret::default(), ..settings("s3://pictures") };
        assert!(keyless.check().is_err_and(|error| error.contains("AWS_SECRET_ACCESS_KEY")));
    }

    #[test]
    fn plain_http_is_for_private_endpoints() {
        let endpoint = |url: &str| MediaSettings { endpoint: url.into(), ..settings("s3://pictures") }.check();
        for good in [
            "https://s3.example.org",
            "http://127.0.0.1:9000",
            "http://[::1]:9000",
            "http://10.0.0.7",
            "http://minio:9000",
            "http://minio.storage.svc",
        ] {
            assert_eq!(endpoint(good), Ok(()), "{good}");
        }
        for wrong in ["s3.example.org", "http://s3.example.org", "http://192.0.2.7", "https://me@s3.example.org"] {
            assert!(endpoint(wrong).is_err_and(|error| error.starts_with("media.endpoint")), "{wrong}");
        }
    }

    #[test]
    fn a_public_url_has_no_trailing_slash_and_needs_a_bucket() {
        let public = |url: &str, at: &str| MediaSettings { public_url: at.into(), ..settings(url) }.check();
        assert_eq!(public("s3://pictures", "https://cdn.example.org/pictures"), Ok(()));
        for wrong in ["cdn.example.org", "https://cdn.example.org/", "https://x; script-src *", "https://x?y"] {
            assert!(
                public("s3://pictures", wrong).is_err_and(|error| error.starts_with("media.public_url")),
                "{wrong}"
            );
        }
        assert!(public("", "https://cdn.example.org").is_err());
    }
}
