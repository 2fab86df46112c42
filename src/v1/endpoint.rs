//! An endpoint: its documentation, parameters and handler in one place.

use std::cell::RefCell;
use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;

use serde::Serialize;
use utoipa::openapi::{RefOr, schema::Schema};
use utoipa::{PartialSchema, ToSchema};

use super::list_params::Names;
use super::params::Param;
use crate::app::App;
use crate::auth::KeyReport;
use crate::error::ApiError;
use crate::http::query::Query;
use crate::http::response::UncompressedBody;
use crate::http::response_cache::CacheTag;
use rollcall_model::resources::Pagination;
use rollcall_store::Conn;

pub struct Endpoint {
    /// Below `/v1`; a segment in braces is the path parameter.
    pub path: &'static str,
    /// `operationId` in `/openapi.json`.
    pub name: &'static str,
    pub tag: &'static str,
    pub summary: &'static str,
    pub description: &'static str,
    pub path_param: Option<PathParam>,
    pub params: &'static [&'static dyn Param],
    /// Seconds a client may cache the response.
    pub max_age: u32,
    /// Whether the response depends on the account of the key.
    pub per_account: bool,
    pub units: Units,
    pub data: fn() -> DataSchema,
    pub plan: fn(&Call) -> Result<Plan, ApiError>,
}

/// Requests of the quota that a call uses.
pub enum Units {
    One,
    /// One for every ten names, or part of ten.
    PerTen(&'static Names),
    /// One when the response begins, and one for each further minute that it lasts.
    PerMinute,
    /// The call is free, has a limit of its own, and is never cached.
    None,
}

const NAMES_PER_UNIT: usize = 10;

impl Endpoint {
    pub fn cache_tag(&self) -> CacheTag {
        let is_one_unit = matches!(self.units, Units::One);
        CacheTag { endpoint: self.path, max_age: self.max_age, per_account: self.per_account, is_one_unit }
    }

    /// The lists in `data`, as JSON pointers, of whose items a call can select keys.
    pub fn item_lists(&self) -> Vec<&'static str> {
        self.params.iter().flat_map(|param| param.item_lists()).collect()
    }

    /// The keys of the items that the call selects; `None` for all of them.
    pub fn item_fields(&self, query: &Query) -> Result<Option<Vec<String>>, ApiError> {
        for param in self.params {
            if let Some(fields) = param.item_fields(query)? {
                return Ok(Some(fields));
            }
        }
        Ok(None)
    }

    /// Whether the playground runs it with the visitor's own API key only: it is about the key, or never ends.
    pub fn needs_own_key(&self) -> bool {
        matches!(self.units, Units::None) || self.is_stream()
    }

    /// Whether the response is a stream of events, which never ends.
    pub fn is_stream(&self) -> bool {
        matches!(self.units, Units::PerMinute)
    }

    /// The units of a call with this query string. An invalid one uses one.
    pub fn units(&self, query: &str) -> u32 {
        match self.units {
            Units::One | Units::PerMinute => 1,
            Units::PerTen(names) => {
                let names = Query::parse(query).and_then(|query| names.read(&query));
                names.map_or(1, |names| names.len().div_ceil(NAMES_PER_UNIT) as u32)
            }
            Units::None => 0,
        }
    }
}

pub struct PathParam {
    pub name: &'static str,
    pub about: &'static str,
}

/// The schema of `data`, and the schemas it refers to.
pub struct DataSchema {
    pub name: String,
    /// Another form of `data`, which parameters select.
    pub alternative: Option<String>,
    pub schemas: Vec<(String, RefOr<Schema>)>,
}

pub fn data<T: ToSchema + PartialSchema>() -> DataSchema {
    let name = T::name().into_owned();
    let mut schemas = vec![(name.clone(), T::schema())];
    T::schemas(&mut schemas);
    DataSchema { name, alternative: None, schemas }
}

/// `T`, or `O` if the parameters select it.
pub fn data_or<T: ToSchema + PartialSchema, O: ToSchema + PartialSchema>() -> DataSchema {
    let (mut one, mut other) = (data::<T>(), data::<O>());
    one.schemas.append(&mut other.schemas);
    DataSchema { alternative: Some(other.name), ..one }
}

