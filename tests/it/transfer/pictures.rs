//! Pictures are exported next to the files and imported from there.

use std::path::{Path, PathBuf};

use rollcall::transfer;
use rollcall_store::builtin_skins::BuiltinPictures;
use rollcall_store::media::{Media, path_in_kind};

use super::fixture::{documented_lines, export, exported, import, import_text, ndjson_files_in, sqlite};
use crate::harness::{self, Engine};

#[test]
fn an_export_never_overwrites_and_a_failed_one_leaves_no_files() {
    let mut store = sqlite();
    import_text(&mut store, &documented_lines()).unwrap();
    let folder = tempfile::tempdir().unwrap();
    // No folder for pictures can be created.
    std::fs::write(folder.path().join("media"), "").unwrap();
    transfer::export(&mut store.conn, folder.path(), &store.media, &mut |_, _| ()).map(drop).unwrap_err();
    assert!(ndjson_files_in(folder.path()).is_empty());
    let folder = tempfile::tempdir().unwrap();
    export(&mut store, folder.path());
    let again = transfer::export(&mut store.conn, folder.path(), &store.media, &mut |_, _| ()).map(drop).unwrap_err();
    assert!(again.to_string().ends_with("already contains accounts.ndjson; export into an empty directory"), "{again}");
}

#[test]
fn a_missing_picture_is_named_and_the_export_can_be_imported() {
    let store = harness::Store::new(Engine::Sqlite);
    let run = |args: &[&str]| store.rollcall(args);
    assert!(run(&["server", "add", "play.example.org", "--name", "Example"]).status.success());
    let icon: String = store.change(|conn| conn.query_one("select icon from servers", &[], |row| row.get(0)));
    let lost = store.path().join("media").join(&icon);
    let picture = std::fs::read(&lost).unwrap();
    std::fs::remove_file(&lost).unwrap();

    let folder = store.path().join("exported");
    let exported = run(&["export", folder.to_str().unwrap()]);
    assert!(exported.status.success(), "{exported:?}");
    let told = String::from_utf8_lossy(&exported.stderr).into_owned();
    assert_eq!(told, format!("rollcall: the picture {icon} is missing, so the lines that used it have none\n"));
    let other = harness::Store::new(Engine::Sqlite);
    let imported = other.rollcall(&["import", folder.join("servers.ndjson").to_str().unwrap()]);
    assert!(imported.status.success(), "{imported:?}");
    assert_eq!(std::fs::read(other.path().join("media").join(&icon)).unwrap(), picture, "drawn again");

    // A change of the server does not fail either, and draws what it can.
    assert!(run(&["server", "set", "example", "--description", "A server"]).status.success());
    assert_eq!(std::fs::read(&lost).unwrap(), picture);
}

#[test]
fn a_picture_is_imported_from_the_media_folder_and_must_match_its_hash() {
    let mut first = sqlite();
    import_text(&mut first, &documented_lines()).unwrap();
    let folder = tempfile::tempdir().unwrap();
    let files = export(&mut first, folder.path());
    let mut second = sqlite();
    import(&mut second, &ndjson_files_in(folder.path())).unwrap();
    assert_eq!(exported(&mut second), files);

    let media = folder.path().join("media");
    // Not the avatar of the system account, which every store has.
    let kept = BuiltinPictures::save(&Media::in_memory()).unwrap().avatar;
    let mut avatars = std::fs::read_dir(media.join("avatar")).unwrap().map(|entry| entry.unwrap().path());
    let avatar = avatars.find(|path| !path.ends_with(&kept)).unwrap();
    let other = std::fs::read_dir(media.join("icon")).unwrap().next().unwrap().unwrap().path();
    std::fs::copy(other, &avatar).unwrap();
    let error = import(&mut sqlite(), &ndjson_files_in(folder.path())).unwrap_err().to_string();
    assert!(error.ends_with("does not match the hash of the picture"), "{error}");
    std::fs::write(&avatar, "no picture").unwrap();
    let error = import(&mut sqlite(), &ndjson_files_in(folder.path())).unwrap_err().to_string();
    assert!(error.ends_with("is not a PNG"), "{error}");
    std::fs::remove_dir_all(media).unwrap();
    let error = import(&mut sqlite(), &ndjson_files_in(folder.path())).unwrap_err().to_string();
    assert!(error.starts_with("accounts.ndjson line ") && error.contains(": avatar \"avatar/"), "{error}");
    assert!(error.ends_with("is neither in the store nor in a directory media next to the file"), "{error}");
}

