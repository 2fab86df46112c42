//! Reviews by players, replies and reports by owners, and update posts.

use rollcall_model::time::{HOUR, MINUTE, iso};
use rollcall_store::values;
use serde_json::json;

use crate::harness::{Browser, Engine, NOW, Server, until};
use crate::moderation::{
    CLEAN, HELD, assert_recount, command, decide, link, moderator, node, owner, played, queue, review, review_total,
    reviewer, server, server_with, until_reviews, vouch,
};

#[test]
fn players_with_play_time_review_a_server_once_and_edit_it() {
    for engine in Engine::BOTH {
        let server = server(engine);
        server.run(async {
            let mut all = played(&server);
            let played = all.remove(0);
            let other = all.into_iter().find(|other| other.slug == played.slug).expect("another player");
            let path = format!("/servers/{}/review", played.slug);
            let before = review_total(&server, &played.slug).await;
            let mut stranger = Browser::new(&server);
            assert_eq!(stranger.get(&path).await.redirect_target(), format!("/sign-in?next={path}"));
            let mut ada = Browser::signed_up(&server, "ada").await;
            assert!(ada.get(&path).await.html().contains("link your account with your game account first"));
            assert_eq!(review(&mut ada, &played.slug, "5", CLEAN).await.status, 403);
            // A player who has not played here.
            let idle = server.store.change(|conn| {
                conn.query_one(
                    "select min(p.n) from players p where not exists (
                         select 1 from sessions x where x.player_n = p.n and x.server_n = $1)",
                    values![played.server_n],
                    |row| row.get::<i64>(0),
                )
            });
            link(&server, "ada", idle);
            let idle = review(&mut ada, &played.slug, "5", CLEAN).await;
            assert_eq!(
                (idle.status, idle.notice().as_str()),
                (403, "You need 60 minutes of play on this server to review it; you have 0.")
            );
            link(&server, "ada", played.player_n);
            let done = review(&mut ada, &played.slug, "4", CLEAN).await;
            assert_eq!(done.redirect_target(), format!("{path}?done=shown"));
            let first = until_reviews(&server, &played.slug, before + 1).await["reviews"][0].clone();
            assert_eq!(
                json!([first["content"], first["rating"], first["user"]["username"], first["playerMainNickname"]]),
                json!([CLEAN, 4, "ada", played.nickname])
            );
            let page = ada.get(&path).await.html();
            assert!(page.contains("Save review") && page.contains(CLEAN), "{page}");
            server.clock.set(NOW + HOUR);
            review(&mut ada, &played.slug, "2", "Edited after a while.").await;
            let reviews = format!("/servers/{}/reviews", played.slug);
            let edited = server.until(&reviews, |response| response.data()["reviews"][0]["rating"] == 2).await.data();
            let now = &edited["reviews"][0];
            assert_eq!(
                json!([now["id"], now["content"], now["createdAt"], now["updatedAt"], edited["total"]]),
                json!([first["id"], "Edited after a while.", iso(NOW), iso(NOW + HOUR), before + 1])
            );
            // The same player through another account, and the same account as another player.
            let mut eve = Browser::signed_up(&server, "eve").await;
            link(&server, "eve", played.player_n);
            let taken = review(&mut eve, &played.slug, "1", CLEAN).await;
            assert_eq!((taken.status, taken.notice().starts_with("Another account")), (409, true));
            link(&server, "ada", other.player_n);
            review(&mut ada, &played.slug, "3", "As another player.").await;
            let moved = server.until(&reviews, |response| response.data()["reviews"][0]["rating"] == 3).await.data();
            assert_eq!(moved["total"], before + 1);
            let html = Browser::new(&server).get(&format!("/servers/{}", played.slug)).await.html();
            assert!(html.contains("href=\"/servers/") && html.contains("Write a review"));
            assert_eq!(eve.send(&format!("{path}/delete"), &[]).await.status, 404);
            let deleted = ada.send(&format!("{path}/delete"), &[]).await;
            assert_eq!(deleted.redirect_target(), format!("{path}?done=deleted"));
            until_reviews(&server, &played.slug, before).await;
            // Owners do not review their own servers.
            let mut boss = owner(&server, "boss", &played.slug).await;
            link(&server, "boss", played.player_n);
            let own = review(&mut boss, &played.slug, "5", CLEAN).await;
            assert_eq!((own.status, own.notice().as_str()), (403, "You manage this server, so you cannot review it."));
        });
        assert_recount(&server.store);
    }
}

