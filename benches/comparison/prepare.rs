//! Prepares a run: the data of every size, PostgreSQL, and the peers' programs.

use std::fs::File;
use std::path::Path;

use crate::data::{self, BenchStore, DataSize};
use crate::options::BenchOptions;
use crate::postgres::Cluster;
use crate::request_values::RequestValues;
use crate::services::{ServiceKind, ServiceProcess};
use crate::{event_data, peer_database, peers, progress};

pub struct Prepared {
    /// The smaller first.
    pub sizes: Vec<DataSize>,
    pub cluster: Option<Cluster>,
    /// Peers that can take part.
    pub peers: Vec<ServiceKind>,
    /// Services that were skipped, and why.
    pub skipped: Vec<String>,
}

impl Prepared {
    /// Prepares everything before the first measurement, so that pending disk writes do not disturb it.
    pub async fn new(options: &BenchOptions) -> Result<Self, String> {
        std::fs::create_dir_all(data::folder()).map_err(|error| error.to_string())?;
        let has_large = BenchStore::sqlite(DataSize::Large).is_ready(DataSize::Large);
        let sizes = match (options.quick, has_large) {
            (true, true) => vec![DataSize::Large],
            (true, false) => vec![DataSize::Small],
            (false, _) => vec![DataSize::Small, DataSize::Large],
        };
        let (mut cluster, mut skipped) = (None, Vec::new());
        if options.includes_service(ServiceKind::Postgres.name()) {
            match tokio::task::block_in_place(Cluster::start) {
                Ok(started) => cluster = Some(started),
                Err(error) => skipped.push(format!("PostgreSQL was skipped: {error}")),
            }
        }
        let mut peers: Vec<ServiceKind> =
            ServiceKind::PEERS.into_iter().filter(|kind| options.includes_service(kind.name())).collect();
        if !peers.is_empty()
            && let Err(error) = peers::install()
        {
            skipped.push(format!("the peers were skipped: {error}"));
            peers.clear();
        }
        for &size in &sizes {
            let store = BenchStore::sqlite(size);
            fill(&store, size)?;
            if let Some(cluster) = &cluster {
                tokio::task::block_in_place(|| fill(&BenchStore::postgres(size, &cluster.url), size))?;
            }
            if !peers.is_empty() && !peer_database::is_ready(size) {
                let values = RequestValues::read(&store).map_err(|error| error.to_string())?;
                let ours = ServiceProcess::rollcall(ServiceKind::Sqlite, &store, &values.accounts, None, &[])?;
                peer_database::create(size, &store, &ours).await?;
            }
        }
        let bar = progress::spinner("flushing data to disk");
        let _ = std::process::Command::new("sync").status();
        bar.finish_and_clear();
        Ok(Self { sizes, cluster, peers, skipped })
    }

    /// The largest measured size.
    pub fn largest(&self) -> DataSize {
        *self.sizes.last().expect("at least one size")
    }
}

fn fill(store: &BenchStore, size: DataSize) -> Result<(), String> {
    store.fill(size)?;
    let bar = progress::spinner("events of the last hours");
    event_data::fill(store, size).map_err(|error| error.to_string())?;
    bar.finish_and_clear();
    Ok(())
}

/// Reads every file of a folder into the page cache.
pub fn read_all_files(folder: &Path) {
    for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
        match entry.file_type() {
            Ok(kind) if kind.is_dir() => read_all_files(&entry.path()),
            Ok(kind) if kind.is_file() => {
                // A file that was deleted meanwhile does not matter.
                let _ = File::open(entry.path()).and_then(|mut file| std::io::copy(&mut file, &mut std::io::sink()));
            }
            _ => {}
        }
    }
}
