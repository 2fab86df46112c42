//! A gallery of 100,000 skins and capes: how fast it is filtered, and the throughput of the API while people upload 50 a second.

use std::time::Duration;

use rollcall_paint::{ArmModel, skin};
use rollcall_store::{Conn, values};

use crate::background_load::{self, StoreCopy, WorkloadShare};
use crate::data::BenchStore;
use crate::half_load_latency;
use crate::http_client::{HttpClient, request};
use crate::load_generator::CONNECTIONS;
use crate::options::BenchOptions;
use crate::services::{ServiceKind, ServiceProcess};
use crate::steady_load::{self, SteadyLoad, after};
use crate::testbed::{CacheState, Testbed, run_round};
use crate::workloads::{FILTERS, HOT_LIST, LIVE, PLAYER_ID, SKIN_FILTERS, VOTERS, WORKLOADS};

const TEXTURES: i64 = 100_000;
const UPLOADS_PER_SECOND: u64 = 50;
const SENDERS: u64 = 8;
/// An account may make 300 changes an hour.
const ACCOUNTS: u64 = 40;
const PASSWORD: &str = "four amber kites above";
const PUBLIC_URL: &str = "https://stats.example.org";
const HALF_LOAD_ROUND: Duration = Duration::from_millis(400);
const HALF_LOAD_ROUNDS: usize = 7;

const MEASURED: [(&str, CacheState); 6] = [
    (HOT_LIST, CacheState::Hot),
    (LIVE, CacheState::Hot),
    (FILTERS, CacheState::Cold),
    (SKIN_FILTERS, CacheState::Cold),
    (PLAYER_ID, CacheState::Cold),
    (VOTERS, CacheState::Cold),
];

pub struct GalleryResult {
    pub textures: i64,
    /// Filtered lists of skins per second, cold.
    pub filters_per_second: f64,
    /// Of filtered lists at half that rate, and of the ceiling at the same rate, in milliseconds.
    pub half_load_p99: f64,
    pub ceiling_p99: f64,
    /// CPU cores that the service uses for uploads alone.
    pub cores: f64,
    pub uploads_per_second: f64,
    pub workloads: Vec<WorkloadShare>,
}

pub async fn run(testbed: &Testbed, options: &BenchOptions) -> Result<Option<GalleryResult>, String> {
    if !options.includes_workload("gallery") {
        return Ok(None);
    }
    let copy = StoreCopy::new(testbed, "gallery")?;
    let textures = multiply_textures(&copy.0).map_err(|error| error.to_string())?;
    for number in 0..ACCOUNTS {
        let args = ["account", "create", &uploader(number), "--password-stdin", "--permanent"];
        copy.0.run_with_input(&args, PASSWORD)?;
    }
    let settings = [
        ("ROLLCALL_MODERATION_HOLD_UPLOADS", "false"),
        ("ROLLCALL_MODERATION_UPLOADS_PER_DAY", "1000000"),
        ("ROLLCALL_MODERATION_UPLOADS_PER_ACCOUNT", "1000000"),
    ];
    let service = ServiceProcess::rollcall(ServiceKind::Sqlite, &copy.0, &testbed.values.accounts, None, &settings)?;
    service.wait_until_settled();

    let workload = WORKLOADS.iter().find(|workload| workload.name == SKIN_FILTERS).expect("known workload");
    let stream = testbed.requests(workload, CacheState::Cold, &service).expect("Rollcall takes part in every workload");
    let filters_per_second = run_round(&service, &stream, Duration::from_secs(1), CONNECTIONS).await.rate;
    let (rate, length) = (filters_per_second / 2.0, HALF_LOAD_ROUND);
    let half_load = half_load_latency::measure(testbed, &service, &stream, rate, length, HALF_LOAD_ROUNDS).await;

    let mut forms = Vec::new();
    for number in 0..ACCOUNTS {
        forms.push(UploadForm::open(&service, &uploader(number)).await);
    }
    let uploads = SteadyLoad::start(service.address, UPLOADS_PER_SECOND, SENDERS, move |number| {
        forms[number as usize % forms.len()].request(number)
    });
    let cores = steady_load::cores_alone(&service, steady_load::ALONE, |on| uploads.switch(on)).await;
    let title = "throughput while skins are uploaded";
    let workloads =
        background_load::measure(testbed, options, &service, &MEASURED, (title, |on| uploads.switch(on))).await;
    uploads.switch(false);
    Ok(Some(GalleryResult {
        textures,
        filters_per_second,
        half_load_p99: half_load_latency::median(&half_load, |round| round.p99),
        ceiling_p99: half_load_latency::median(&half_load, |round| round.ceiling_p99),
        cores,
        uploads_per_second: uploads.accepted_per_second(),
        workloads,
    }))
}

