//! The performance targets, as ratios within one run, and whether each is met.

use crate::data::DataSize;
use crate::results::Results;
use crate::services::ServiceKind;
use crate::testbed::CacheState;
use crate::throughput::ThroughputRow;
use crate::workloads::{
    BATCH, COUNTRIES, EVENTS, FILTERS, HISTORY, HOT_LIST, LIVE, PLAYER_ID, PLAYER_NAME, PLAYER_UUID, REVIEWS, SEARCHES,
    SERVER_EVENTS, SITE_HOME, SITE_PLAYER, SITE_SERVER, SITE_SERVERS, SKIN, VOTERS,
};

pub struct PerformanceTarget {
    pub name: String,
    pub required: String,
    pub measured: String,
    pub met: bool,
}

/// How much longer a request may take with ten times the data.
const MAX_GROWTH: f64 = 2.0;
const MIB: f64 = 1024.0 * 1024.0;
/// Workloads that must reach 10,000 requests per second, cold.
const DETAILS: [&str; 6] = [PLAYER_ID, PLAYER_UUID, PLAYER_NAME, SKIN, VOTERS, REVIEWS];

/// Workloads that must reach 5,000 requests per second, cold.
const RANGES: [&str; 4] = [HISTORY, BATCH, EVENTS, SERVER_EVENTS];

/// Workloads with a target relative to the best peer.
pub const AGAINST_PEERS: [(&str, CacheState); 2] = [(HOT_LIST, CacheState::Hot), (FILTERS, CacheState::Cold)];

/// Whether this workload has a latency target.
pub fn has_latency_target(workload: &str, cache: CacheState) -> bool {
    cache == CacheState::Cold && (DETAILS.contains(&workload) || SEARCHES.contains(&workload))
}

/// All targets that this run measured, at the larger size.
pub fn evaluate(size: DataSize, results: &Results) -> Vec<PerformanceTarget> {
    let mut targets = Evaluation { targets: Vec::new(), size, rows: &results.rows };
    targets.against_ceiling();
    targets.against_peers();
    targets.details(results);
    targets.growth();
    for compressed in &results.compression {
        let name = format!("{} relative to uncompressed, hot, {}", compressed.encoding, compressed.kind.title());
        targets.at_least(name, compressed.ratio.median, 0.90, format!("{}", compressed.ratio));
    }
    for page in &results.deep_pages {
        let name = format!("last page of {} ({}) relative to first, {}", page.list, page.last_page, page.kind.title());
        let measured = format!("{}; CPU {:.2}", page.time, page.cpu);
        targets.at_most(name, page.time.median, 1.5, measured);
    }
    if let Some(tracker_load) = &results.tracker_load {
        for share in &tracker_load.workloads {
            let (workload, cache) = (share.workload, share.cache.name());
            let name =
                format!("{workload}, {cache}, while {:.0} samples/s are written", tracker_load.samples_per_second);
            targets.at_least(name, share.rate.median, 0.80, format!("{}; CPU {:.2}", share.rate, share.cpu));
        }
    }
    if let Some(intake_load) = &results.intake_load {
        let [reports, votes] = [intake_load.reports_per_second, intake_load.votes_per_second];
        targets.at_least(
            "reports accepted per second".to_owned(),
            reports,
            1_950.0,
            format!("{reports:.0}; reports and votes alone take {:.2} cores", intake_load.cores),
        );
        targets.at_least("votes cast per second".to_owned(), votes, 487.0, format!("{votes:.0}"));
        for share in &intake_load.workloads {
            let (workload, cache) = (share.workload, share.cache.name());
            let name = format!("{workload}, {cache}, while {reports:.0} reports/s and {votes:.0} votes/s arrive");
            targets.at_least(name, share.rate.median, 0.80, format!("{}; CPU {:.2}", share.rate, share.cpu));
        }
    }
    targets.gallery(results);
    targets.changes(results);
    targets.streams(results);
    for kind in ServiceKind::OURS {
        let Some(footprint) = results.footprints.get(&(kind, size)) else { continue };
        let [peak, resident] = [footprint.memory.peak, footprint.memory.resident].map(|bytes| bytes as f64 / MIB);
        let measured = format!("{peak:.0} MiB peak, {resident:.0} MiB at the end");
        targets.at_most(format!("peak resident MiB, {}", kind.title()), peak, 500.0, measured);
        let seconds = footprint.start_time.as_secs_f64();
        let first = footprint.first_start_time.unwrap_or_default().as_secs_f64();
        let measured = format!("{seconds:.1} s; first start {first:.1} s");
        targets.at_most(format!("seconds to ready after a restart, {}", kind.title()), seconds, 5.0, measured);
    }
    targets.targets
}

