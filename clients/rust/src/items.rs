//! Lists, page by page.

use std::vec::IntoIter;

use futures_util::Stream;
use futures_util::stream::try_unfold;
use serde::de::DeserializeOwned;
use serde_json::Value;

use crate::client::Client;
use crate::error::Error;
use crate::query::Query;

const PAGE: &str = "100";

/// The items of a list, read as they are asked for. While the list changes, each comes exactly once, except one that moves across the
/// cursor: its sort value has changed, so that it may come twice or not at all.
#[derive(Debug)]
pub struct Items<T> {
    client: Client,
    path: String,
    /// The JSON pointer to the items in `data`.
    pointer: &'static str,
    query: Query,
    page: IntoIter<T>,
    /// The cursor of the next page.
    after: Option<String>,
}

impl<T: DeserializeOwned> Items<T> {
    pub(crate) fn new(
        client: Client,
        path: impl Into<String>,
        pointer: &'static str,
        mut query: Query,
        has_limit: bool,
    ) -> Self {
        if has_limit {
            query.or("limit", PAGE);
        }
        Self {
            client,
            path: path.into(),
            pointer,
            query,
            page: Vec::new().into_iter(),
            after: Some("start".to_owned()),
        }
    }

    /// The next item; `None` at the end. After an error the same page is asked for again.
    pub async fn next(&mut self) -> Option<Result<T, Error>> {
        loop {
            if let Some(item) = self.page.next() {
                return Some(Ok(item));
            }
            let after = self.after.as_deref()?;
            let mut query = self.query.clone();
            query.add_text("after", after);
            match self.read(query).await {
                Ok((page, next)) => {
                    // A list that grows at its end, such as the events, always has a next page.
                    self.after = next.filter(|_| !page.is_empty());
                    self.page = page.into_iter();
                }
                Err(error) => return Some(Err(error)),
            }
        }
    }

    async fn read(&self, query: Query) -> Result<(Vec<T>, Option<String>), Error> {
        let mut data: Value = self.client.get(&self.path, query).await?;
        let next = data.get("next").and_then(Value::as_str).map(str::to_owned);
        let items = data.pointer_mut(self.pointer).map(Value::take).unwrap_or_default();
        let items =
            serde_json::from_value(items).map_err(|error| Error::Unexpected(format!("{}: {error}", self.path)))?;
        Ok((items, next))
    }

    /// The items as a [`Stream`], which ends after an error.
    pub fn into_stream(self) -> impl Stream<Item = Result<T, Error>> {
        try_unfold(self, |mut items| async { Ok(items.next().await.transpose()?.map(|item| (item, items))) })
    }
}