/// Adds copies of the seed's textures with other names, times and counts. Returns how many there are.
fn multiply_textures(store: &BenchStore) -> rollcall_store::Result<i64> {
    let mut conn = Conn::open_existing(&store.database())?;
    conn.transaction(|conn| {
        let count = |conn: &mut Conn| conn.query_one("select count(*) from textures", &[], |row| row.get::<i64>(0));
        let seeded = count(conn)?;
        let last: i64 = conn.query_one("select max(n) from textures", &[], |row| row.get(0))?;
        for copy in 1..=TEXTURES / seeded {
            conn.execute(
                "insert into textures (kind, id, slug, name, description, model, png, owner_n, is_featured, created_at, view_count,
                                       download_count, like_count, favorite_count, usage_count, rev)
                 select kind, id || 'x' || $1, slug || '-x' || $1, name || ' x' || $1, description, model, png, owner_n, is_featured,
                        created_at - $1 * 61000, (view_count * $1) % 9973, (download_count * $1) % 997, 0, 0, 0, rev
                 from textures where n <= $2 and owner_n <> (select min(owner_n) from textures)",
                values![copy, last],
            )?;
            conn.execute(
                "insert into texture_tags (texture_n, position, tag)
                 select t.n, g.position, g.tag from textures o join texture_tags g on g.texture_n = o.n
                 join textures t on t.id = o.id || 'x' || $1 where o.n <= $2",
                values![copy, last],
            )?;
        }
        count(conn)
    })
}

fn uploader(number: u64) -> String {
    format!("uploader-{number}")
}

/// What a browser sends back of the upload page, of a user who is signed in.
struct UploadForm {
    cookie: String,
    token: String,
}

impl UploadForm {
    async fn open(service: &ServiceProcess, username: &str) -> Self {
        let mut client = HttpClient::connect(service.address).await;
        let mut page = async |request: &[u8]| String::from_utf8_lossy(client.exchange(request).await).into_owned();
        let entry = page(&request("/sign-in", "")).await;
        let (visitor, token) = (after(&entry, "set-cookie: ", ';'), after(&entry, "name=\"token\" value=\"", '"'));
        let body = format!("token={token}&username={username}&password={}", PASSWORD.replace(' ', "+"));
        let sign_in = format!(
            "POST /sign-in HTTP/1.1\r\nhost: localhost\r\norigin: {PUBLIC_URL}\r\ncookie: {visitor}\r\n\
             content-type: application/x-www-form-urlencoded\r\ncontent-length: {}\r\n\r\n{body}",
            body.len()
        );
        let signed_in = page(sign_in.as_bytes()).await;
        let cookie = after(&signed_in, "set-cookie: ", ';');
        let form = page(&request("/dashboard/skins/new", &format!("cookie: {cookie}\r\n"))).await;
        Self { token: after(&form, "name=\"token\" value=\"", '"'), cookie }
    }

    /// Each upload is another picture.
    fn request(&self, number: u64) -> Vec<u8> {
        let mut body = Vec::new();
        let name = format!("Upload {number}");
        let fields = [
            ("token", self.token.as_str()),
            ("kind", "skin"),
            ("model", "slim"),
            ("name", &name),
            ("description", "One of many."),
            ("tags", "bench, original"),
            ("visibility", "PUBLIC"),
            ("based_on", ""),
        ];
        for (name, value) in fields {
            let part = format!("--part\r\ncontent-disposition: form-data; name=\"{name}\"\r\n\r\n{value}\r\n");
            body.extend_from_slice(part.as_bytes());
        }
        let file = "--part\r\ncontent-disposition: form-data; name=\"file\"; filename=\"skin.png\"\r\n\
                    content-type: image/png\r\n\r\n";
        body.extend_from_slice(file.as_bytes());
        body.extend_from_slice(&skin(ArmModel::Slim, 1_000_000 + number));
        body.extend_from_slice(b"\r\n--part--\r\n");
        let head = format!(
            "POST /dashboard/skins/new HTTP/1.1\r\nhost: localhost\r\norigin: {PUBLIC_URL}\r\ncookie: {}\r\n\
             content-type: multipart/form-data; boundary=part\r\ncontent-length: {}\r\n\r\n",
            self.cookie,
            body.len()
        );
        [head.into_bytes(), body].concat()
    }
}
