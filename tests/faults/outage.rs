//! A store that cannot be written for a while: the program says so, stays, and recovers by itself.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::time::Duration;

use crate::caller::{Caller, Reply};
use crate::harness::{Engine, Program, Store};
use crate::{SERVE, create_key, until};

const CLIENTS: u32 = 3;
const PAUSE: Duration = Duration::from_millis(5);
/// Roomy enough for the load, and no more is reserved ahead than is used up within a second or two.
pub const PER_MINUTE: u32 = 50_000;
/// A 256th of it.
const AHEAD: u32 = 195;
/// Longer than a transaction takes.
const STILL: Duration = Duration::from_secs(1);
const UNAVAILABLE: &str = r#"{"success":false,"error":"The service cannot reach its store, try again in a moment"}"#;

/// Runs a load over a fault that begins and ends, and holds the program to its promises all along.
pub fn survives(program: Program, key: &str, begin: impl FnOnce(), end: impl FnOnce()) {
    let (done, admitted, refused) = (AtomicBool::new(false), AtomicU32::new(0), AtomicU32::new(0));
    std::thread::scope(|scope| {
        for client in 0..CLIENTS {
            let (program, done, admitted, refused) = (&program, &done, &admitted, &refused);
            // One asks for what is read from the store, the others for what is in memory.
            let (path, found) = if client == 0 { ("/v1/players/nobody", 404) } else { ("/v1/servers", 200) };
            scope.spawn(move || {
                let mut caller = Caller::new(program.address(), key);
                while !done.load(Ordering::Relaxed) {
                    let reply = caller.get(path).expect("an answer, whatever happens");
                    if reply.status == found {
                        admitted.fetch_add(1, Ordering::Relaxed);
                    } else {
                        assert_unavailable(&reply);
                        refused.fetch_add(1, Ordering::Relaxed);
                    }
                    std::thread::sleep(PAUSE);
                }
            });
        }
        let guard = EndOfLoad(&done);
        until("the load runs", || (admitted.load(Ordering::Relaxed) > 50).then_some(()));
        assert_eq!(refused.load(Ordering::Relaxed), 0);
        begin();
        until("the fault is felt", || (refused.load(Ordering::Relaxed) > 10).then_some(()));
        let mut caller = Caller::new(program.address(), key);
        until("it is not ready", || (caller.get("/readyz").expect("an answer").status == 503).then_some(()));
        assert_eq!(caller.get("/healthz").expect("an answer").status, 200);
        end();
        until("it answers again", || (caller.get("/v1/servers").expect("an answer").status == 200).then_some(()));
        until("it is ready again", || (caller.get("/readyz").expect("an answer").status == 200).then_some(()));
        let before = admitted.load(Ordering::Relaxed);
        until("the load runs again", || (admitted.load(Ordering::Relaxed) > before + 50).then_some(()));
        drop(guard);
    });
    let mut caller = Caller::new(program.address(), key);
    let last = caller.get("/v1/servers").expect("an answer");
    let (used, admitted) = (last.used(), admitted.into_inner());
    assert!(used > admitted, "quota was given back: {used} used, {admitted} admitted");
    // What was let in and then failed, what was reserved and then lost.
    let most = admitted + refused.into_inner() + 4 * AHEAD;
    assert!(used <= most, "{used} used, {admitted} admitted");
    let (status, _) = program.stop("TERM");
    assert!(status.success(), "{status}");
}

/// Ends the load though an assertion fails.
struct EndOfLoad<'a>(&'a AtomicBool);

impl Drop for EndOfLoad<'_> {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

fn assert_unavailable(reply: &Reply) {
    assert_eq!((reply.status, reply.body.as_str()), (503, UNAVAILABLE));
    assert_eq!(reply.headers["retry-after"], "1");
}

fn run(program: &str, args: &[&str]) -> bool {
    Command::new(program).args(args).output().is_ok_and(|output| output.status.success())
}

#[test]
fn files_that_may_not_grow() {
    let store = Store::new(Engine::Sqlite);
    let key = create_key(&store, PER_MINUTE);
    // Writing beyond the limit must fail like writing to a full disk, not end the process.
    let mut command = Command::new("sh");
    let serve = store.command(&SERVE);
    command.args(["-c", "trap '' XFSZ; exec \"$0\" \"$@\""]).arg(serve.get_program()).args(serve.get_args());
    command.current_dir(store.path());
    let program = Program::start(command);
    let pid = program.pid().to_string();
    let limit = |to: &str| assert!(run("prlimit", &["--pid", &pid, &format!("--fsize={to}:")]), "prlimit");
    survives(program, &key, || limit("1"), || limit("unlimited"));
    // The store is whole, and takes changes.
    create_key(&store, PER_MINUTE);
}

