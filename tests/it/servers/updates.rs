//! `GET /servers/{slug}/updates`

use std::collections::HashSet;

use rollcall_store::totals::{RecomputeScope, TouchedRows, recompute};
use rollcall_store::values;

use super::expected::{all_servers, ids, items, text, walk};
use crate::assert_answer;
use crate::harness::{Engine, NOW, Server, both, shared};

/// The path of the posts of the server with the most.
async fn most_posts() -> String {
    let mut best = (0, String::new());
    for server in all_servers().await {
        let path = format!("/servers/{}/updates", text(&server["slug"]));
        let total = both(&path).await.data()["total"].as_u64().expect("a total");
        best = best.max((total, path));
    }
    best.1
}

#[tokio::test]
async fn a_page_matches_its_snapshot() {
    assert_answer!("server_updates", both(&most_posts().await).await);
}

#[tokio::test]
async fn newest_first_and_three_per_page() {
    let path = most_posts().await;
    assert_eq!(both(&path).await.body, both(&format!("{path}?limit=3&page=1")).await.body);
    let whole = walk(&path, "updates", 100).await;
    assert!(whole.len() > 3);
    assert!(whole.is_sorted_by(|a, b| text(&a["createdAt"]) >= text(&b["createdAt"])));
    for limit in [1, 3] {
        assert_eq!(walk(&path, "updates", limit).await, whole, "by {limit}");
    }
    let past = both(&format!("{path}?page=2147483647")).await.data();
    assert!(items(&past["updates"]).is_empty());
    assert_eq!(past["total"], whole.len());
    assert_eq!(past["latestUpdateAt"], whole[0]["createdAt"]);
}

#[test]
fn only_approved_posts_of_public_servers_are_shown() {
    let sql = "select p.id from update_posts p join servers s on s.n = p.server_n
                where p.status = 'APPROVED' and s.visibility = 'PUBLIC'";
    let mut approved: Vec<String> = shared(Engine::Sqlite).store.conn().query(sql, &[], |row| row.get(0)).unwrap();
    let shown = shared(Engine::Sqlite).run(async {
        let mut shown: Vec<String> = Vec::new();
        for server in all_servers().await {
            let path = format!("/servers/{}/updates", text(&server["slug"]));
            for post in walk(&path, "updates", 100).await {
                assert_eq!((&post["status"], &post["serverId"]), (&"APPROVED".into(), &server["id"]));
                shown.push(text(&post["id"]).to_owned());
            }
        }
        shown
    });
    assert_eq!(shown.len(), shown.iter().collect::<HashSet<_>>().len());
    approved.sort_unstable();
    let mut shown = shown;
    shown.sort_unstable();
    assert_eq!(shown, approved);
}

#[test]
fn a_post_without_approval_disappears_and_returns() {
    for engine in Engine::BOTH {
        let server = Server::own(engine);
        let conn = &mut server.store.conn();
        let (post, server_n, slug): (String, i64, String) = conn
            .query_one(
                "select p.id, s.n, s.slug from update_posts p join servers s on s.n = p.server_n
                 where p.status = 'APPROVED' and s.visibility = 'PUBLIC' order by p.id limit 1",
                &[],
                |row| (row.get(0), row.get(1), row.get(2)),
            )
            .unwrap();
        let path = format!("/servers/{slug}/updates?limit=100");
        let before = server.run(server.get(&path)).data()["total"].as_i64().unwrap();
        for (status, total) in [("PENDING", before - 1), ("REJECTED", before - 1), ("APPROVED", before)] {
            let sql = "update update_posts set status = $1, created_at = $2, updated_at = $2 where id = $3";
            conn.execute(sql, values![status, NOW - 1, &post]).unwrap();
            let touched = TouchedRows { servers: [server_n].into(), ..TouchedRows::default() };
            recompute(conn, &RecomputeScope::Touched(touched)).unwrap();
            let posts = server.run(server.until(&path, |posts| posts.data()["total"] == total)).data();
            let shown = status == "APPROVED";
            assert_eq!(ids(items(&posts["updates"])).contains(&post.as_str()), shown, "{status}");
            let live = server.run(server.get("/live")).data();
            assert_eq!(live["recentActivity"][0]["type"] == "update", shown, "{status}");
        }
    }
}
