pub mod expected;
pub mod fixture;

mod countries;
mod detail;
mod filters;
mod history;
mod list;
mod params;
mod reviews;
mod top;
mod updates;
mod versions;
mod visibility;
mod voters;
mod windows;
