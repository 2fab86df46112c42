pub mod detail;
pub mod list;
mod profile;
