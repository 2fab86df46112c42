//! An endpoint: its documentation, parameters and handler in one place.

use std::cell::RefCell;
use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;

use serde::Serialize;
use utoipa::openapi::{RefOr, schema::Schema};
use utoipa::{PartialSchema, ToSchema};

use super::params::Param;
use crate::app::App;
use crate::error::ApiError;
use crate::http::query::Query;
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
    pub data: fn() -> DataSchema,
    pub plan: fn(&Call) -> Result<Plan, ApiError>,
}

impl Endpoint {
    pub fn cache_tag(&self) -> CacheTag {
        CacheTag { endpoint: self.path, max_age: self.max_age, per_account: self.per_account }
    }
}

pub struct PathParam {
    pub name: &'static str,
    pub about: &'static str,
}

/// The schema of `data`, and the schemas it refers to.
pub struct DataSchema {
    pub name: String,
    pub schemas: Vec<(String, RefOr<Schema>)>,
}

pub fn data<T: ToSchema + PartialSchema>() -> DataSchema {
    let name = T::name().into_owned();
    let mut schemas = vec![(name.clone(), T::schema())];
    T::schemas(&mut schemas);
    DataSchema { name, schemas }
}

/// An authenticated and routed request.
pub struct Call {
    pub query: Query,
    /// The value of the path parameter, or empty.
    pub segment: String,
    /// The account that owns the key.
    pub account: Option<i64>,
}

type Work = Pin<Box<dyn Future<Output = Result<Vec<u8>, ApiError>> + Send>>;

/// Valid parameters, and how to make the response.
pub struct Plan(Box<dyn FnOnce(Arc<App>) -> Work + Send>);

impl Plan {
    pub fn new<P, F>(params: P, work: impl FnOnce(Arc<App>, P) -> F + Send + 'static) -> Result<Self, ApiError>
    where
        P: Send + 'static,
        F: Future<Output = Result<Vec<u8>, ApiError>> + Send + 'static,
    {
        Ok(Self(Box::new(move |app| Box::pin(work(app, params)))))
    }

    /// The same for a response that reads the store. All of it runs on a store thread, so that no async worker blocks.
    pub fn reading<P: Send + 'static>(
        params: P,
        work: impl FnOnce(&App, &mut Conn, P) -> Result<Vec<u8>, ApiError> + Send + 'static,
    ) -> Result<Self, ApiError> {
        Self::new(params, |app, params| async move {
            let pool = app.pool.clone();
            pool.read(move |conn| Ok(work(&app, conn, params))).await?
        })
    }

    pub async fn work(self, app: Arc<App>) -> Result<Vec<u8>, ApiError> {
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
    body.extend_from_slice(b"],\"pagination\":");
    serde_json::to_writer(&mut body, pagination).map_err(|error| ApiError::Internal(error.to_string()))?;
    body.extend_from_slice(b"}}");
    Ok(body)
}
