//! Which server has a slug. Servers know their own: the table holds nothing but their places, a tenth of what it would take to
//! hold the slugs as well.

use std::hash::{BuildHasher, RandomState};

use hashbrown::HashTable;

#[derive(Default)]
pub struct Slugs {
    places: HashTable<u32>,
    /// Drawn at random: slugs are chosen by strangers.
    hasher: RandomState,
}

impl Slugs {
    pub fn get<'a>(&self, slug: &str, slug_of: impl Fn(u32) -> &'a str) -> Option<u32> {
        self.places.find(self.hasher.hash_one(slug), |&place| slug_of(place) == slug).copied()
    }

    /// The slug of a place leads there from now on, wherever it led before.
    pub fn insert<'a>(&mut self, place: u32, slug_of: impl Fn(u32) -> &'a str) {
        let slug = slug_of(place);
        let hash = |place: &u32| self.hasher.hash_one(slug_of(*place));
        let entry = self.places.entry(self.hasher.hash_one(slug), |&other| slug_of(other) == slug, hash);
        entry.insert(place);
    }

    /// It leads nowhere, unless it leads to another place by now.
    pub fn remove<'a>(&mut self, place: u32, slug_of: impl Fn(u32) -> &'a str) {
        let hash = self.hasher.hash_one(slug_of(place));
        if let Ok(entry) = self.places.find_entry(hash, |&other| other == place) {
            entry.remove();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::HashMap;

    proptest! {
        /// Servers that come, go, and take each other's slugs.
        #[test]
        fn agrees_with_a_map_of_slugs(changes in proptest::collection::vec((0u32..12, 0usize..8, any::<bool>()), 0..120)) {
            let names: Vec<String> = (0..8).map(|i| format!("slug-{i}")).collect();
            let mut held: Vec<&str> = vec![""; 12];
            let (mut slugs, mut plain) = (Slugs::default(), HashMap::new());
            for (place, name, is_public) in changes {
                slugs.remove(place, |place| held[place as usize]);
                plain.retain(|_, other| *other != place);
                held[place as usize] = &names[name];
                if is_public {
                    slugs.insert(place, |place| held[place as usize]);
                    plain.insert(held[place as usize], place);
                }
                for name in &names {
                    prop_assert_eq!(slugs.get(name, |place| held[place as usize]), plain.get(name.as_str()).copied());
                }
            }
        }
    }
}
