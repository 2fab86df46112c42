//! People at the door: a flood of them, and those who are in when the process is killed.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use crate::garbage::{resident_kib, say};
use crate::harness::{Engine, Program, Store};
use crate::{SERVE, start};

const CROWD: usize = 400;
/// Resident memory that a flood of sign-ins may add: two hashes at once, connections and their threads.
const GROWTH_KIB: u64 = 96 * 1024;

struct Visitor {
    cookie: String,
    token: String,
}

impl Visitor {
    fn come(program: &Program, path: &str) -> Self {
        let page = get(program, path, "");
        let between = |before: &str, after: &str| {
            let rest = page.split(before).nth(1).unwrap_or_else(|| panic!("{before} is not in {page}"));
            rest.split(after).next().expect("a part").to_owned()
        };
        Self { cookie: between("set-cookie: ", ";"), token: between("name=\"token\" value=\"", "\"") }
    }

    fn send(&self, program: &Program, path: &str, fields: &str) -> String {
        let body = format!("token={}&{fields}", self.token);
        let request = format!(
            "POST {path} HTTP/1.1\r\nhost: {host}\r\norigin: {url}\r\ncookie: {}\r\nconnection: close\r\n\
             content-type: application/x-www-form-urlencoded\r\ncontent-length: {}\r\n\r\n{body}",
            self.cookie,
            body.len(),
            host = program.address(),
            url = program.url
        );
        String::from_utf8_lossy(&say(program, request.as_bytes(), false)).into_owned()
    }
}

fn get(program: &Program, path: &str, cookie: &str) -> String {
    let host = program.address();
    let request = format!("GET {path} HTTP/1.1\r\nhost: {host}\r\ncookie: {cookie}\r\nconnection: close\r\n\r\n");
    String::from_utf8_lossy(&say(program, request.as_bytes(), false)).into_owned()
}

fn status(answer: &str) -> &str {
    answer.split(' ').nth(1).unwrap_or("none")
}

#[test]
fn a_flood_of_sign_ins_fills_no_memory_and_holds_up_no_key() {
    let store = Store::new(Engine::Sqlite);
    // Before the start: a key made later is not known for a moment, and who asks with it too often in that moment is sent away.
    let key = crate::create_key(&store, 1_000_000);
    let mut command = store.command(&SERVE);
    command.env("ROLLCALL_ACCOUNTS_WRONG_PASSWORDS_PER_MINUTE", "1000000");
    let program = Program::start(command);
    let visitor = Visitor::come(&program, "/sign-in");
    // What the first hash needs is there before and after.
    visitor.send(&program, "/sign-in", "username=nobody&password=x");
    let (before, most, over) = (resident_kib(&program), AtomicU64::new(0), AtomicBool::new(false));
    let answers: Vec<String> = std::thread::scope(|scope| {
        scope.spawn(|| {
            let mut caller = crate::caller::Caller::new(program.address(), &key);
            while !over.load(Ordering::Relaxed) {
                most.fetch_max(resident_kib(&program), Ordering::Relaxed);
                assert_eq!(caller.get("/v1/live").expect("an answer").status, 200);
            }
        });
        let crowd = (0..CROWD).map(|i| {
            let (visitor, program) = (&visitor, &program);
            scope.spawn(move || visitor.send(program, "/sign-in", &format!("username=guest-{i}&password=wrong")))
        });
        let crowd: Vec<_> = crowd.collect();
        let answers = crowd.into_iter().map(|one| one.join().expect("an answer")).collect();
        over.store(true, Ordering::Relaxed);
        answers
    });
    let count = |wanted: &str| answers.iter().filter(|answer| status(answer) == wanted).count();
    let (looked_at, sent_away) = (count("422"), count("503"));
    let growth = most.into_inner().saturating_sub(before);
    println!("{CROWD} sign-ins at once: {looked_at} looked at, {sent_away} sent away, {growth} KiB more than {before}");
    assert_eq!(looked_at + sent_away, CROWD, "{:?}", answers.iter().map(|a| status(a)).collect::<Vec<_>>());
    assert!(looked_at > 0 && growth < GROWTH_KIB, "{growth} KiB more");
    assert_eq!(status(&visitor.send(&program, "/sign-in", "username=nobody&password=x")), "422");
}

#[test]
fn who_is_in_stays_in_and_a_key_once_shown_works_after_a_kill() {
    for engine in Engine::BOTH {
        let (store, program) = start(engine);
        let visitor = Visitor::come(&program, "/sign-up");
        let fields = "username=ada&password=seven+quiet+lanterns+drift&again=seven+quiet+lanterns+drift";
        let answer = visitor.send(&program, "/sign-up", fields);
        assert_eq!(status(&answer), "303", "{answer}");
        let cookie = answer.split("set-cookie: ").nth(1).and_then(|rest| rest.split(';').next()).expect("a cookie");
        let page = get(&program, "/dashboard", cookie);
        let token = page.split("name=\"token\" value=\"").nth(1).and_then(|rest| rest.split('"').next());
        let holder = Visitor { cookie: cookie.to_owned(), token: token.expect("a token").to_owned() };
        let answer = holder.send(&program, "/dashboard/keys", "name=lasting");
        program.stop("KILL");
        let secret = answer.split("id=\"secret\">").nth(1).and_then(|rest| rest.split('<').next()).expect("a secret");
        let program = Program::start(store.command(&SERVE));
        assert_eq!(status(&get(&program, "/dashboard", cookie)), "200");
        let mut caller = crate::caller::Caller::new(program.address(), secret);
        assert_eq!(caller.get("/v1/live").expect("an answer").status, 200);
    }
}