/// An authenticated and routed request.
pub struct Call {
    pub query: Query,
    /// The value of the path parameter, or empty.
    pub segment: String,
    /// The account that owns the key.
    pub account: Option<i64>,
    /// The key, for an endpoint that reports it.
    pub key: Option<Box<KeyReport>>,
}

type Work = Pin<Box<dyn Future<Output = Result<UncompressedBody, ApiError>> + Send>>;

/// Valid parameters, and how to make the response.
pub struct Plan(Box<dyn FnOnce(Arc<App>) -> Work + Send>);

impl Plan {
    pub fn new<P, F, B>(params: P, work: impl FnOnce(Arc<App>, P) -> F + Send + 'static) -> Result<Self, ApiError>
    where
        P: Send + 'static,
        B: Into<UncompressedBody>,
        F: Future<Output = Result<B, ApiError>> + Send + 'static,
    {
        Ok(Self(Box::new(move |app| {
            let work = work(app, params);
            Box::pin(async { work.await.map(Into::into) })
        })))
    }

    /// The same for a response that reads the store. All of it runs on a store thread, so that no async worker blocks. A replica may
    /// answer.
    pub fn reading<P: Clone + Send + 'static, B: Into<UncompressedBody>>(
        params: P,
        work: impl Fn(&App, &mut Conn, P) -> Result<B, ApiError> + Send + 'static,
    ) -> Result<Self, ApiError> {
        Self::new(params, |app, params| async move {
            let pool = app.pool.clone();
            pool.read_replicated(move |conn| Ok(work(&app, conn, params.clone()).map(Into::into))).await?
        })
    }

    pub async fn work(self, app: Arc<App>) -> Result<UncompressedBody, ApiError> {
        (self.0)(app).await
    }
}

#[derive(Serialize)]
struct Envelope<'a, T> {
    success: bool,
    data: &'a T,
}

thread_local! {
    /// A reused buffer for responses of unknown length: a growing one is reallocated, and keeps spare capacity in the cache.
    static BUFFER: RefCell<Vec<u8>> = const { RefCell::new(Vec::new()) };
}

/// A larger buffer is shrunk after use; few responses are longer.
const BUFFER_BYTES: usize = 256 * 1024;

/// `{"success":true,"data":…}`
pub fn envelope<T: Serialize>(data: &T) -> Result<Vec<u8>, ApiError> {
    BUFFER.with_borrow_mut(|buffer| {
        buffer.clear();
        buffer.shrink_to(BUFFER_BYTES);
        serde_json::to_writer(&mut *buffer, &Envelope { success: true, data })
            .map_err(|error| ApiError::Internal(error.to_string()))?;
        Ok(buffer.to_vec())
    })
}

/// More than the envelope around the items takes.
const ENVELOPE_BYTES: usize = 256;

/// The envelope around a list of ready-made items: `{"success":true,"data":{"<items>":[…],"pagination":{…}}}`.
pub fn listing<'a>(
    items: &str,
    fragments: impl Iterator<Item = &'a [u8]> + Clone,
    pagination: &Pagination,
) -> Result<Vec<u8>, ApiError> {
    items_with(items, fragments, "pagination", pagination)
}

/// The envelope around ready-made items and the names that were not found.
pub fn batch<'a>(
    items: &str,
    fragments: impl Iterator<Item = &'a [u8]> + Clone,
    missing: &[&String],
) -> Result<Vec<u8>, ApiError> {
    items_with(items, fragments, "missing", &missing)
}

fn items_with<'a, T: Serialize>(
    items: &str,
    fragments: impl Iterator<Item = &'a [u8]> + Clone,
    rest: &str,
    value: &T,
) -> Result<Vec<u8>, ApiError> {
    let mut body =
        Vec::with_capacity(ENVELOPE_BYTES + fragments.clone().map(|fragment| fragment.len() + 1).sum::<usize>());
    body.extend_from_slice(b"{\"success\":true,\"data\":{\"");
    body.extend_from_slice(items.as_bytes());
    body.extend_from_slice(b"\":[");
    for (i, fragment) in fragments.enumerate() {
        if i > 0 {
            body.push(b',');
        }
        body.extend_from_slice(fragment);
    }
    body.extend_from_slice(b"],\"");
    body.extend_from_slice(rest.as_bytes());
    body.extend_from_slice(b"\":");
    serde_json::to_writer(&mut body, value).map_err(|error| ApiError::Internal(error.to_string()))?;
    body.extend_from_slice(b"}}");
    Ok(body)
}
