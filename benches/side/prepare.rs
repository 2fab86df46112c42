//! What must be there before anybody is measured: the data of every size, PostgreSQL, and the peers' programs.

use std::fs::File;
use std::path::Path;

use crate::args::Args;
use crate::contenders::{Contender, Kind};
use crate::data::{self, Size, Store};
use crate::postgres::Cluster;
use crate::world::World;
use crate::{peer_data, peers, progress};

pub struct Prepared {
    /// The smaller first.
    pub sizes: Vec<Size>,
    pub cluster: Option<Cluster>,
    /// Who can take part.
    pub peers: Vec<Kind>,
    /// Who was left out, and why.
    pub left_out: Vec<String>,
}

impl Prepared {
    /// All of it comes before anything is measured, so that nobody has to wait for a disk that still writes what was made.
    pub async fn new(args: &Args) -> Result<Self, String> {
        std::fs::create_dir_all(data::folder()).map_err(|error| error.to_string())?;
        let large_is_there = Store::sqlite(Size::Large).is_ready(Size::Large);
        let sizes = match (args.quick, large_is_there) {
            (true, true) => vec![Size::Large],
            (true, false) => vec![Size::Small],
            (false, _) => vec![Size::Small, Size::Large],
        };
        let (mut cluster, mut left_out) = (None, Vec::new());
        if args.invites(Kind::Postgres.name()) {
            match tokio::task::block_in_place(Cluster::start) {
                Ok(started) => cluster = Some(started),
                Err(why) => left_out.push(format!("PostgreSQL: {why}")),
            }
        }
        let mut peers: Vec<Kind> = Kind::PEERS.into_iter().filter(|kind| args.invites(kind.name())).collect();
        if !peers.is_empty()
            && let Err(why) = peers::install()
        {
            left_out.push(format!("the peers: {why}"));
            peers.clear();
        }
        for &size in &sizes {
            let store = Store::sqlite(size);
            store.fill(size)?;
            if let Some(cluster) = &cluster {
                tokio::task::block_in_place(|| Store::postgres(size, &cluster.url).fill(size))?;
            }
            if !peers.is_empty() && !peer_data::is_made(size) {
                let world = World::read(&store).map_err(|error| error.to_string())?;
                let ours = Contender::ours(Kind::Sqlite, &store, &world.accounts, None)?;
                peer_data::make(size, &store, &ours).await?;
            }
        }
        let bar = progress::waiting("nothing more: writing to the disk what was made");
        let _ = std::process::Command::new("sync").status();
        bar.finish_and_clear();
        Ok(Self { sizes, cluster, peers, left_out })
    }

    /// The larger of the sizes that are measured.
    pub fn largest(&self) -> Size {
        *self.sizes.last().expect("at least one size")
    }
}

/// Reads every file of a folder, for the sake of having it in the system's memory.
pub fn read_all(folder: &Path) {
    for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
        match entry.file_type() {
            Ok(kind) if kind.is_dir() => read_all(&entry.path()),
            Ok(kind) if kind.is_file() => {
                // One that is gone by now is no loss.
                let _ = File::open(entry.path()).and_then(|mut file| std::io::copy(&mut file, &mut std::io::sink()));
            }
            _ => {}
        }
    }
}
