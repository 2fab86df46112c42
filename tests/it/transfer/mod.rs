//! `rollcall import` and `rollcall export`, called as a library.

mod fixture;
mod pictures;
mod refusals;
mod round_trip;
