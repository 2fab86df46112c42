//! Game servers that are not there: they speak what real ones speak, on real sockets, and say what they are told to. The
//! demo is tracked through them, and tests and benches ask them.

mod bedrock;
mod host;
mod java;
mod legacy;
mod population;
mod query;
mod status;
mod tcp;
mod udp;
mod world;

#[cfg(test)]
mod mutation_tests;
#[cfg(test)]
pub(crate) mod testing;
#[cfg(test)]
mod tests;

pub use host::Host;
pub use status::{Says, Source};
pub use world::{Icons, World, open_world, read_icons};
