//! Everybody who serves data of one size: one at a time is asked, and the others stand still meanwhile.

use std::cell::Cell;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, Instant};

use crate::args::Args;
use crate::ceiling::{self, Recorded};
use crate::contenders::{Contender, Kind};
use crate::data::{self, Size, Store};
use crate::drive::{self, Questions};
use crate::load::{Client, request};
use crate::peers::for_datasette;
use crate::prepare::{Prepared, read_all};
use crate::works::{Peers, Work};
use crate::world::World;
use crate::{peer_data, peers, progress, quiet};

/// Answers that the ceiling gives in a cold work, and how long they may take to record.
const RECORDED: usize = 500;
const RECORDING: Duration = Duration::from_secs(1);
/// Some systems forget what was not touched for a minute; to read it all takes seconds.
const REMEMBERED: Duration = Duration::from_secs(30);
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
    pub size: Size,
    pub world: Arc<World>,
    pub ceiling: Contender,
    pub contenders: Vec<Contender>,
    /// Who did not start, and why.
    pub left_out: Vec<String>,
    /// Who alone is running; `None`: everybody is.
    turn: Cell<Option<Kind>>,
    /// How long it may take to record what the ceiling answers in a work.
    recording: Duration,
    /// Where everybody's rows lie.
    files: Vec<PathBuf>,
    touched: Cell<Instant>,
}

impl Arena {
    /// Starts everybody, ours before the others and each when the one before has settled: how long ours takes is measured.
    pub fn open(args: &Args, prepared: &Prepared, size: Size) -> Result<Self, String> {
        let store = Store::sqlite(size);
        let mut files = vec![store.files()?, peer_data::folder(size)];
        if let Some(cluster) = &prepared.cluster {
            files.push(tokio::task::block_in_place(|| Store::postgres(size, &cluster.url).files())?);
        }
        touch(&files);
        let touched = Instant::now();
        let world = World::read(&store).map_err(|error| error.to_string())?;
        let mut contenders = vec![Contender::ours_again(Kind::Sqlite, &store, &world.accounts, None)?];
        if let Some(cluster) = &prepared.cluster {
            let store = Store::postgres(size, &cluster.url);
            contenders.push(Contender::ours_again(Kind::Postgres, &store, &world.accounts, Some(cluster.id()))?);
        }
        if !prepared.peers.is_empty() {
            peer_data::refresh(size, &store)?;
        }
        let mut left_out = Vec::new();
        for &kind in &prepared.peers {
            match peers::start(kind, size) {
                Ok(peer) => contenders.push(peer),
                Err(why) => left_out.push(format!("{}, {why}", size.name())),
            }
        }
        let recording = if args.quick { RECORDING / 4 } else { RECORDING };
        let ceiling = Contender::ceiling(contenders[0].headers.clone())?;
        Ok(Self {
            size,
            world: Arc::new(world),
            ceiling,
            contenders,
            left_out,
            turn: Cell::new(None),
            recording,
            files,
            touched: Cell::new(touched),
        })
    }

    pub fn find(&self, kind: Kind) -> Option<&Contender> {
        self.contenders.iter().find(|c| c.kind == kind)
    }

    pub fn ours(&self) -> impl Iterator<Item = &Contender> {
        self.contenders.iter().filter(|contender| contender.kind.is_ours())
    }

    /// Before whatever reads everybody's rows.
    pub fn touch_files(&self) {
        if self.touched.get().elapsed() > REMEMBERED {
            touch(&self.files);
            self.touched.set(Instant::now());
        }
    }

    /// From here on all others stand still, whoever's turn it was before.
    pub fn turn_of(&self, contender: &Contender) {
        let before = self.turn.replace(Some(contender.kind));
        if before == Some(contender.kind) {
            return;
        }
        for other in self.contenders.iter().filter(|other| other.kind != contender.kind) {
            if before.is_none_or(|before| before == other.kind) {
                other.hold();
            }
        }
        contender.go_on();
    }

    pub fn turn_of_all(&self) {
        self.turn.set(None);
        self.contenders.iter().for_each(Contender::go_on);
    }

    /// For what concerns ours alone: nobody else is to take memory or time meanwhile.
    pub fn end_peers(&mut self) {
        self.contenders.retain(|contender| contender.kind.is_ours());
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
        let world = self.world.clone();
        let is_datasette = contender.kind == Kind::Datasette;
        let translated =
            move |target: String| if is_datasette { for_datasette(&target).unwrap_or_default() } else { target };
        match heat {
            Heat::Hot => Some(Questions::hot(&translated(work.hot?(&world)), &contender.headers)),
            Heat::Cold => {
                let (cold, comes_again) = (work.cold?, work.comes_again);
                let headers = contender.choice(work.accounts).to_vec();
                Some(Questions::new(move |i| {
                    let headers = &headers[i as usize % headers.len()];
                    let target = translated(cold(&world, i));
                    let target = if comes_again { target } else { numbered(&target, i) };
                    request(&target, headers).into()
                }))
            }
        }
    }

    /// Lets the ceiling answer what ours answers in this work. Gives the mean length of a body.
    pub async fn record(&mut self, work: &Work, heat: Heat) -> Option<usize> {
        let ours = self.find(Kind::Sqlite)?;
        self.turn_of(ours);
        let count = if heat == Heat::Hot { 1 } else { RECORDED };
        let headers = ours.choice(heat == Heat::Cold && work.accounts);
        let (mut client, mut answers) = (Client::connect(ours.address).await, Vec::new());
        let began = Instant::now();
        for i in 0..count as u64 {
            let target = if heat == Heat::Hot { work.hot?(&self.world) } else { work.cold?(&self.world, ASIDE + i) };
            let asked = request(&target, &headers[i as usize % headers.len()]);
            answers.push(Recorded::new(client.ask(&asked).await));
            if began.elapsed() > self.recording {
                break;
            }
        }
        let path = data::folder().join(format!("ceiling-{}.bin", self.size.name()));
        ceiling::record(&path, &answers);
        self.ceiling.load(&path);
        let asked = request("/", "");
        let (mut client, mut again) = (Client::connect(self.ceiling.address).await, Vec::new());
        for _ in &answers {
            again.push(Recorded::new(client.ask(&asked).await));
        }
        assert_eq!(lengths(&answers), lengths(&again), "the ceiling answers in as many bytes as ours");
        Some(answers.iter().map(|answer| answer.body.len()).sum::<usize>() / answers.len())
    }
}

/// Has files in the system's memory, so that nobody is measured by how fast this disk is.
fn touch(folders: &[PathBuf]) {
    tokio::task::block_in_place(|| folders.iter().for_each(|folder| read_all(folder)));
}

/// A question that nobody asked before: where there are few different ones, answers would be found that were kept for another.
/// Whoever is asked takes no notice of a parameter that it does not know.
fn numbered(target: &str, i: u64) -> String {
    let mark = if target.contains('?') { '&' } else { '?' };
    format!("{target}{mark}_={i}")
}

/// Of heads and bodies, in whatever order they came.
fn lengths(answers: &[Recorded]) -> Vec<(usize, usize)> {
    let mut lengths: Vec<_> = answers.iter().map(|answer| (answer.head.len(), answer.body.len())).collect();
    lengths.sort_unstable();
    lengths
}

/// Asks a contender for a while, and tells what that took.
pub async fn round(contender: &Contender, questions: &Questions, length: Duration, connections: usize) -> Round {
    quiet::during(async || ask(contender, questions, length, connections).await).await
}

async fn ask(contender: &Contender, questions: &Questions, length: Duration, connections: usize) -> Round {
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
