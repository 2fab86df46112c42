//! `GET /servers/countries`

use crate::error::ApiError;
use crate::v1::endpoint::{Call, Endpoint, Plan, Units, data, envelope};
use rollcall_model::resources::{CountryCount, CountryCounts};

pub const ENDPOINT: Endpoint = Endpoint {
    path: "/servers/countries",
    name: "serverCountries",
    tag: "Servers",
    summary: "Count servers by country",
    description: "Countries with their number of servers, most first, then by name.",
    path_param: None,
    params: &[],
    max_age: 300,
    per_account: false,
    units: Units::One,
    data: data::<CountryCounts>,
    plan,
};

fn plan(_: &Call) -> Result<Plan, ApiError> {
    Plan::new((), |app, ()| async move {
        let counts =
            super::most_first(app.catalogue.servers().countries().map(|(country, servers, _)| (country, servers)));
        let countries = counts.into_iter().map(|(country, server_count)| CountryCount { country, server_count });
        envelope(&CountryCounts { countries: countries.collect() })
    })
}
