mod batch;
mod detail;
mod list;
mod lists;
mod lookup;
mod unlisted;
