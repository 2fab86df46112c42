mod detail;
mod list;
mod lookup;
mod unlisted;
