//! `[backup]`

use std::ops::RangeInclusive;
use std::path::Path;
use std::time::Duration;

use serde::{Deserialize, Deserializer};

use super::parse::{OFF, duration};
use super::{Config, MediaSettings};
use rollcall_store::Database;
use rollcall_store::media::MediaPlace;

const HOUR: Duration = Duration::from_secs(3600);
const EVERY: RangeInclusive<Duration> = HOUR..=HOUR.saturating_mul(24 * 31);
const KEEP: RangeInclusive<usize> = 1..=1000;
/// The folder in the data folder.
const FOLDER: &str = "backups";

/// Backups that the service makes.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Backup {
    /// `None`: none.
    #[serde(deserialize_with = "every")]
    pub every: Option<Duration>,
    pub keep: usize,
    /// Empty: a folder in the data folder.
    to: String,
}

impl Backup {
    pub(super) fn check(&self, config: &Config) -> Result<(), String> {
        if !KEEP.contains(&self.keep) {
            return Err(format!("backup.keep must be from {} to {}, not {}", KEEP.start(), KEEP.end(), self.keep));
        }
        if self.every.is_none() {
            return Ok(());
        }
        if matches!(config.database()?, Database::Postgres(_)) {
            return Err(
                "backup.every is for SQLite: back up PostgreSQL with pg_dump or continuous archiving, and set it to \
                        \"off\""
                    .into(),
            );
        }
        self.place(&config.media, &config.data).map(drop)
    }

    /// Location of the backups.
    pub fn place(&self, media: &MediaSettings, data: &Path) -> Result<MediaPlace, String> {
        match self.to.is_empty() {
            true => Ok(MediaPlace::Folder(data.join(FOLDER))),
            false => media.other_place("backup.to", &self.to, data),
        }
    }
}

fn every<'de, D: Deserializer<'de>>(from: D) -> Result<Option<Duration>, D::Error> {
    let text = String::deserialize(from)?;
    match duration(&text).filter(|every| EVERY.contains(every)) {
        None if text == OFF => Ok(None),
        None => Err(serde::de::Error::custom(format!(
            "backup.every must be a duration such as 12h or 7d, from 1h to 31d, or \"{OFF}\", not {text:?}"
        ))),
        every => Ok(every),
    }
}
