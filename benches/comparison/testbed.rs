//! All services for one data size. Only the measured one runs; the others are stopped meanwhile.

use std::cell::Cell;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, Instant};

use crate::ceiling::{self, RecordedResponse};
use crate::data::{self, BenchStore, DataSize};
use crate::http_client::{HttpClient, request};
use crate::load_generator::{self, RequestStream};
use crate::options::BenchOptions;
use crate::peers::datasette_target;
use crate::prepare::{Prepared, read_all_files};
use crate::request_values::RequestValues;
use crate::services::{ServiceKind, ServiceProcess};
use crate::workloads::{Peers, Workload};
use crate::{peer_database, peers, steal_time};

/// Responses that the ceiling replays in a cold workload, and the time limit for recording them.
const RECORDED_RESPONSES: usize = 500;
const RECORDING_TIME: Duration = Duration::from_secs(1);
/// Some kernels drop files from the page cache that were not read for a minute.
const PAGE_CACHE_REFRESH: Duration = Duration::from_secs(30);
/// Requests for recording are numbered from here, so that no measured round repeats them.
const RECORDING_OFFSET: u64 = 1 << 40;

/// Whether responses can come from a cache.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub enum CacheState {
    /// The same URL in every request.
    Hot,
    /// A different URL in every request.
    Cold,
}

impl CacheState {
    pub fn name(self) -> &'static str {
        match self {
            Self::Hot => "hot",
            Self::Cold => "cold",
        }
    }
}

/// The result of one round.
#[derive(Clone, Copy, Debug)]
pub struct RoundResult {
    /// Requests per second.
    pub rate: f64,
    /// Milliseconds, in a closed loop.
    pub p50: f64,
    pub p99: f64,
    /// CPU time per request in microseconds: of the service itself, and of its database server.
    pub own_cpu: f64,
    pub database_cpu: f64,
}

pub struct Testbed {
    pub size: DataSize,
    pub values: Arc<RequestValues>,
    pub ceiling: ServiceProcess,
    pub services: Vec<ServiceProcess>,
    /// Services that did not start, and why.
    pub skipped: Vec<String>,
    /// The only service that runs; `None`: all run.
    running: Cell<Option<ServiceKind>>,
    recording_time: Duration,
    /// The data files of all services.
    files: Vec<PathBuf>,
    files_read: Cell<Instant>,
}

impl Testbed {
    /// Starts all services, Rollcall first, each after the one before has settled: the start time of Rollcall is measured.
    pub fn open(options: &BenchOptions, prepared: &Prepared, size: DataSize) -> Result<Self, String> {
        let store = BenchStore::sqlite(size);
        let mut files = vec![store.files()?, peer_database::folder(size)];
        if let Some(cluster) = &prepared.cluster {
            files.push(tokio::task::block_in_place(|| BenchStore::postgres(size, &cluster.url).files())?);
        }
        read_files(&files);
        let files_read = Instant::now();
        let values = RequestValues::read(&store).map_err(|error| error.to_string())?;
        let mut services =
            vec![ServiceProcess::rollcall_restarted(ServiceKind::Sqlite, &store, &values.accounts, None)?];
        if let Some(cluster) = &prepared.cluster {
            let store = BenchStore::postgres(size, &cluster.url);
            let (kind, database) = (ServiceKind::Postgres, Some(cluster.process_id()));
            services.push(ServiceProcess::rollcall_restarted(kind, &store, &values.accounts, database)?);
        }
        if !prepared.peers.is_empty() {
            peer_database::refresh(size, &store)?;
        }
        let mut skipped = Vec::new();
        for &kind in &prepared.peers {
            match peers::start(kind, size) {
                Ok(peer) => services.push(peer),
                Err(error) => skipped.push(format!("{}, {error}", size.name())),
            }
        }
        let recording_time = if options.quick { RECORDING_TIME / 4 } else { RECORDING_TIME };
        let ceiling = ServiceProcess::ceiling(services[0].headers.clone())?;
        Ok(Self {
            size,
            values: Arc::new(values),
            ceiling,
            services,
            skipped,
            running: Cell::new(None),
            recording_time,
            files,
            files_read: Cell::new(files_read),
        })
    }

    pub fn find(&self, kind: ServiceKind) -> Option<&ServiceProcess> {
        self.services.iter().find(|service| service.kind == kind)
    }

    /// Rollcall on each database.
    pub fn ours(&self) -> impl Iterator<Item = &ServiceProcess> {
        self.services.iter().filter(|service| service.kind.is_ours())
    }

    /// Keeps the data files of all services in the page cache.
    pub fn warm_page_cache(&self) {
        if self.files_read.get().elapsed() > PAGE_CACHE_REFRESH {
            read_files(&self.files);
            self.files_read.set(Instant::now());
        }
    }

    /// Resumes this service and stops all others.
    pub fn run_only(&self, service: &ServiceProcess) {
        let before = self.running.replace(Some(service.kind));
        if before == Some(service.kind) {
            return;
        }
        for other in self.services.iter().filter(|other| other.kind != service.kind) {
            if before.is_none_or(|before| before == other.kind) {
                other.pause();
            }
        }
        service.resume();
    }

