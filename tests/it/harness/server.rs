use std::net::SocketAddr;
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use reqwest::header::HeaderMap;
use rollcall::app::App;
use rollcall::config::{Config, Flags};
use rollcall::http;
use rollcall::worker_pool::WorkerPool;
use rollcall_demo::{Pictures, Progress, Scale, generate};
use rollcall_model::api_key::Secret;
use rollcall_model::clock::Clock;
use rollcall_model::quota::Limits;
use rollcall_store::audit::Author;
use rollcall_store::builtin_skins::{BuiltinPictures, ensure_builtin};
use rollcall_store::keys::{self, NewKey};
use rollcall_store::media::Media;
use rollcall_store::{Pool, migrate};
use serde_json::Value;
use tokio::runtime::Runtime;
use tokio::sync::oneshot;
use tokio::task::JoinHandle;

use super::{Engine, NOW, PUBLIC_URL, SEED, Store, aside, check};

/// A running service on a port of its own, with a clock that stands still.
pub struct Server {
    pub address: SocketAddr,
    pub clock: Clock,
    pub key: String,
    pub store: Arc<Store>,
    client: reqwest::Client,
    /// Ends the ledger's work, and says when that is done.
    ledger: Option<(oneshot::Sender<()>, JoinHandle<()>)>,
    runtime: Option<Runtime>,
}

impl Drop for Server {
    fn drop(&mut self) {
        self.runtime.take().expect("taken only here").shutdown_background();
    }
}

/// An answer that is known to be as the document says.
pub struct Answer {
    pub status: u16,
    pub headers: HeaderMap,
    pub body: Vec<u8>,
}

impl Answer {
    pub fn json(&self) -> Value {
        serde_json::from_slice(&self.body).expect("the answer is JSON")
    }

    pub fn data(&self) -> Value {
        self.json()["data"].clone()
    }

    pub fn error(&self) -> String {
        self.json()["error"].as_str().expect("an error").to_owned()
    }

    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.get(name).map(|value| value.to_str().expect("plain text"))
    }
}

/// More than any test asks for.
pub const PLENTY: Limits = Limits { per_minute: 1_000_000, per_day: 1_000_000, per_month: 1_000_000 };

/// The tests of wrong keys, of accounts and of human checks try many from one address, within one minute of a clock that
/// stands still.
const WRONG: u32 = 1_000_000;

impl Server {
    /// Serves a store that is filled already.
    pub fn over(store: impl Into<Arc<Store>> + Send, now: i64) -> Self {
        Self::set_up(store, now, |_| {})
    }

    /// The same with other settings than the usual ones.
    pub fn set_up(store: impl Into<Arc<Store>> + Send, now: i64, change: impl Fn(&mut Config) + Send) -> Self {
        aside(|| Self::serve(store.into(), now, change))
    }

    /// Lets it write all it has to write, as a signal would, and ends it.
    pub fn stop(mut self) -> Arc<Store> {
        let (stop, ended) = self.ledger.take().expect("taken only here");
        stop.send(()).expect("the ledger works");
        self.run(ended).expect("the ledger ends well");
        self.store.clone()
    }

    /// Ends it as kill -9 would: what was not written is gone.
    pub fn crash(self) -> Arc<Store> {
        self.store.clone()
    }

