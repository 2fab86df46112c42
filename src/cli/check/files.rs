//! Files of the service: the settings file, pictures, permissions, and how many may be open.

use std::path::Path;

use super::super::serve::needed_files;
use super::super::store;
use super::Finding;
use crate::config::Config;
use rollcall_store::media::MediaPlace;
use rollcall_store::{Database, private_files};

/// Where the settings come from that are no defaults.
pub fn settings(config: &Config) -> String {
    let mut sources: Vec<String> = config
        .effective()
        .iter()
        .filter(|setting| setting.source.name().is_some())
        .map(|setting| setting.source.to_string())
        .collect();
    sources.sort();
    sources.dedup();
    match sources.is_empty() {
        true => "valid, all are defaults".to_owned(),
        false => format!("valid, from {}", sources.join(", ")),
    }
}

/// Pictures are in a bucket, or in a folder of the data folder, which the service creates.
pub fn pictures(config: &Config) -> Finding {
    match config.media_place()? {
        MediaPlace::Folder(folder) => picture_folder(&folder),
        bucket => bucket.check().map(|()| format!("{bucket} can be used")),
    }
}

fn picture_folder(folder: &Path) -> Finding {
    let existing = folder.ancestors().find(|path| path.as_os_str().is_empty() || path.exists());
    let existing = existing.filter(|path| !path.as_os_str().is_empty()).unwrap_or(Path::new("."));
    private_files::check_folder_writable(existing).map_err(|error| {
        format!("cannot write to {}: {error}; give it to the user of the service (chown)", existing.display())
    })?;
    Ok(match existing == folder {
        true => format!("{} is writable", folder.display()),
        false => format!("{} does not exist yet; {} is writable", folder.display(), existing.display()),
    })
}

/// Nobody but the owner and its group may write to the data folder or read the databases.
pub fn permissions(config: &Config) -> Finding {
    let Ok(database) = store::database(config) else { return Err("the database URL is not valid".to_owned()) };
    let mut problems = Vec::new();
    if private_files::is_writable_by_others(&config.data) {
        problems.push(format!("every user may write to {0}: chmod o-w {0}", config.data.display()));
    }
    for database in [database.clone(), database.ledger()] {
        let Database::Sqlite(path) = database else { continue };
        if private_files::is_readable_by_others(&path) {
            problems.push(format!("every user may read {0}: chmod o= {0}", path.display()));
        }
        problems
            .extend(private_files::describe_foreign_owner(&path).map(|owner| format!("{}: {owner}", path.display())));
    }
    problems.dedup();
    if problems.is_empty() {
        return Ok(format!("{} is closed to other users", config.data.display()));
    }
    Err(problems.join("; "))
}

pub fn open_files(config: &Config) -> Finding {
    let needed = needed_files(config);
    let (_, hard) = rlimit::Resource::NOFILE.get().map_err(|error| format!("cannot read the limit: {error}"))?;
    match hard >= needed {
        true => Ok(format!("{hard} may be open, {needed} are needed")),
        false => Err(format!(
            "{hard} may be open, {needed} are needed; raise the hard limit (LimitNOFILE, ulimit -Hn) or lower \
             http.max_connections"
        )),
    }
}