/// A small disk of its own, which only root may make.
struct SmallDisk(PathBuf);

impl SmallDisk {
    fn at(folder: &Path) -> Option<Self> {
        let path = folder.display().to_string();
        run("mount", &["-t", "tmpfs", "-o", "size=16m", "tmpfs", &path]).then(|| Self(folder.to_owned()))
    }

    fn filler(&self) -> PathBuf {
        self.0.join("filler")
    }

    fn fill(&self) {
        let mut file = std::fs::File::create(self.filler()).expect("a file");
        let piece = vec![1; 4096];
        while std::io::Write::write(&mut file, &piece).is_ok() {}
    }
}

impl Drop for SmallDisk {
    fn drop(&mut self) {
        run("umount", &["-l", &self.0.display().to_string()]);
    }
}

#[test]
fn a_full_disk() {
    let store = Store::new(Engine::Sqlite);
    let Some(disk) = SmallDisk::at(store.path()) else {
        println!("only root may mount a small disk; files_that_may_not_grow tests the same with less");
        return;
    };
    let key = create_key(&store, PER_MINUTE);
    let program = Program::start(store.command(&SERVE));
    let full = || {
        disk.fill();
        let output = store.rollcall(&["key", "create"]);
        let told = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(!output.status.success() && told.starts_with("rollcall: ") && told.contains("full"), "{told}");
        assert_eq!(told.lines().count(), 1, "{told}");
    };
    survives(program, &key, full, || std::fs::remove_file(disk.filler()).expect("the filler"));
    create_key(&store, PER_MINUTE);
}

#[test]
fn a_database_that_becomes_read_only() {
    let store = Store::new(Engine::Sqlite);
    let key = create_key(&store, PER_MINUTE);
    // Tried before it starts, and on a file of its own: whoever is in the middle of writing dies of it.
    let tried = store.path().join("tried").display().to_string();
    std::fs::write(&tried, "").expect("a file");
    if !run("chattr", &["+i", &tried]) {
        println!("only root may make files immutable; PostgreSQL's read-only mode is tested all the same");
        return;
    }
    assert!(run("chattr", &["-i", &tried]), "the file stays immutable");
    let program = Program::start(store.command(&SERVE));
    let files = || -> Vec<String> {
        let names = std::fs::read_dir(store.path()).expect("the folder").map(|entry| entry.expect("an entry").path());
        names.map(|path| path.display().to_string()).filter(|path| path.contains("rollcall")).collect()
    };
    let mark = |flag: &str, ending: &str| {
        files().iter().filter(|file| file.ends_with(ending)).all(|file| run("chattr", &[flag, file]))
    };
    let written =
        || files().iter().map(|file| std::fs::metadata(file)?.modified()).collect::<std::io::Result<Vec<_>>>();
    // A disk becomes read-only in one moment, files one after the other: from the first on nobody may begin to write, and
    // whoever is in the middle of it comes to his end.
    let begin = || {
        assert!(mark("+i", "-probe"));
        until("nobody writes any more", || {
            let before = written().expect("files");
            std::thread::sleep(STILL);
            (before == written().expect("files")).then_some(())
        });
        assert!(mark("+i", ""));
    };
    survives(program, &key, begin, || assert!(mark("-i", "")));
    create_key(&store, PER_MINUTE);
}

#[test]
fn a_folder_that_is_moved_away_and_back() {
    let store = Store::new(Engine::Sqlite);
    let data = store.path().join("data");
    let at = |name: &str| store.path().join(name);
    let args = ["--data".to_owned(), data.display().to_string()];
    let limits = ["key", "create", "--per-minute", "50000", "--per-day", "100000000", "--per-month", "100000000"];
    let rollcall = || {
        let mut command = Command::new(env!("CARGO_BIN_EXE_rollcall"));
        command.current_dir(store.path());
        command
    };
    let key = String::from_utf8(rollcall().args(limits).args(&args).output().unwrap().stdout).unwrap();
    let mut command = rollcall();
    command.args(SERVE).args(&args);
    let program = Program::start(command);
    let away = || std::fs::rename(&data, at("elsewhere")).unwrap();
    let back = || {
        assert!(!data.exists(), "an empty store was made in its place");
        std::fs::rename(at("elsewhere"), &data).unwrap();
    };
    survives(program, key.trim_end(), away, back);
}
