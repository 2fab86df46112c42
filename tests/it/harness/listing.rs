use serde_json::Value;

use super::{Engine, Server, TestResponse, shared};

/// The response of the shared servers of both engines, which must be identical.
pub async fn both(path: &str) -> TestResponse {
    let [sqlite, postgres] = Engine::BOTH.map(shared);
    let (one, other) = (sqlite.get(path).await, postgres.get(path).await);
    assert_eq!(one.status, other.status, "{path}");
    assert!(one.body == other.body, "{path} differs between the engines");
    one
}

/// Appends parameters to a path.
pub fn query(path: &str, more: &str) -> String {
    let joint = if path.contains('?') { '&' } else { '?' };
    format!("{path}{joint}{more}")
}

/// All items of a list, page by page. Every page but the last must be full, and all must have the same total.
pub async fn every(server: &Server, path: &str, items: &str, limit: usize) -> Vec<Value> {
    let mut all: Vec<Value> = Vec::new();
    for page in 1.. {
        let data = server.get(&query(path, &format!("page={page}&limit={limit}"))).await.data();
        let found = data.pointer(items).and_then(Value::as_array).expect("a list");
        let total = data["pagination"]["total"].as_u64().expect("a total") as usize;
        let pages = total.div_ceil(limit);
        let expected = serde_json::json!({"page": page, "limit": limit, "total": total, "totalPages": pages});
        assert_eq!(data["pagination"], expected, "{path}");
        assert_eq!(found.len(), limit.min(total - all.len()), "{path} page {page}");
        all.extend_from_slice(found);
        if page >= pages {
            break;
        }
    }
    all
}
