//! `rollcall key restrict`: the networks, origins and endpoints that a key is accepted for.

use clap::Args;

use super::super::output::OutputArgs;
use super::super::{Failure, StoreArgs};
use super::KeyStore;
use rollcall_model::key_restriction::KeyRestrictions;
use rollcall_store::keys;

#[derive(Args)]
#[group(id = "restriction", multiple = true, required = true, args = ["ip", "origin", "endpoint"])]
pub struct RestrictArgs {
    /// Key id from `rollcall key list`
    id: String,
    /// IP address or range (192.0.2.0/24), repeatable; "any" removes the restriction
    #[arg(long, value_name = "RANGE")]
    ip: Vec<String>,
    /// Origin of web pages (https://example.com), repeatable; "any" removes the restriction
    #[arg(long, value_name = "ORIGIN")]
    origin: Vec<String>,
    /// Endpoint as in the API reference (/servers/{slug}), repeatable; "any" removes the restriction
    #[arg(long, value_name = "PATH")]
    endpoint: Vec<String>,
    #[command(flatten)]
    output: OutputArgs,
    #[command(flatten)]
    store: StoreArgs,
}

const ANY: &str = "any";

/// The given list, which replaces the current one.
fn pick(given: &[String], current: Vec<String>) -> Vec<String> {
    match given {
        [] => current,
        [only] if only == ANY => Vec::new(),
        given => given.to_vec(),
    }
}

pub fn run(args: &RestrictArgs) -> Result<(), Failure> {
    let mut store = KeyStore::open(&args.store)?;
    let key = store.find(&args.id)?;
    let current = key.restrictions.map(|restrictions| *restrictions).unwrap_or_default();
    let networks = pick(&args.ip, current.networks.iter().map(ToString::to_string).collect());
    let origins = pick(&args.origin, current.origins);
    let endpoints = pick(&args.endpoint, current.endpoints);
    let known = crate::v1::ENDPOINTS.map(|endpoint| endpoint.path);
    fn texts(list: &[String]) -> Vec<&str> {
        list.iter().map(String::as_str).collect()
    }
    let restrictions = KeyRestrictions::parse(texts(&networks), texts(&origins), texts(&endpoints), &known)
        .map_err(|error| Failure::Usage(error.to_string()))?;
    let author = store.author();
    keys::set_restrictions(&mut store.conn, key.n, restrictions.as_ref(), &author)?;
    store.show(&args.id, args.output.json)
}
