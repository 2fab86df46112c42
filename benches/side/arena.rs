//! Everybody at once: all contenders run, one at a time is asked.

use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;

use crate::args::Args;
use crate::contenders::{Contender, Kind};
use crate::data::{self, Size, Store};
use crate::drive::{self, Questions};
use crate::load::{Client, head, request};
use crate::peers::for_datasette;
use crate::postgres::Cluster;
use crate::works::{Peers, Work};
use crate::world::World;
use crate::{ceiling, peer_data, peers, progress};

/// Bodies that the ceiling answers a cold work with, and how long they may take to record.
const RECORDED: usize = 1_000;
const RECORDING: Duration = Duration::from_millis(1_500);
/// Numbers from here on are nobody's in a measured round.
const ASIDE: u64 = 1 << 40;

#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub enum Heat {
    Hot,
    Cold,
}

impl Heat {
    pub fn name(self) -> &'static str {
        match self {
            Self::Hot => "hot",
            Self::Cold => "cold",
        }
    }
}

/// What one round came to.
#[derive(Clone, Copy, Debug)]
pub struct Round {
    pub rate: f64,
    /// Milliseconds, in a closed loop.
    pub p50: f64,
    pub p99: f64,
    /// Microseconds of a core for a request: its own, and of the database beside it.
    pub own: f64,
    pub beside: f64,
}

pub struct Arena {
    pub ceiling: Contender,
    pub contenders: Vec<Contender>,
    pub worlds: HashMap<Size, Arc<World>>,
    pub sizes: Vec<Size>,
    pub cluster: Option<Cluster>,
    /// Who was left out, and why.
    pub left_out: Vec<String>,
    /// How long it may take to record what the ceiling answers in a work.
    recording: Duration,
}

impl Arena {
    /// Prepares the data, and starts everybody on it.
    pub async fn open(args: &Args) -> Result<Self, String> {
        std::fs::create_dir_all(data::folder()).map_err(|error| error.to_string())?;
        let large_is_there = Store::sqlite(Size::Large).is_ready(Size::Large);
        let sizes = match (args.quick, large_is_there) {
            (true, true) => vec![Size::Large],
            (true, false) => vec![Size::Small],
            (false, _) => vec![Size::Small, Size::Large],
        };
        let recording = if args.quick { RECORDING / 4 } else { RECORDING };
        // Before all who need it, so that it goes after them.
        let mut cluster = None;
        let (mut worlds, mut contenders, mut left_out) = (HashMap::new(), Vec::new(), Vec::new());
        if args.invites(Kind::Postgres.name()) {
            match tokio::task::block_in_place(Cluster::start) {
                Ok(started) => cluster = Some(started),
                Err(why) => left_out.push(format!("PostgreSQL: {why}")),
            }
        }
        for &size in &sizes {
            let store = Store::sqlite(size);
            store.fill(size)?;
            let world = World::read(&store).map_err(|error| error.to_string())?;
            contenders.push(Contender::ours(Kind::Sqlite, size, &store, &world.accounts, None)?);
            worlds.insert(size, Arc::new(world));
        }
        if let Some(cluster) = &cluster {
            for &size in &sizes {
                let store = Store::postgres(size, &cluster.url);
                tokio::task::block_in_place(|| store.fill(size))?;
                let accounts = &worlds[&size].accounts;
                contenders.push(Contender::ours(Kind::Postgres, size, &store, accounts, Some(cluster.id()))?);
            }
        }
        let invited: Vec<Kind> = Kind::PEERS.into_iter().filter(|kind| args.invites(kind.name())).collect();
        if !invited.is_empty() {
            if let Err(why) = peers::install() {
                left_out.push(format!("the peers: {why}"));
            } else {
                for &size in &sizes {
                    let ours = contenders.iter().find(|c| c.kind == Kind::Sqlite && c.size == size).expect("started");
                    peer_data::make(size, &Store::sqlite(size), ours).await?;
                    for &kind in &invited {
                        match peers::start(kind, size) {
                            Ok(peer) => contenders.push(peer),
                            Err(why) => left_out.push(why),
                        }
                    }
                }
            }
        }
        let largest = *sizes.last().expect("at least one size");
        Ok(Self { ceiling: Contender::ceiling(largest)?, contenders, worlds, sizes, cluster, left_out, recording })
    }