#[test]
fn a_player_for_whom_only_the_server_vouches_does_not_review_it() {
    for engine in Engine::BOTH {
        let server = server(engine);
        server.run(async {
            let played = played(&server).remove(0);
            let mut ada = reviewer(&server, "ada", &played).await;
            vouch(&server, "ada", &played.slug);
            let refused = review(&mut ada, &played.slug, "5", CLEAN).await;
            assert_eq!(refused.status, 403, "{}", refused.notice());
            let page = ada.get(&format!("/servers/{}/review", played.slug)).await.html();
            assert!(page.contains("Only this server vouches for your player."), "{page}");
        });
    }
}

#[test]
fn simultaneous_submits_and_decisions_on_two_nodes_count_once() {
    for engine in Engine::BOTH {
        let many = |config: &mut rollcall::config::Config| config.moderation.reviews_per_day = 1_000;
        let first = server_with(engine, many);
        let second = node(first.store.clone(), many);
        let played = played(&first).remove(0);
        let before = first.run(review_total(&first, &played.slug));
        let mut ada = first.run(reviewer(&first, "ada", &played));
        let path = format!("/servers/{}/review", played.slug);
        first.run(ada.get(&path));
        let submit = |content: &'static str| {
            let tries = (0..32).map(|i| {
                let mut browser = ada.clone().on(if i % 2 == 0 { &first } else { &second });
                let (path, rating) = (&path, (i % 5 + 1).to_string());
                async move { browser.send(path, &[("rating", &rating), ("content", content)]).await.status }
            });
            let statuses = first.run(futures_util::future::join_all(tries));
            assert!(statuses.iter().all(|status| *status == 303), "{engine:?}: {statuses:?}");
        };
        submit(CLEAN);
        first.run(until_reviews(&first, &played.slug, before + 1));
        assert_recount(&first.store);
        submit(HELD);
        first.run(until_reviews(&first, &played.slug, before));
        let judges = [first.run(moderator(&first, "one")), first.run(moderator(&first, "two"))];
        let ids = first.run(async { queue(&mut judges[0].clone(), "").await });
        assert_eq!(ids.len(), 1, "one item");
        let seen = first.run(async { judges[0].clone().get(&format!("/moderation/{}", ids[0])).await.field("seen") });
        let decide = format!("/moderation/{}/decide", ids[0]);
        let tries = (0..16).map(|i| {
            let mut judge = judges[i % 2].clone().on(if i % 4 < 2 { &first } else { &second });
            let decision = if i % 3 == 0 { "approve" } else { "reject" };
            let (decide, seen) = (&decide, &seen);
            let fields = [("decision", decision), ("reason", "A reason."), ("seen", seen.as_str())];
            async move { judge.send(decide, &fields).await.status }
        });
        let statuses = first.run(futures_util::future::join_all(tries));
        let decided = statuses.iter().filter(|status| **status == 303).count();
        assert_eq!(decided, 1, "{engine:?}: {statuses:?}");
        assert_recount(&first.store);
    }
}

