pub mod detail;
pub mod list;
