pub mod countries;
pub mod detail;
pub mod list;
pub mod reviews;
pub mod top;
pub mod updates;
pub mod versions;
pub mod voters;

use std::collections::HashMap;

use super::endpoint::PathParam;
use super::error::ApiError;
use crate::app::App;
use crate::catalogue::Entry;

const SLUG: PathParam = PathParam { name: "slug", about: "The server's slug, as the list gives it." };

/// Reads from a public server, or says that there is none of that slug.
fn with_server<T>(app: &App, slug: &str, read: impl FnOnce(&Entry) -> T) -> Result<T, ApiError> {
    let servers = app.catalogue.servers();
    let entry = servers.by_slug(slug).ok_or_else(|| ApiError::NotFound("There is no server of that slug".into()))?;
    Ok(read(entry))
}

/// Everybody wears a skin: of a name nobody knows as a player, this one.
const DEFAULT_MODEL: &str = "classic";

/// How many public servers have each value of a column: most servers first, then by name.
fn count_by(app: &App, column: impl Fn(&Entry) -> &str) -> Vec<(String, u64)> {
    let servers = app.catalogue.servers();
    let mut counts: HashMap<&str, u64> = HashMap::new();
    for entry in servers.iter() {
        *counts.entry(column(entry)).or_default() += 1;
    }
    let mut counts: Vec<(String, u64)> = counts.into_iter().map(|(value, count)| (value.to_owned(), count)).collect();
    counts.sort_by(|a, b| b.1.cmp(&a.1).then_with(|| a.0.cmp(&b.0)));
    counts
}
