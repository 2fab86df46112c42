//! The newest rows of a list that the store returns in time order.

use std::cmp::Ordering;

use rollcall_store::Result;

/// Extra rows to fetch when some are filtered out, so that most lists need one query.
const SPARE: usize = 4;
/// Without a filter, one extra row shows whether it has an older time.
const NEXT: usize = 1;

/// The newest `limit` rows that pass `select`; rows of the same time in the order of `tie`.
///
/// `fetch` returns the newest rows ordered by time alone, which is the order of the index; a tie-break would make the database
/// sort. So the rows of the oldest time returned count only if an older row, or none, follows them.
pub fn newest<T>(
    limit: usize,
    fetch: impl FnMut(i64) -> Result<Vec<T>>,
    at: impl Fn(&T) -> i64,
    tie: impl Fn(&T, &T) -> Ordering,
    select: impl Fn(&mut Vec<T>),
) -> Result<Vec<T>> {
    first(limit, SPARE, fetch, at, tie, select)
}

/// The same without a filter.
pub fn newest_of_all<T>(
    limit: usize,
    fetch: impl FnMut(i64) -> Result<Vec<T>>,
    at: impl Fn(&T) -> i64,
    tie: impl Fn(&T, &T) -> Ordering,
) -> Result<Vec<T>> {
    first(limit, NEXT, fetch, at, tie, |_| ())
}

fn first<T>(
    limit: usize,
    spare: usize,
    mut fetch: impl FnMut(i64) -> Result<Vec<T>>,
    at: impl Fn(&T) -> i64,
    tie: impl Fn(&T, &T) -> Ordering,
    select: impl Fn(&mut Vec<T>),
) -> Result<Vec<T>> {
    let mut fetched = limit + spare;
    loop {
        let mut rows = fetch(fetched as i64)?;
        let are_all = rows.len() < fetched;
        if !are_all && let Some(oldest) = rows.last().map(&at) {
            rows.retain(|row| at(row) > oldest);
        }
        rows.sort_by(|a, b| at(b).cmp(&at(a)).then_with(|| tie(a, b)));
        select(&mut rows);
        if are_all || rows.len() >= limit {
            rows.truncate(limit);
            return Ok(rows);
        }
        fetched *= 8;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        /// For any number of equal times and any filter.
        #[test]
        fn the_newest_rows_are_found(times in proptest::collection::vec(0i64..6, 0..400), limit in 1usize..30, leave in 1usize..9) {
            let mut rows: Vec<(i64, usize)> = times.into_iter().zip(0..).collect();
            rows.sort_by_key(|&(at, _)| std::cmp::Reverse(at));
            let select = |rows: &mut Vec<(i64, usize)>| rows.retain(|(_, n)| n % leave == 0);
            let mut all = rows.clone();
            all.sort_by_key(|&(at, n)| (std::cmp::Reverse(at), n));
            select(&mut all);
            all.truncate(limit);
            let fetch = |limit: i64| Ok(rows.iter().take(limit as usize).copied().collect());
            let found = newest(limit, fetch, |row| row.0, |a, b| a.1.cmp(&b.1), select);
            prop_assert_eq!(found.expect("nothing fails here"), all);
            let mut all = rows.clone();
            all.sort_by_key(|&(at, n)| (std::cmp::Reverse(at), n));
            all.truncate(limit);
            let found = newest_of_all(limit, fetch, |row| row.0, |a, b| a.1.cmp(&b.1));
            prop_assert_eq!(found.expect("nothing fails here"), all);
        }
    }
}
