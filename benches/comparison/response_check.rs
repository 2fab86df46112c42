//! Checks before the run that the peers return the same data as Rollcall.

use serde_json::Value;

use crate::http_client::{HttpClient, header_length, request};
use crate::peers::datasette_target;
use crate::request_values::RequestValues;
use crate::services::{ServiceKind, ServiceProcess};
use crate::testbed::Testbed;
use crate::workloads::{Peers, WORKLOADS, Workload};

/// Requests per workload.
const SAMPLES: usize = 6;

/// One line for each peer and workload with different responses.
pub async fn differences(testbed: &Testbed) -> Vec<String> {
    let mut differences = Vec::new();
    let bar = crate::progress::spinner("comparing the responses of the peers with Rollcall's");
    for peer in testbed.services.iter().filter(|service| service.kind.is_peer()) {
        let Some(ours) = testbed.find(ServiceKind::Sqlite) else { continue };
        for workload in WORKLOADS.iter().filter(|workload| workload.peers != Peers::None) {
            if peer.kind == ServiceKind::Datasette && workload.peers != Peers::All {
                continue;
            }
            let (mut same, mut count, mut example) = (0, 0, String::new());
            for target in sample_targets(&testbed.values, workload) {
                let (peer_target, our_target) = match peer.kind {
                    // Datasette gets requests for first pages only.
                    ServiceKind::Datasette => {
                        let first =
                            target.split('&').filter(|pair| !pair.starts_with("page=")).collect::<Vec<_>>().join("&");
                        (datasette_target(&first).unwrap_or_default(), first)
                    }
                    _ => (target.clone(), target),
                };
                let (theirs, ours) = (get_json(peer, &peer_target).await, get_json(ours, &our_target).await);
                count += 1;
                let is_same = match peer.kind {
                    ServiceKind::Datasette => is_same_datasette(&theirs, &ours),
                    _ => essentials(&theirs) == essentials(&ours),
                };
                if is_same {
                    same += 1;
                } else if example.is_empty() {
                    example = peer_target;
                }
            }
            if same < count {
                let (peer, size, workload) = (peer.kind.title(), testbed.size.name(), workload.name);
                differences.push(format!(
                    "{peer}, {size}, {workload}: {same} of {count} responses match Rollcall's; a different one: {example}"
                ));
            }
        }
    }
    bar.finish_and_clear();
    differences
}

fn sample_targets(values: &RequestValues, workload: &Workload) -> Vec<String> {
    match workload.cold {
        Some(cold) => {
            let all = (0..8 * SAMPLES as u64).map(|i| cold(values, 77 + i));
            // Uptime and trend change with the clock, and so do sort orders by them.
            let is_stable = |target: &String| !["ptime", "trending"].iter().any(|word| target.contains(word));
            all.filter(is_stable).take(SAMPLES).collect()
        }
        None => workload.hot.map(|hot| hot(values)).into_iter().collect(),
    }
}

async fn get_json(service: &ServiceProcess, target: &str) -> Value {
    let mut client = HttpClient::connect(service.address).await;
    let response = client.get(&request(target, &service.headers)).await;
    let (head, body) = response.split_at(header_length(response).expect("a complete header"));
    if memchr::memmem::find(head, b"chunked").is_some() {
        return serde_json::from_slice(&join_chunks(body)).expect("a JSON body");
    }
    serde_json::from_slice(body).expect("a JSON body")
}

/// Decodes a chunked body.
fn join_chunks(mut body: &[u8]) -> Vec<u8> {
    let mut joined = Vec::new();
    while let Some(end) = memchr::memmem::find(body, b"\r\n") {
        let length = std::str::from_utf8(&body[..end]).ok().and_then(|text| usize::from_str_radix(text, 16).ok());
        let Some(length @ 1..) = length else { break };
        joined.extend_from_slice(&body[end + 2..end + 2 + length]);
        body = &body[end + 4 + length..];
    }
    joined
}

/// The parts of a response that must match: all fields of listed servers; of other lists the ids, their order and the total.
fn essentials(response: &Value) -> Vec<Value> {
    let data = &response["data"];
    let ids =
        |list: &Value| -> Value { list.as_array().into_iter().flatten().map(|item| item["id"].clone()).collect() };
    let mut parts =
        vec![data["pagination"]["total"].clone(), data["total"].clone(), ids(&data["players"]), ids(&data["voters"])];
    let servers = data["servers"].as_array().into_iter().flatten();
    parts.extend(servers.map(|server| {
        let fields = server
            .as_object()
            .into_iter()
            .flatten()
            .filter(|(name, _)| !["n", "uptime", "trend"].contains(&name.as_str()));
        // As floats, since 100 and 100.0 are the same number.
        fields.map(|(_, value)| value.as_f64().map_or_else(|| value.clone(), Value::from)).collect()
    }));
    parts.extend([ids(&data["results"]["servers"]), ids(&data["results"]["players"]), ids(&data["topServers"])]);
    parts.extend([data["player"]["id"].clone(), ids(&data["player"]["recentSessions"])]);
    parts.extend([data["server"]["id"].clone(), data["stats"]["totalPlayers"].clone()]);
    parts
}

/// Datasette breaks ties in another order, so only the total and the number of rows must match; of a player, the id.
fn is_same_datasette(theirs: &Value, ours: &Value) -> bool {
    let rows = theirs["rows"].as_array().map_or(0, Vec::len);
    if !ours["data"]["player"].is_null() {
        return theirs["rows"][0]["id"] == ours["data"]["player"]["id"];
    }
    theirs["filtered_table_rows_count"] == ours["data"]["pagination"]["total"]
        && Some(rows) == ours["data"]["servers"].as_array().map(Vec::len)
}
