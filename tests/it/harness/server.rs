use std::net::SocketAddr;
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use reqwest::header::HeaderMap;
use rollcall::app::App;
use rollcall::config::{Config, Flags, HumanCheck};
use rollcall::http;
use rollcall::worker_pool::WorkerPool;
use rollcall_minecraft::Resolver;
use rollcall_minecraft::join_verify::Verifier;
use rollcall_model::api_key::ApiKeySecret;
use rollcall_model::clock::Clock;
use rollcall_model::quota::Limits;
use rollcall_store::audit::Author;
use rollcall_store::keys::{self, NewKey};
use rollcall_store::media::Media;
use rollcall_store::{Connections, Pool};
use serde_json::Value;
use tokio::runtime::Runtime;
use tokio::sync::oneshot;
use tokio::task::JoinHandle;

use super::server_metrics::ServerMetrics;
use super::{Engine, NOW, PUBLIC_URL, Store, check, run_blocking, templates, until};

/// A running server on a free port, with a fixed clock.
pub struct Server {
    pub address: SocketAddr,
    pub clock: Clock,
    pub key: String,
    pub store: Arc<Store>,
    /// The listener that players join, if the settings have one.
    pub verifier: Option<Verifier>,
    /// Shows what the quota ledger is doing.
    pub ledger_pool: Pool,
    metrics: ServerMetrics,
    client: reqwest::Client,
    /// Stops the quota ledger, and the task to wait for.
    ledger: Option<(oneshot::Sender<()>, JoinHandle<()>)>,
    runtime: Option<Runtime>,
}

impl Drop for Server {
    fn drop(&mut self) {
        self.runtime.take().expect("taken only here").shutdown_background();
    }
}

/// A response. Those of `/v1` have been checked against the OpenAPI document.
pub struct TestResponse {
    pub status: u16,
    pub headers: HeaderMap,
    pub body: Vec<u8>,
}

impl TestResponse {
    pub fn json(&self) -> Value {
        serde_json::from_slice(&self.body).expect("a JSON body")
    }

    pub fn data(&self) -> Value {
        self.json()["data"].clone()
    }

    pub fn error(&self) -> String {
        self.json()["error"].as_str().expect("an error message").to_owned()
    }

    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.get(name).map(|value| value.to_str().expect("plain text"))
    }
}

/// More than any test uses.
pub const HIGH_LIMITS: Limits = Limits { per_minute: 1_000_000, per_day: 1_000_000, per_month: 1_000_000 };

/// Limit on wrong keys, passwords, captchas and pictures: many tests try them from one IP within one minute of a fixed clock.
const MANY_ATTEMPTS: u32 = 1_000_000;
/// Far less than in production, where hashing passwords would take most of the time of the tests.
pub const PASSWORD_MEMORY_KIB: u32 = 64;

impl Server {
    /// Serves an existing store.
    pub fn over(store: impl Into<Arc<Store>> + Send, now: i64) -> Self {
        Self::set_up(store, now, |_| {})
    }

    /// The same with changed settings.
    pub fn set_up(store: impl Into<Arc<Store>> + Send, now: i64, change: impl Fn(&mut Config) + Send) -> Self {
        run_blocking(|| Self::serve(store.into(), now, change))
    }

    /// Stops it as a signal would: pending writes are completed.
    pub fn stop(mut self) -> Arc<Store> {
        let (stop, ended) = self.ledger.take().expect("taken only here");
        stop.send(()).expect("the ledger works");
        self.run(ended).expect("the ledger ends well");
        self.store.clone()
    }

    /// Ends it as kill -9 would: pending writes are lost.
    pub fn crash(self) -> Arc<Store> {
        self.store.clone()
    }

