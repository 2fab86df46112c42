//! The rows that have a facet value: a country, a version, a game mode, a tag.

use std::collections::{BTreeMap, HashMap};

use super::row_set::RowSet;
use rollcall_search::{BitSet, fold};

/// One facet with all of its values. Lookups ignore case. A value without rows is removed, because values come from
/// untrusted servers.
#[derive(Debug, Default)]
pub struct Facet {
    id_by_spelling: HashMap<String, u32>,
    /// The ids of all spellings with the same folded value.
    ids_by_folded: BTreeMap<String, Vec<u32>>,
    /// By id.
    values: Vec<FacetValue>,
    /// Ids of removed values, for reuse.
    free_ids: Vec<u32>,
}

#[derive(Debug, Default)]
struct FacetValue {
    spelling: String,
    rows: RowSet,
}

impl Facet {
    /// Replaces the value of a row; `before` is the id of its old value. Returns the id of the new value.
    pub fn set(&mut self, row: u32, before: Option<u32>, value: Option<&str>) -> Option<u32> {
        if let (Some(before), Some(value)) = (before, value)
            && self.spelling(before) == value
        {
            return Some(before);
        }
        let id = value.map(|value| self.add_row(row, value));
        if let Some(before) = before {
            self.remove_row(row, before);
        }
        id
    }

    /// Like [`Self::set`], for a facet with several values for each row.
    pub fn set_all(&mut self, row: u32, before: Box<[u32]>, values: &[String]) -> Box<[u32]> {
        if before.len() == values.len() && before.iter().zip(values).all(|(&id, value)| self.spelling(id) == value) {
            return before;
        }
        let mut ids: Vec<u32> = values.iter().map(|value| self.add_row(row, value)).collect();
        ids.sort_unstable();
        ids.dedup();
        before.iter().filter(|id| !ids.contains(id)).for_each(|&id| self.remove_row(row, id));
        ids.into()
    }

    fn add_row(&mut self, row: u32, value: &str) -> u32 {
        let id = self.id_by_spelling.get(value).copied().unwrap_or_else(|| self.add_value(value));
        self.values[id as usize].rows.set(row, true);
        id
    }

    fn add_value(&mut self, value: &str) -> u32 {
        let id = self.free_ids.pop().unwrap_or_else(|| {
            self.values.push(FacetValue::default());
            self.values.len() as u32 - 1
        });
        self.values[id as usize].spelling = value.to_owned();
        self.id_by_spelling.insert(value.to_owned(), id);
        self.ids_by_folded.entry(fold(value)).or_default().push(id);
        id
    }

    fn remove_row(&mut self, row: u32, id: u32) {
        let value = &mut self.values[id as usize];
        value.rows.set(row, false);
        if value.rows.count() == 0 {
            let value = std::mem::take(value);
            self.id_by_spelling.remove(&value.spelling);
            let folded = fold(&value.spelling);
            if let Some(ids) = self.ids_by_folded.get_mut(&folded) {
                ids.retain(|&other| other != id);
                if ids.is_empty() {
                    self.ids_by_folded.remove(&folded);
                }
            }
            self.free_ids.push(id);
        }
    }

    pub fn spelling(&self, id: u32) -> &str {
        &self.values[id as usize].spelling
    }

    /// Every value: its id, its spelling and its number of rows.
    pub fn iter(&self) -> impl Iterator<Item = (u32, &str, usize)> {
        let all = (0u32..).zip(&self.values).map(|(id, value)| (id, value.spelling.as_str(), value.rows.count()));
        all.filter(|(_, _, count)| *count > 0)
    }

    /// The rows with this value in any spelling.
    pub fn rows_with(&self, value: &str) -> FacetRows<'_> {
        let ids = self.ids_by_folded.get(&fold(value));
        self.rows_of(ids.into_iter().flatten())
    }

    /// The rows whose value is this version, or a more specific one: `1.21` also finds `1.21.4`.
    pub fn rows_with_version(&self, version: &str) -> FacetRows<'_> {
        let folded = fold(version);
        if folded.is_empty() {
            return FacetRows(Vec::new());
        }
        // In ASCII, a slash follows the dot.
        let longer = self.ids_by_folded.range(format!("{folded}.")..format!("{folded}/")).flat_map(|(_, ids)| ids);
        self.rows_of(self.ids_by_folded.get(&folded).into_iter().flatten().chain(longer))
    }

    fn rows_of<'a>(&'a self, ids: impl Iterator<Item = &'a u32>) -> FacetRows<'a> {
        FacetRows(ids.map(|&id| &self.values[id as usize].rows).collect())
    }
}

