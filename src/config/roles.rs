//! Roles of a process. On one machine it has all of them; several machines share the work.

use std::fmt;

use serde::de::Error as _;
use serde::{Deserialize, Deserializer};

const ALL: &str = "all";

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Roles {
    /// Answers requests to the API and takes reports of game servers.
    pub api: bool,
    /// Serves the pages.
    pub web: bool,
    /// Pings game servers and computes what follows from that.
    pub tracker: bool,
}

impl Roles {
    /// Whether clients use this process, and not only its health checks.
    pub fn serve_clients(self) -> bool {
        self.api || self.web
    }

    fn slot(&mut self, name: &str) -> Option<&mut bool> {
        match name {
            "api" => Some(&mut self.api),
            "web" => Some(&mut self.web),
            "tracker" => Some(&mut self.tracker),
            _ => None,
        }
    }
}

impl<'de> Deserialize<'de> for Roles {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        let names = Vec::<String>::deserialize(from)?;
        let mut roles = Self::default();
        for name in &names {
            match roles.slot(name) {
                Some(role) => *role = true,
                None if name == ALL => roles = Self { api: true, web: true, tracker: true },
                None => return Err(D::Error::custom(format!("must be of all, api, web and tracker, not \"{name}\""))),
            }
        }
        match names.is_empty() {
            true => Err(D::Error::custom("must name at least one of all, api, web and tracker")),
            false => Ok(roles),
        }
    }
}

impl fmt::Display for Roles {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names = [(self.api, "api"), (self.web, "web"), (self.tracker, "tracker")];
        let names: Vec<_> = names.into_iter().filter_map(|(is_set, name)| is_set.then_some(name)).collect();
        f.write_str(&names.join(", "))
    }
}
