//! Backups at regular times while the service runs. The names of the files say when they were made, so nothing else has to be
//! remembered.

use std::path::{Path, PathBuf};
use std::time::Duration;

use super::{BackupOptions, BackupSummary, Error, backup};
use rollcall_model::clock::Clock;
use rollcall_model::time::{SECOND, iso, parse_iso};
use rollcall_store::media::{BucketFiles, Media, MediaPlace};
use rollcall_store::{Conn, Database};

const PREFIX: &str = "rollcall-";
const SUFFIX: &str = ".db";
/// After a backup that failed.
const RETRY_AFTER: Duration = Duration::from_secs(600);

pub struct BackupSchedule {
    pub every: Duration,
    /// How many files are kept.
    pub keep: usize,
    pub place: BackupPlace,
    pub database: PathBuf,
    pub media: Media,
    pub clock: Clock,
}

/// Location of the backups.
pub enum BackupPlace {
    Folder(PathBuf),
    /// Each is made in the folder first.
    Bucket {
        files: BucketFiles,
        made_in: PathBuf,
    },
}

impl BackupPlace {
    /// Never call it on an async worker. The folder is created.
    pub fn open(place: &MediaPlace, data: &Path) -> Result<Self, Error> {
        match place {
            MediaPlace::Folder(folder) => {
                std::fs::create_dir_all(folder).map_err(Error::file(folder))?;
                Ok(Self::Folder(folder.clone()))
            }
            MediaPlace::S3 { settings, .. } => {
                Ok(Self::Bucket { files: BucketFiles::open(settings)?, made_in: data.to_owned() })
            }
        }
    }

    fn local_folder(&self) -> &Path {
        match self {
            Self::Folder(folder) => folder,
            Self::Bucket { made_in, .. } => made_in,
        }
    }

    /// Times and names of the backups, oldest first. Other files are left alone.
    async fn list(&self) -> Result<Vec<(i64, String)>, Error> {
        let names = match self {
            Self::Folder(folder) => {
                let entries = std::fs::read_dir(folder).map_err(Error::file(folder))?;
                entries.filter_map(|entry| entry.ok()?.file_name().into_string().ok()).collect()
            }
            Self::Bucket { files, .. } => files.names().await?,
        };
        let mut backups: Vec<_> = names.into_iter().filter_map(|name| Some((time_of(&name)?, name))).collect();
        backups.sort();
        Ok(backups)
    }

    async fn delete(&self, name: &str) -> Result<(), Error> {
        match self {
            Self::Folder(folder) => {
                let file = folder.join(name);
                std::fs::remove_file(&file).map_err(Error::file(&file))
            }
            Self::Bucket { files, .. } => Ok(files.delete(name).await?),
        }
    }

    /// Takes a finished backup to where it belongs.
    async fn add(&self, name: &str) -> Result<(), Error> {
        let Self::Bucket { files, made_in } = self else { return Ok(()) };
        let file = made_in.join(name);
        let uploaded = files.upload(&file, name).await;
        std::fs::remove_file(&file).map_err(Error::file(&file))?;
        Ok(uploaded?)
    }
}

impl BackupSchedule {
    /// Backs up until the service stops.
    pub async fn run(self) {
        loop {
            let pause = match self.until_due().await {
                Ok(Duration::ZERO) => self.back_up_and_log().await,
                Ok(pause) => pause,
                Err(error) => self.log_failure(&error),
            };
            tokio::time::sleep(pause).await;
        }
    }

    /// The first backup is due at once.
    async fn until_due(&self) -> Result<Duration, Error> {
        let Some((newest, _)) = self.place.list().await?.pop() else { return Ok(Duration::ZERO) };
        metrics::gauge!("rollcall_last_backup_timestamp_seconds").set(newest as f64 / SECOND as f64);
        let age = Duration::from_millis(u64::try_from(self.clock.now() - newest).unwrap_or_default());
        Ok(self.every.saturating_sub(age))
    }

    async fn back_up_and_log(&self) -> Duration {
        match self.back_up().await {
            Ok((name, summary)) => {
                tracing::info!(name, bytes = summary.size, "backed up the store");
                if let Some(first) = summary.damaged.first() {
                    tracing::warn!(pictures = summary.damaged.len(), first, "the backup lacks damaged pictures");
                }
                Duration::ZERO
            }
            Err(error) => self.log_failure(&error),
        }
    }

    fn log_failure(&self, error: &Error) -> Duration {
        tracing::error!(%error, "cannot back up the store; trying again in {} minutes", RETRY_AFTER.as_secs() / 60);
        RETRY_AFTER.min(self.every)
    }

    async fn back_up(&self) -> Result<(String, BackupSummary), Error> {
        let now = self.clock.now();
        let name = name_at(now);
        let (file, database, media) =
            (self.place.local_folder().join(&name), self.database.clone(), self.media.clone());
        let written = tokio::task::spawn_blocking(move || {
            let mut conn = Conn::open(&Database::sqlite(database.clone()))?;
            backup(&mut conn, &file, BackupOptions { database: &database, media: &media, now, progress: &|_, _, _| () })
        });
        let summary = written.await.map_err(|panic| Error::Refused(panic.to_string()))??;
        self.place.add(&name).await?;
        let backups = self.place.list().await?;
        for (_, old) in backups.iter().take(backups.len().saturating_sub(self.keep)) {
            self.place.delete(old).await?;
        }
        Ok((name, summary))
    }
}

/// `rollcall-2026-11-18T15-41-49Z.db`: some file systems refuse colons.
fn name_at(now: i64) -> String {
    let time = iso(now).replace(':', "-");
    let (seconds, _) = time.split_once('.').unwrap_or((&time, ""));
    format!("{PREFIX}{seconds}Z{SUFFIX}")
}

/// `None` for a name that [`name_at`] does not give.
fn time_of(name: &str) -> Option<i64> {
    let (day, time) = name.strip_prefix(PREFIX)?.strip_suffix(SUFFIX)?.split_once('T')?;
    parse_iso(&format!("{day}T{}", time.replace('-', ":"))).filter(|at| name_at(*at) == name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_tell_the_time() {
        let at = parse_iso("2026-11-18T15:41:49Z").unwrap();
        assert_eq!(name_at(at + 999), "rollcall-2026-11-18T15-41-49Z.db");
        assert_eq!(time_of("rollcall-2026-11-18T15-41-49Z.db"), Some(at));
        for other in [
            "rollcall.db",
            "rollcall-before-restore.db",
            "rollcall-2026-13-18T15-41-49Z.db",
            "rollcall-2026-11-18T15-41-49Z.db.part",
        ] {
            assert_eq!(time_of(other), None, "{other}");
        }
    }
}
