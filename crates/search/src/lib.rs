//! Substring search over many short texts, such as player and server names.
//!
//! # Texts and rows
//!
//! A text belongs to a *row*: the position (`u32`) of its record in the caller's memory. A text has one or more fields,
//! separated by [`FIELD_END`]. The first field is the name. Texts and needles must be folded with [`fold_search`] first.
//!
//! # Suffix index
//!
//! A needle occurs in a field exactly when one suffix of that field starts with the needle. The index therefore stores
//! every suffix of every field as a pair of its key (the first eight bytes) and its row. The pairs are sorted and cut into
//! buckets of at most 256 rows. A bucket stores only its rows, as a delta-encoded posting list.
//!
//! A needle is a range of keys, so its matches are a range of buckets. Buckets inside the range match as they are. Only
//! the buckets at the two ends, and needles longer than a key, are compared with the texts.
//!
//! Four such indexes exist: all suffixes of the name, all suffixes of the other fields, the start of the name, and the
//! starts of the words in the name. The last two find the best matches without ranking all matches.
//!
//! # Complexity
//!
//! For `n` suffixes and `m` matches:
//!
//! - Search: `O(log n + m)`, plus at most a few hundred text comparisons. Very frequent substrings (one text in 16) have
//!   a stored [`BitSet`] and cost one copy of it.
//! - Replacing a text: `O(log n)` for each of its suffixes.
//! - Building: a radix sort by key, `O(n)` for each key byte. It is much faster than inserting the texts one by one.
//! - Without an index, a search scans all texts: `O(total bytes)`.
//!
//! # Memory
//!
//! A text takes its bytes and an eight-byte span. Each suffix takes one or two bytes in a posting list. Each bucket adds
//! a map entry of about 50 bytes.

mod arena;
mod bit_set;
mod bulk_build;
mod field;
mod field_index;
mod fold;
mod hits;
mod match_rank;
mod posting_list;
mod prefilter;
mod ranking;
mod text_index;
mod top_k;
pub mod varint;

pub use bit_set::BitSet;
pub use field::FIELD_END;
pub use fold::{fold, fold_search};
pub use ranking::TieBreaker;
pub use text_index::{SuffixIndex, TextIndex};
