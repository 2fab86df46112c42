//! Whose the files of a store are, and who may read them.

use std::os::unix::fs::{MetadataExt, PermissionsExt, chown};
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::sync::OnceLock;

use rollcall_store::Conn;

use super::{Program, complaint, printed, rollcall};
use crate::harness::{Engine, Store, run_blocking, skip_or_fail};

/// A user who owns nothing.
const NOBODY: u32 = 65_534;
const ACT_AS_OTHERS: &str = "root, to act as another user";

fn mode(path: &Path) -> u32 {
    path.symlink_metadata().expect("a file").permissions().mode() & 0o777
}

fn set_mode(path: &Path, mode: u32) {
    std::fs::set_permissions(path, PermissionsExt::from_mode(mode)).expect("a file of ours");
}

/// The folder and everything below it.
fn tree(folder: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder).expect("a folder").map(|entry| entry.expect("an entry").path());
    let below = entries.flat_map(|path| if path.is_dir() { tree(&path) } else { vec![path] });
    std::iter::once(folder.to_owned()).chain(below).collect()
}

/// The same command where nothing is taken away from new files by default.
fn with_open_umask(command: &Command) -> Command {
    let mut shell = Command::new("sh");
    shell.args(["-c", "umask 000; exec \"$@\"", "sh"]).arg(command.get_program()).args(command.get_args());
    shell.current_dir(command.get_current_dir().expect("a folder"));
    shell
}

#[tokio::test]
async fn everything_that_is_created_is_closed_to_others() {
    let folder = tempfile::tempdir().unwrap();
    let run = |args: &[&str]| {
        let output = with_open_umask(&rollcall(folder.path(), args)).output().unwrap();
        printed(&output).to_owned()
    };
    run(&["account", "create", "ada", "--data", "new/data"]);
    run(&["server", "add", "play.example.org", "--data", "new/data"]);
    let key = run(&["key", "create", "--data", "new/data"]);
    let serve = rollcall(folder.path(), &["serve", "--listen", "127.0.0.1:0", "--data", "new/data"]);
    let program = Program::start(with_open_umask(&serve));
    assert_eq!(program.get("/v1/servers", &[("x-api-key", key.trim())]).await.status, 200);
    run(&["backup", "copy", "--data", "new/data"]);
    run(&["export", "exported", "--data", "new/data"]);
    run(&["restore", "copy", "--data", "restored/data"]);
    run(&["restore", "copy", "--replace", "--data", "restored/data"]);
    run(&["key", "list", "--data", "restored/data"]);
    let below: Vec<PathBuf> =
        ["new", "exported", "restored"].iter().flat_map(|name| tree(&folder.path().join(name))).collect();
    for name in [
        "rollcall.db",
        "rollcall.db-wal",
        "rollcall.db-shm",
        "rollcall.db-probe",
        "rollcall.db.lock",
        "rollcall-ledger.db",
        "rollcall-before-restore.db",
        "servers.ndjson",
    ] {
        assert!(below.iter().any(|path| path.ends_with(name)), "{name} is not in {below:?}");
    }
    assert!(below.iter().any(|path| path.extension().is_some_and(|ending| ending == "png")));
    for path in below.iter().chain([&folder.path().join("copy")]) {
        let expected = if path.is_dir() { 0o700 } else { 0o600 };
        assert_eq!(mode(path), expected, "{}: {:o}", path.display(), mode(path));
    }
}

#[test]
fn files_that_an_earlier_version_left_open_are_closed() {
    let store = Store::new(Engine::Sqlite);
    printed(&store.rollcall(&["key", "create"]));
    let names = ["rollcall.db", "rollcall.db.lock", "rollcall-ledger.db"];
    let paths = names.map(|name| store.path().join(name));
    // An operator may have opened the store to a group on purpose.
    paths.iter().for_each(|path| set_mode(path, 0o664));
    printed(&store.rollcall(&["key", "list"]));
    paths.iter().for_each(|path| assert_eq!(mode(path), 0o660, "{}", path.display()));
    set_mode(&paths[0], 0o604);
    printed(&store.rollcall(&["backup", "copy"]));
    printed(&store.rollcall(&["restore", "copy", "--replace"]));
    assert_eq!([mode(&paths[0]), mode(&paths[1]), mode(&paths[2])], [0o600, 0o600, 0o660]);
}

