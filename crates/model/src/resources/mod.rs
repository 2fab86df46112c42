//! The resources of the API, with exactly these keys in this order. Doc comments of public fields become OpenAPI descriptions.

mod batch;
mod enum_schemas;
mod event;
mod explanation;
mod history;
mod leaderboard;
mod live;
mod outage;
mod player;
mod search;
mod server;
mod server_detail;
mod texture;

pub use batch::*;
pub use event::*;
pub use explanation::*;
pub use history::*;
pub use leaderboard::*;
pub use live::*;
pub use outage::*;
pub use player::*;
pub use search::*;
pub use server::*;
pub use server_detail::*;
pub use texture::*;

use serde::{Serialize, Serializer};
use utoipa::openapi::schema::{KnownFormat, ObjectBuilder, Schema, SchemaFormat, Type};
use utoipa::openapi::{Object, RefOr};
use utoipa::{PartialSchema, ToSchema};

use super::time;

/// A time, written `2026-01-31T09:30:00.000Z`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Timestamp(pub i64);

/// A UTC time, written `2026-01-31 09:30:00.000`; used by votes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SpacedTimestamp(pub i64);

/// A UTC day, written `2026-01-31`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Day(pub i64);

/// The absolute URL of an existing picture.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct PictureUrl(pub String);

/// Converts stored picture paths to URLs.
#[derive(Clone, Debug)]
pub struct Pictures {
    pub base: String,
}

impl Pictures {
    pub fn url(&self, path: &str) -> PictureUrl {
        PictureUrl([&self.base, "/media/", path].concat())
    }
}

macro_rules! text_form {
    ($name:ident, $write:path, $format:expr, $example:literal, $about:literal) => {
        impl Serialize for $name {
            fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                serializer.serialize_str(&$write(self.0))
            }
        }
        string_schema!($name, $format, $example, $about);
    };
}

macro_rules! string_schema {
    ($name:ident, $format:expr, $example:literal, $about:literal) => {
        impl PartialSchema for $name {
            fn schema() -> RefOr<Schema> {
                string($format, $example, $about).into()
            }
        }
        impl ToSchema for $name {}
    };
}

text_form!(
    Timestamp,
    time::iso,
    SchemaFormat::KnownFormat(KnownFormat::DateTime),
    "2026-01-31T09:30:00.000Z",
    "A UTC time with milliseconds (ISO 8601)."
);
text_form!(
    SpacedTimestamp,
    time::spaced,
    SchemaFormat::Custom("YYYY-MM-DD HH:MM:SS.mmm".into()),
    "2026-01-31 09:30:00.000",
    "A UTC time with milliseconds and a space instead of the `T`."
);
text_form!(Day, time::day, SchemaFormat::KnownFormat(KnownFormat::Date), "2026-01-31", "A UTC day.");
string_schema!(
    PictureUrl,
    SchemaFormat::Custom("uri".into()),
    "https://stats.example.org/media/icon/0123456789abcdef0123456789abcdef.png",
    "The absolute URL of a picture. Its content never changes, so it can be cached for ever."
);

fn string(format: SchemaFormat, example: &str, about: &str) -> Object {
    let schema = ObjectBuilder::new().schema_type(Type::String).format(Some(format)).examples([example]);
    schema.description(Some(about)).build()
}

/// The position of a page in its list.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct Pagination {
    /// Number of this page, from 1.
    #[schema(minimum = 1)]
    pub page: u32,
    /// Most items per page.
    #[schema(minimum = 1, maximum = 100)]
    pub limit: u32,
    /// Number of items on all pages.
    #[schema(minimum = 0)]
    pub total: u64,
    /// Number of pages; 0 if the list is empty.
    #[schema(minimum = 0)]
    pub total_pages: u64,
}

impl Pagination {
    pub fn new(page: u32, limit: u32, total: u64) -> Self {
        Self { page, limit, total, total_pages: total.div_ceil(u64::from(limit)) }
    }
}

/// The account that owns a server, skin or cape.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct Owner {
    /// Id of the account.
    pub id: String,
    /// Name of the account.
    pub username: String,
    /// Avatar of the account, a PNG.
    pub avatar: PictureUrl,
}

/// A server referenced by another resource.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct ServerMention<'a> {
    /// Id of the server.
    pub id: &'a str,
    /// Slug of the server, for `/servers/{slug}`.
    pub slug: &'a str,
    /// Name of the server.
    pub name: &'a str,
    /// Square icon (PNG), normally 64×64 pixels; drawn if the server sends none.
    pub icon_url: PictureUrl,
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Generated clients use these names.
    #[test]
    fn schema_names_are_part_of_the_contract() {
        assert_eq!((PlayerSession::name().as_ref(), SearchResults::name().as_ref()), ("Session", "Found"));
    }
}
