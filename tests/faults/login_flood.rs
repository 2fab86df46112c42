//! Many concurrent logins, and sessions after a crash.

use std::io::{Read, Write};
use std::net::TcpStream;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use crate::SERVE;
use crate::harness::{Engine, Program, Store};
use crate::malformed_requests::{resident_kib, send};

const LOGINS: usize = 400;
/// Resident memory that the logins may add: two concurrent hashes, connections and their threads.
const GROWTH_KIB: u64 = 96 * 1024;

pub struct FormClient {
    cookie: String,
    token: String,
}

fn between(page: &str, before: &str, after: &str) -> String {
    let rest = page.split(before).nth(1).unwrap_or_else(|| panic!("{before} is not in {page}"));
    rest.split(after).next().expect("a part").to_owned()
}

impl FormClient {
    pub fn open(program: &Program, path: &str) -> Self {
        let page = get(program, path, "");
        Self { cookie: between(&page, "set-cookie: ", ";"), token: between(&page, "name=\"token\" value=\"", "\"") }
    }

    /// With the cookie of a session that has begun.
    pub fn with_cookie(program: &Program, path: &str, cookie: &str) -> Self {
        let page = get(program, path, cookie);
        Self { cookie: cookie.to_owned(), token: between(&page, "name=\"token\" value=\"", "\"") }
    }

    pub fn send(&self, program: &Program, path: &str, fields: &str) -> String {
        String::from_utf8_lossy(&send(program, self.request(program, path, "", fields).as_bytes(), false)).into_owned()
    }

    /// `None` if the program is gone.
    pub fn try_send(&self, program: &Program, path: &str, fields: &str) -> Option<String> {
        self.try_send_with(program, path, "", fields)
    }

    /// The same with more header lines.
    pub fn try_send_with(&self, program: &Program, path: &str, headers: &str, fields: &str) -> Option<String> {
        let mut stream = TcpStream::connect(program.address()).ok()?;
        stream.write_all(self.request(program, path, headers, fields).as_bytes()).ok()?;
        let mut answer = Vec::new();
        stream.read_to_end(&mut answer).ok()?;
        Some(String::from_utf8_lossy(&answer).into_owned())
    }

    fn request(&self, program: &Program, path: &str, headers: &str, fields: &str) -> String {
        let body = format!("token={}&{fields}", self.token);
        format!(
            "POST {path} HTTP/1.1\r\nhost: {host}\r\norigin: {url}\r\ncookie: {}\r\nconnection: close\r\n{headers}\
             content-type: application/x-www-form-urlencoded\r\ncontent-length: {}\r\n\r\n{body}",
            self.cookie,
            body.len(),
            host = program.address(),
            url = program.url
        )
    }
}

fn get(program: &Program, path: &str, cookie: &str) -> String {
    let host = program.address();
    let request = format!("GET {path} HTTP/1.1\r\nhost: {host}\r\ncookie: {cookie}\r\nconnection: close\r\n\r\n");
    String::from_utf8_lossy(&send(program, request.as_bytes(), false)).into_owned()
}

pub fn status(response: &str) -> &str {
    response.split(' ').nth(1).unwrap_or("none")
}

#[test]
fn concurrent_logins_use_little_memory_and_do_not_block_the_api() {
    let store = Store::new(Engine::Sqlite);
    // Created before the start: a new key is unknown for a moment, and wrong keys are limited.
    let key = crate::create_key(&store, 1_000_000);
    let mut command = store.command(&SERVE);
    command.env("ROLLCALL_ACCOUNTS_WRONG_PASSWORDS_PER_MINUTE", "1000000");
    let program = Program::start(command);
    let form = FormClient::open(&program, "/sign-in");
    // The memory of the first hash does not count.
    form.send(&program, "/sign-in", "username=nobody&password=x");
    let (before, most, over) = (resident_kib(&program), AtomicU64::new(0), AtomicBool::new(false));
    let responses: Vec<String> = std::thread::scope(|scope| {
        scope.spawn(|| {
            let mut client = crate::http_client::KeepAliveClient::new(program.address(), &key);
            while !over.load(Ordering::Relaxed) {
                most.fetch_max(resident_kib(&program), Ordering::Relaxed);
                assert_eq!(client.get("/v1/live").expect("a response").status, 200);
            }
        });
        let logins = (0..LOGINS).map(|i| {
            let (form, program) = (&form, &program);
            scope.spawn(move || form.send(program, "/sign-in", &format!("username=guest-{i}&password=wrong")))
        });
        let logins: Vec<_> = logins.collect();
        let responses = logins.into_iter().map(|one| one.join().expect("a response")).collect();
        over.store(true, Ordering::Relaxed);
        responses
    });
    let count = |wanted: &str| responses.iter().filter(|response| status(response) == wanted).count();
    let (checked, rejected) = (count("422"), count("503"));
    let growth = most.into_inner().saturating_sub(before);
    println!(
        "{LOGINS} concurrent logins: {checked} checked, {rejected} rejected as busy, {growth} KiB more than {before}"
    );
    assert_eq!(checked + rejected, LOGINS, "{:?}", responses.iter().map(|a| status(a)).collect::<Vec<_>>());
    assert!(checked > 0 && growth < GROWTH_KIB, "{growth} KiB more");
    assert_eq!(status(&form.send(&program, "/sign-in", "username=nobody&password=x")), "422");
}

#[test]
fn sessions_and_new_keys_survive_a_crash() {
    for engine in Engine::BOTH {
        let store = Store::new(engine);
        let serve = || {
            let mut command = store.command(&SERVE);
            command.env("ROLLCALL_ACCOUNTS_SIGN_UP_CHECK", "off");
            Program::start(command)
        };
        let program = serve();
        let form = FormClient::open(&program, "/sign-up");
        let fields = "username=ada&password=seven+quiet+lanterns+drift&again=seven+quiet+lanterns+drift";
        let response = form.send(&program, "/sign-up", fields);
        assert_eq!(status(&response), "303", "{response}");
        let cookie = response.split("set-cookie: ").nth(1).and_then(|rest| rest.split(';').next()).expect("a cookie");
        let page = get(&program, "/dashboard", cookie);
        let token = page.split("name=\"token\" value=\"").nth(1).and_then(|rest| rest.split('"').next());
        let holder = FormClient { cookie: cookie.to_owned(), token: token.expect("a token").to_owned() };
        let response = holder.send(&program, "/dashboard/keys", "name=lasting");
        program.stop("KILL");
        let secret = response.split("id=\"secret\">").nth(1).and_then(|rest| rest.split('<').next()).expect("a secret");
        let program = serve();
        assert_eq!(status(&get(&program, "/dashboard", cookie)), "200");
        let mut client = crate::http_client::KeepAliveClient::new(program.address(), secret);
        assert_eq!(client.get("/v1/live").expect("a response").status, 200);
    }
}
