//! Pictures are exported next to the files and imported from there.

use rollcall::transfer::{self, ndjson_files_in};
use rollcall_store::builtin_skins::BuiltinPictures;
use rollcall_store::media::Media;

use super::fixture::{documented_lines, export, exported, import, import_text, sqlite};

#[test]
fn an_export_never_overwrites_and_a_failed_one_leaves_no_files() {
    let mut store = sqlite();
    import_text(&mut store, &documented_lines()).unwrap();
    let folder = tempfile::tempdir().unwrap();
    let failed = transfer::export(&mut store.conn, folder.path(), &Media::in_memory(), &mut |_, _| ()).unwrap_err();
    assert!(failed.to_string().ends_with("is missing from the store"), "{failed}");
    assert!(ndjson_files_in(folder.path()).is_empty());
    let folder = tempfile::tempdir().unwrap();
    export(&mut store, folder.path());
    let again = transfer::export(&mut store.conn, folder.path(), &store.media, &mut |_, _| ()).unwrap_err();
    assert!(again.to_string().ends_with("already contains accounts.ndjson; export into an empty directory"), "{again}");
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
