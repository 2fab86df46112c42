//! Whole files in a bucket, such as backups.

use std::io::{Read, Write};
use std::path::Path as FilePath;
use std::sync::Arc;

use futures_util::TryStreamExt;
use object_store::path::Path;
use object_store::{ObjectStore, ObjectStoreExt, WriteMultipart};

use super::error::Error;
use super::s3::S3Settings;
use super::wait;
use crate::private_files;

/// Bytes of one request: the least that S3 allows, so that each ends in time on a slow line.
const PART_BYTES: usize = 5 << 20;

pub struct BucketFiles {
    store: Arc<dyn ObjectStore>,
    name: String,
}

impl BucketFiles {
    pub fn open(settings: &S3Settings) -> Result<Self, Error> {
        Ok(Self { store: settings.client()?, name: settings.to_string() })
    }

    /// The names of the files, in any order.
    pub async fn names(&self) -> Result<Vec<String>, Error> {
        let listed = self.store.list_with_delimiter(None).await.map_err(Error::Remote)?;
        Ok(listed.objects.iter().filter_map(|file| file.location.filename().map(str::to_owned)).collect())
    }

    /// The file appears in the bucket when all of it is there.
    pub async fn upload(&self, file: &FilePath, name: &str) -> Result<(), Error> {
        let unreadable = |error| Error::Folder(file.display().to_string(), error);
        let mut source = std::fs::File::open(file).map_err(unreadable)?;
        let upload = self.store.put_multipart(&Path::from(name)).await.map_err(Error::Remote)?;
        let mut writer = WriteMultipart::new_with_chunk_size(upload, PART_BYTES);
        let mut part = vec![0; PART_BYTES];
        loop {
            let outcome = source.read(&mut part).map_err(unreadable);
            match outcome {
                Ok(0) => break,
                Ok(length) => writer.write(part.get(..length).unwrap_or_default()),
                Err(error) => {
                    let _ = writer.abort().await;
                    return Err(error);
                }
            }
            writer.wait_for_capacity(1).await.map_err(Error::Remote)?;
        }
        writer.finish().await.map(drop).map_err(Error::Remote)
    }

    /// Copies a file of the bucket into a new local one.
    pub async fn download(&self, name: &str, file: &FilePath) -> Result<(), Error> {
        let unwritable = |error| Error::Folder(file.display().to_string(), error);
        let mut target = private_files::create_new(file).map_err(unwritable)?;
        let mut parts = self.store.get(&Path::from(name)).await.map_err(Error::Remote)?.into_stream();
        while let Some(part) = parts.try_next().await.map_err(Error::Remote)? {
            target.write_all(&part).map_err(unwritable)?;
        }
        target.sync_all().map_err(unwritable)
    }

    /// [`Self::download`] for commands. Never call it on an async worker.
    pub fn download_blocking(&self, name: &str, file: &FilePath) -> Result<(), Error> {
        wait(self.download(name, file))
    }

    pub async fn delete(&self, name: &str) -> Result<(), Error> {
        self.store.delete(&Path::from(name)).await.map_err(Error::Remote)
    }
}

impl std::fmt::Display for BucketFiles {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.name)
    }
}
