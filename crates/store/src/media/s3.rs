//! Pictures in an S3-compatible store. Only plain GET, PUT, HEAD, DELETE and lists are used: no conditional writes, tags or
//! multi-object deletes, which many stores lack.

use std::path::Path as FilePath;
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use futures_util::TryStreamExt;
use moka::future::Cache;
use object_store::aws::AmazonS3Builder;
use object_store::prefix::PrefixStore;
use object_store::{Attribute, Attributes, BackoffConfig, ObjectStore, RetryConfig};
use rollcall_model::secret::Secret;

use super::Media;
use super::error::{Error, describe, misconfiguration};
use super::s3_transport::Transport;

/// Retries of one operation, and the time after which none begins. With the timeout of the transport an operation stays below the
/// time that a request may take.
const MAX_RETRIES: usize = 2;
const RETRY_TIMEOUT: Duration = Duration::from_secs(4);
const FIRST_PAUSE: Duration = Duration::from_millis(100);
const MAX_PAUSE: Duration = Duration::from_millis(500);
/// Bytes of pictures cached in memory. A node serves the same icons all the time, and each read is a request.
const CACHE_BYTES: u64 = 32 << 20;

/// Address of the bucket, and credentials.
#[derive(Clone, Debug)]
pub struct S3Settings {
    pub bucket: String,
    /// Before the names of all pictures; may be empty.
    pub prefix: String,
    /// `None`: Amazon's for the region.
    pub endpoint: Option<String>,
    pub region: String,
    /// `https://host/bucket` instead of `https://bucket.host`.
    pub path_style: bool,
    pub access_key_id: String,
    pub secret_access_key: Secret,
    /// Of temporary credentials; may be empty.
    pub session_token: Secret,
}

impl std::fmt::Display for S3Settings {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "s3://{}", self.bucket)?;
        if !self.prefix.is_empty() {
            write!(f, "/{}", self.prefix)?;
        }
        self.endpoint.as_ref().map_or(Ok(()), |endpoint| write!(f, " at {endpoint}"))
    }
}

impl S3Settings {
    /// The endpoint as the client wants it: with the bucket in the host name, unless that is part of the path.
    fn endpoint(&self) -> Option<String> {
        let endpoint = self.endpoint.as_ref()?.trim_end_matches('/');
        match endpoint.split_once("://") {
            Some((scheme, host)) if !self.path_style => Some(format!("{scheme}://{}.{host}", self.bucket)),
            _ => Some(endpoint.to_owned()),
        }
    }

    pub(super) fn client(&self) -> Result<Arc<dyn ObjectStore>, Error> {
        let retry = RetryConfig {
            max_retries: MAX_RETRIES,
            retry_timeout: RETRY_TIMEOUT,
            backoff: BackoffConfig { init_backoff: FIRST_PAUSE, max_backoff: MAX_PAUSE, ..BackoffConfig::default() },
        };
        let mut client = AmazonS3Builder::new()
            .with_bucket_name(&self.bucket)
            .with_region(&self.region)
            .with_access_key_id(&self.access_key_id)
            .with_secret_access_key(self.secret_access_key.reveal())
            .with_virtual_hosted_style_request(!self.path_style)
            .with_disable_bulk_delete(true)
            .with_disable_tagging(true)
            .with_retry(retry)
            .with_http_connector(Transport::new(self.to_string()));
        if let Some(endpoint) = self.endpoint() {
            client = client.with_endpoint(endpoint);
        }
        if !self.session_token.is_empty() {
            client = client.with_token(self.session_token.reveal());
        }
        let client = client.build().map_err(|error| Error::Bucket(self.to_string(), describe(&error)))?;
        Ok(if self.prefix.is_empty() {
            Arc::new(client)
        } else {
            Arc::new(PrefixStore::new(client, self.prefix.as_str()))
        })
    }
}

impl Media {
    /// Stores pictures in a bucket. Pictures of an import that is not complete are staged in a local folder.
    pub fn in_s3(settings: &S3Settings, staging_folder: &FilePath) -> Result<Self, Error> {
        let cache = Cache::builder().max_capacity(CACHE_BYTES).weigher(|_, bytes: &Bytes| bytes.len() as u32).build();
        Ok(Self {
            store: settings.client()?,
            name: settings.to_string().into(),
            folder: None,
            staging_folder: Some(staging_folder.into()),
            owner: None,
            cache: Some(cache),
        })
    }

    /// Fails if the bucket cannot be used as it is configured. An outage is no failure: it is returned as a message.
    pub async fn check_access(&self) -> Result<Option<String>, Error> {
        if self.is_local() {
            return Ok(None);
        }
        match self.store.list(None).try_next().await {
            Ok(_) => Ok(None),
            Err(error) => match misconfiguration(&error) {
                Some(reason) => Err(Error::Bucket(self.name.to_string(), reason)),
                None => Ok(Some(describe(&error))),
            },
        }
    }
}

/// What a browser needs that loads a picture from the bucket itself.
pub(super) fn attributes() -> Attributes {
    Attributes::from_iter([
        (Attribute::ContentType, "image/png"),
        (Attribute::CacheControl, "public, max-age=31536000, immutable"),
    ])
}
