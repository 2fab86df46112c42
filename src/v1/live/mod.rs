pub mod history;
pub mod now;