/// The rows of some facet values: one set for each value.
pub struct FacetRows<'a>(Vec<&'a RowSet>);

impl FacetRows<'_> {
    /// Removes the rows from `set` that have none of the values.
    pub fn restrict(&self, set: &mut BitSet) {
        match self.0[..] {
            [one] => one.restrict(set),
            _ => set.intersect_with(&self.to_bit_set()),
        }
    }

    pub fn to_bit_set(&self) -> BitSet {
        let Some((first, rest)) = self.0.split_first() else { return BitSet::default() };
        let mut set = first.to_bit_set();
        rest.iter().for_each(|rows| rows.add_to(&mut set));
        set
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::BTreeSet;

    fn is_version(version: &str, wanted: &str) -> bool {
        let (version, wanted) = (fold(version), fold(wanted));
        !wanted.is_empty() && version.strip_prefix(&wanted).is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
    }

    #[test]
    fn a_version_matches_itself_and_its_patch_versions() {
        for (version, wanted, is_found) in [
            ("1.21", "1.21", true),
            ("1.21.4", "1.21", true),
            ("1.8.x - 1.21", "1.8", true),
            ("Paper 1.21.4", "paper 1.21", true),
            ("1.210", "1.21", false),
            ("1.2", "1.21", false),
            ("paper 1.21.4", "1.21", false),
            ("1.21.4", "1.21.", false),
            ("1.21", "", false),
            (".1", "", false),
        ] {
            let mut versions = Facet::default();
            versions.add_row(7, version);
            assert_eq!(versions.rows_with_version(wanted).to_bit_set().contains(7), is_found, "{version} {wanted}");
            assert_eq!(is_version(version, wanted), is_found, "{version} {wanted}");
        }
    }

    proptest! {
        #[test]
        fn finds_the_rows_with_a_value(
            changes in proptest::collection::vec((0usize..20, "[aA]?[bB]?(\\.[12]){0,2}"), 0..80),
            wanted in "[aA]?[bB]?(\\.[12]){0,2}",
        ) {
            let (mut facet, mut plain) = (Facet::default(), vec![None::<(u32, String)>; 20]);
            for (row, value) in changes {
                let before = plain[row].as_ref().map(|(id, _)| *id);
                let value = (value.len() != 1).then_some(value);
                let id = facet.set(row as u32, before, value.as_deref());
                plain[row] = id.zip(value);
            }
            let all = |passes: &dyn Fn(&str) -> bool| -> BTreeSet<u32> {
                let has_value = |row: &u32| plain[*row as usize].as_ref().is_some_and(|(_, value)| passes(value));
                (0..20).filter(has_value).collect()
            };
            let set = |rows: FacetRows| rows.to_bit_set().iter().collect::<BTreeSet<u32>>();
            prop_assert_eq!(set(facet.rows_with(&wanted)), all(&|value| fold(value) == fold(&wanted)));
            let of_version = all(&|value| is_version(value, &wanted));
            prop_assert_eq!(set(facet.rows_with_version(&wanted)), of_version.clone());
            let mut some: BitSet = (0..20).filter(|row| row % 3 > 0).collect();
            facet.rows_with_version(&wanted).restrict(&mut some);
            let expected: BTreeSet<u32> = of_version.into_iter().filter(|row| row % 3 > 0).collect();
            prop_assert_eq!(some.iter().collect::<BTreeSet<u32>>(), expected);
            let mut expected_counts = BTreeMap::new();
            for (_, value) in plain.iter().flatten() {
                *expected_counts.entry(value.as_str()).or_insert(0) += 1;
            }
            let counts: BTreeMap<&str, usize> = facet.iter().map(|(_, value, count)| (value, count)).collect();
            prop_assert_eq!(counts, expected_counts);
        }

        #[test]
        fn a_row_can_have_several_values(
            changes in proptest::collection::vec((0usize..9, proptest::collection::vec("[ab]", 0..4)), 0..40),
        ) {
            let (mut facet, mut plain) = (Facet::default(), vec![(Box::default(), Vec::<String>::new()); 9]);
            for (row, values) in changes {
                let before = std::mem::take(&mut plain[row].0);
                plain[row] = (facet.set_all(row as u32, before, &values), values);
            }
            for value in ["a", "b"] {
                let has_value = |row: &u32| plain[*row as usize].1.iter().any(|other| other == value);
                let found = facet.rows_with(value).to_bit_set().iter().collect::<Vec<_>>();
                prop_assert_eq!(found, (0..9).filter(has_value).collect::<Vec<_>>());
            }
        }
    }
}