/// A review that is approved after newer ones has its place by time.
#[test]
fn a_late_approval_leaves_no_gap() {
    for engine in Engine::BOTH {
        let server = server(engine);
        server.run(async {
            let all = played(&server);
            let slug = all[0].slug.clone();
            let players: Vec<_> = all.into_iter().filter(|played| played.slug == slug).take(3).collect();
            assert_eq!(players.len(), 3);
            let before = review_total(&server, &slug).await;
            for (i, (player, content)) in players.iter().zip([HELD, CLEAN, CLEAN]).enumerate() {
                server.clock.set(NOW + i as i64 * MINUTE);
                let mut browser = reviewer(&server, &format!("player-{i}"), player).await;
                assert_eq!(review(&mut browser, &slug, "5", content).await.status, 303);
            }
            let mut judge = moderator(&server, "judge").await;
            let id = queue(&mut judge, "").await.remove(0);
            decide(&mut judge, &id, "approve", "").await;
            let shown = until_reviews(&server, &slug, before + 3).await;
            let names: Vec<&str> = shown["reviews"]
                .as_array()
                .expect("reviews")
                .iter()
                .map(|r| r["user"]["username"].as_str().expect("a name"))
                .collect();
            assert_eq!(names[..3], ["player-2", "player-1", "player-0"]);
            assert_eq!(shown["latestReviewAt"], iso(NOW + 2 * MINUTE));
        });
        assert_recount(&server.store);
    }
}

#[test]
fn owners_reply_and_report_and_never_delete() {
    for engine in Engine::BOTH {
        let server = server(engine);
        server.run(async {
            let played = played(&server).remove(0);
            let total = review_total(&server, &played.slug).await + 1;
            let mut ada = reviewer(&server, "ada", &played).await;
            review(&mut ada, &played.slug, "1", "Bad people and worse admins.").await;
            until_reviews(&server, &played.slug, total).await;
            let mut boss = owner(&server, "boss", &played.slug).await;
            let page = format!("/dashboard/servers/{}/reviews", played.slug);
            let html = boss.get(&page).await.html();
            assert!(html.contains("Bad people and worse admins.") && !html.contains("/delete"), "{html}");
            let id = html.split("/reviews/").nth(1).and_then(|rest| rest.split('/').next()).expect("an id").to_owned();
            let (reply, report) = (format!("{page}/{id}/reply"), format!("{page}/{id}/report"));
            let saved = boss.send(&reply, &[("content", "We have <i>new</i> admins.")]).await;
            assert_eq!(saved.redirect_target(), format!("{page}?done=reply-saved"));
            let public = Browser::new(&server).get(&format!("/servers/{}", played.slug)).await.html();
            assert!(public.contains("We have &#60;i&#62;new&#60;/i&#62; admins."), "{public}");
            // The contract of the API has no replies.
            let api = server.get(&format!("/servers/{}/reviews", played.slug)).await;
            assert!(!String::from_utf8_lossy(&api.body).contains("new admins"));
            assert_eq!(boss.send(&reply, &[("content", HELD)]).await.status, 422);
            assert_eq!(boss.send(&report, &[("why", "no")]).await.status, 422);
            let sent = boss.send(&report, &[("why", "This is an insult.")]).await;
            assert_eq!(sent.redirect_target(), format!("{page}?done=review-reported"));
            // Twice is one item.
            boss.send(&report, &[("why", "This is an insult!")]).await;
            let mut eve = Browser::signed_up(&server, "eve").await;
            for path in [&reply, &report] {
                assert_eq!(eve.send(path, &[("content", "x"), ("why", "because")]).await.status, 404);
            }
            let unknown = format!("{page}/00000000000000000000/reply");
            assert_eq!(boss.send(&unknown, &[("content", "x")]).await.status, 404);
            let mut judge = moderator(&server, "judge").await;
            let items = queue(&mut judge, "?kind=report").await;
            assert_eq!(items.len(), 1);
            assert!(!ada.get("/dashboard/contributions").await.html().contains("This is an insult"));
            decide(&mut judge, &items[0], "hide", "Insults are not accepted.").await;
            until_reviews(&server, &played.slug, total - 1).await;
            assert!(ada.get("/dashboard/contributions").await.html().contains("Insults are not accepted."));
            // A review that was imported can be hidden and shown again, too.
            let html = boss.get(&page).await.html();
            let id = html.split("/reviews/").nth(1).and_then(|rest| rest.split('/').next()).expect("an id").to_owned();
            let list = server.get(&format!("/servers/{}/reviews", played.slug)).await.data();
            boss.send(&format!("{page}/{id}/report"), &[("why", "It is not true.")]).await;
            let item = queue(&mut judge, "?kind=report").await.remove(0);
            decide(&mut judge, &item, "hide", "Not true.").await;
            until_reviews(&server, &played.slug, total - 2).await;
            let again = boss.send(&format!("{page}/{id}/report"), &[("why", "It is not shown.")]).await;
            assert_eq!(again.status, 404);
            server.store.change(|conn| {
                conn.execute("update moderation_items set state = 'open' where id = $1", values![&item])
            });
            decide(&mut judge, &item, "approve", "").await;
            assert_eq!(until_reviews(&server, &played.slug, total - 1).await["reviews"], list["reviews"]);
        });
        assert_recount(&server.store);
    }
}