    pub fn run_all(&self) {
        self.running.set(None);
        self.services.iter().for_each(ServiceProcess::resume);
    }

    /// Frees the memory of the peers for the measurements of Rollcall alone.
    pub fn stop_peers(&mut self) {
        self.services.retain(|service| service.kind.is_ours());
    }

    /// The requests of this workload for a service. `None`: the service does not take part.
    pub fn requests(&self, workload: &Workload, cache: CacheState, service: &ServiceProcess) -> Option<RequestStream> {
        let takes_part = match service.kind {
            ServiceKind::Ceiling | ServiceKind::Sqlite | ServiceKind::Postgres => true,
            ServiceKind::Fastify | ServiceKind::Fastapi => workload.peers != Peers::None,
            ServiceKind::Datasette => workload.peers == Peers::All,
        };
        if !takes_part {
            return None;
        }
        let values = self.values.clone();
        let is_datasette = service.kind == ServiceKind::Datasette;
        let translate =
            move |target: String| if is_datasette { datasette_target(&target).unwrap_or_default() } else { target };
        match cache {
            CacheState::Hot => Some(RequestStream::hot(&translate(workload.hot?(&values)), &service.headers)),
            CacheState::Cold => {
                let (cold, repeats) = (workload.cold?, workload.repeats);
                let headers = service.request_headers(workload.by_account).to_vec();
                Some(RequestStream::new(move |i| {
                    let headers = &headers[i as usize % headers.len()];
                    let target = translate(cold(&values, i));
                    let target = if repeats { target } else { with_unique_parameter(&target, i) };
                    request(&target, headers).into()
                }))
            }
        }
    }

    /// Records Rollcall's responses to this workload for the ceiling. Returns the mean body length.
    pub async fn record(&mut self, workload: &Workload, cache: CacheState) -> Option<usize> {
        let ours = self.find(ServiceKind::Sqlite)?;
        self.run_only(ours);
        let count = if cache == CacheState::Hot { 1 } else { RECORDED_RESPONSES };
        let headers = ours.request_headers(cache == CacheState::Cold && workload.by_account);
        let (mut client, mut responses) = (HttpClient::connect(ours.address).await, Vec::new());
        let started = Instant::now();
        for i in 0..count as u64 {
            let target = match cache {
                CacheState::Hot => workload.hot?(&self.values),
                CacheState::Cold => workload.cold?(&self.values, RECORDING_OFFSET + i),
            };
            let request = request(&target, &headers[i as usize % headers.len()]);
            responses.push(RecordedResponse::new(client.get(&request).await));
            if started.elapsed() > self.recording_time {
                break;
            }
        }
        let path = data::folder().join(format!("ceiling-{}.bin", self.size.name()));
        ceiling::write_recording(&path, &responses);
        self.ceiling.load_recording(&path);
        let request = request("/", "");
        let (mut client, mut replayed) = (HttpClient::connect(self.ceiling.address).await, Vec::new());
        for _ in &responses {
            replayed.push(RecordedResponse::new(client.get(&request).await));
        }
        assert_eq!(lengths(&responses), lengths(&replayed), "the ceiling sends as many bytes as Rollcall");
        Some(responses.iter().map(|response| response.body.len()).sum::<usize>() / responses.len())
    }
}

/// Reads the files into the page cache, so that no result depends on the speed of the disk.
fn read_files(folders: &[PathBuf]) {
    tokio::task::block_in_place(|| folders.iter().for_each(|folder| read_all_files(folder)));
}

/// Makes the URL unique, so that no response can come from a cache. All services ignore unknown parameters.
fn with_unique_parameter(target: &str, i: u64) -> String {
    let separator = if target.contains('?') { '&' } else { '?' };
    format!("{target}{separator}_={i}")
}

/// The lengths of headers and bodies, sorted: the ceiling may replay in another order.
fn lengths(responses: &[RecordedResponse]) -> Vec<(usize, usize)> {
    let mut lengths: Vec<_> = responses.iter().map(|response| (response.head.len(), response.body.len())).collect();
    lengths.sort_unstable();
    lengths
}

/// Runs a closed loop against a service, and repeats it when steal time disturbed it.
pub async fn run_round(
    service: &ServiceProcess,
    stream: &RequestStream,
    length: Duration,
    connections: usize,
) -> RoundResult {
    steal_time::measure_undisturbed(async || measure_round(service, stream, length, connections).await).await
}

async fn measure_round(
    service: &ServiceProcess,
    stream: &RequestStream,
    length: Duration,
    connections: usize,
) -> RoundResult {
    let before = service.cpu_used();
    let load = load_generator::closed_loop(service.address, stream, length, connections).await;
    let after = service.cpu_used();
    let per_request = |nanoseconds: u64| nanoseconds as f64 / 1e3 / load.responses.max(1) as f64;
    RoundResult {
        rate: load.rate(),
        p50: load.latency_ms(0.5),
        p99: load.latency_ms(0.99),
        own_cpu: per_request(after.own.saturating_sub(before.own)),
        database_cpu: per_request(after.database.saturating_sub(before.database)),
    }
}
