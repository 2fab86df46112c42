//! kill -9 while accounts like and unlike: every count equals its rows, and what was answered is stored.

use std::collections::HashMap;
use std::sync::Mutex;
use std::time::{Duration, Instant};

use rollcall_store::values;

use crate::harness::{Engine, Program, Store};
use crate::login_flood::{FormClient, status};
use crate::machine_stalls::MachineStalls;
use crate::{SERVE, until};

const KILLS: usize = 20;
const USERS: usize = 4;
const PASSWORD: &str = "seven quiet lanterns drift";
const PAGES: [&str; 2] = ["/skins/default-classic", "/skins/default-slim"];

/// What an account was told last about a texture: liked or not. Nothing, if the last request got no answer.
type Answered = HashMap<(usize, usize), Option<bool>>;

#[test]
fn crashes_keep_answered_likes_and_right_sums() {
    for engine in Engine::BOTH {
        crash_likes(engine);
    }
}

fn create_accounts(store: &Store) {
    use std::io::Write;
    for i in 0..USERS {
        let name = format!("fan-{i}");
        let mut command = store.command(&["account", "create", &name, "--password-stdin", "--permanent"]);
        let mut child = command
            .stdin(std::process::Stdio::piped())
            .stdout(std::process::Stdio::null())
            .spawn()
            .expect("the program starts");
        writeln!(child.stdin.take().expect("piped"), "{PASSWORD}").expect("it reads");
        assert!(child.wait().expect("it ends").success());
    }
}

fn crash_likes(engine: Engine) {
    let store = Store::new(engine);
    assert!(store.rollcall(&["migrate"]).status.success());
    create_accounts(&store);
    let answered: Mutex<Answered> = Mutex::default();
    let (mut acts, mut users) = (0, Vec::new());
    for kill in 0..KILLS {
        let program = Program::start(store.command(&SERVE));
        // Sessions outlive a crash.
        if users.is_empty() {
            users = (0..USERS).map(|i| sign_in(&program, i)).collect();
        }
        acts += std::thread::scope(|scope| {
            let threads: Vec<_> = users
                .iter()
                .enumerate()
                .map(|(i, user)| {
                    let (program, answered) = (&program, &answered);
                    scope.spawn(move || like_until_killed(program, user, i, answered))
                })
                .collect();
            // Not to wait for something, but to crash at another moment each time.
            #[expect(clippy::disallowed_methods, reason = "crashes at a different moment each time")]
            std::thread::sleep(Duration::from_millis(100 + (kill as u64 * 37) % 300));
            program.signal("KILL");
            threads.into_iter().map(|thread| thread.join().expect("the client ends")).sum::<usize>()
        });
        drop(program);
        check(&store, &answered.lock().expect("no panic"), engine);
    }
    assert!(acts > KILLS, "{acts}");
    println!("{engine:?}: {KILLS} crashes, {acts} likes and unlikes answered, 0 lost, sums right");
}

fn sign_in(program: &Program, i: usize) -> FormClient {
    let form = FormClient::open(program, "/sign-in");
    let answer = form.send(program, "/sign-in", &format!("username=fan-{i}&password={}", PASSWORD.replace(' ', "+")));
    assert_eq!(status(&answer), "303", "{answer}");
    let cookie = answer.split("set-cookie: ").nth(1).and_then(|rest| rest.split(';').next()).expect("a cookie");
    FormClient::with_cookie(program, PAGES[0], cookie)
}

/// Returns the number of answers.
fn like_until_killed(program: &Program, user: &FormClient, i: usize, answered: &Mutex<Answered>) -> usize {
    for act in 0.. {
        let (texture, is_liked) = ((act / 3) % PAGES.len(), act % 2 == 0);
        answered.lock().expect("no panic").insert((i, texture), None);
        let fields = format!("on={}", if is_liked { "yes" } else { "no" });
        let answer = user.try_send(program, &format!("{}/like", PAGES[texture]), &fields);
        match answer.as_deref().map(status) {
            Some("303") if answer.as_ref().is_some_and(|answer| answer.contains("location: /skins/")) => {
                answered.lock().expect("no panic").insert((i, texture), Some(is_liked))
            }
            // Killed.
            _ => return act,
        };
    }
    0
}

fn check(store: &Store, answered: &Answered, engine: Engine) {
    let (counts, wrong) = store.change(|conn| {
        let wrong: i64 = conn.query_one(
            "select count(*) from textures t where like_count <> (select count(*) from texture_likes l where l.texture_n = t.n)",
            &[],
            |row| row.get(0),
        )?;
        let sql = "select a.username, t.slug from texture_likes l join accounts a on a.n = l.account_n
                   join textures t on t.n = l.texture_n";
        Ok((conn.query(sql, &[], |row| (row.get::<String>(0), row.get::<String>(1)))?, wrong))
    });
    assert_eq!(wrong, 0, "{engine:?}: a count differs from its rows");
    for ((i, texture), told) in answered {
        let stored = counts
            .iter()
            .any(|(name, slug)| *name == format!("fan-{i}") && PAGES[*texture].ends_with(&format!("/{slug}")));
        if let Some(told) = told {
            assert_eq!(stored, *told, "{engine:?}: fan-{i} {}", PAGES[*texture]);
        }
    }
}

/// What the documentation promises.
const LOST_AT_MOST: Duration = Duration::from_secs(1);
/// How much later a transaction may be on a machine that runs other tests.
const BUSY: Duration = Duration::from_secs(1);

#[test]
fn a_crash_loses_at_most_one_second_of_views() {
    for engine in Engine::BOTH {
        let store = Store::new(engine);
        let mut command = store.command(&SERVE);
        command.env("ROLLCALL_HTTP_TRUSTED_PROXIES", "127.0.0.1/32");
        let program = Program::start(command);
        let (stalls, started) = (MachineStalls::watch(), Instant::now());
        let mut seen = Vec::new();
        for i in 0..2_000 {
            let address = format!("10.{}.{}.1", i / 250, i % 250);
            let request = format!(
                "GET {} HTTP/1.1\r\nhost: {}\r\nx-forwarded-for: {address}\r\nconnection: close\r\n\r\n",
                PAGES[0],
                program.address()
            );
            let answer = crate::malformed_requests::send(&program, request.as_bytes(), false);
            assert!(answer.starts_with(b"HTTP/1.1 200"), "{}", String::from_utf8_lossy(&answer));
            seen.push(Instant::now());
            #[expect(clippy::disallowed_methods, reason = "paces a blocking client")]
            std::thread::sleep(Duration::from_millis(2));
            if started.elapsed() > Duration::from_millis(3_500) + stalls.lost() {
                break;
            }
        }
        let killed = Instant::now();
        program.signal("KILL");
        drop(program);
        let lost = stalls.lost();
        let due = seen.iter().filter(|at| killed.duration_since(**at) > LOST_AT_MOST + BUSY + lost).count() as i64;
        let views = || -> i64 {
            let sql = "select view_count from textures where slug = $1";
            store.change(|conn| conn.query_one(sql, values!["default-classic"], |row| row.get(0)))
        };
        let stored = until("the store opens", || Some(views()));
        assert!(due > 0 && stored >= due && stored <= seen.len() as i64, "{engine:?}: {stored} stored, {due} due");
        println!("{engine:?}: {} views, {stored} stored, {due} long enough before the crash", seen.len());
    }
}
