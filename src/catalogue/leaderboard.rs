//! One leaderboard: players by their points, best first. Who has none is not on it.

use super::block_index::Segments;
use super::row_ids::Numbers;
use rollcall_search::Bits;

/// Equals stand side by side, so what they have in common is kept once: a run of a million places has some ten
/// thousand different points.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Board {
    /// Equals by their row number.
    places: Vec<u32>,
    /// The same as a set, and where in the board each of them is to be looked for.
    members: Bits,
    segments: Segments,
    runs: Vec<Run>,
    /// Points of one whole unit of the value that is shown; 0 while nobody is on the board.
    unit: u32,
}

#[derive(Clone, Copy, Debug, PartialEq)]
struct Run {
    points: u32,
    /// Where the next one begins in `places`.
    end: u32,
}

pub struct Standing {
    pub place: u32,
    pub rank: u32,
    pub value: f64,
}

/// Players whose points were counted anew.
pub struct Moved<'a> {
    pub numbers: &'a Numbers,
    /// In the order of their numbers.
    pub places: &'a [u32],
    /// The same as a set.
    pub set: &'a Bits,
}

impl Board {
    /// The board after `moved` got these points, each at the index of his place: one pass over it, for what stays is
    /// in order already.
    pub fn after(&self, moved: &Moved, points: &[u32], unit: u32) -> Self {
        // Most points first, then the lower number, which is the lower index.
        let mut keys: Vec<u64> = (0u64..)
            .zip(points)
            .filter(|(_, points)| **points > 0)
            .map(|(i, &points)| u64::from(u32::MAX - points) << 32 | i)
            .collect();
        keys.sort_unstable();
        let mut incoming = keys
            .iter()
            .map(|key| (u32::MAX - (key >> 32) as u32, moved.places[(key & u64::from(u32::MAX)) as usize]))
            .peekable();
        let mut moving = self.members.clone();
        moving.intersect(moved.set);
        // As many as there will be: a board of a million that is cut to its length is there twice for a moment.
        let len = self.places.len() - moving.count() + keys.len();
        let mut board = Self { places: Vec::with_capacity(len), unit, ..Self::default() };
        let mut start = 0;
        for run in &self.runs {
            while let Some((points, place)) = incoming.next_if(|(points, _)| *points > run.points) {
                board.push(points, place);
            }
            for &place in self.places[start..run.end as usize].iter().filter(|&&place| !moved.set.get(place)) {
                let number = |place: u32| moved.numbers.number(place);
                while let Some((points, other)) =
                    incoming.next_if(|&(points, other)| points == run.points && number(other) < number(place))
                {
                    board.push(points, other);
                }
                board.push(run.points, place);
            }
            start = run.end as usize;
        }
        incoming.for_each(|(points, place)| board.push(points, place));
        board.members = board.places.iter().copied().collect();
        board.segments = Segments::new(&board.places);
        board
    }

    fn push(&mut self, points: u32, place: u32) {
        self.places.push(place);
        let end = self.places.len() as u32;
        match self.runs.last_mut() {
            Some(run) if run.points == points => run.end = end,
            _ => self.runs.push(Run { points, end }),
        }
    }

    /// Who is on it, with their points.
    pub fn each(&self, mut take: impl FnMut(u32, u32)) {
        let mut start = 0;
        for run in &self.runs {
            self.places[start..run.end as usize].iter().for_each(|&place| take(place, run.points));
            start = run.end as usize;
        }
    }

    /// A page of the players selected, each with his rank on the whole board, and how many there are.
    pub fn page(&self, selected: Option<&Bits>, offset: u64, limit: usize) -> (Vec<Standing>, u64) {
        let here = selected.map(|selected| {
            let mut here = selected.clone();
            here.intersect(&self.members);
            here
        });
        let total = here.as_ref().map_or(self.places.len(), Bits::count);
        let offset = usize::try_from(offset).map_or(total, |offset| offset.min(total));
        let page: Vec<Standing> = match here {
            None => (offset..total).take(limit).map(|i| self.standing(i)).collect(),
            Some(here) => {
                let page = self.segments.page(&self.places, &here, total, offset, limit);
                page.into_iter().map(|i| self.standing(i)).collect()
            }
        };
        (page, total as u64)
    }

    fn standing(&self, i: usize) -> Standing {
        let run = self.runs.partition_point(|run| run.end as usize <= i);
        let value = f64::from(self.runs[run].points) / f64::from(self.unit);
        Standing { place: self.places[i], rank: self.start(run) + 1, value }
    }

    /// How many stand before a run.
    fn start(&self, run: usize) -> u32 {
        run.checked_sub(1).map_or(0, |before| self.runs[before].end)
    }

    /// One more than the players with a higher value: equals share it.
    pub fn rank(&self, value: f64) -> u32 {
        let points = (value * f64::from(self.unit)).round() as u32;
        self.start(self.runs.partition_point(|run| run.points > points)) + 1
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn numbers(len: i64) -> Numbers {
        let mut numbers = Numbers::default();
        // Not in the order of the places.
        for i in 0..len {
            numbers.add((i * 7) % len);
        }
        numbers
    }

    fn after(board: &Board, numbers: &Numbers, all: &[u32], moved: &[u32]) -> Board {
        let mut set = Bits::none(all.len());
        moved.iter().for_each(|&place| set.set(place, true));
        let places: Vec<u32> = numbers.rising().iter().copied().filter(|&place| set.get(place)).collect();
        let points: Vec<u32> = places.iter().map(|&place| all[place as usize]).collect();
        board.after(&Moved { numbers, places: &places, set: &set }, &points, 1)
    }

    proptest! {
        #[test]
        fn moving_some_equals_building_anew(
            mut points in proptest::collection::vec(0u32..9, 60),
            rounds in proptest::collection::vec(proptest::collection::vec((0u32..60, 0u32..9), 0..20), 1..5),
        ) {
            let numbers = numbers(60);
            let everyone: Vec<u32> = (0..60).collect();
            let mut board = after(&Board::default(), &numbers, &points, &everyone);
            for round in rounds {
                for &(place, new) in &round {
                    points[place as usize] = new;
                }
                let moved: Vec<u32> = round.iter().map(|(place, _)| *place).collect();
                board = after(&board, &numbers, &points, &moved);
                prop_assert_eq!(&board, &after(&Board::default(), &numbers, &points, &everyone));
            }
            let mut expected: Vec<u32> = everyone.into_iter().filter(|&place| points[place as usize] > 0).collect();
            expected.sort_by_key(|&place| (std::cmp::Reverse(points[place as usize]), numbers.number(place)));
            let (page, total) = board.page(None, 0, 100);
            prop_assert_eq!(page.iter().map(|standing| standing.place).collect::<Vec<_>>(), expected);
            prop_assert_eq!(total as usize, page.len());
            for standing in page {
                let above = points.iter().filter(|other| f64::from(**other) > standing.value).count();
                prop_assert_eq!(standing.rank as usize, above + 1);
                prop_assert_eq!(standing.rank, board.rank(standing.value));
                prop_assert_eq!(standing.value, f64::from(points[standing.place as usize]));
            }
        }
    }
}
