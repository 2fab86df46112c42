pub mod batch;
pub mod countries;
pub mod detail;
pub mod explain;
pub mod history;
pub mod list;
pub mod numbered_list;
pub mod outages;
pub mod reviews;
pub mod top;
pub mod updates;
pub mod versions;
pub mod voters;

use super::endpoint::PathParam;
use crate::app::App;
use crate::catalogue::ServerEntry;
use crate::error::ApiError;

const SLUG: PathParam = PathParam { name: "slug", about: "Slug of the server, from the list." };

/// Reads a public server from the catalogue; a 404 if there is none.
fn with_server<T>(app: &App, slug: &str, read: impl FnOnce(&ServerEntry) -> T) -> Result<T, ApiError> {
    let servers = app.catalogue.servers();
    let entry = servers.by_slug(slug).ok_or_else(not_found)?;
    Ok(read(entry))
}

/// The error for a server that does not exist or is not public.
pub fn not_found() -> ApiError {
    ApiError::NotFound("Server not found".into())
}

/// The skin model of a name that is not a known player.
const DEFAULT_MODEL: &str = "classic";

/// Sorts values by their number of servers, most first, then by name.
fn most_first<'a>(counts: impl Iterator<Item = (&'a str, u64)>) -> Vec<(String, u64)> {
    let mut counts: Vec<(String, u64)> = counts.map(|(word, count)| (word.to_owned(), count)).collect();
    counts.sort_by(|a, b| b.1.cmp(&a.1).then_with(|| a.0.cmp(&b.0)));
    counts
}
