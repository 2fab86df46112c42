mod fixture;
mod pictures;
mod refusals;
mod round_trip;
