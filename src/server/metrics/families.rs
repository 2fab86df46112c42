//! Every metric with its type and help text. `docs/OPERATIONS.md` lists the same; a test compares both.

use Kind::{Counter, Gauge, Histogram};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    Counter,
    Gauge,
    Histogram,
}

impl Kind {
    pub fn name(self) -> &'static str {
        match self {
            Self::Counter => "counter",
            Self::Gauge => "gauge",
            Self::Histogram => "histogram",
        }
    }
}

#[derive(Clone, Copy, Debug)]
pub struct Family {
    pub name: &'static str,
    pub kind: Kind,
    pub help: &'static str,
}

const fn family(name: &'static str, kind: Kind, help: &'static str) -> Family {
    Family { name, kind, help }
}

const FAMILIES: [Family; 40] = [
    family("rollcall_requests_total", Counter, "API requests that were answered with data."),
    family("rollcall_responses_total", Counter, "Responses of every kind, by status."),
    family(
        "rollcall_response_seconds",
        Histogram,
        "Time from the request headers to the response headers, in seconds.",
    ),
    family(
        "rollcall_evicted_total",
        Counter,
        "Connections and request bodies that were ended to make room for other clients.",
    ),
    family("rollcall_store_threads", Gauge, "Threads that read from or write to a database."),
    family("rollcall_store_busy_threads", Gauge, "Threads of the store that run a job."),
    family("rollcall_store_queued_jobs", Gauge, "Jobs that wait for a thread of the store."),
    family("rollcall_store_wait_seconds", Histogram, "Time that jobs waited for a thread of the store, in seconds."),
    family("rollcall_store_seconds", Histogram, "Time that jobs of the store took, in seconds."),
    family("rollcall_replica_used", Gauge, "Whether a replica of the database answers reads (1) or is left out (0)."),
    family(
        "rollcall_replica_left_out",
        Gauge,
        "Whether a replica of the database is left out for this reason (1) or not (0).",
    ),
    family(
        "rollcall_replica_lag_seconds",
        Gauge,
        "Seconds for which a replica has not had all that this process has seen.",
    ),
    family(
        "rollcall_replica_reads_total",
        Counter,
        "Reads that a replica answered or returned to the primary, by outcome.",
    ),
    family("rollcall_replicated_reads_total", Counter, "Reads that a replica may answer, by the server that answered."),
    family(
        "rollcall_batch_wait_seconds",
        Histogram,
        "Time that entries waited for their shared transaction, in seconds.",
    ),
    family("rollcall_polls_total", Counter, "Polls of game servers, by outcome."),
    family("rollcall_ping_seconds", Histogram, "Time of one ping, in seconds."),
    family("rollcall_tracker_lag_seconds", Gauge, "Seconds since the oldest due poll should have begun."),
    family("rollcall_tracked_servers", Gauge, "Tracked servers."),
    family("rollcall_free_ping_slots", Gauge, "Pings that could still start."),
    family("rollcall_reports_total", Counter, "Reports of game servers, by outcome."),
    family("rollcall_vote_deliveries_total", Counter, "Votes sent to game servers, by outcome."),
    family("rollcall_webhook_deliveries_total", Counter, "Attempts to send a webhook, by result."),
    family("rollcall_webhook_backlog", Gauge, "Messages of webhooks that are not delivered yet, of all nodes."),
    family("rollcall_webhook_lag_seconds", Gauge, "Seconds since the oldest of these was added."),
    family("rollcall_task_runs_total", Counter, "Completed runs of background tasks, by task."),
    family("rollcall_joins_total", Counter, "Players who joined the listener for links, by outcome."),
    family("rollcall_tier_syncs_total", Counter, "Rounds of the tier list, by outcome."),
    family("rollcall_clock_skew_seconds", Gauge, "Seconds by which this machine's clock is ahead of the database's."),
    family(
        "rollcall_last_backup_timestamp_seconds",
        Gauge,
        "When the newest backup that the service made was begun, in seconds since 1970.",
    ),
    family("rollcall_security_events_total", Counter, "Security events, by kind."),
    family(
        "rollcall_certificate_expiry_timestamp_seconds",
        Gauge,
        "When the TLS certificate in use expires, in seconds since 1970.",
    ),
    family("rollcall_build_info", Gauge, "Always 1; the labels describe the program."),
    family("process_cpu_seconds_total", Counter, "CPU time of the process, in seconds."),
    family("process_resident_memory_bytes", Gauge, "Resident memory of the process, in bytes."),
    family("process_virtual_memory_bytes", Gauge, "Virtual memory of the process, in bytes."),
    family("process_threads", Gauge, "Threads of the process."),
    family("process_open_fds", Gauge, "Open file descriptors."),
    family("process_max_fds", Gauge, "Open file descriptors that are allowed."),
    family("process_start_time_seconds", Gauge, "When the process started, in seconds since 1970."),
];

pub fn find(name: &str) -> Option<&'static Family> {
    FAMILIES.iter().find(|family| family.name == name)
}

/// Gives the recorder the help texts.
pub fn describe_all() {
    for Family { name, kind, help } in FAMILIES {
        match kind {
            Counter => metrics::describe_counter!(name, help),
            Gauge => metrics::describe_gauge!(name, help),
            Histogram => metrics::describe_histogram!(name, help),
        }
    }
}