    fn serve(store: Arc<Store>, now: i64, change: impl Fn(&mut Config)) -> Self {
        let metrics = ServerMetrics::new();
        let mut runtime = tokio::runtime::Builder::new_multi_thread();
        runtime.worker_threads(2).enable_all();
        let of_threads = metrics.clone();
        let runtime = runtime.on_thread_start(move || of_threads.record_this_thread()).build().unwrap();
        let clock = Clock::fixed(now);
        let key = create_key(&store, HIGH_LIMITS);
        let media = Media::in_folder(&store.path().join("media")).unwrap();
        let (pool, ledger) = (
            Pool::open(&store.database, Connections::default()).unwrap(),
            Pool::open_ledger(&store.database, Connections::default()).unwrap(),
        );
        let ledger_pool = ledger.clone();
        let mut config = Config::load(&Flags::default()).unwrap();
        config.public_url = PUBLIC_URL.into();
        config.auth.wrong_keys_per_minute = MANY_ATTEMPTS;
        config.accounts.wrong_passwords_per_minute = MANY_ATTEMPTS;
        config.accounts.sign_ups_per_day = MANY_ATTEMPTS;
        config.accounts.password_memory_kib = PASSWORD_MEMORY_KIB;
        config.accounts.sign_up_tries_per_minute = MANY_ATTEMPTS;
        // Solving a CAPTCHA takes a second; tests of it turn it on.
        config.accounts.sign_up_check = HumanCheck::Off;
        config.voting.human_check = HumanCheck::Off;
        config.playground.checks_per_minute = MANY_ATTEMPTS;
        config.http.pictures_per_minute = MANY_ATTEMPTS;
        change(&mut config);
        let (stop, stopped) = oneshot::channel::<()>();
        let (address, ledger, verifier) = runtime.block_on(async {
            let listener = http::listen("127.0.0.1:0".parse().unwrap()).await.unwrap();
            let address = listener.local_addr().unwrap();
            let openapi = rollcall::v1::document_bytes(&config.public_url);
            let url = config.public_url.clone();
            let pinger = Arc::new(config.tracker.ping_client(Resolver::dns(config.tracker.name_server).unwrap()));
            rollcall::web::collect_untranslated_texts();
            let app = App::open(&config, (pool, ledger), media, clock.clone(), url, openapi, pinger).await.unwrap();
            app.start_background_tasks().unwrap();
            let verifier = match config.linking.listen {
                Some(address) => {
                    let listener = http::listen(address).await.unwrap();
                    Some(app.linking.clone().serve(listener).await.unwrap())
                }
                None => None,
            };
            let ledger = tokio::spawn(Arc::clone(&app).write_counts(async {
                let _ = stopped.await;
            }));
            tokio::spawn(async move {
                let is_https = config.public_url.starts_with("https://");
                let router = rollcall::server::Router::new(app, config.roles, &config.http, is_https);
                let crew = WorkerPool::new(2, "http").unwrap();
                http::serve(listener, crew, router, &config.http, None, std::future::pending()).await
            });
            (address, ledger, verifier)
        });
        let client = reqwest::Client::builder().no_proxy().redirect(reqwest::redirect::Policy::none());
        // Shorter than the idle timeout of the server: a request sent while the server closes the connection would fail.
        let client = client.pool_idle_timeout(Duration::from_secs(2)).build().unwrap();
        let ledger = Some((stop, ledger));
        Self { address, clock, key, store, verifier, ledger_pool, metrics, client, ledger, runtime: Some(runtime) }
    }

    /// A server over its own copy of the demo world, which the test may change.
    pub fn own(engine: Engine) -> Self {
        Self::over(run_blocking(|| templates::demo_world(engine)), NOW)
    }

    /// A server over an empty store.
    pub fn empty(engine: Engine) -> Self {
        Self::with_keys(engine, &[]).0
    }

    /// A server over a store with only these keys.
    pub fn with_keys(engine: Engine, limits: &[Limits]) -> (Self, Vec<String>) {
        run_blocking(|| {
            let store = templates::empty(engine);
            let keys = limits.iter().map(|limits| create_key(&store, *limits)).collect();
            (Self::serve(store.into(), NOW, |_| {}), keys)
        })
    }

    /// A server over an empty store with changed settings.
    pub fn empty_with(engine: Engine, change: impl Fn(&mut Config) + Send) -> Self {
        run_blocking(|| Self::serve(templates::empty(engine).into(), NOW, change))
    }

    /// GET below `/v1` with the server's own key.
    pub async fn get(&self, path: &str) -> TestResponse {
        self.send(reqwest::Method::GET, path, &[("x-api-key", &self.key)]).await
    }

    /// GET below `/v1` with another key.
    pub async fn get_as(&self, key: &str, path: &str) -> TestResponse {
        self.send(reqwest::Method::GET, path, &[("x-api-key", key)]).await
    }

    /// Any request below `/v1`. The response is checked against the OpenAPI document.
    pub async fn send(&self, method: reqwest::Method, path: &str, headers: &[(&str, &str)]) -> TestResponse {
        let response = self.raw(method.clone(), &format!("/v1{path}"), headers).await;
        check(&method, path, &response);
        response
    }

