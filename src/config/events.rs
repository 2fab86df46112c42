//! `[events]`

use serde::Deserialize;

#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Events {
    /// Whether events tell who joined and left.
    pub players: bool,
    pub streams_per_key: u32,
    pub max_streams: u32,
}

/// More than a machine has connections for.
const MAX_STREAMS: u32 = 1_000_000;

impl Events {
    pub fn check(&self) -> Result<(), String> {
        for (name, value) in [("streams_per_key", self.streams_per_key), ("max_streams", self.max_streams)] {
            if value > MAX_STREAMS {
                return Err(format!("events.{name} must be from 0 to {MAX_STREAMS}, not {value}"));
            }
        }
        Ok(())
    }
}