#[test]
fn a_lock_file_is_no_link() {
    let store = Store::new(Engine::Sqlite);
    std::os::unix::fs::symlink("elsewhere", store.path().join("rollcall.db.lock")).unwrap();
    let output = store.rollcall(&["key", "create"]);
    assert!(complaint(&output, 1).contains("rollcall.db.lock"), "{}", complaint(&output, 1));
    assert!(!store.path().join("elsewhere").exists());
}

/// Only root can.
fn as_nobody(store: &Store, args: &[&str]) -> Command {
    let url = format!("sqlite:{}", store.path().join("rollcall.db").display());
    let mut command = Command::new(program_for_everyone());
    command.args(args).args(["--database", &url]).arg("--data").arg(store.path()).current_dir("/");
    command.uid(NOBODY).gid(NOBODY);
    command
}

/// A user whom the modes of files bind; root may write to everything.
fn as_reader(store: &Store, args: &[&str]) -> Command {
    if is_root() { as_nobody(store, args) } else { store.command(args) }
}

/// The program, or a copy if it is in a folder that only this user may enter.
fn program_for_everyone() -> &'static Path {
    static PROGRAM: OnceLock<PathBuf> = OnceLock::new();
    PROGRAM.get_or_init(|| {
        let original = Path::new(env!("CARGO_BIN_EXE_rollcall"));
        let tried = Command::new(original).arg("--version").current_dir("/").uid(NOBODY).gid(NOBODY).output();
        if tried.is_ok() {
            return original.to_owned();
        }
        let folder = tempfile::tempdir().expect("a folder").keep();
        set_mode(&folder, 0o755);
        std::fs::copy(original, folder.join("rollcall")).expect("a copy of the program");
        folder.join("rollcall")
    })
}

fn is_root() -> bool {
    tempfile::tempdir().expect("a folder").path().metadata().expect("a folder").uid() == 0
}

fn run(mut command: Command) -> Output {
    command.output().expect("the program starts")
}

#[test]
fn what_root_creates_in_the_store_of_another_user_belongs_to_that_user() {
    if !is_root() {
        return skip_or_fail("what_root_creates_in_the_store_of_another_user_belongs_to_that_user", ACT_AS_OTHERS);
    }
    let store = Store::new(Engine::Sqlite);
    chown(store.path(), Some(NOBODY), Some(NOBODY)).unwrap();
    printed(&store.rollcall(&["key", "create", "--name", "one"]));
    printed(&store.rollcall(&["server", "add", "play.example.org"]));
    let copy = tempfile::tempdir().unwrap();
    let copy = copy.path().join("copy");
    printed(&store.rollcall(&["backup", copy.to_str().unwrap()]));
    assert_eq!(copy.metadata().unwrap().uid(), 0);
    printed(&store.rollcall(&["restore", copy.to_str().unwrap(), "--replace"]));
    printed(&store.rollcall(&["key", "create", "--name", "two"]));
    for path in tree(store.path()) {
        assert_eq!(path.metadata().unwrap().uid(), NOBODY, "{}", path.display());
    }
    let output = run(as_nobody(&store, &["key", "create", "--name", "three"]));
    printed(&output);
    let output = run(as_nobody(&store, &["key", "list"]));
    assert!(["one", "two", "three"].iter().all(|name| printed(&output).contains(name)));
}