/// Sends the form of a post.
async fn post(owner: &mut Browser<'_>, slug: &str, fields: &[(&str, &str)]) -> crate::harness::TestResponse {
    let page = format!("/dashboard/servers/{slug}/posts");
    owner.get(&page).await;
    owner.send(&page, fields).await
}

async fn updates(server: &Server, slug: &str) -> serde_json::Value {
    server.get(&format!("/servers/{slug}/updates")).await.data()
}

async fn until_updates(server: &Server, slug: &str, total: i64) -> serde_json::Value {
    let path = format!("/servers/{slug}/updates");
    server.until(&path, |response| response.data()["total"].as_i64() == Some(total)).await.data()
}

/// The id in the first link to a post with this title on the page of the owner.
async fn post_id(owner: &mut Browser<'_>, slug: &str, title: &str) -> String {
    let html = owner.get(&format!("/dashboard/servers/{slug}/posts")).await.html();
    let before = html.split(&format!("<bdi>{title}</bdi>")).next().expect("a part");
    let link = before.rsplit("/posts/").next().and_then(|rest| rest.split('"').next());
    link.expect("a link").to_owned()
}

#[test]
fn links_to_the_website_of_the_server_are_not_held() {
    for engine in Engine::BOTH {
        let server = server(engine);
        server.run(async {
            let slug = played(&server).remove(0).slug;
            let mut boss = owner(&server, "boss", &slug).await;
            let set = ["server", "set", &slug, "--website", "https://pinewood.example/"];
            assert!(crate::harness::run_blocking(|| server.store.rollcall(&set)).status.success());
            let page = format!("/dashboard/servers/{slug}/posts");
            for (title, content, done, logged) in [
                ("Rules", "Read https://pinewood.example/rules", "post-published", "post published"),
                ("News", HELD, "post-held", "post held for review"),
            ] {
                let fields = [("title", title), ("content", content), ("action", "publish")];
                assert_eq!(post(&mut boss, &slug, &fields).await.redirect_target(), format!("{page}?done={done}"));
                let log = boss.get("/dashboard/log").await.html();
                let entry = log.split(title).next().and_then(|before| before.rsplit("<tr>").next()).expect("an entry");
                assert!(entry.contains(logged), "{title}: {entry}");
            }
            let missing = [("title", "Later"), ("content", "Soon."), ("action", "schedule"), ("publish_at", "")];
            let refused = post(&mut boss, &slug, &missing).await;
            assert_eq!(refused.notice(), "Enter when to publish the post: a day and a time in UTC.");
        });
    }
}