    /// Any request to any path, unchecked.
    pub async fn raw(&self, method: reqwest::Method, path: &str, headers: &[(&str, &str)]) -> TestResponse {
        self.exchange(method, path, headers, Vec::new()).await
    }

    /// The same with a body. Redirects are not followed.
    pub async fn exchange(
        &self,
        method: reqwest::Method,
        path: &str,
        headers: &[(&str, &str)],
        body: impl Into<Vec<u8>>,
    ) -> TestResponse {
        let url = format!("http://{}{path}", self.address);
        let mut request = self.client.request(method, url);
        for (name, value) in headers {
            request = request.header(*name, *value);
        }
        let body = body.into();
        if !body.is_empty() {
            request = request.body(body);
        }
        // On the runtime of the server: a pooled connection must not end with the test that opened it.
        let runtime = self.runtime.as_ref().expect("running");
        let work = runtime.spawn(async move {
            let response = request.send().await?;
            let (status, headers) = (response.status().as_u16(), response.headers().clone());
            Ok(TestResponse { status, headers, body: response.bytes().await?.to_vec() })
        });
        // Panics here, where the test shows the message.
        let response: reqwest::Result<TestResponse> = work.await.expect("the task does not panic");
        response.unwrap_or_else(|error| panic!("no response from {path}: {error:?}"))
    }

    /// Sends raw bytes and reads until the connection closes.
    pub fn wire(&self, request: &[u8]) -> Vec<u8> {
        use std::io::{Read, Write};
        let mut stream = std::net::TcpStream::connect(self.address).expect("the server listens");
        stream.write_all(request).expect("the server reads");
        let mut response = Vec::new();
        stream.read_to_end(&mut response).expect("the server closes the connection");
        response
    }

    /// For tests that are not async because they change the store between requests.
    pub fn run<T>(&self, work: impl Future<Output = T>) -> T {
        self.runtime.as_ref().expect("running").block_on(work)
    }

    /// Runs a task on the runtime of the server.
    pub fn spawn(&self, work: impl Future<Output = ()> + Send + 'static) -> JoinHandle<()> {
        self.runtime.as_ref().expect("running").spawn(work)
    }

    /// Repeats a GET until the response is the wanted one. Changes take effect within a second; the deadline is far longer.
    pub async fn until(&self, path: &str, wanted: impl Fn(&TestResponse) -> bool) -> TestResponse {
        self.until_as(&self.key, path, wanted).await
    }

    /// The same with another key.
    pub async fn until_as(&self, key: &str, path: &str, wanted: impl Fn(&TestResponse) -> bool) -> TestResponse {
        until(async || {
            let response = self.get_as(key, path).await;
            match wanted(&response) {
                true => Ok(response),
                false => Err(format!("{path} is still {}", String::from_utf8_lossy(&response.body))),
            }
        })
        .await
    }

    /// Waits until a background task has begun and completed a run after this call. What it does not do in that run is not due.
    pub async fn until_run(&self, task: &str) {
        // The first one may have begun before.
        let wanted = self.metrics.task_runs(task) + 2;
        until(async || match self.metrics.task_runs(task) {
            runs if runs >= wanted => Ok(()),
            runs => Err(format!("{task} has completed {runs} runs, not {wanted}")),
        })
        .await;
    }
}

/// Creates a key with these limits.
pub fn create_key(store: &Store, limits: Limits) -> String {
    let secret = ApiKeySecret::generate();
    let id = rollcall_model::id::encode(rand_number());
    let key = NewKey { id: &id, name: "test", account: None, overrides: limits.into(), expires_at: None };
    store.change(|conn| keys::create(conn, &key, &secret, &Author::command_line(NOW)));
    secret.reveal().to_owned()
}

fn rand_number() -> u128 {
    use std::hash::{BuildHasher, RandomState};
    u128::from(RandomState::new().hash_one(0)) << 64 | u128::from(RandomState::new().hash_one(1))
}

/// The server over the demo world that all read-only tests of an engine share.
pub fn shared(engine: Engine) -> &'static Server {
    static SQLITE: OnceLock<Server> = OnceLock::new();
    static POSTGRES: OnceLock<Server> = OnceLock::new();
    match engine {
        Engine::Sqlite => &SQLITE,
        Engine::Postgres => &POSTGRES,
    }
    .get_or_init(|| Server::own(engine))
}
