mod detail;
mod found_by;
mod list;
mod unlisted;