#[test]
fn backups_and_exports_of_root_belong_to_the_owner_of_their_folder() {
    if !is_root() {
        return skip_or_fail("backups_and_exports_of_root_belong_to_the_owner_of_their_folder", ACT_AS_OTHERS);
    }
    let store = Store::new(Engine::Sqlite);
    printed(&store.rollcall(&["server", "add", "play.example.org"]));
    let out = tempfile::tempdir().unwrap();
    chown(out.path(), Some(NOBODY), Some(NOBODY)).unwrap();
    printed(&store.rollcall(&["backup", out.path().join("copy").to_str().unwrap()]));
    printed(&store.rollcall(&["export", out.path().join("new/exported").to_str().unwrap()]));
    let written = tree(out.path());
    for name in ["copy", "servers.ndjson"] {
        assert!(written.iter().any(|path| path.ends_with(name)), "{name} is not in {written:?}");
    }
    for path in written {
        assert_eq!(path.metadata().unwrap().uid(), NOBODY, "{}", path.display());
    }
}

/// Earlier versions created it like this when root ran a command first.
#[test]
fn a_lock_file_of_root_is_given_to_the_owner_of_the_store() {
    if !is_root() {
        return skip_or_fail("a_lock_file_of_root_is_given_to_the_owner_of_the_store", ACT_AS_OTHERS);
    }
    for has_database in [true, false] {
        let store = Store::new(Engine::Sqlite);
        chown(store.path(), Some(NOBODY), Some(NOBODY)).unwrap();
        let lock = store.path().join("rollcall.db.lock");
        if has_database {
            printed(&run(as_nobody(&store, &["key", "create"])));
            std::fs::remove_file(&lock).unwrap();
        }
        std::fs::write(&lock, "").unwrap();
        set_mode(&lock, 0o644);
        printed(&store.rollcall(&["key", "create"]));
        let metadata = lock.metadata().unwrap();
        assert_eq!((mode(&lock), metadata.uid(), metadata.gid()), (0o600, NOBODY, NOBODY), "{has_database}");
        printed(&run(as_nobody(&store, &["key", "create"])));
    }
    // Another file of root under this name stays as it is.
    let store = Store::new(Engine::Sqlite);
    chown(store.path(), Some(NOBODY), Some(NOBODY)).unwrap();
    let (lock, other) = (store.path().join("rollcall.db.lock"), store.path().join("other"));
    std::fs::write(&other, "").unwrap();
    std::fs::hard_link(&other, &lock).unwrap();
    set_mode(&other, 0o644);
    printed(&store.rollcall(&["key", "create"]));
    assert_eq!((mode(&other), other.metadata().unwrap().uid()), (0o644, 0));
}

#[test]
fn a_store_of_another_user_is_refused_with_the_name_of_its_owner() {
    if !is_root() {
        return skip_or_fail("a_store_of_another_user_is_refused_with_the_name_of_its_owner", ACT_AS_OTHERS);
    }
    let store = Store::new(Engine::Sqlite);
    printed(&store.rollcall(&["key", "create"]));
    let mut listing = as_nobody(&store, &["key", "list"]);
    let named = "; it belongs to user root (0), and this command runs as user nobody (65534)";
    // The folder can be entered, the database cannot be opened.
    set_mode(store.path(), 0o755);
    let output = listing.output().unwrap();
    assert!(complaint(&output, 1).ends_with(named), "{}", complaint(&output, 1));
    // The folder cannot be entered either.
    set_mode(store.path(), 0o700);
    let output = listing.output().unwrap();
    assert!(complaint(&output, 1).ends_with(named), "{}", complaint(&output, 1));
}

