//! The call in the address of the playground: `?endpoint=listServers&sort=votes` as its form writes it, or
//! `?call=/v1/servers%3Fsort%3Dvotes` as other pages link it.

use crate::http::query::Query;
use crate::v1::{self, ENDPOINTS, Endpoint};
use crate::web::code_sample::ApiCall;
use crate::web::examples::Examples;

pub struct PageCall {
    pub endpoint: &'static Endpoint,
    /// The value of the path parameter; empty if the address has none.
    segment: String,
    /// The values of the query parameters.
    values: Query,
}

impl PageCall {
    /// The call in the query of the page; the first endpoint if it names none or an unknown one.
    pub fn read(query: &str) -> Self {
        let given = Query::parse(query).unwrap_or_default();
        if let Some(call) = given.get("call").and_then(Self::from_address) {
            return call;
        }
        let named = |endpoint: &&&Endpoint| given.get("endpoint") == Some(endpoint.name);
        let endpoint = ENDPOINTS.iter().find(named).copied().unwrap_or(ENDPOINTS[0]);
        let segment =
            endpoint.path_param.as_ref().and_then(|param| given.get(param.name)).unwrap_or_default().to_owned();
        Self { endpoint, segment, values: given }
    }

    /// From path and query of the API.
    fn from_address(address: &str) -> Option<Self> {
        let (path, query) = address.split_once('?').unwrap_or((address, ""));
        let (endpoint, segment) = v1::route(path.strip_prefix("/v1")?).ok()??;
        let values = Query::parse(query).unwrap_or_default();
        Some(Self { endpoint, segment, values })
    }

    pub fn value(&self, name: &str) -> &str {
        self.values.get(name).unwrap_or_default()
    }

    /// The call with a value for each required parameter.
    pub fn complete<'a>(&self, base_url: &'a str, examples: &Examples) -> ApiCall<'a> {
        let value = |param: &&dyn v1::params::Param| match self.value(param.name()) {
            "" if param.required() => examples.of_param(self.endpoint, *param),
            value => value.to_owned(),
        };
        let query = self.endpoint.params.iter().map(|param| (param.name(), value(param)));
        ApiCall {
            endpoint: self.endpoint,
            base_url,
            segment: if self.segment.is_empty() { examples.segment(self.endpoint) } else { self.segment.clone() },
            query: query.filter(|(_, value)| !value.is_empty()).collect(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(query: &str) -> (&'static str, String, String) {
        let call = PageCall::read(query);
        let sort = call.value("sort").to_owned();
        (call.endpoint.name, call.segment, sort)
    }

    #[test]
    fn a_call_comes_from_either_form_of_the_address() {
        let expected = ("listServers", String::new(), "votes".to_owned());
        assert_eq!(read("endpoint=listServers&sort=votes"), expected);
        assert_eq!(read("call=/v1/servers%3Fsort%3Dvotes"), expected);
        assert_eq!(read("call=%2Fv1%2Fservers%2Fa%2520b%2Fvoters"), ("serverVoters", "a b".into(), String::new()));
        for other in
            ["", "endpoint=nothing", "call=/v2/servers", "call=https://example.org/v1/live", "call=%FF", "call"]
        {
            assert_eq!(read(other).0, "listServers", "{other}");
        }
    }
}
