//! `GET /servers/batch`

use crate::error::ApiError;
use crate::v1::endpoint::{Call, Endpoint, Plan, Units, batch, data};
use crate::v1::item_fields::ItemFields;
use crate::v1::list_params::Names;
use rollcall_model::resources::{ServerBatch, ServerSummary};
use utoipa::PartialSchema;

const SLUGS: Names = Names { name: "slugs", about: "Slugs of up to 100 servers, separated by commas.", max: 100 };
const FIELDS: ItemFields = ItemFields(&[("/servers", <ServerSummary as PartialSchema>::schema)]);

pub const ENDPOINT: Endpoint = Endpoint {
    path: "/servers/batch",
    name: "batchServers",
    tag: "Servers",
    summary: "Get up to 100 servers",
    description: "Servers as in the list, in the order of the request. Every 10 slugs or part of them count as one request of the quota.",
    path_param: None,
    params: &[&SLUGS, &FIELDS],
    max_age: 30,
    per_account: false,
    units: Units::PerTen(&SLUGS),
    data: data::<ServerBatch>,
    plan,
};

fn plan(call: &Call) -> Result<Plan, ApiError> {
    Plan::new(SLUGS.read(&call.query)?, |app, slugs| async move {
        let servers = app.catalogue.servers();
        let found = slugs.iter().filter_map(|slug| servers.by_slug(slug));
        let missing: Vec<&String> = slugs.iter().filter(|slug| servers.by_slug(slug).is_none()).collect();
        batch("servers", found.map(|entry| &entry.summary[..]), &missing)
    })
}