#[test]
fn a_lock_file_of_another_user_is_not_waited_for() {
    if !is_root() {
        return skip_or_fail("a_lock_file_of_another_user_is_not_waited_for", ACT_AS_OTHERS);
    }
    let store = Store::new(Engine::Sqlite);
    chown(store.path(), Some(NOBODY), Some(NOBODY)).unwrap();
    let lock = store.path().join("rollcall.db.lock");
    std::fs::write(&lock, "").unwrap();
    chown(&lock, Some(1), Some(1)).unwrap();
    let output = run(as_nobody(&store, &["key", "create"]));
    // Nobody may read it, so it cannot even be opened; once it can be, its owner is refused.
    complaint(&output, 1);
    set_mode(&lock, 0o644);
    let output = run(as_nobody(&store, &["key", "create"]));
    let message = complaint(&output, 1);
    assert!(message.contains("rollcall.db.lock: it belongs to user ") && message.contains("delete it"), "{message}");
    // And nobody else may read, and so hold, a lock of ours.
    std::fs::remove_file(&lock).unwrap();
    printed(&store.rollcall(&["key", "create"]));
    assert_eq!((mode(&lock), lock.metadata().unwrap().uid()), (0o600, NOBODY));
}

/// Commands that only read, with `SLUG` and `KEY` for what they read.
const READING: [&[&str]; 8] = [
    &["key", "list"],
    &["key", "show", "KEY"],
    &["key", "usage", "KEY"],
    &["account", "list"],
    &["server", "list"],
    &["server", "show", "SLUG"],
    &["export", "OUT/exported"],
    &["backup", "OUT/copy"],
];

#[test]
fn commands_that_only_read_work_on_a_read_only_store() {
    for with_wal in [false, true] {
        let store = Store::new(Engine::Sqlite);
        printed(&store.rollcall(&["account", "create", "ada"]));
        printed(&store.rollcall(&["key", "create", "--name", "one"]));
        let slug = printed(&store.rollcall(&["server", "add", "play.example.org"])).trim().to_owned();
        let keys: serde_json::Value =
            serde_json::from_str(printed(&store.rollcall(&["key", "list", "--json"]))).expect("JSON");
        let key = keys[0]["id"].as_str().unwrap();
        // A process that has the store open keeps its WAL.
        let open: Option<Conn> = with_wal.then(|| {
            run_blocking(|| {
                let mut conn = store.conn();
                conn.transaction(|conn| conn.execute("update keys set name = 'two'", &[])).unwrap();
                conn
            })
        });
        let out = tempfile::tempdir().unwrap();
        set_mode(out.path(), 0o777);
        for path in tree(store.path()) {
            set_mode(&path, if path.is_dir() { 0o555 } else { 0o444 });
        }
        for args in READING {
            let out = out.path().display().to_string();
            let args: Vec<String> =
                args.iter().map(|arg| arg.replace("KEY", key).replace("SLUG", &slug).replace("OUT", &out)).collect();
            let args: Vec<&str> = args.iter().map(String::as_str).collect();
            let mut command = as_reader(&store, &args);
            let output = command.output().unwrap();
            assert!(!printed(&output).is_empty(), "{args:?}");
            if args == ["key", "list"] {
                assert!(printed(&output).contains(if with_wal { "two" } else { "one" }), "{}", printed(&output));
            }
        }
        let mut command = as_reader(&store, &["key", "create"]);
        complaint(&command.output().unwrap(), 1);
        // So that it can be removed.
        tree(store.path()).iter().filter(|path| path.is_dir()).for_each(|path| set_mode(path, 0o755));
        drop(open);
    }
}

#[test]
fn an_outdated_read_only_store_says_that_it_must_be_migrated() {
    let store = Store::new(Engine::Sqlite);
    run_blocking(|| rollcall_store::migrate_like(&mut store.conn(), &[1]).unwrap());
    for path in tree(store.path()) {
        set_mode(&path, if path.is_dir() { 0o555 } else { 0o444 });
    }
    let mut command = as_reader(&store, &["key", "list"]);
    let output = command.output().unwrap();
    let message = complaint(&output, 1);
    assert!(
        message.contains("has the schema of an earlier version") && message.contains("rollcall migrate"),
        "{message}"
    );
    set_mode(store.path(), 0o755);
}
