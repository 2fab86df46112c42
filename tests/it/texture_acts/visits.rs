//! Views and downloads.

use futures_util::future::join_all;
use reqwest::Method;
use rollcall_model::time::{DAY, start_of_day};
use rollcall_store::texture_acts::visits;
use rollcall_store::values;

use super::{count, first_pages, two_nodes, until_count};
use crate::harness::{Browser, Engine, NOW, Server};
use crate::moderation::node;

#[test]
fn a_download_is_a_fixed_file_and_counts_once_a_day() {
    for engine in Engine::BOTH {
        let (first, second) = two_nodes(engine);
        first.run(async {
            for page in first_pages(&first).await {
                let before = count(&first, &page, "downloadCount").await;
                let (path, slug) = (format!("{page}/download"), page.rsplit('/').next().expect("a slug"));
                let mut visitor = Browser::new(&first);
                let file = visitor.get(&path).await;
                assert_eq!((file.status, file.header("content-type")), (200, Some("image/png")));
                assert_eq!(file.header("x-content-type-options"), Some("nosniff"));
                let disposition = format!("attachment; filename=\"{slug}.png\"");
                assert_eq!(file.header("content-disposition"), Some(disposition.as_str()));
                assert!(file.body.starts_with(b"\x89PNG"));
                // The same address on another node, and a HEAD request, count nothing more.
                visitor.clone().on(&second).get(&path).await;
                second.raw(Method::HEAD, &path, &[]).await;
                until_count(&second, &page, "downloadCount", before + 1).await;
                // An account counts as itself, from any address.
                let mut ada = Browser::signed_up(&first, &format!("ada-{}", &page[1..5])).await;
                ada.get(&path).await;
                ada.clone().at("203.0.113.77").on(&second).get(&path).await;
                until_count(&second, &page, "downloadCount", before + 2).await;
                first.clock.set(start_of_day(NOW) + DAY);
                visitor.get(&path).await;
                until_count(&first, &page, "downloadCount", before + 3).await;
                first.clock.set(NOW);
            }
            assert_eq!(Browser::new(&first).get("/skins/none-such/download").await.status, 404);
        });
    }
}

/// Looks at a page from an address.
async fn view(server: &Server, i: usize, page: &str) -> u16 {
    Browser::new(server).at(&format!("198.51.100.{i}")).get(page).await.status
}

#[test]
fn cached_pages_count_views_and_a_clean_stop_loses_none() {
    for engine in Engine::BOTH {
        let (first, second) = two_nodes(engine);
        let [skin, cape] = first.run(first_pages(&first));
        let before = first.run(count(&first, &skin, "viewCount"));
        let of_cape = first.run(count(&first, &cape, "viewCount"));
        // 100 addresses, each twice and on both nodes.
        let visits = (0..200).map(|i| view(if i % 2 == 0 { &first } else { &second }, i % 100, &skin));
        let statuses = first.run(join_all(visits));
        assert!(statuses.iter().all(|status| *status == 200));
        second.stop();
        let third = node(first.store.clone(), |_| {});
        first.run(join_all((0..50).map(|i| view(&third, i, &cape))));
        third.stop();
        let store = first.stop();
        let counts = |page: &str| -> i64 {
            let slug = page.rsplit('/').next().expect("a slug").to_owned();
            let kind = page[1..5].to_owned();
            store.change(|conn| {
                let sql = "select view_count from textures where kind = $1 and slug = $2";
                conn.query_one(sql, values![kind, slug], |row| row.get(0))
            })
        };
        assert_eq!([counts(&skin), counts(&cape)], [before + 100, of_cape + 50], "{engine:?}");
        // Addresses are stored as fingerprints only, and for two days.
        let visitors: Vec<String> = store
            .change(|conn| conn.query("select visitor from texture_visits order by visitor", &[], |row| row.get(0)));
        assert!(visitors.iter().all(|visitor| visitor.starts_with("view:address:") && visitor.len() == 13 + 64));
        assert!(!visitors.iter().any(|visitor| visitor.contains("198.51")));
        let rows = |now: i64| -> i64 {
            store.change(|conn| {
                visits::delete_expired(conn, now)?;
                conn.query_one("select count(*) from texture_visits", &[], |row| row.get(0))
            })
        };
        assert_eq!([rows(NOW + DAY), rows(NOW + 2 * DAY)], [150, 0], "{engine:?}");
    }
}

#[test]
fn one_address_cannot_flood_the_counts() {
    for engine in Engine::BOTH {
        let (server, _) = two_nodes(engine);
        server.run(async {
            // The demo has too few: a page and a file of each are 200 visits, more than count.
            server.store.change(|conn| {
                let rev = rollcall_store::revision::bump(conn)?;
                for i in 0..100 {
                    conn.execute(
                        "insert into textures (kind, id, slug, name, description, model, png, owner_n, is_featured, created_at,
                                               view_count, download_count, like_count, favorite_count, usage_count, rev)
                         select kind, $1, $2, name, description, model, png, owner_n, is_featured, created_at, 0, 0, 0, 0, 0,
                                cast($3 as bigint)
                         from textures where kind = 'skin' and slug = 'default-classic'",
                        values![format!("flood-id-{i}"), format!("flood-{i}"), rev],
                    )?;
                }
                Ok(())
            });
            server.until("/skins/flood-99", |response| response.status == 200).await;
            let mut crawler = Browser::new(&server).at("192.0.2.200");
            for i in 0..100 {
                assert_eq!(crawler.get(&format!("/skins/flood-{i}")).await.status, 200);
                assert_eq!(crawler.get(&format!("/skins/flood-{i}/download")).await.status, 200);
            }
            // Prefetched pages were not seen.
            let mut eager = Browser::new(&server).with("sec-purpose", "prefetch;prerender");
            let page = first_pages(&server).await[1].clone();
            let before = count(&server, &page, "viewCount").await;
            eager.get(&page).await;
            let mut reader = Browser::new(&server);
            reader.get(&page).await;
            until_count(&server, &page, "viewCount", before + 1).await;
        });
        let rows: i64 =
            server.store.change(|conn| conn.query_one("select count(*) from texture_visits", &[], |row| row.get(0)));
        // 120 of the crawler, one of the reader.
        assert_eq!(rows, 121, "{engine:?}");
    }
}
