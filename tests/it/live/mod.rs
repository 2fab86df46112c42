mod history;
mod now;
