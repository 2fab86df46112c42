//! Throughput while people and game servers write: 2,000 reports and 500 votes a second arrive over HTTP at a service with its own
//! copy of the store.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Duration;

use rollcall_model::clock::Clock;
use rollcall_model::server_token::ServerToken;
use rollcall_store::audit::Author;
use rollcall_store::{Conn, server_tokens, values};
use tokio::time::Instant;

use crate::background_load::{self, StoreCopy, WorkloadShare};
use crate::data::BenchStore;
use crate::http_client::{HttpClient, request};
use crate::options::BenchOptions;
use crate::services::{ServiceKind, ServiceProcess};
use crate::testbed::{CacheState, Testbed};
use crate::workloads::{COUNTRIES, FILTERS, HOT_LIST, LIVE, PLAYER_ID, VOTERS};

const REPORTS_PER_SECOND: u64 = 2_000;
const VOTES_PER_SECOND: u64 = 500;
/// A server may report every ten seconds, so this many take turns, with some to spare.
const REPORTING_SERVERS: i64 = 24_000;
/// Connections that send each kind. Each waits for its response, as a game server does, so a few could not send as much.
const SENDERS: u64 = 64;
/// How long the load is measured alone.
const ALONE: Duration = Duration::from_secs(5);
const TICK: Duration = Duration::from_millis(20);
const PUBLIC_URL: &str = "https://stats.example.org";

const MEASURED: [(&str, CacheState); 6] = [
    (HOT_LIST, CacheState::Hot),
    (LIVE, CacheState::Hot),
    (COUNTRIES, CacheState::Hot),
    (FILTERS, CacheState::Cold),
    (PLAYER_ID, CacheState::Cold),
    (VOTERS, CacheState::Cold),
];

pub struct IntakeLoadResult {
    /// CPU cores that the service uses for reports and votes alone.
    pub cores: f64,
    /// Accepted while the load was on.
    pub reports_per_second: f64,
    pub votes_per_second: f64,
    pub workloads: Vec<WorkloadShare>,
}

pub async fn run(testbed: &Testbed, options: &BenchOptions) -> Result<Option<IntakeLoadResult>, String> {
    if !options.includes_workload("intake") {
        return Ok(None);
    }
    let copy = StoreCopy::new(testbed, "intake")?;
    let (tokens, slugs) = prepare(&copy.0).map_err(|error| error.to_string())?;
    // Voters have many addresses.
    let settings = [("ROLLCALL_VOTING_HUMAN_CHECK", "off"), ("ROLLCALL_HTTP_TRUSTED_PROXIES", "127.0.0.1/32")];
    let service = ServiceProcess::rollcall(ServiceKind::Sqlite, &copy.0, &testbed.values.accounts, None, &settings)?;
    service.wait_until_settled();
    let form = VoteForm::open(&service, &slugs[0]).await;
    let load = Arc::new(Load::default());
    let (tokens, slugs, form) = (Arc::new(tokens), Arc::new(slugs), Arc::new(form));
    for sender in 0..SENDERS {
        let tokens = tokens.clone();
        let report = move |turn: u64| report_request(&tokens[((turn * SENDERS + sender) as usize) % tokens.len()]);
        tokio::spawn(send(service.address, load.clone(), Kind::Report, report));
        let (slugs, form) = (slugs.clone(), form.clone());
        let vote = move |turn: u64| {
            let number = turn * SENDERS + sender;
            form.request(&slugs[number as usize % slugs.len()], number)
        };
        tokio::spawn(send(service.address, load.clone(), Kind::Vote, vote));
    }
    load.switch(true);
    tokio::time::sleep(ALONE).await;
    let (before, started) = (service.cpu_used(), Instant::now());
    tokio::time::sleep(ALONE).await;
    let used = service.cpu_used().own.saturating_sub(before.own);
    let cores = used as f64 / 1e9 / started.elapsed().as_secs_f64();
    let title = "throughput while reports and votes arrive";
    let workloads =
        background_load::measure(testbed, options, &service, &MEASURED, (title, |on| load.switch(on))).await;
    load.switch(false);
    let seconds = load.on_ms.load(Ordering::Relaxed) as f64 / 1e3 / (2 * SENDERS) as f64;
    let rate = |kind: Kind| load.accepted[kind as usize].load(Ordering::Relaxed) as f64 / seconds.max(1e-3);
    Ok(Some(IntakeLoadResult {
        cores,
        reports_per_second: rate(Kind::Report),
        votes_per_second: rate(Kind::Vote),
        workloads,
    }))
}

