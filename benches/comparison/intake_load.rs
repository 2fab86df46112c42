//! Throughput while people and game servers write: 2,000 reports and 500 votes a second arrive over HTTP at a service with its own
//! copy of the store.

use std::time::Duration;

use rollcall_model::clock::Clock;
use rollcall_model::server_token::ServerToken;
use rollcall_store::audit::Author;
use rollcall_store::{Conn, server_tokens, values};

use crate::background_load::{self, StoreCopy, WorkloadShare};
use crate::data::BenchStore;
use crate::http_client::{HttpClient, request};
use crate::options::BenchOptions;
use crate::services::{ServiceKind, ServiceProcess};
use crate::steady_load::{self, SteadyLoad, after};
use crate::testbed::{CacheState, Testbed};
use crate::workloads::{COUNTRIES, FILTERS, HOT_LIST, LIVE, PLAYER_ID, VOTERS};

const REPORTS_PER_SECOND: u64 = 2_000;
const VOTES_PER_SECOND: u64 = 500;
/// A server may report every ten seconds, so this many take turns, with some to spare.
const REPORTING_SERVERS: i64 = 24_000;
/// Connections that send each kind. Reports and votes of many senders share a transaction, so each waits for its response for up to
/// 100 ms, and longer while the service is loaded; game servers and voters have connections of their own and do not wait for each other.
const REPORT_CONNECTIONS: u64 = 500;
const VOTE_CONNECTIONS: u64 = 125;
/// Until every server has reported once: the first report of a server costs a query.
const WARM_UP: Duration = Duration::from_secs(REPORTING_SERVERS as u64 / REPORTS_PER_SECOND + 3);
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
    let reports = SteadyLoad::start(service.address, REPORTS_PER_SECOND, REPORT_CONNECTIONS, move |number| {
        report_request(&tokens[number as usize % tokens.len()])
    });
    let votes = SteadyLoad::start(service.address, VOTES_PER_SECOND, VOTE_CONNECTIONS, move |number| {
        form.request(&slugs[number as usize % slugs.len()], number)
    });
    let switch = |on| reports.switch(on) | votes.switch(on);
    let cores = steady_load::cores_alone(&service, WARM_UP, switch).await;
    let title = "throughput while reports and votes arrive";
    let workloads = background_load::measure(testbed, options, &service, &MEASURED, (title, switch)).await;
    switch(false);
    let [reports_per_second, votes_per_second] = [reports, votes].map(|load| load.accepted_per_second());
    Ok(Some(IntakeLoadResult { cores, reports_per_second, votes_per_second, workloads }))
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
        Self { cookie: after(&page, "set-cookie: ", ';'), token: after(&page, "name=\"token\" value=\"", '"') }
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
