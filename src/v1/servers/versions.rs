//! `GET /servers/versions`

use crate::error::ApiError;
use crate::v1::endpoint::{Call, Endpoint, Plan, Units, data, envelope};
use rollcall_model::resources::{VersionCount, VersionCounts};

pub const ENDPOINT: Endpoint = Endpoint {
    path: "/servers/versions",
    name: "serverVersions",
    tag: "Servers",
    summary: "Count servers by game version",
    description: "Game versions with their number of servers, most first, then by name.",
    path_param: None,
    params: &[],
    max_age: 300,
    per_account: false,
    units: Units::One,
    data: data::<VersionCounts>,
    plan,
};

fn plan(_: &Call) -> Result<Plan, ApiError> {
    Plan::new((), |app, ()| async move {
        let counts = super::most_first(app.catalogue.servers().versions());
        let versions = counts.into_iter().map(|(version, server_count)| VersionCount { version, server_count });
        envelope(&VersionCounts { versions: versions.collect() })
    })
}