#[test]
fn owners_publish_edit_and_delete_posts() {
    for engine in Engine::BOTH {
        let server = server(engine);
        server.run(async {
            let slug = played(&server).remove(0).slug;
            let before = updates(&server, &slug).await["total"].as_i64().expect("a total");
            let mut boss = owner(&server, "boss", &slug).await;
            let page = format!("/dashboard/servers/{slug}/posts");
            let text = "**New map** with a [trailer](https://www.youtube.com/watch?v=1).";
            let fields = [("title", "Season 2"), ("content", text), ("action", "publish")];
            assert_eq!(post(&mut boss, &slug, &fields).await.redirect_target(), format!("{page}?done=post-published"));
            let shown = until_updates(&server, &slug, before + 1).await["updates"][0].clone();
            assert_eq!(
                json!([shown["title"], shown["content"], shown["status"], shown["createdAt"]]),
                json!(["Season 2", text, "APPROVED", iso(NOW)])
            );
            let mut visitor = Browser::new(&server);
            let html = visitor.get(&format!("/servers/{slug}")).await.html();
            let rendered = "<p><strong>New map</strong> with a <a href=\"https://www.youtube.com/watch?v=1\" rel=\"nofollow noopener ugc\">trailer</a>.</p>";
            assert!(html.contains(rendered), "{html}");
            for feed in [format!("/servers/{slug}/feed.xml"), "/feeds/updates.xml".to_owned()] {
                let feed = visitor.get(&feed).await.html();
                assert!(feed.contains("Season 2") && feed.contains("&lt;strong&gt;New map"), "{feed}");
            }
            // A link to an unknown host waits for a moderator; the post is not shown meanwhile.
            let id = post_id(&mut boss, &slug, "Season 2").await;
            let fields = [("id", id.as_str()), ("title", "Season 2b"), ("content", HELD), ("action", "publish")];
            assert_eq!(post(&mut boss, &slug, &fields).await.redirect_target(), format!("{page}?done=post-held"));
            assert!(boss.get(&page).await.html().contains("<p class=\"small\">The text links to "));
            until_updates(&server, &slug, before).await;
            let mut judge = moderator(&server, "judge").await;
            let item = queue(&mut judge, "?kind=post").await.remove(0);
            decide(&mut judge, &item, "approve", "").await;
            let edited = until_updates(&server, &slug, before + 1).await["updates"][0].clone();
            assert_eq!(json!([edited["id"], edited["title"]]), json!([shown["id"], "Season 2b"]));
            // Hidden, it stays hidden until a moderator agrees, also if another account edits it.
            post(&mut boss, &slug, &fields).await;
            let item = queue(&mut judge, "?kind=post").await.remove(0);
            decide(&mut judge, &item, "hide", "Not here.").await;
            until_updates(&server, &slug, before).await;
            let mut root = Browser::operator(&server, "root").await;
            let clean = [("id", id.as_str()), ("title", "Clean"), ("content", "All is well."), ("action", "publish")];
            assert_eq!(post(&mut root, &slug, &clean).await.redirect_target(), format!("{page}?done=post-held"));
            let item = queue(&mut judge, "?kind=post").await.remove(0);
            decide(&mut judge, &item, "approve", "").await;
            until_updates(&server, &slug, before + 1).await;
            let mut eve = Browser::signed_up(&server, "eve").await;
            for path in [page.clone(), format!("{page}/{id}")] {
                assert_eq!(eve.get(&path).await.status, 404, "{path}");
            }
            assert_eq!(eve.send(&page, &fields).await.status, 404);
            assert_eq!(eve.send(&format!("{page}/{id}/delete"), &[]).await.status, 404);
            let deleted = boss.send(&format!("{page}/{id}/delete"), &[]).await;
            assert_eq!(deleted.redirect_target(), format!("{page}?done=post-deleted"));
            until_updates(&server, &slug, before).await;
            assert_eq!(boss.get(&format!("{page}/{id}")).await.status, 404);
        });
        assert_recount(&server.store);
    }
}

