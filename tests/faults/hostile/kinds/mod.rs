//! The table: what each kind of hostile server does, and what is to come of asking it.

mod bedrock;
mod counts;
mod icons;
mod legacy;
mod query;
mod streams;
mod texts;

use serde_json::Value;

use super::host::{Tcp, Udp};
use super::wire;

#[derive(Clone)]
pub struct Kind {
    pub name: &'static str,
    pub manner: Manner,
    /// Who answers queries beside it.
    pub query: Option<Udp>,
    pub end: End,
}

#[derive(Clone)]
pub enum Manner {
    Java(Tcp),
    Bedrock(Udp),
}

/// What is said of an ask in the end.
#[derive(Clone, Copy)]
pub enum End {
    Late,
    Closed,
    Refused,
    Strange,
    /// An answer, bounded like any other, of which this holds.
    Told(fn(&Value)),
}

impl End {
    /// What the command says of it.
    pub fn words(self) -> Option<&'static str> {
        match self {
            Self::Late => Some("no answer came in time"),
            Self::Closed => Some("the connection was closed before an answer came"),
            Self::Refused => Some("refused the connection"),
            Self::Strange => Some("it spoke something else"),
            Self::Told(_) => None,
        }
    }
}

pub fn all() -> Vec<Kind> {
    [
        streams::kinds(),
        counts::kinds(),
        texts::kinds(),
        icons::kinds(),
        legacy::kinds(),
        bedrock::kinds(),
        query::kinds(),
    ]
    .into_iter()
    .flatten()
    .collect()
}

fn java(name: &'static str, tcp: Tcp, end: End) -> Kind {
    Kind { name, manner: Manner::Java(tcp), query: None, end }
}

/// Whatever it answers, nothing more is asked of it.
fn borne(_: &Value) {}

/// One that says this, in a sound frame.
fn says(name: &'static str, change: Value, held: fn(&Value)) -> Kind {
    java(name, Tcp::Says(wire::told(change)), End::Told(held))
}
