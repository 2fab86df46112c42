//! `[backup]`: backups that the service makes.

use std::process::Command;

use super::{Program, SERVE, complaint, entries, keyed, names, printed, restored};
use crate::harness::{Bucket, Engine, Store};

fn scheduled(store: &Store, to: &str) -> Command {
    let mut command = store.command(&SERVE);
    command.env("ROLLCALL_BACKUP_EVERY", "1h").env("ROLLCALL_BACKUP_KEEP", "2").env("ROLLCALL_BACKUP_TO", to);
    command
}

/// The file that the log names.
fn made(program: &Program) -> String {
    program.until_logged("backed up the store");
    let log = program.log();
    let line = log.lines().find(|line| line.contains("backed up the store")).expect("the line");
    let line: serde_json::Value = serde_json::from_str(line).expect("JSON");
    line["fields"]["name"].as_str().expect("a name").to_owned()
}

#[test]
fn a_backup_is_made_and_old_ones_are_deleted() {
    let store = keyed(&["first"]);
    let folder = store.path().join("kept");
    std::fs::create_dir(&folder).unwrap();
    let old = ["rollcall-2020-01-01T00-00-00Z.db", "rollcall-2021-01-01T00-00-00Z.db", "rollcall-before.db", "notes"];
    for name in old {
        std::fs::write(folder.join(name), "old").unwrap();
    }
    let program = Program::start(scheduled(&store, folder.to_str().unwrap()));
    let name = made(&program);
    let mut expected = vec!["notes".to_owned(), old[1].to_owned(), old[2].to_owned(), name.clone()];
    expected.sort();
    assert_eq!(entries(&folder), expected);
    assert_eq!(names(&restored(&folder.join(&name)), &[]), ["first"]);
    // The newest is young enough for the next process.
    drop(program);
    let program = Program::start(scheduled(&store, folder.to_str().unwrap()));
    program.until_logged("\"serving\"");
    assert_eq!(entries(&folder), expected);
}

#[test]
fn a_backup_is_made_in_a_bucket_and_restored_from_there() {
    let (store, bucket) = (keyed(&["first"]), Bucket::new());
    let mut command = scheduled(&store, &bucket.url);
    bucket.allow(&mut command);
    let program = Program::start(command);
    let name = made(&program);
    assert!(!entries(store.path()).contains(&name), "the local file is deleted");
    let copy = Store::new(Engine::Sqlite);
    let mut restore = copy.command(&["restore", &format!("{}/{name}", bucket.url)]);
    bucket.allow(&mut restore);
    printed(&restore.output().unwrap());
    assert_eq!(names(&copy, &[]), ["first"]);
    assert!(entries(copy.path()).iter().all(|file| !file.contains("download")));
    let mut restore = copy.command(&["restore", &format!("{}/none.db", bucket.url), "--replace"]);
    bucket.allow(&mut restore);
    complaint(&restore.output().unwrap(), 1);
}

#[test]
fn a_place_that_cannot_be_used_is_logged_and_the_service_goes_on() {
    let (store, bucket) = (keyed(&[]), Bucket::new().with_secret("wrong"));
    let mut command = scheduled(&store, &bucket.url);
    bucket.allow(&mut command);
    let program = Program::start(command);
    program.until_logged("cannot back up the store; trying again in 10 minutes");
    program.until_logged("\"serving\"");
}

#[test]
fn settings_that_cannot_work_are_refused() {
    let store = Store::new(Engine::Postgres);
    let output = scheduled(&store, "").output().unwrap();
    assert!(complaint(&output, 2).contains("backup.every is for SQLite"));
    let store = Store::new(Engine::Sqlite);
    for (name, value, error) in [
        ("EVERY", "10m", "backup.every must be a duration such as 12h or 7d, from 1h to 31d, or \"off\", not \"10m\""),
        ("KEEP", "0", "backup.keep must be from 1 to 1000, not 0"),
        ("TO", "s3://backups", "needs media.access_key_id"),
    ] {
        let output = scheduled(&store, "").env(format!("ROLLCALL_BACKUP_{name}"), value).output().unwrap();
        let complaint = complaint(&output, 2);
        assert!(complaint.contains(error), "{complaint}");
    }
}