    fn serve(store: Arc<Store>, now: i64, change: impl Fn(&mut Config)) -> Self {
        let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build().unwrap();
        let clock = Clock::fixed(now);
        let key = create_key(&store, PLENTY);
        let media = Media::in_folder(&store.path().join("media")).unwrap();
        let (pool, ledger) = (Pool::open(&store.database).unwrap(), Pool::open_ledger(&store.database).unwrap());
        let mut config = Config::load(&Flags::default()).unwrap();
        config.public_url = PUBLIC_URL.into();
        config.gate.wrong_keys_per_minute = WRONG;
        config.accounts.wrong_passwords_per_minute = WRONG;
        config.accounts.sign_ups_per_day = WRONG;
        config.playground.checks_per_minute = WRONG;
        change(&mut config);
        let (stop, stopped) = oneshot::channel::<()>();
        let (address, ledger) = runtime.block_on(async {
            let listener = http::listen("127.0.0.1:0".parse().unwrap()).await.unwrap();
            let address = listener.local_addr().unwrap();
            let openapi = rollcall::v1::document_bytes(&config.public_url);
            let url = config.public_url.clone();
            let app = App::open(&config, pool, ledger, media, clock.clone(), url, openapi).await.unwrap();
            app.keep_current().unwrap();
            let ledger = tokio::spawn(app.gate.ledger().keep(async {
                let _ = stopped.await;
            }));
            tokio::spawn(async move {
                let router =
                    rollcall::server::Router::new(app, &config.http, config.public_url.starts_with("https://"));
                let crew = WorkerPool::new(2, "http").unwrap();
                http::serve(listener, crew, router, &config.http, None, std::future::pending()).await
            });
            (address, ledger)
        });
        let client = reqwest::Client::builder().no_proxy().redirect(reqwest::redirect::Policy::none());
        // Well before the server closes it: what is sent at that very moment gets no answer.
        let client = client.pool_idle_timeout(Duration::from_secs(2)).build().unwrap();
        Self { address, clock, key, store, client, ledger: Some((stop, ledger)), runtime: Some(runtime) }
    }

    /// A service over the test world, which nothing else uses: it may be changed.
    pub fn own(engine: Engine) -> Self {
        Self::over(aside(|| world(engine)), NOW)
    }

    /// A service over an empty store.
    pub fn empty(engine: Engine) -> Self {
        Self::with_keys(engine, &[]).0
    }

    /// A service over a store with keys of these limits and nothing else.
    pub fn with_keys(engine: Engine, limits: &[Limits]) -> (Self, Vec<String>) {
        aside(|| {
            let store = Store::new(engine);
            prepare(&store);
            let keys = limits.iter().map(|limits| create_key(&store, *limits)).collect();
            (Self::serve(store.into(), NOW, |_| {}), keys)
        })
    }

    /// A service over an empty store, with other settings than the usual ones.
    pub fn empty_with(engine: Engine, change: impl Fn(&mut Config) + Send) -> Self {
        aside(|| {
            let store = Store::new(engine);
            prepare(&store);
            Self::serve(store.into(), NOW, change)
        })
    }

    /// GET below `/v1` with the server's own key.
    pub async fn get(&self, path: &str) -> Answer {
        self.send(reqwest::Method::GET, path, &[("x-api-key", &self.key)]).await
    }

    /// GET below `/v1` with another key.
    pub async fn get_as(&self, key: &str, path: &str) -> Answer {
        self.send(reqwest::Method::GET, path, &[("x-api-key", key)]).await
    }

    /// Any request below `/v1`. Every answer is checked against the document.
    pub async fn send(&self, method: reqwest::Method, path: &str, headers: &[(&str, &str)]) -> Answer {
        let answer = self.raw(method.clone(), &format!("/v1{path}"), headers).await;
        check(&method, path, &answer);
        answer
    }

    /// Any request to any path, unchecked.
    pub async fn raw(&self, method: reqwest::Method, path: &str, headers: &[(&str, &str)]) -> Answer {
        self.exchange(method, path, headers, Vec::new()).await
    }

