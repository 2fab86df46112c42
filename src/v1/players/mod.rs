pub mod batch;
pub mod detail;
pub mod list;
pub mod profile;
