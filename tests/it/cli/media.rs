//! `rollcall media check`, `media copy` and `media sweep`.

use std::path::{Path, PathBuf};
use std::time::Duration;

use rollcall_store::media::Media;
use rollcall_store::values;

use super::{complaint, printed, stderr, stdout};
use crate::harness::{Engine, Store};

/// The picture files below a folder, sorted.
fn files(folder: &std::path::Path) -> Vec<PathBuf> {
    let mut files: Vec<PathBuf> = Vec::new();
    for kind in std::fs::read_dir(folder).unwrap() {
        files.extend(std::fs::read_dir(kind.unwrap().path()).unwrap().map(|file| file.unwrap().path()));
    }
    files.sort();
    files
}

/// Makes a file look as if it had been stored two days ago.
fn age(file: &Path) {
    let modified = std::fs::metadata(file).unwrap().modified().unwrap();
    let file = std::fs::File::options().write(true).open(file).unwrap();
    file.set_modified(modified - Duration::from_secs(2 * 24 * 3600)).unwrap();
}

/// A store with the skins that every store has; where its pictures are.
fn store(engine: Engine) -> (Store, PathBuf) {
    let store = Store::new(engine);
    printed(&store.rollcall(&["migrate"]));
    let media = store.path().join("media");
    (store, media)
}

#[test]
fn missing_and_damaged_pictures_are_named_with_a_row() {
    for engine in Engine::BOTH {
        let (store, media) = store(engine);
        let count = files(&media).len();
        let checked = store.rollcall(&["media", "check"]);
        assert_eq!(printed(&checked), format!("Checked {count} pictures, all are in order.\n"));

        let skins: Vec<PathBuf> =
            files(&media).into_iter().filter(|file| file.parent().unwrap().ends_with("skin")).collect();
        let name = |file: &PathBuf| format!("skin/{}", file.file_name().unwrap().to_str().unwrap());
        std::fs::write(&skins[0], b"something else").unwrap();
        let damaged = store.rollcall(&["media", "check"]);
        assert_eq!((damaged.status.code(), stdout(&damaged)), (Some(1), ""));
        let lines: Vec<&str> = stderr(&damaged).lines().collect();
        let told =
            format!("rollcall: {} is damaged: its content does not match its name (used by textures ", name(&skins[0]));
        assert!(lines[0].starts_with(&told), "{lines:?}");
        assert_eq!(lines[1..], ["rollcall: 1 picture cannot be used"]);

        std::fs::remove_file(&skins[1]).unwrap();
        let missing = store.rollcall(&["media", "check"]);
        assert!(
            stderr(&missing).contains(&format!("{} is missing (used by textures ", name(&skins[1]))),
            "{missing:?}"
        );
        assert!(stderr(&missing).ends_with("rollcall: 2 pictures cannot be used\n"), "{missing:?}");
    }
}

#[test]
fn pictures_are_copied_and_an_interrupted_copy_continues() {
    for engine in Engine::BOTH {
        let (store, media) = store(engine);
        let to = store.path().join("elsewhere");
        let copy = || store.rollcall(&["media", "copy", to.to_str().unwrap()]);
        let pictures = files(&media);
        let count = pictures.len();
        let into = to.display();
        assert_eq!(printed(&copy()), format!("Copied {count} pictures into {into}; 0 were there already.\n"));
        assert_eq!(printed(&copy()), format!("Copied 0 pictures into {into}; {count} were there already.\n"));
        // One is missing and one was written in part.
        let copied = files(&to);
        std::fs::remove_file(&copied[0]).unwrap();
        std::fs::write(&copied[1], b"\x89PNG").unwrap();
        let rest = count - 2;
        assert_eq!(printed(&copy()), format!("Copied 2 pictures into {into}; {rest} were there already.\n"));
        for (original, copied) in pictures.iter().zip(files(&to)) {
            assert_eq!(std::fs::read(original).unwrap(), std::fs::read(copied).unwrap());
        }
        let same = store.rollcall(&["media", "copy", media.to_str().unwrap()]);
        assert_eq!(complaint(&same, 2), format!("the pictures are in {} already", media.display()));
        // What cannot be copied is named, and the rest is copied.
        std::fs::remove_file(&pictures[0]).unwrap();
        std::fs::remove_dir_all(&to).unwrap();
        let partial = copy();
        assert_eq!(partial.status.code(), Some(1));
        assert!(stderr(&partial).ends_with("rollcall: 1 picture cannot be used\n"), "{partial:?}");
        assert_eq!(files(&to).len(), count - 1);
    }
}

#[test]
fn unused_pictures_are_set_aside_and_deleted_a_day_later() {
    for engine in Engine::BOTH {
        let (store, folder) = store(engine);
        let sweep = || printed(&store.rollcall(&["media", "sweep"])).to_owned();
        let swept = |set_aside: u32, put_back: u32, deleted: u32| {
            format!("Set {set_aside} unused pictures aside, put {put_back} back, deleted {deleted}.\n")
        };
        let media = Media::in_folder(&folder).unwrap();
        let named = files(&folder);
        named.iter().for_each(|file| age(file));
        let [icon, banner] = ["icon", "banner"].map(|kind| media.put_png_blocking(kind, kind.as_bytes()).unwrap());
        assert_eq!(sweep(), swept(0, 0, 0), "they are new");

        age(&folder.join(&icon));
        age(&folder.join(&banner));
        assert_eq!(sweep(), swept(2, 0, 0));
        assert!(!folder.join(&icon).exists() && folder.join("unused").join(&icon).exists());
        assert_eq!(media.get_blocking(&icon).unwrap().as_deref(), Some(b"icon".as_slice()), "it can be read");
        assert_eq!(media.list_blocking().unwrap().len(), named.len());
        assert_eq!(sweep(), swept(0, 0, 0), "they were set aside just now");

        // A row of another node names one of them meanwhile.
        printed(&store.rollcall(&["account", "create", "ada"]));
        let sql = "update accounts set avatar = $1 where username = 'ada'";
        store.change(|conn| conn.execute(sql, values![&icon]).map(drop));
        age(&folder.join("unused").join(&icon));
        age(&folder.join("unused").join(&banner));
        assert_eq!(sweep(), swept(0, 1, 1));
        assert_eq!(std::fs::read(folder.join(&icon)).unwrap(), b"icon");
        assert_eq!(media.get_blocking(&banner).unwrap(), None);
        printed(&store.rollcall(&["media", "check"]));

        // What is stored again is new again, wherever it was.
        let modified = || std::fs::metadata(folder.join(&icon)).unwrap().modified().unwrap();
        age(&folder.join(&icon));
        let before = modified();
        media.put_png_blocking("icon", b"icon").unwrap();
        assert!(modified() > before);
    }
}
