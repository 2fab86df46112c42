//! Schemas of texts that take one of a few values. Clients generate enumerations from them.

use utoipa::openapi::Object;
use utoipa::openapi::schema::{ObjectBuilder, Type};

use crate::event::EventKind;
use crate::period::Period;
use crate::tier;

pub(super) fn skin_model() -> Object {
    one_of(["classic", "slim"], "Width of the arms.")
}

pub(super) fn tier_label() -> Object {
    one_of(tier::LABELS, "From the best tier down.")
}

pub(super) fn visibility() -> Object {
    one_of(["PUBLIC"], "Always `PUBLIC`: other servers are not shown.")
}

pub(super) fn post_status() -> Object {
    one_of(["APPROVED"], "Always `APPROVED`: other posts are not shown.")
}

pub(super) fn voter_type() -> Object {
    one_of(["auth", "anonymous"], "`auth` for a vote with an account, `anonymous` without.")
}

pub(super) fn activity_type() -> Object {
    one_of(["vote", "review", "update"], "What happened.")
}

pub(super) fn event_type() -> Object {
    one_of(EventKind::ALL.map(EventKind::name), "What happened.")
}

pub(super) fn leaderboard_metric() -> Object {
    one_of(["best", "sessions", "servers"], "The metric applied.")
}

pub(super) fn period() -> Object {
    one_of(Period::ALL.map(Period::name), "The period applied.")
}

pub(super) fn top_sort() -> Object {
    one_of(["votes", "hot", "players", "rating", "trending"], "The sort order applied.")
}

fn one_of<const N: usize>(values: [&str; N], description: &str) -> Object {
    ObjectBuilder::new().schema_type(Type::String).enum_values(Some(values)).description(Some(description)).build()
}