    /// The larger of the sizes that are measured.
    pub fn largest(&self) -> Size {
        *self.sizes.last().expect("at least one size")
    }

    pub fn find(&self, kind: Kind, size: Size) -> Option<&Contender> {
        self.contenders.iter().find(|c| c.kind == kind && c.size == size)
    }

    /// What a contender is asked in this work. `None`: it does not take part.
    pub fn questions(&self, work: &Work, heat: Heat, contender: &Contender) -> Option<Questions> {
        let takes_part = match contender.kind {
            Kind::Ceiling | Kind::Sqlite | Kind::Postgres => true,
            Kind::Fastify | Kind::Fastapi => work.peers != Peers::None,
            Kind::Datasette => work.peers == Peers::All,
        };
        if !takes_part {
            return None;
        }
        let world = self.worlds[&contender.size].clone();
        let is_datasette = contender.kind == Kind::Datasette;
        let translated =
            move |target: String| if is_datasette { for_datasette(&target).unwrap_or_default() } else { target };
        match heat {
            Heat::Hot => Some(Questions::hot(&translated(work.hot?(&world)), &contender.headers)),
            Heat::Cold => {
                let (cold, accounts) = (work.cold?, work.accounts);
                let mut headers = vec![contender.headers.clone()];
                if accounts && !contender.accounts.is_empty() {
                    headers.clone_from(&contender.accounts);
                }
                Some(Questions::new(move |i| {
                    let headers = &headers[i as usize % headers.len()];
                    request(&translated(cold(&world, i)), headers).into()
                }))
            }
        }
    }

    /// Records what ours answers, for the ceiling to answer the same. Gives the file, and the mean length of a body.
    pub async fn record(&self, work: &Work, heat: Heat, size: Size) -> Option<(PathBuf, usize)> {
        let ours = self.find(Kind::Sqlite, size)?;
        let world = &self.worlds[&size];
        let count = if heat == Heat::Hot { 1 } else { RECORDED };
        let (mut client, mut bodies, mut longest) = (Client::connect(ours.address).await, Vec::new(), 0);
        let began = std::time::Instant::now();
        for i in 0..count as u64 {
            let target = if heat == Heat::Hot { work.hot?(world) } else { work.cold?(world, ASIDE + i) };
            let answer = client.ask(&request(&target, &ours.headers)).await;
            let head = head(answer).expect("a head");
            longest = longest.max(head);
            bodies.push(Bytes::copy_from_slice(&answer[head..]));
            if began.elapsed() > self.recording {
                break;
            }
        }
        let path = data::folder().join(format!("ceiling-{}.bin", size.name()));
        ceiling::record(&path, longest, &bodies);
        let mean = bodies.iter().map(Bytes::len).sum::<usize>() / bodies.len().max(1);
        Some((path, mean))
    }
}

/// Asks a contender for a while, and tells what that took.
pub async fn round(contender: &Contender, questions: &Questions, length: Duration, connections: usize) -> Round {
    let before = contender.used();
    let run = drive::closed(contender.address, questions, length, connections).await;
    let after = contender.used();
    let each = |nanoseconds: u64| nanoseconds as f64 / 1e3 / run.answered.max(1) as f64;
    Round {
        rate: run.rate(),
        p50: run.wait(0.5),
        p99: run.wait(0.99),
        own: each(after.own.saturating_sub(before.own)),
        beside: each(after.beside.saturating_sub(before.beside)),
    }
}

/// A bar of this many steps, with what is done now beside it.
pub fn steps(count: usize, what: &str) -> indicatif::ProgressBar {
    let bar = progress::counting(count);
    bar.set_message(what.to_owned());
    bar
}
