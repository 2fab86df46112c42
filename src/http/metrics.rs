//! Counts requests and times responses for Prometheus. Nothing here takes a lock or allocates for an API endpoint: cached responses
//! are served tens of thousands of times a second.

use std::collections::{BTreeMap, HashMap};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, OnceLock, RwLock};
use std::time::Duration;

use axum::http::{Method, StatusCode};

use super::route_label::RouteLabel;
use rollcall_model::histogram::{Histogram, HistogramSnapshot};

/// Recording is off unless metrics are served.
static IS_READ: AtomicBool = AtomicBool::new(false);
/// By the path below `/v1`. Set by [`start`], so that reading needs no lock.
static API: OnceLock<HashMap<&'static str, ApiEndpoint>> = OnceLock::new();
/// By route pattern, of which there are as many as the router has.
static PAGES: RwLock<BTreeMap<String, Arc<RouteTimes>>> = RwLock::new(BTreeMap::new());
/// Responses by status. Other statuses than these do not exist.
static STATUSES: [AtomicU64; LAST_STATUS - FIRST_STATUS + 1] =
    [const { AtomicU64::new(0) }; LAST_STATUS - FIRST_STATUS + 1];

const FIRST_STATUS: usize = 100;
const LAST_STATUS: usize = 599;
const METHODS: [&str; 5] = ["GET", "HEAD", "POST", "OPTIONS", "other"];
const STATUS_CLASSES: [&str; 5] = ["1xx", "2xx", "3xx", "4xx", "5xx"];
const POISON: &str = "nothing panics under this lock";

#[derive(Default)]
struct ApiEndpoint {
    /// Requests that were answered with data.
    requests: AtomicU64,
    times: RouteTimes,
}

/// A histogram per method and status class, created when it is first needed.
#[derive(Default)]
struct RouteTimes([[OnceLock<Box<Histogram>>; STATUS_CLASSES.len()]; METHODS.len()]);

impl RouteTimes {
    fn record(&self, method: &Method, status: StatusCode, took: Duration) {
        let class = usize::from(status.as_u16() / 100).clamp(1, STATUS_CLASSES.len()) - 1;
        let cell = &self.0[method_index(method)][class];
        cell.get_or_init(Box::default).record(took);
    }

    /// Calls `write` with method, status class and histogram.
    fn for_each(&self, mut write: impl FnMut(&'static str, &'static str, HistogramSnapshot)) {
        for (method, classes) in METHODS.into_iter().zip(&self.0) {
            for (class, cell) in STATUS_CLASSES.into_iter().zip(classes) {
                if let Some(histogram) = cell.get() {
                    write(method, class, histogram.snapshot());
                }
            }
        }
    }
}

fn method_index(method: &Method) -> usize {
    match *method {
        Method::GET => 0,
        Method::HEAD => 1,
        Method::POST => 2,
        Method::OPTIONS => 3,
        _ => METHODS.len() - 1,
    }
}

pub fn are_read() -> bool {
    IS_READ.load(Ordering::Relaxed)
}

/// An endpoint of the API has been answered with data. `endpoint` is its path below `/v1`.
pub fn requested(endpoint: &'static str) {
    if let Some(endpoint) = API.get().and_then(|endpoints| endpoints.get(endpoint)) {
        endpoint.requests.fetch_add(1, Ordering::Relaxed);
    }
}

pub fn responded(route: &RouteLabel, method: &Method, status: StatusCode, took: Duration) {
    if !are_read() {
        return;
    }
    if let Some(count) = usize::from(status.as_u16()).checked_sub(FIRST_STATUS).and_then(|index| STATUSES.get(index)) {
        count.fetch_add(1, Ordering::Relaxed);
    }
    match route {
        RouteLabel::Api(endpoint) => {
            if let Some(endpoint) = API.get().and_then(|endpoints| endpoints.get(endpoint)) {
                endpoint.times.record(method, status, took);
            }
        }
        other => page(other.as_str()).record(method, status, took),
    }
}

fn page(pattern: &str) -> Arc<RouteTimes> {
    if let Some(times) = PAGES.read().expect(POISON).get(pattern) {
        return times.clone();
    }
    PAGES.write().expect(POISON).entry(pattern.to_owned()).or_default().clone()
}

/// A connection or an upload was ended to make room for another client.
pub fn evicted(what: &'static str) {
    if are_read() {
        metrics::counter!("rollcall_evicted_total", "what" => what).increment(1);
    }
}

/// Turns recording on. `endpoints` are the paths of the API.
pub fn start(endpoints: impl Iterator<Item = &'static str>) {
    let _ = API.set(endpoints.map(|endpoint| (endpoint, ApiEndpoint::default())).collect());
    IS_READ.store(true, Ordering::Relaxed);
}

/// Statuses that were sent, with their counts.
pub fn statuses() -> impl Iterator<Item = (usize, u64)> {
    let counts = STATUSES.iter().enumerate().map(|(i, count)| (FIRST_STATUS + i, count.load(Ordering::Relaxed)));
    counts.filter(|(_, count)| *count > 0)
}

/// Endpoints of the API, in alphabetical order, with the number of their requests.
pub fn api_requests() -> Vec<(RouteLabel, u64)> {
    let mut requests: Vec<(RouteLabel, u64)> = API
        .get()
        .into_iter()
        .flatten()
        .map(|(path, endpoint)| (RouteLabel::Api(path), endpoint.requests.load(Ordering::Relaxed)))
        .collect();
    requests.sort_by_cached_key(|(route, _)| route.to_string());
    requests
}

/// Calls `write` with route, method, status class and response times.
pub fn for_each_route(mut write: impl FnMut(&str, &'static str, &'static str, HistogramSnapshot)) {
    for (path, endpoint) in API.get().into_iter().flatten() {
        let route = RouteLabel::Api(path).to_string();
        endpoint.times.for_each(|method, class, times| write(&route, method, class, times));
    }
    let pages: Vec<(String, Arc<RouteTimes>)> =
        PAGES.read().expect(POISON).iter().map(|(pattern, times)| (pattern.clone(), times.clone())).collect();
    for (pattern, times) in pages {
        times.for_each(|method, class, times| write(&pattern, method, class, times));
    }
}
