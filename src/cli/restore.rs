use std::path::{Path, PathBuf};

use clap::Args;
use serde_json::json;

use super::output::{Bar, OutputArgs, list, numbers_as_json};
use super::{Failure, StoreArgs, load, store};
use crate::backup::{self, RestoreOptions};
use crate::config::Config;
use rollcall_model::time;
use rollcall_store::Database;
use rollcall_store::media::{BucketFiles, MediaPlace};

#[derive(Args)]
pub struct RestoreArgs {
    /// Backup file, or s3://BUCKET/NAME with the endpoint and credentials of [media]
    #[arg(value_name = "FILE")]
    file: PathBuf,
    /// Replace an existing store; it is kept as …-before-restore
    #[arg(long)]
    replace: bool,
    #[command(flatten)]
    output: OutputArgs,
    #[command(flatten)]
    store: StoreArgs,
}

pub fn run(args: RestoreArgs) -> Result<(), Failure> {
    let config = load(&args.store.flags())?;
    let place = store::media_place(&config)?;
    let Database::Sqlite(database) = store::database(&config)? else {
        return Err(Failure::Usage(format!(
            "restore a PostgreSQL store with pg_restore, and copy the pictures to {place} (`rollcall media copy --from`)"
        )));
    };
    let downloaded = download(&args.file, &config, &database)?;
    let file = downloaded.as_ref().map_or(args.file.as_path(), DownloadedFile::path);
    let bar = Bar::new();
    let progress = |what, done, whole| bar.show(what, done, whole);
    let to = RestoreOptions { database: &database, media: &place, replace: args.replace, progress: &progress };
    let restored = backup::restore(file, to);
    bar.finish();
    let restored = restored?;
    let kept = match &restored.previous {
        Some(kept) => format!("; the previous store is kept as {}", kept.display()),
        None => String::new(),
    };
    let when = time::iso(restored.made_at);
    let value = json!({
        "database": database,
        "madeAt": when,
        "contents": numbers_as_json(&restored.contents),
        "previous": restored.previous,
    });
    let what = list(restored.contents);
    args.output.print(&format!("Restored {what} as of {when} into {}{kept}.", database.display()), &value)
}

/// A copy that is deleted on drop.
struct DownloadedFile(PathBuf);

impl DownloadedFile {
    fn path(&self) -> &Path {
        &self.0
    }
}

impl Drop for DownloadedFile {
    fn drop(&mut self) {
        let _ = std::fs::remove_file(&self.0);
    }
}

/// Fetches a backup that is in a bucket, next to the database. `None` if it is a local file.
fn download(file: &Path, config: &Config, database: &Path) -> Result<Option<DownloadedFile>, Failure> {
    let Some((bucket, name)) =
        file.to_str().filter(|url| url.starts_with("s3://")).and_then(|url| url.rsplit_once('/'))
    else {
        return Ok(None);
    };
    let place = config.media.other_place("FILE", bucket, &config.data).map_err(Failure::Usage)?;
    let MediaPlace::S3 { settings, .. } = place else { return Ok(None) };
    let folder = database.parent().unwrap_or(Path::new("."));
    std::fs::create_dir_all(folder)?;
    let copy = DownloadedFile(folder.join(format!("{name}.download")));
    let _ = std::fs::remove_file(copy.path());
    BucketFiles::open(&settings)?.download_blocking(name, copy.path())?;
    Ok(Some(copy))
}
