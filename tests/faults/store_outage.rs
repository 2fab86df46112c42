//! A store that cannot be written for a while: requests are a 503, and the program recovers without a restart.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::time::Duration;

use crate::harness::{Engine, Program, Store, skip_or_fail};
use crate::http_client::{KeepAliveClient, Reply};
use crate::{SERVE, create_key, until};

pub const CLIENTS: u32 = 3;
/// Between two requests of a client.
const PAUSE: Duration = Duration::from_millis(5);
/// Enough for the load, and low enough that reservations are used up within seconds.
pub const PER_MINUTE: u32 = 50_000;
/// What is reserved ahead: a 256th of the limit.
const RESERVED_AHEAD: u32 = 195;
/// Longer than a transaction takes.
const QUIET: Duration = Duration::from_secs(1);
const UNAVAILABLE: &str = r#"{"success":false,"error":"The service cannot reach its database, try again in a moment"}"#;

/// Runs a load while a fault begins and ends. Every response must be right or a 503, and no quota may be returned.
pub fn survives(program: Program, key: &str, begin: impl FnOnce(), end: impl FnOnce()) {
    let (done, admitted, refused) = (AtomicBool::new(false), AtomicU32::new(0), AtomicU32::new(0));
    std::thread::scope(|scope| {
        for client in 0..CLIENTS {
            let (program, done, admitted, refused) = (&program, &done, &admitted, &refused);
            // One client needs the store, the others the in-memory catalogue.
            let (path, found) = if client == 0 { ("/v1/players/nobody", 404) } else { ("/v1/servers", 200) };
            scope.spawn(move || {
                let mut client = KeepAliveClient::new(program.address(), key);
                while !done.load(Ordering::Relaxed) {
                    let reply = client.get(path).expect("a response, whatever happens");
                    if reply.status == found {
                        admitted.fetch_add(1, Ordering::Relaxed);
                    } else {
                        assert_unavailable(&reply);
                        refused.fetch_add(1, Ordering::Relaxed);
                    }
                    #[expect(clippy::disallowed_methods, reason = "paces a blocking client")]
                    std::thread::sleep(PAUSE);
                }
            });
        }
        let guard = EndOfLoad(&done);
        until("the load runs", || (admitted.load(Ordering::Relaxed) > 50).then_some(()));
        assert_eq!(refused.load(Ordering::Relaxed), 0);
        begin();
        until("requests fail", || (refused.load(Ordering::Relaxed) > 10).then_some(()));
        let mut client = KeepAliveClient::new(program.address(), key);
        until("/readyz fails", || (client.get("/readyz").expect("a response").status == 503).then_some(()));
        assert_eq!(client.get("/healthz").expect("a response").status, 200);
        end();
        until("requests succeed again", || {
            (client.get("/v1/servers").expect("a response").status == 200).then_some(())
        });
        until("/readyz succeeds again", || (client.get("/readyz").expect("a response").status == 200).then_some(()));
        let before = admitted.load(Ordering::Relaxed);
        until("the load runs again", || (admitted.load(Ordering::Relaxed) > before + 50).then_some(()));
        drop(guard);
    });
    let mut client = KeepAliveClient::new(program.address(), key);
    let last = client.get("/v1/servers").expect("a response");
    let (used, admitted) = (last.used(), admitted.into_inner());
    assert!(used > admitted, "quota was returned: {used} used, {admitted} admitted");
    // Requests that were counted and then failed, and lost reservations.
    let most = admitted + refused.into_inner() + 4 * RESERVED_AHEAD;
    assert!(used <= most, "{used} used, {admitted} admitted");
    let (status, _) = program.stop("TERM");
    assert!(status.success(), "{status}");
}

/// Ends the load also if an assertion fails.
pub struct EndOfLoad<'a>(pub &'a AtomicBool);

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
fn survives_a_file_size_limit() {
    let store = Store::new(Engine::Sqlite);
    let key = create_key(&store, PER_MINUTE);
    // Without the trap SIGXFSZ would kill the process. Ignored, writes fail as on a full disk.
    let mut command = Command::new("sh");
    let serve = store.command(&SERVE);
    command.args(["-c", "trap '' XFSZ; exec \"$0\" \"$@\""]).arg(serve.get_program()).args(serve.get_args());
    command.current_dir(store.path());
    let program = Program::start(command);
    let pid = program.pid().to_string();
    let limit = |to: &str| assert!(run("prlimit", &["--pid", &pid, &format!("--fsize={to}:")]), "prlimit");
    survives(program, &key, || limit("1"), || limit("unlimited"));
    // The store is intact and writable.
    create_key(&store, PER_MINUTE);
}

/// A small tmpfs. Mounting it needs root.
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
fn survives_a_full_disk() {
    let store = Store::new(Engine::Sqlite);
    let Some(disk) = SmallDisk::at(store.path()) else {
        return skip_or_fail("survives_a_full_disk", "root to mount a tmpfs");
    };
    let key = create_key(&store, PER_MINUTE);
    let program = Program::start(store.command(&SERVE));
    let full = || {
        disk.fill();
        let output = store.rollcall(&["key", "create"]);
        let message = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(!output.status.success() && message.starts_with("rollcall: ") && message.contains("full"), "{message}");
        assert_eq!(message.lines().count(), 1, "{message}");
    };
    survives(program, &key, full, || std::fs::remove_file(disk.filler()).expect("the filler"));
    create_key(&store, PER_MINUTE);
}

#[test]
fn survives_a_read_only_database() {
    let store = Store::new(Engine::Sqlite);
    let key = create_key(&store, PER_MINUTE);
    // Checked on another file before the start: a process that writes to a file that becomes immutable may be killed.
    let probe = store.path().join("tried").display().to_string();
    std::fs::write(&probe, "").expect("a file");
    if !run("chattr", &["+i", &probe]) {
        return skip_or_fail("survives_a_read_only_database", "root and a file system with chattr +i");
    }
    assert!(run("chattr", &["-i", &probe]), "the file stays immutable");
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
    // A disk becomes read-only at once, but files become immutable one by one. The write probe goes first, so that no write
    // begins, and running writes end before the databases follow.
    let begin = || {
        assert!(mark("+i", "-probe"));
        until("writes have ended", || {
            let before = written().expect("files");
            #[expect(clippy::disallowed_methods, reason = "compares two states a moment apart")]
            std::thread::sleep(QUIET);
            (before == written().expect("files")).then_some(())
        });
        assert!(mark("+i", ""));
    };
    survives(program, &key, begin, || assert!(mark("-i", "")));
    create_key(&store, PER_MINUTE);
}

#[test]
fn survives_a_moved_data_folder() {
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
        assert!(!data.exists(), "an empty store was created in its place");
        std::fs::rename(at("elsewhere"), &data).unwrap();
    };
    survives(program, key.trim_end(), away, back);
}