/// The names of the files in a folder and below.
fn files(folder: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let mut files: Vec<PathBuf> =
        entries.flat_map(|path| if path.is_dir() { files(&path) } else { vec![path] }).collect();
    files.sort();
    files
}

#[test]
fn a_refused_import_leaves_no_pictures_and_a_good_one_encodes_them_again() {
    let store = harness::Store::new(Engine::Sqlite);
    let run = |args: &[&str]| store.rollcall(args);
    assert!(run(&["migrate"]).status.success());
    let media = store.path().join("media");
    let before = files(&media);
    let picture = rollcall_paint::icon("Play", 7);
    let polyglot = [&picture[..], b"<script>alert(1)</script>"].concat();
    let folder = tempfile::tempdir().unwrap();
    let named = path_in_kind("icon", &polyglot);
    std::fs::create_dir_all(folder.path().join("media/icon")).unwrap();
    std::fs::write(folder.path().join("media").join(&named), &polyglot).unwrap();
    let file = folder.path().join("servers.ndjson");
    let good = format!(r#"{{"id":"a","name":"Play","ip":"play.example","icon":"{named}"}}"#);
    std::fs::write(&file, format!("{good}\n{{\"id\":\"b\"}}\n")).unwrap();
    let refused = run(&["import", file.to_str().unwrap()]);
    assert!(!refused.status.success());
    assert_eq!(files(&media), before);
    let left: Vec<PathBuf> = std::fs::read_dir(&media).unwrap().map(|entry| entry.unwrap().path()).collect();
    assert!(!left.iter().any(|path| path.to_string_lossy().contains("importing")), "{left:?}");
    std::fs::write(&file, good).unwrap();
    assert!(run(&["import", file.to_str().unwrap()]).status.success());
    assert!(!media.join(&named).exists());
    assert_eq!(std::fs::read(media.join(path_in_kind("icon", &picture))).unwrap(), picture);
    let icon: String = store.change(|conn| conn.query_one("select icon from servers", &[], |row| row.get(0)));
    assert_eq!(icon, path_in_kind("icon", &picture));
}

#[test]
fn an_import_deletes_what_a_killed_one_left_and_nothing_of_a_running_one() {
    let store = harness::Store::new(Engine::Sqlite);
    let run = |args: &[&str]| assert!(store.rollcall(args).status.success(), "{args:?}");
    run(&["migrate"]);
    let folder = |name: &str| {
        let folder = store.path().join("media").join(name);
        std::fs::create_dir_all(folder.join("icon")).unwrap();
        std::fs::write(folder.join("icon/picture.png"), "picture").unwrap();
        folder
    };
    let (abandoned, running) = (folder(".importing-1-00000001"), folder(".importing-2-00000002"));
    let lock = std::fs::File::open(&running).unwrap();
    lock.lock().unwrap();
    let file = store.path().join("servers.ndjson");
    std::fs::write(&file, r#"{"id":"a","name":"Play","ip":"play.example"}"#).unwrap();
    run(&["import", file.to_str().unwrap()]);
    assert!(!abandoned.exists() && running.join("icon/picture.png").exists());
    drop(lock);
    run(&["import", file.to_str().unwrap()]);
    assert!(!running.exists());
}

#[test]
fn a_picture_that_cannot_be_decoded_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let fake = b"\x89PNG\r\n\x1a\n<html>";
    let named = path_in_kind("icon", fake);
    std::fs::create_dir_all(folder.path().join("media/icon")).unwrap();
    std::fs::write(folder.path().join("media").join(&named), fake).unwrap();
    let file = folder.path().join("servers.ndjson");
    std::fs::write(&file, format!(r#"{{"id":"a","name":"Play","ip":"play.example","icon":"{named}"}}"#)).unwrap();
    let error = import(&mut sqlite(), &[file]).unwrap_err().to_string();
    assert!(error.ends_with("is not a PNG of at most 2048x2048 pixels"), "{error}");
}
