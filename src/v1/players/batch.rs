//! `GET /players/batch`

use std::collections::HashMap;

use super::list::summary;
use crate::app::App;
use crate::error::ApiError;
use crate::v1::endpoint::{Call, Endpoint, Plan, Units, data, envelope};
use crate::v1::item_fields::ItemFields;
use crate::v1::list_params::Names;
use rollcall_model::id::parse_uuid;
use rollcall_model::resources::{PlayerBatch, PlayerSummary};
use rollcall_store::Conn;
use rollcall_store::players::{self, PlayerRow};
use utoipa::PartialSchema;

const IDS: Names =
    Names { name: "ids", about: "Ids or game UUIDs of up to 100 players, separated by commas.", max: 100 };
const FIELDS: ItemFields = ItemFields(&[("/players", <PlayerSummary as PartialSchema>::schema)]);

pub const ENDPOINT: Endpoint = Endpoint {
    path: "/players/batch",
    name: "batchPlayers",
    tag: "Players",
    summary: "Get up to 100 players",
    description: "Players as in the directory, in the order of the request. Every 10 ids or part of them count as one request of the \
                  quota.",
    path_param: None,
    params: &[&IDS, &FIELDS],
    max_age: 30,
    per_account: false,
    units: Units::PerTen(&IDS),
    data: data::<PlayerBatch>,
    plan,
};

fn plan(call: &Call) -> Result<Plan, ApiError> {
    Plan::reading(IDS.read(&call.query)?, |app, conn, ids| envelope(&load(app, conn, ids)?))
}

fn load(app: &App, conn: &mut Conn, ids: Vec<String>) -> Result<PlayerBatch, ApiError> {
    // No id contains NUL, and PostgreSQL rejects it in a parameter.
    let (ids, unusable): (Vec<String>, Vec<String>) = ids.into_iter().partition(|id| !id.contains('\0'));
    let uuids: Vec<String> = ids.iter().filter_map(|id| parse_uuid(id)).collect();
    let rows = conn.batch_reads(|conn| players::by_ids_or_uuids(conn, &ids, &uuids))?;
    let by_id: HashMap<&str, &PlayerRow> = rows.iter().map(|row| (row.id.as_str(), row)).collect();
    let by_uuid: HashMap<&str, &PlayerRow> = rows.iter().map(|row| (row.game_uuid.as_str(), row)).collect();
    let find = |id: &str| by_id.get(id).or_else(|| by_uuid.get(parse_uuid(id)?.as_str())).copied();
    let found = ids.iter().filter_map(|id| find(id)).map(|row| summary(row.clone(), &app.catalogue.pictures)).collect();
    let missing = ids.iter().filter(|id| find(id).is_none()).cloned().chain(unusable).collect();
    Ok(PlayerBatch { players: found, missing })
}
