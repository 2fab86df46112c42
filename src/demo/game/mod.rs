//! Game servers that are not there: they speak what real ones speak, on real sockets, and say what they are told to. The
//! demo is tracked through them, and tests and benches ask them.

mod bedrock;
mod crowd;
mod host;
mod java;
mod legacy;
mod query;
mod says;
mod tcp;
mod udp;
mod world;

#[cfg(test)]
pub(crate) mod testing;
#[cfg(test)]
mod tests;

pub use host::Host;
pub use says::{Says, Source};
pub use world::{Icons, World, open_world, read_icons};
