//! The location of pictures: a folder of this machine, or a bucket.

use std::path::{Path, PathBuf};

use super::{Error, Media, S3Settings, wait};

#[derive(Clone, Debug)]
pub enum MediaPlace {
    Folder(PathBuf),
    S3 {
        settings: Box<S3Settings>,
        /// For pictures of an import that is not complete.
        staging_folder: PathBuf,
    },
}

impl std::fmt::Display for MediaPlace {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Folder(folder) => folder.display().fmt(f),
            Self::S3 { settings, .. } => settings.fmt(f),
        }
    }
}

impl MediaPlace {
    /// For reading and writing. A missing folder is created.
    pub fn open(&self) -> Result<Media, Error> {
        self.open_with(Media::in_folder)
    }

    /// For pictures that cannot be painted again after a power failure.
    pub fn open_durable(&self) -> Result<Media, Error> {
        self.open_with(Media::durable)
    }

    /// For reading only: a missing folder is not created, and holds no pictures.
    pub fn open_existing(&self) -> Result<Media, Error> {
        self.open_with(Media::existing)
    }

    /// Never call it on an async worker. A bucket that cannot be reached is an error only if it is configured wrongly: the rest
    /// of the service works without pictures.
    fn open_with(&self, folder: fn(&Path) -> Result<Media, Error>) -> Result<Media, Error> {
        match self {
            Self::Folder(path) => folder(path),
            Self::S3 { settings, staging_folder } => {
                let media = Media::in_s3(settings, staging_folder)?;
                if let Some(outage) = wait(media.check_access())? {
                    tracing::warn!("cannot reach {settings} for pictures: {outage}");
                }
                Ok(media)
            }
        }
    }

    /// Whether a bucket can be used now; the error says why not. A folder always can. Never call it on an async worker.
    pub fn check(&self) -> Result<(), String> {
        let Self::S3 { settings, staging_folder } = self else { return Ok(()) };
        let media = Media::in_s3(settings, staging_folder).map_err(|error| error.to_string())?;
        match wait(media.check_access()) {
            Ok(None) => Ok(()),
            Ok(Some(outage)) => Err(format!("{self}: {outage}")),
            Err(error) => Err(error.to_string()),
        }
    }

    pub fn is_folder(&self) -> bool {
        matches!(self, Self::Folder(_))
    }
}
