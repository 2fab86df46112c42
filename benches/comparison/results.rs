//! All results of a run.

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use crate::change_load::ChangeLoadResult;
use crate::compression::CompressionResult;
use crate::data::DataSize;
use crate::deep_pages::DeepPageResult;
use crate::gallery_load::GalleryResult;
use crate::half_load_latency::HalfLoadLatency;
use crate::intake_load::IntakeLoadResult;
use crate::process_tree::ProcessMemory;
use crate::services::{ServiceKind, ServiceProcess};
use crate::steal_time;
use crate::stream_load::StreamLoadResult;
use crate::testbed::Testbed;
use crate::throughput::ThroughputRow;
use crate::tracker_load::TrackerLoadResult;

pub struct Results {
    started: Instant,
    pub rows: Vec<ThroughputRow>,
    pub half_load: Vec<HalfLoadLatency>,
    pub compression: Vec<CompressionResult>,
    pub deep_pages: Vec<DeepPageResult>,
    pub tracker_load: Option<TrackerLoadResult>,
    pub intake_load: Option<IntakeLoadResult>,
    pub gallery_load: Option<GalleryResult>,
    pub change_load: Option<ChangeLoadResult>,
    pub stream_load: Option<StreamLoadResult>,
    pub footprints: BTreeMap<(ServiceKind, DataSize), Footprint>,
    /// The duration of each phase, in order.
    phases: Vec<(String, Duration)>,
    /// Skipped services, responses that differ, and other limits of this run.
    pub notes: Vec<String>,
}

/// Memory of a service after the load, and its start times.
pub struct Footprint {
    pub memory: ProcessMemory,
    pub start_time: Duration,
    pub first_start_time: Option<Duration>,
}

impl Results {
    pub fn begin() -> Self {
        Self {
            started: Instant::now(),
            rows: Vec::new(),
            half_load: Vec::new(),
            compression: Vec::new(),
            deep_pages: Vec::new(),
            tracker_load: None,
            intake_load: None,
            gallery_load: None,
            change_load: None,
            stream_load: None,
            footprints: BTreeMap::new(),
            phases: Vec::new(),
            notes: Vec::new(),
        }
    }

    /// Prints notes at once and stores them for the report.
    pub fn note(&mut self, lines: Vec<String>) {
        for line in &lines {
            println!("note: {line}");
        }
        self.notes.extend(lines);
    }

    /// Time since the start, without waits for a busy host.
    pub fn elapsed(&self) -> Duration {
        self.started.elapsed() - steal_time::time_waited()
    }

    /// Ends a phase, which began when the previous one ended.
    pub fn end_phase(&mut self, size: DataSize, name: &str) {
        let before = self.phases.iter().map(|(_, took)| *took).sum();
        self.phases.push((format!("{} {name}", size.name()), self.elapsed().saturating_sub(before)));
    }

    /// The duration of each phase, as text.
    pub fn phases(&self) -> String {
        let phases = self.phases.iter().map(|(name, took)| format!("{name} {:.0} s", took.as_secs_f64()));
        phases.collect::<Vec<_>>().join(", ")
    }

    /// Records memory and start times of all running services. A later call replaces the values.
    pub fn record_footprints(&mut self, testbed: &Testbed) {
        for service in std::iter::once(&testbed.ceiling).chain(&testbed.services) {
            let ServiceProcess { start_time, first_start_time, .. } = *service;
            let footprint = Footprint { memory: service.memory(), start_time, first_start_time };
            self.footprints.insert((service.kind, testbed.size), footprint);
        }
    }
}