    /// The same with a body. Nothing is followed: where an answer leads to is a part of it.
    pub async fn exchange(
        &self,
        method: reqwest::Method,
        path: &str,
        headers: &[(&str, &str)],
        body: impl Into<Vec<u8>>,
    ) -> Answer {
        let url = format!("http://{}{path}", self.address);
        let mut request = self.client.request(method, url);
        for (name, value) in headers {
            request = request.header(*name, *value);
        }
        let body = body.into();
        if !body.is_empty() {
            request = request.body(body);
        }
        // On the server's runtime: a connection that is kept for later must not end with the test that opened it.
        let runtime = self.runtime.as_ref().expect("it runs");
        let work = runtime.spawn(async move {
            let response = request.send().await?;
            let (status, headers) = (response.status().as_u16(), response.headers().clone());
            Ok(Answer { status, headers, body: response.bytes().await?.to_vec() })
        });
        // Panics here, where the test sees why.
        let answer: reqwest::Result<Answer> = work.await.expect("nothing panics there");
        answer.unwrap_or_else(|error| panic!("no answer from {path}: {error:?}"))
    }

    /// The bytes of a request as they are, and all that comes back until the connection closes.
    pub fn wire(&self, request: &[u8]) -> Vec<u8> {
        use std::io::{Read, Write};
        let mut stream = std::net::TcpStream::connect(self.address).expect("the server listens");
        stream.write_all(request).expect("the server reads");
        let mut answer = Vec::new();
        stream.read_to_end(&mut answer).expect("the server closes the connection");
        answer
    }

    /// For a test that is not async because it changes the store between requests.
    pub fn run<T>(&self, work: impl Future<Output = T>) -> T {
        self.runtime.as_ref().expect("it runs").block_on(work)
    }

    /// Lets something run beside the service, until it ends or the service does.
    pub fn spawn(&self, work: impl Future<Output = ()> + Send + 'static) -> JoinHandle<()> {
        self.runtime.as_ref().expect("it runs").spawn(work)
    }

    /// Waits until a GET satisfies; the deadline is far beyond the second that is promised.
    pub async fn until(&self, path: &str, wanted: impl Fn(&Answer) -> bool) -> Answer {
        self.until_as(&self.key, path, wanted).await
    }

    /// The same with another key, which the service may have to get to know.
    pub async fn until_as(&self, key: &str, path: &str, wanted: impl Fn(&Answer) -> bool) -> Answer {
        let deadline = std::time::Instant::now() + Duration::from_secs(20);
        loop {
            let answer = self.get_as(key, path).await;
            if wanted(&answer) {
                return answer;
            }
            assert!(std::time::Instant::now() < deadline, "{path} stays {}", String::from_utf8_lossy(&answer.body));
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    }
}

/// A new key of the store, with these limits.
pub fn create_key(store: &Store, limits: Limits) -> String {
    let secret = Secret::generate();
    let id = rollcall_model::id::encode(rand_number());
    let key = NewKey { id: &id, name: "test", account: None, overrides: limits.into(), expires_at: None };
    store.change(|conn| keys::create(conn, &key, &secret, &Author::command_line(NOW)));
    secret.reveal().to_owned()
}

fn rand_number() -> u128 {
    use std::hash::{BuildHasher, RandomState};
    u128::from(RandomState::new().hash_one(0)) << 64 | u128::from(RandomState::new().hash_one(1))
}

/// Schema and built-in skins, nothing else.
fn prepare(store: &Store) -> Media {
    let mut conn = store.conn();
    migrate(&mut conn).unwrap();
    let media = Media::in_folder(&store.path().join("media")).unwrap();
    ensure_builtin(&mut conn, &BuiltinPictures::keep(&media).unwrap()).unwrap();
    media
}

fn world(engine: Engine) -> Store {
    let store = Store::new(engine);
    let media = prepare(&store);
    generate(&mut store.conn(), SEED, NOW, &Scale::tests(), &Pictures::plain(media), &Progress::hidden()).unwrap();
    store
}

/// The service over the test world that all reading tests of an engine share.
pub fn shared(engine: Engine) -> &'static Server {
    static SQLITE: OnceLock<Server> = OnceLock::new();
    static POSTGRES: OnceLock<Server> = OnceLock::new();
    match engine {
        Engine::Sqlite => &SQLITE,
        Engine::Postgres => &POSTGRES,
    }
    .get_or_init(|| Server::own(engine))
}