struct Evaluation<'a> {
    targets: Vec<PerformanceTarget>,
    size: DataSize,
    rows: &'a [ThroughputRow],
}

impl Evaluation<'_> {
    fn gallery(&mut self, results: &Results) {
        let Some(gallery) = &results.gallery_load else { return };
        let (p99, rate) = (gallery.half_load_p99, gallery.filters_per_second / 2.0);
        self.at_most(
            format!("filters of {} skins and capes, p99 in ms at half load", gallery.textures),
            p99,
            5.0,
            format!("{p99:.2} ms at {rate:.0} requests/s; bare hyper {:.2} ms", gallery.ceiling_p99),
        );
        let uploads = gallery.uploads_per_second;
        let measured = format!("{uploads:.1}; uploads alone take {:.2} cores", gallery.cores);
        self.at_least("uploads accepted per second".to_owned(), uploads, 49.0, measured);
        for share in &gallery.workloads {
            let name = format!("{}, {}, while {uploads:.0} skins/s are uploaded", share.workload, share.cache.name());
            self.at_least(name, share.rate.median, 0.80, format!("{}; CPU {:.2}", share.rate, share.cpu));
        }
    }

    fn changes(&mut self, results: &Results) {
        let Some(load) = &results.change_load else { return };
        for one in &load.latencies {
            let name = format!(
                "p99 in ms, {}, {}, beside {:.0} changes/s",
                one.workload,
                one.cache.name(),
                load.changes_per_second
            );
            let measured = format!(
                "{:.2}; {:.2} without, bare hyper {:.2}; the last change was visible after {:.2} s",
                one.p99, one.alone_p99, one.ceiling_p99, load.lag
            );
            self.at_most(name, one.p99, 20.0, measured);
        }
    }

    fn streams(&mut self, results: &Results) {
        let Some(load) = &results.stream_load else { return };
        let (streams, mib) = (load.streams, load.memory as f64 / MIB);
        self.at_most(format!("MiB for {streams} event streams"), mib, 200.0, format!("{mib:.0}"));
        let ratio = load.p99 / load.alone_p99;
        let measured = format!(
            "{ratio:.2}: {:.2} and {:.2} ms at {:.0} requests/s; bare hyper {:.2} ms; the streams read {} events",
            load.p99, load.alone_p99, load.rate, load.ceiling_p99, load.events_received
        );
        self.at_most(format!("p99 beside {streams} event streams relative to none"), ratio, 2.0, measured);
    }

    fn row(&self, workload: &str, cache: CacheState) -> Option<&ThroughputRow> {
        self.rows.iter().find(|row| row.workload == workload && row.cache == cache)
    }

    fn at_least(&mut self, name: String, value: f64, limit: f64, measured: String) {
        self.targets.push(PerformanceTarget {
            name,
            required: format!("at least {limit}"),
            measured,
            met: value >= limit,
        });
    }

    fn at_most(&mut self, name: String, value: f64, limit: f64, measured: String) {
        self.targets.push(PerformanceTarget {
            name,
            required: format!("at most {limit}"),
            measured,
            met: value <= limit,
        });
    }

    fn against_ceiling(&mut self) {
        let size = self.size;
        let limits = [
            (HOT_LIST, CacheState::Hot, 0.80),
            (LIVE, CacheState::Hot, 0.80),
            (COUNTRIES, CacheState::Hot, 0.80),
            (FILTERS, CacheState::Cold, 0.30),
            (SITE_HOME, CacheState::Hot, 0.50),
            (SITE_SERVERS, CacheState::Hot, 0.50),
            (SITE_SERVER, CacheState::Hot, 0.50),
            (SITE_PLAYER, CacheState::Hot, 0.50),
        ];
        for (workload, cache, limit) in limits {
            for kind in ServiceKind::OURS {
                let found = self.row(workload, cache).and_then(|row| {
                    let ceiling = ServiceKind::Ceiling;
                    Some((row.ratio(size, kind, ceiling)?, row.cpu_ratio(size, kind, ceiling)?))
                });
                if let Some((ratio, cpu)) = found {
                    let name = format!("{workload}, {}, relative to the ceiling, {}", cache.name(), kind.title());
                    self.at_least(name, ratio.median, limit, format!("{ratio}; CPU {cpu:.2}"));
                }
            }
        }
    }

    fn against_peers(&mut self) {
        let size = self.size;
        for (workload, cache) in AGAINST_PEERS {
            for kind in ServiceKind::OURS {
                let found = self.row(workload, cache).and_then(|row| {
                    let peer = row.best_peer(size)?;
                    Some((peer, row.ratio(size, kind, peer)?))
                });
                if let Some((peer, ratio)) = found {
                    let name = format!("{workload}, {}, relative to the best peer, {}", cache.name(), kind.title());
                    self.at_least(name, ratio.median, 20.0, format!("{ratio}, {}", peer.title()));
                }
            }
        }
    }

    fn details(&mut self, results: &Results) {
        let half_load = |workload: &str, kind: ServiceKind| {
            let mut rows = results.half_load.iter();
            rows.find(|row| row.workload == workload && row.cache == CacheState::Cold && row.kind == kind)
        };
        for workload in DETAILS {
            let row = self.row(workload, CacheState::Cold);
            let Some(rate) = row.and_then(|row| row.rate(self.size, ServiceKind::Sqlite)) else { continue };
            self.at_least(format!("{workload}, cold, requests/s, SQLite"), rate, 10_000.0, format!("{rate:.0}"));
            if let Some(latency) = half_load(workload, ServiceKind::Sqlite) {
                let name = format!("{workload}, cold, p99 in ms at half load, SQLite");
                self.at_most(name, latency.p99, 5.0, latency.to_string());
            }
        }
        for workload in RANGES {
            let row = self.row(workload, CacheState::Cold);
            let Some(rate) = row.and_then(|row| row.rate(self.size, ServiceKind::Sqlite)) else { continue };
            self.at_least(format!("{workload}, cold, requests/s, SQLite"), rate, 5_000.0, format!("{rate:.0}"));
        }
        let cold_page =
            self.row(SITE_SERVER, CacheState::Cold).and_then(|row| row.rate(self.size, ServiceKind::Sqlite));
        if let Some(rate) = cold_page {
            self.at_least(format!("{SITE_SERVER}, cold, requests/s, SQLite"), rate, 3_000.0, format!("{rate:.0}"));
        }
        for workload in SEARCHES {
            for kind in ServiceKind::OURS {
                if let Some(latency) = half_load(workload, kind) {
                    let name = format!("{workload}, p99 in ms at half load, {}", kind.title());
                    self.at_most(name, latency.p99, 5.0, latency.to_string());
                }
            }
        }
    }

    /// Every workload of Rollcall: each missed one by itself, the others as one line with the slowest of them.
    fn growth(&mut self) {
        let pairs = self.rows.iter().flat_map(|row| ServiceKind::OURS.map(|kind| (row, kind)));
        let found = pairs.filter_map(|(row, kind)| {
            let (time, cpu) = row.growth(kind)?;
            let name = format!("{}, {}, {}", row.workload, row.cache.name(), kind.title());
            Some((name, time, format!("{time}; CPU {cpu:.2}")))
        });
        let (missed, met): (Vec<_>, Vec<_>) = found.partition(|(_, time, _)| time.median > MAX_GROWTH);
        for (name, time, measured) in missed {
            self.at_most(format!("time with ten times the data: {name}"), time.median, MAX_GROWTH, measured);
        }
        let count = met.len();
        if let Some((name, time, measured)) = met.into_iter().max_by(|a, b| a.1.median.total_cmp(&b.1.median)) {
            let name = format!("time with ten times the data: {count} measurements, slowest: {name}");
            self.at_most(name, time.median, MAX_GROWTH, measured);
        }
    }
}
