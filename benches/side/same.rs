//! Before anything is measured: whether the peers give the answers that ours gives.

use serde_json::Value;

use crate::arena::Arena;
use crate::contenders::{Contender, Kind};
use crate::load::{Client, head, request};
use crate::peers::for_datasette;
use crate::works::{Peers, WORKS, Work};
use crate::world::World;

/// Of each work.
const SAMPLES: u64 = 6;

/// What differs, a line each.
pub async fn check(arena: &Arena) -> Vec<String> {
    let mut differ = Vec::new();
    let bar = crate::progress::waiting("nothing more: comparing the peers' answers with ours");
    for peer in arena.contenders.iter().filter(|c| Kind::PEERS.contains(&c.kind)) {
        let Some(ours) = arena.find(Kind::Sqlite) else { continue };
        for work in WORKS.iter().filter(|work| work.peers != Peers::None) {
            if peer.kind == Kind::Datasette && work.peers != Peers::All {
                continue;
            }
            let (mut same, mut count, mut example) = (0, 0, String::new());
            for target in targets(&arena.world, work) {
                let (asked, wanted) = match peer.kind {
                    // It is asked for first pages only.
                    Kind::Datasette => {
                        let first =
                            target.split('&').filter(|pair| !pair.starts_with("page=")).collect::<Vec<_>>().join("&");
                        (for_datasette(&first).unwrap_or_default(), first)
                    }
                    _ => (target.clone(), target),
                };
                let (told, wanted) = (ask(peer, &asked).await, ask(ours, &wanted).await);
                count += 1;
                let as_ours =
                    if peer.kind == Kind::Datasette { counted(&told, &wanted) } else { gist(&told) == gist(&wanted) };
                if as_ours {
                    same += 1;
                } else if example.is_empty() {
                    example = asked;
                }
            }
            if same < count {
                let (peer, size) = (peer.kind.title(), arena.size.name());
                differ.push(format!("{peer}, {size}, {}: {same} of {count} are the same; not {example}", work.name));
            }
        }
    }
    bar.finish_and_clear();
    differ
}

fn targets(world: &World, work: &Work) -> Vec<String> {
    match work.cold {
        Some(cold) => {
            let all = (0..8 * SAMPLES).map(|i| cold(world, 77 + i));
            // Uptime and trend follow the clock: a moment later an order by them is another.
            let steady = |target: &String| !["ptime", "trending"].iter().any(|word| target.contains(word));
            all.filter(steady).take(SAMPLES as usize).collect()
        }
        None => work.hot.map(|hot| hot(world)).into_iter().collect(),
    }
}

async fn ask(contender: &Contender, target: &str) -> Value {
    let mut client = Client::connect(contender.address).await;
    let answer = client.ask(&request(target, &contender.headers)).await;
    let (head, body) = answer.split_at(head(answer).expect("a head"));
    if memchr::memmem::find(head, b"chunked").is_some() {
        return serde_json::from_slice(&whole(body)).expect("JSON");
    }
    serde_json::from_slice(body).expect("JSON")
}

/// A body that came in chunks.
fn whole(mut body: &[u8]) -> Vec<u8> {
    let mut joined = Vec::new();
    while let Some(end) = memchr::memmem::find(body, b"\r\n") {
        let length = std::str::from_utf8(&body[..end]).ok().and_then(|text| usize::from_str_radix(text, 16).ok());
        let Some(length @ 1..) = length else { break };
        joined.extend_from_slice(&body[end + 2..end + 2 + length]);
        body = &body[end + 4 + length..];
    }
    joined
}

/// What must be the same: of lists of servers every field, of others who is in them, in which order, and how many there are.
fn gist(answer: &Value) -> Vec<Value> {
    let data = &answer["data"];
    let ids =
        |list: &Value| -> Value { list.as_array().into_iter().flatten().map(|item| item["id"].clone()).collect() };
    let mut gist =
        vec![data["pagination"]["total"].clone(), data["total"].clone(), ids(&data["players"]), ids(&data["voters"])];
    let servers = data["servers"].as_array().into_iter().flatten();
    gist.extend(servers.map(|server| {
        // 100 and 100.0 are the same number.
        let fields = server
            .as_object()
            .into_iter()
            .flatten()
            .filter(|(name, _)| !["n", "uptime", "trend"].contains(&name.as_str()));
        fields.map(|(_, value)| value.as_f64().map_or_else(|| value.clone(), Value::from)).collect()
    }));
    gist.extend([ids(&data["results"]["servers"]), ids(&data["results"]["players"]), ids(&data["topServers"])]);
    gist.extend([data["player"]["id"].clone(), ids(&data["player"]["recentSessions"])]);
    gist.extend([data["server"]["id"].clone(), data["stats"]["totalPlayers"].clone()]);
    gist
}

/// Datasette's tables have ties in an order of their own: how many there are must be the same, in all and on the page; of a
/// player, who it is.
fn counted(told: &Value, ours: &Value) -> bool {
    let rows = told["rows"].as_array().map_or(0, Vec::len);
    if !ours["data"]["player"].is_null() {
        return told["rows"][0]["id"] == ours["data"]["player"]["id"];
    }
    told["filtered_table_rows_count"] == ours["data"]["pagination"]["total"]
        && Some(rows) == ours["data"]["servers"].as_array().map(Vec::len)
}
