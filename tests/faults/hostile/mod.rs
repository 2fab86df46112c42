//! Game servers that mean harm: what they do, one by one and all at once.

mod alone;
mod crowd;
mod cuts;
mod host;
mod kinds;
mod pictures;
mod wire;