#[test]
fn drafts_stay_private_and_scheduled_posts_appear_once() {
    for engine in Engine::BOTH {
        let first = server(engine);
        let second = node(first.store.clone(), |_| {});
        first.run(async {
            let slug = played(&first).remove(0).slug;
            let before = updates(&first, &slug).await["total"].as_i64().expect("a total");
            let mut boss = owner(&first, "boss", &slug).await;
            let page = format!("/dashboard/servers/{slug}/posts");
            let draft = [("title", "Secret"), ("content", "Not yet."), ("action", "draft")];
            assert_eq!(post(&mut boss, &slug, &draft).await.redirect_target(), format!("{page}?done=draft-saved"));
            for bad in ["", "tomorrow", "2020-01-01T00:00"] {
                let fields = [("title", "Soon"), ("content", "Soon."), ("action", "schedule"), ("publish_at", bad)];
                assert_eq!(post(&mut boss, &slug, &fields).await.status, 422, "{bad}");
            }
            let at = (NOW / MINUTE + 10) * MINUTE;
            let when = iso(at)[..16].to_owned();
            for title in ["Soon", "Never", "Gone"] {
                let fields =
                    [("title", title), ("content", "It is *here*."), ("action", "schedule"), ("publish_at", &when)];
                let scheduled = post(&mut boss, &slug, &fields).await;
                assert_eq!(scheduled.redirect_target(), format!("{page}?done=post-scheduled"));
            }
            let gone = post_id(&mut boss, &slug, "Gone").await;
            assert_eq!(boss.send(&format!("{page}/{gone}/delete"), &[]).await.status, 303);
            let never = post_id(&mut boss, &slug, "Never").await;
            let fields = [("id", never.as_str()), ("title", "Never"), ("content", "A draft."), ("action", "draft")];
            assert_eq!(post(&mut boss, &slug, &fields).await.status, 303);
            let form = boss.get(&format!("{page}/{}", post_id(&mut boss.clone(), &slug, "Soon").await)).await;
            assert_eq!(form.field("publish_at"), when);
            for server in [&first, &second] {
                server.clock.set(at - 1);
            }
            assert_eq!(updates(&first, &slug).await["total"], before);
            for server in [&first, &second] {
                server.clock.set(at);
            }
            let shown = until_updates(&first, &slug, before + 1).await["updates"][0].clone();
            assert_eq!(json!([shown["title"], shown["content"]]), json!(["Soon", "It is *here*."]));
            until_updates(&second, &slug, before + 1).await;
            let html = boss.get(&page).await.html();
            assert!(html.contains("Secret") && html.contains("Never"), "{html}");
            let public = Browser::new(&first).get(&format!("/servers/{slug}")).await.html();
            assert!(!public.contains("Secret") && !public.contains("Never"));
            // A former owner publishes nothing more.
            let later = (at / MINUTE + 10) * MINUTE;
            let when = iso(later)[..16].to_owned();
            let fields = [("title", "Late"), ("content", "Late."), ("action", "schedule"), ("publish_at", &when)];
            assert_eq!(post(&mut boss, &slug, &fields).await.status, 303);
            Browser::signed_up(&first, "heir").await;
            command(&first, &["server", "set", &slug, "--owner", "heir"]);
            for server in [&first, &second] {
                server.clock.set(later);
            }
            let mut heir = Browser::signed_in(&first, "heir").await;
            let is_draft = |html: &str| {
                html.split("<bdi>Late</bdi>").nth(1).is_some_and(|rest| {
                    rest.trim_start_matches("</strong></a> ").starts_with("<span class=\"pill\">Draft")
                })
            };
            until(async || {
                let html = heir.get(&page).await.html();
                if is_draft(&html) { Ok(()) } else { Err(format!("no draft in {html}")) }
            })
            .await;
            assert_eq!(updates(&first, &slug).await["total"], before + 1);
        });
        assert_recount(&first.store);
    }
}
