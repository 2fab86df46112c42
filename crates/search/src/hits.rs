//! Places that were found: a list of a few, or one bit for each place when they are many.

use crate::Bits;

#[derive(Clone, Debug)]
pub enum Hits {
    /// Ascending, each once.
    Few(Vec<u32>),
    Many(Bits),
}

impl Hits {
    pub fn few(mut places: Vec<u32>) -> Self {
        places.sort_unstable();
        places.dedup();
        Self::Few(places)
    }

    /// Whether it is plain to see that there are none.
    pub fn is_nothing(&self) -> bool {
        matches!(self, Self::Few(places) if places.is_empty())
    }

    pub fn iter(&self) -> Box<dyn Iterator<Item = u32> + '_> {
        match self {
            Self::Few(places) => Box::new(places.iter().copied()),
            Self::Many(bits) => Box::new(bits.iter()),
        }
    }

    pub fn into_bits(self, len: usize) -> Bits {
        match self {
            Self::Many(bits) => bits,
            few => {
                let mut bits = Bits::none(len);
                few.add_to(&mut bits);
                bits
            }
        }
    }

    pub fn add_to(self, found: &mut Bits) {
        match self {
            Self::Few(places) => places.into_iter().for_each(|place| found.set(place, true)),
            Self::Many(bits) => found.unite(&bits),
        }
    }

    pub fn retain(&mut self, among: &Bits) {
        match self {
            Self::Few(places) => places.retain(|&place| among.get(place)),
            Self::Many(bits) => bits.intersect(among),
        }
    }

    pub fn without(&mut self, other: &Hits) {
        match (self, other) {
            (Self::Few(places), other) => places.retain(|&place| !other.has(place)),
            (Self::Many(bits), Self::Few(places)) => places.iter().for_each(|&place| bits.set(place, false)),
            (Self::Many(bits), Self::Many(other)) => bits.subtract(other),
        }
    }

    fn has(&self, place: u32) -> bool {
        match self {
            Self::Few(places) => places.binary_search(&place).is_ok(),
            Self::Many(bits) => bits.get(place),
        }
    }
}