/// The tokens of servers that report, and the slugs of those that people vote for.
fn prepare(store: &BenchStore) -> rollcall_store::Result<(Vec<ServerToken>, Vec<String>)> {
    let mut conn = Conn::open_existing(&store.database())?;
    let author = Author::command_line(Clock::System.now());
    conn.transaction(|conn| {
        let sql = "select n, slug from servers where visibility = 'PUBLIC' order by n limit $1";
        let servers: Vec<(i64, String)> =
            conn.query(sql, values![REPORTING_SERVERS], |row| (row.get(0), row.get(1)))?;
        let mut tokens = Vec::with_capacity(servers.len());
        for (n, _) in &servers {
            let token = ServerToken::generate();
            server_tokens::issue(conn, *n, &token, &author)?;
            tokens.push(token);
        }
        Ok((tokens, servers.into_iter().map(|(_, slug)| slug).collect()))
    })
}

#[derive(Clone, Copy)]
enum Kind {
    Report,
    Vote,
}

impl Kind {
    /// Requests per second of one sender.
    fn rate(self) -> f64 {
        let total = match self {
            Self::Report => REPORTS_PER_SECOND,
            Self::Vote => VOTES_PER_SECOND,
        };
        total as f64 / SENDERS as f64
    }
}

#[derive(Default)]
struct Load {
    on: AtomicBool,
    /// Milliseconds in which the load was on, summed over all senders.
    on_ms: AtomicU64,
    /// By [`Kind`].
    accepted: [AtomicU64; 2],
}

impl Load {
    /// Returns whether that is a change.
    fn switch(&self, on: bool) -> bool {
        self.on.swap(on, Ordering::Relaxed) != on
    }
}

/// Sends requests at the rate of its kind while the load is on. One that falls behind catches up.
async fn send(address: std::net::SocketAddr, load: Arc<Load>, kind: Kind, request: impl Fn(u64) -> Vec<u8>) {
    let mut client = HttpClient::connect(address).await;
    let (mut turn, mut pending, mut last) = (0, 0.0, Instant::now());
    loop {
        tokio::time::sleep(TICK).await;
        let elapsed = last.elapsed();
        last = Instant::now();
        if !load.on.load(Ordering::Relaxed) {
            pending = 0.0;
            continue;
        }
        load.on_ms.fetch_add(elapsed.as_millis() as u64, Ordering::Relaxed);
        pending += kind.rate() * elapsed.as_secs_f64();
        while pending >= 1.0 && load.on.load(Ordering::Relaxed) {
            let response = client.exchange(&request(turn)).await;
            let is_accepted = response.starts_with(b"HTTP/1.1 200 ") || response.starts_with(b"HTTP/1.1 303 ");
            load.accepted[kind as usize].fetch_add(u64::from(is_accepted), Ordering::Relaxed);
            turn += 1;
            pending -= 1.0;
        }
    }
}

fn report_request(token: &ServerToken) -> Vec<u8> {
    let body = r#"{"tps":19.8,"mspt":21.4}"#;
    let head = format!(
        "POST /report/v1 HTTP/1.1\r\nhost: localhost\r\nauthorization: Bearer {}\r\ncontent-type: application/json\r\n\
         content-length: {}\r\n\r\n",
        token.reveal(),
        body.len()
    );
    (head + body).into_bytes()
}

/// What a browser sends back of the vote page.
struct VoteForm {
    cookie: String,
    token: String,
}

impl VoteForm {
    async fn open(service: &ServiceProcess, slug: &str) -> Self {
        let mut client = HttpClient::connect(service.address).await;
        let page =
            String::from_utf8_lossy(client.get(&request(&format!("/servers/{slug}/vote"), "")).await).into_owned();
        let after = |text: &str, end: char| {
            let rest = page.split(text).nth(1).and_then(|rest| rest.split(end).next());
            rest.unwrap_or_else(|| panic!("the vote page has no {text}")).to_owned()
        };
        Self { cookie: after("set-cookie: ", ';'), token: after("name=\"token\" value=\"", '"') }
    }

    /// Each vote has its own name and address.
    fn request(&self, slug: &str, number: u64) -> Vec<u8> {
        let body = format!("token={}&nickname=v{number}", self.token);
        let [_, _, _, _, _, a, b, c] = number.to_be_bytes();
        let head = format!(
            "POST /servers/{slug}/vote HTTP/1.1\r\nhost: localhost\r\norigin: {PUBLIC_URL}\r\ncookie: {}\r\n\
             x-forwarded-for: 100.{a}.{b}.{c}\r\ncontent-type: application/x-www-form-urlencoded\r\n\
             content-length: {}\r\n\r\n",
            self.cookie,
            body.len()
        );
        (head + &body).into_bytes()
    }
}
