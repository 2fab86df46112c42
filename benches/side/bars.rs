//! The bars: what must hold, as ratios of this run, and whether it does.

use crate::arena::Heat;
use crate::compare::Row;
use crate::contenders::Kind;
use crate::data::Size;
use crate::results::Results;
use crate::works::{
    COUNTRIES, FILTERS, HOT_LIST, LIVE, PLAYER_ID, PLAYER_NAME, PLAYER_UUID, REVIEWS, SEARCHES, SKIN, VOTERS,
};

pub struct Bar {
    pub what: String,
    pub wanted: String,
    pub figure: String,
    pub met: bool,
}

/// What ten times the data may cost in time.
const TEN_TIMES: f64 = 2.0;
const MIB: f64 = 1024.0 * 1024.0;
/// Whoever must answer 10,000 a second, cold.
const DETAILS: [&str; 6] = [PLAYER_ID, PLAYER_UUID, PLAYER_NAME, SKIN, VOTERS, REVIEWS];

/// Works in which peers are judged by ours.
pub const AGAINST_PEERS: [(&str, Heat); 2] = [(HOT_LIST, Heat::Hot), (FILTERS, Heat::Cold)];

/// Whether it matters how long one waits in this work.
pub fn judges_waits(work: &str, heat: Heat) -> bool {
    heat == Heat::Cold && (DETAILS.contains(&work) || SEARCHES.contains(&work))
}

/// Those that can be told from what was measured, at the larger size.
pub fn judge(size: Size, results: &Results) -> Vec<Bar> {
    let mut bars = Bars { all: Vec::new(), size, rows: &results.rows };
    bars.against_ceiling();
    bars.against_peers();
    bars.details(results);
    bars.ten_times();
    for encoded in &results.encoded {
        let what = format!("{} against uncompressed, hot, {}", encoded.encoding, encoded.kind.title());
        bars.least(what, encoded.ratio.median, 0.90, format!("{}", encoded.ratio));
    }
    for paged in &results.paged {
        let what = format!("last page of {} ({}) against first, {}", paged.list, paged.last_page, paged.kind.title());
        let figure = format!("{}; processor {:.2}", paged.time, paged.processor);
        bars.most(what, paged.time.median, 1.5, figure);
    }
    if let Some(tracked) = &results.tracked {
        for left in &tracked.works {
            let (work, heat) = (left.work, left.heat.name());
            let what = format!("{work}, {heat}, while {:.0} samples a second are written", tracked.written);
            bars.least(what, left.rate.median, 0.80, format!("{}; processor {:.2}", left.rate, left.processor));
        }
    }
    for kind in Kind::OURS {
        let Some(kept) = results.kept.get(&(kind, size)) else { continue };
        let [most, resident] = [kept.memory.most, kept.memory.resident].map(|bytes| bytes as f64 / MIB);
        let figure = format!("{most:.0} MiB at most, {resident:.0} MiB at the end");
        bars.most(format!("MiB resident at most, {}", kind.title()), most, 500.0, figure);
        let seconds = kept.started_in.as_secs_f64();
        let first = kept.first_started_in.unwrap_or_default().as_secs_f64();
        let figure = format!("{seconds:.1} s; {first:.1} s the time before");
        bars.most(format!("seconds to ready, started again, {}", kind.title()), seconds, 5.0, figure);
    }
    bars.all
}

struct Bars<'a> {
    all: Vec<Bar>,
    size: Size,
    rows: &'a [Row],
}

impl Bars<'_> {
    fn row(&self, work: &str, heat: Heat) -> Option<&Row> {
        self.rows.iter().find(|row| row.work == work && row.heat == heat)
    }

    fn least(&mut self, what: String, found: f64, wanted: f64, figure: String) {
        self.all.push(Bar { what, wanted: format!("at least {wanted}"), figure, met: found >= wanted });
    }

    fn most(&mut self, what: String, found: f64, wanted: f64, figure: String) {
        self.all.push(Bar { what, wanted: format!("at most {wanted}"), figure, met: found <= wanted });
    }

    fn against_ceiling(&mut self) {
        let size = self.size;
        let bars = [
            (HOT_LIST, Heat::Hot, 0.80),
            (LIVE, Heat::Hot, 0.80),
            (COUNTRIES, Heat::Hot, 0.80),
            (FILTERS, Heat::Cold, 0.30),
        ];
        for (work, heat, wanted) in bars {
            for kind in Kind::OURS {
                let found = self.row(work, heat).and_then(|row| {
                    Some((row.ratio(size, kind, Kind::Ceiling)?, row.processor(size, kind, Kind::Ceiling)?))
                });
                if let Some((ratio, processor)) = found {
                    let what = format!("{work}, {}, against the ceiling, {}", heat.name(), kind.title());
                    self.least(what, ratio.median, wanted, format!("{ratio}; processor {processor:.2}"));
                }
            }
        }
    }

    fn against_peers(&mut self) {
        let size = self.size;
        for (work, heat) in AGAINST_PEERS {
            for kind in Kind::OURS {
                let found = self.row(work, heat).and_then(|row| {
                    let peer = row.best_peer(size)?;
                    // A slow peer has fewer rounds than ours.
                    let ratio = row.ratio(size, kind, peer)?;
                    Some((peer, ratio))
                });
                if let Some((peer, ratio)) = found {
                    let what = format!("{work}, {}, against the best peer, {}", heat.name(), kind.title());
                    self.least(what, ratio.median, 20.0, format!("{ratio}, {}", peer.title()));
                }
            }
        }
    }

    fn details(&mut self, results: &Results) {
        let half = |work: &str, kind: Kind| {
            results.halves.iter().find(|half| half.work == work && half.heat == Heat::Cold && half.kind == kind)
        };
        for work in DETAILS {
            let Some(rate) = self.row(work, Heat::Cold).and_then(|row| row.rate(self.size, Kind::Sqlite)) else {
                continue;
            };
            self.least(format!("{work}, cold, a second, SQLite"), rate, 10_000.0, format!("{rate:.0}"));
            if let Some(half) = half(work, Kind::Sqlite) {
                let what = format!("{work}, cold, p99 in ms at half load, SQLite");
                self.most(what, half.p99, 5.0, half.to_string());
            }
        }
        for work in SEARCHES {
            for kind in Kind::OURS {
                if let Some(half) = half(work, kind) {
                    let what = format!("{work}, p99 in ms at half load, {}", kind.title());
                    self.most(what, half.p99, 5.0, half.to_string());
                }
            }
        }
    }

    /// Every path of ours: those that are too slow one by one, the others by the slowest of them.
    fn ten_times(&mut self) {
        let paths = self.rows.iter().flat_map(|row| Kind::OURS.map(|kind| (row, kind)));
        let found = paths.filter_map(|(row, kind)| {
            let (time, processor) = row.grown(kind)?;
            let path = format!("{}, {}, {}", row.work, row.heat.name(), kind.title());
            Some((path, time, format!("{time}; processor {processor:.2}")))
        });
        let (missed, met): (Vec<_>, Vec<_>) = found.partition(|(_, time, _)| time.median > TEN_TIMES);
        for (path, time, figure) in missed {
            self.most(format!("time with ten times the data: {path}"), time.median, TEN_TIMES, figure);
        }
        let count = met.len();
        if let Some((path, time, figure)) = met.into_iter().max_by(|a, b| a.1.median.total_cmp(&b.1.median)) {
            let what = format!("time with ten times the data: {count} paths, the slowest {path}");
            self.most(what, time.median, TEN_TIMES, figure);
        }
    }
}
