//! The newest of a list that the store has in the order of time.

use std::cmp::Ordering;

use rollcall_store::Result;

/// Asked for beyond what is wanted where some are left out, so that most lists need no second question.
const SPARE: usize = 4;
/// Where none are, the next row alone tells whether it is of an older moment.
const NEXT: usize = 1;

/// The first `limit` of the rows that `select` leaves, the newest first, those of one moment in the order of `tie`.
///
/// `ask` gives the newest so many rows by their time alone: that is how an index has them, while to order those of one
/// moment as well the store would have to sort. So rows of the oldest moment are believed to be all there are only when
/// an older one, or none, comes after them.
pub fn newest<T>(
    limit: usize,
    ask: impl FnMut(i64) -> Result<Vec<T>>,
    at: impl Fn(&T) -> i64,
    tie: impl Fn(&T, &T) -> Ordering,
    select: impl Fn(&mut Vec<T>),
) -> Result<Vec<T>> {
    first(limit, SPARE, ask, at, tie, select)
}

/// The same of all rows.
pub fn newest_of_all<T>(
    limit: usize,
    ask: impl FnMut(i64) -> Result<Vec<T>>,
    at: impl Fn(&T) -> i64,
    tie: impl Fn(&T, &T) -> Ordering,
) -> Result<Vec<T>> {
    first(limit, NEXT, ask, at, tie, |_| ())
}

fn first<T>(
    limit: usize,
    spare: usize,
    mut ask: impl FnMut(i64) -> Result<Vec<T>>,
    at: impl Fn(&T) -> i64,
    tie: impl Fn(&T, &T) -> Ordering,
    select: impl Fn(&mut Vec<T>),
) -> Result<Vec<T>> {
    let mut asked = limit + spare;
    loop {
        let mut rows = ask(asked as i64)?;
        let are_all = rows.len() < asked;
        if !are_all && let Some(oldest) = rows.last().map(&at) {
            rows.retain(|row| at(row) > oldest);
        }
        rows.sort_by(|a, b| at(b).cmp(&at(a)).then_with(|| tie(a, b)));
        select(&mut rows);
        if are_all || rows.len() >= limit {
            rows.truncate(limit);
            return Ok(rows);
        }
        asked *= 8;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        /// However many share a moment, and whatever is left out.
        #[test]
        fn they_are_the_first_of_all(times in proptest::collection::vec(0i64..6, 0..400), limit in 1usize..30, leave in 1usize..9) {
            let mut rows: Vec<(i64, usize)> = times.into_iter().zip(0..).collect();
            rows.sort_by_key(|&(at, _)| std::cmp::Reverse(at));
            let select = |rows: &mut Vec<(i64, usize)>| rows.retain(|(_, n)| n % leave == 0);
            let mut all = rows.clone();
            all.sort_by_key(|&(at, n)| (std::cmp::Reverse(at), n));
            select(&mut all);
            all.truncate(limit);
            let ask = |limit: i64| Ok(rows.iter().take(limit as usize).copied().collect());
            let found = newest(limit, ask, |row| row.0, |a, b| a.1.cmp(&b.1), select);
            prop_assert_eq!(found.expect("nothing fails here"), all);
            let mut all = rows.clone();
            all.sort_by_key(|&(at, n)| (std::cmp::Reverse(at), n));
            all.truncate(limit);
            let found = newest_of_all(limit, ask, |row| row.0, |a, b| a.1.cmp(&b.1));
            prop_assert_eq!(found.expect("nothing fails here"), all);
        }
    }
}
