//! Finds a server by its slug. The table stores only rows, because the server entries contain the slugs: a tenth of the
//! memory of a map with its own copies.

use std::hash::{BuildHasher, RandomState};

use hashbrown::HashTable;

#[derive(Default)]
pub struct SlugIndex {
    rows: HashTable<u32>,
    /// Randomly seeded against hash flooding: slugs are user input.
    hasher: RandomState,
}

impl SlugIndex {
    pub fn get<'a>(&self, slug: &str, slug_of: impl Fn(u32) -> &'a str) -> Option<u32> {
        self.rows.find(self.hasher.hash_one(slug), |&row| slug_of(row) == slug).copied()
    }

    /// Maps the slug of a row to that row, also if it belonged to another row before.
    pub fn insert<'a>(&mut self, row: u32, slug_of: impl Fn(u32) -> &'a str) {
        let slug = slug_of(row);
        let hash = |row: &u32| self.hasher.hash_one(slug_of(*row));
        let entry = self.rows.entry(self.hasher.hash_one(slug), |&other| slug_of(other) == slug, hash);
        entry.insert(row);
    }

    /// Removes the slug of a row, unless it belongs to another row by now.
    pub fn remove<'a>(&mut self, row: u32, slug_of: impl Fn(u32) -> &'a str) {
        let hash = self.hasher.hash_one(slug_of(row));
        if let Ok(entry) = self.rows.find_entry(hash, |&other| other == row) {
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
        /// Servers appear, disappear, and take over each other's slugs.
        #[test]
        fn matches_a_hash_map(changes in proptest::collection::vec((0u32..12, 0usize..8, any::<bool>()), 0..120)) {
            let slugs: Vec<String> = (0..8).map(|i| format!("slug-{i}")).collect();
            let mut slug_of_row: Vec<&str> = vec![""; 12];
            let (mut index, mut plain) = (SlugIndex::default(), HashMap::new());
            for (row, slug, is_public) in changes {
                index.remove(row, |row| slug_of_row[row as usize]);
                plain.retain(|_, other| *other != row);
                slug_of_row[row as usize] = &slugs[slug];
                if is_public {
                    index.insert(row, |row| slug_of_row[row as usize]);
                    plain.insert(slug_of_row[row as usize], row);
                }
                for slug in &slugs {
                    prop_assert_eq!(index.get(slug, |row| slug_of_row[row as usize]), plain.get(slug.as_str()).copied());
                }
            }
        }
    }
}
