pub mod countries;
pub mod detail;
pub mod list;
pub mod reviews;
pub mod top;
pub mod updates;
pub mod versions;
pub mod voters;

use super::endpoint::PathParam;
use crate::app::App;
use crate::catalogue::Entry;
use crate::error::ApiError;

const SLUG: PathParam = PathParam { name: "slug", about: "The server's slug, as the list gives it." };

/// Reads from a public server, or says that there is none of that slug.
fn with_server<T>(app: &App, slug: &str, read: impl FnOnce(&Entry) -> T) -> Result<T, ApiError> {
    let servers = app.catalogue.servers();
    let entry = servers.by_slug(slug).ok_or_else(no_server)?;
    Ok(read(entry))
}

fn no_server() -> ApiError {
    ApiError::NotFound("There is no server of that slug".into())
}

/// Everybody wears a skin: of a name nobody knows as a player, this one.
const DEFAULT_MODEL: &str = "classic";

/// Words with the number of their servers: most servers first, then by name.
fn most_first<'a>(counts: impl Iterator<Item = (&'a str, u64)>) -> Vec<(String, u64)> {
    let mut counts: Vec<(String, u64)> = counts.map(|(word, count)| (word.to_owned(), count)).collect();
    counts.sort_by(|a, b| b.1.cmp(&a.1).then_with(|| a.0.cmp(&b.0)));
    counts
}
