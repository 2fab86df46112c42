//! The metrics of one server of a test. The program has one recorder for its process; here each runtime has its own.

use metrics_exporter_prometheus::{PrometheusBuilder, PrometheusHandle, PrometheusRecorder};

/// Clones belong to the same server.
#[derive(Clone)]
pub struct ServerMetrics {
    recorder: &'static PrometheusRecorder,
    handle: PrometheusHandle,
}

impl ServerMetrics {
    pub fn new() -> Self {
        // The threads of a runtime that ends in the background may still use it, so it is never freed.
        let recorder: &'static PrometheusRecorder = Box::leak(Box::new(PrometheusBuilder::new().build_recorder()));
        Self { recorder, handle: recorder.handle() }
    }

    /// What this thread counts from now on belongs to the server.
    pub fn record_this_thread(&self) {
        std::mem::forget(metrics::set_default_local_recorder(self.recorder));
    }

    /// How often a background task has completed a run.
    pub fn task_runs(&self, task: &str) -> u64 {
        let name = format!("rollcall_task_runs_total{{task=\"{task}\"}} ");
        let runs = |line: &str| line.strip_prefix(name.as_str())?.parse().ok();
        self.handle.render().lines().find_map(runs).unwrap_or(0)
    }
}
