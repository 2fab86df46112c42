//! Pictures travel beside the files.

use rollcall::transfer::{self, files_in};
use rollcall_store::builtin_skins::BuiltinPictures;
use rollcall_store::media::Media;

use super::fixture::{documented, export, exported, import, import_text, sqlite};

#[test]
fn an_export_never_overwrites_and_leaves_nothing_half_done() {
    let mut store = sqlite();
    import_text(&mut store, &documented()).unwrap();
    let folder = tempfile::tempdir().unwrap();
    let failed = transfer::export(&mut store.conn, folder.path(), &Media::in_memory(), &mut |_, _| ()).unwrap_err();
    assert!(failed.to_string().ends_with("is missing from the picture store"), "{failed}");
    assert!(files_in(folder.path()).is_empty());
    let folder = tempfile::tempdir().unwrap();
    export(&mut store, folder.path());
    let again = transfer::export(&mut store.conn, folder.path(), &store.media, &mut |_, _| ()).unwrap_err();
    assert!(again.to_string().ends_with("holds accounts.ndjson already; export into an empty folder"), "{again}");
}

#[test]
fn a_picture_is_taken_from_beside_the_files_and_must_be_what_its_name_says() {
    let mut first = sqlite();
    import_text(&mut first, &documented()).unwrap();
    let folder = tempfile::tempdir().unwrap();
    let files = export(&mut first, folder.path());
    let mut second = sqlite();
    import(&mut second, &files_in(folder.path())).unwrap();
    assert_eq!(exported(&mut second), files);

    let media = folder.path().join("media");
    // Not the system account's, which every store keeps.
    let kept = BuiltinPictures::keep(&Media::in_memory()).unwrap().avatar;
    let mut avatars = std::fs::read_dir(media.join("avatar")).unwrap().map(|entry| entry.unwrap().path());
    let avatar = avatars.find(|path| !path.ends_with(&kept)).unwrap();
    let other = std::fs::read_dir(media.join("icon")).unwrap().next().unwrap().unwrap().path();
    std::fs::copy(other, &avatar).unwrap();
    let error = import(&mut sqlite(), &files_in(folder.path())).unwrap_err().to_string();
    assert!(error.ends_with("is not the picture that its name says"), "{error}");
    std::fs::write(&avatar, "no picture").unwrap();
    let error = import(&mut sqlite(), &files_in(folder.path())).unwrap_err().to_string();
    assert!(error.ends_with("is not a PNG picture"), "{error}");
    std::fs::remove_dir_all(media).unwrap();
    let error = import(&mut sqlite(), &files_in(folder.path())).unwrap_err().to_string();
    assert!(error.starts_with("accounts.ndjson line ") && error.contains(": avatar \"avatar/"), "{error}");
    assert!(error.ends_with("is neither kept nor in a folder media beside the file"), "{error}");
}
