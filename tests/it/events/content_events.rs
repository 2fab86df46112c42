//! Events of what people write and upload: shown at once, and not before a moderator has approved it.

use rollcall_model::time::{HOUR, iso};
use serde_json::{Value, json};

use crate::harness::{Browser, Engine, NOW, Server};
use crate::moderation::{
    CLEAN, HELD, decide, moderator, owner, played, queue, review, review_total, reviewer, server, until_reviews,
};
use crate::uploads::{Form, id_of, skin, upload};

/// A path to the events after the newest one.
async fn after_now(server: &Server) -> String {
    let page = server.get("/events").await.data();
    format!("/events?after={}", page["next"].as_str().expect("a cursor"))
}

/// The events after `path`, of which there will be one; without its id, which is checked.
async fn only_event(server: &Server, path: &str) -> Value {
    let count = |page: &Value| page["events"].as_array().map_or(0, Vec::len);
    let page = server.until(path, |page| count(&page.data()) > 0).await.data();
    assert_eq!(count(&page), 1, "{page}");
    let mut event = page["events"][0].clone();
    assert_eq!(event["id"], page["next"]);
    event.as_object_mut().expect("an object").remove("id");
    event
}

async fn no_event(server: &Server, path: &str) {
    server.until(path, |page| page.data()["events"] == json!([])).await;
}

async fn approve_the_only_item(judge: &mut Browser<'_>, query: &str) {
    let items = queue(judge, query).await;
    assert_eq!(items.len(), 1);
    let decided = decide(judge, &items[0], "approve", "").await;
    assert_eq!(decided.status, 303, "{}", decided.notice());
}

async fn summary(server: &Server, slug: &str) -> Value {
    let detail = server.get(&format!("/servers/{slug}")).await.data();
    json!({"id": detail["server"]["id"], "slug": slug, "name": detail["server"]["name"]})
}

#[test]
fn a_review_is_one_event_when_it_is_shown() {
    for engine in Engine::BOTH {
        let server = server(engine);
        server.run(async {
            let played = played(&server).remove(0);
            let before = review_total(&server, &played.slug).await;
            let path = after_now(&server).await;
            let mut ada = reviewer(&server, "ada", &played).await;
            let mut judge = moderator(&server, "judge").await;
            review(&mut ada, &played.slug, "4", HELD).await;
            no_event(&server, &path).await;
            server.clock.set(NOW + HOUR);
            approve_the_only_item(&mut judge, "?kind=review").await;
            let shown = until_reviews(&server, &played.slug, before + 1).await["reviews"][0].clone();
            let event = only_event(&server, &path).await;
            let player =
                json!({"id": shown["playerId"], "gameUuid": shown["playerGameUuid"], "nickname": played.nickname});
            assert_eq!(
                event,
                json!({
                    "type": "review.created",
                    "at": iso(NOW + HOUR),
                    "server": summary(&server, &played.slug).await,
                    "player": player,
                    "data": {"reviewId": shown["id"], "rating": 4},
                }),
                "{engine:?}"
            );
            // An edit is not a new review.
            review(&mut ada, &played.slug, "5", CLEAN).await;
            let reviews = format!("/servers/{}/reviews", played.slug);
            server.until(&reviews, |page| page.data()["reviews"][0]["content"] == CLEAN).await;
            assert_eq!(only_event(&server, &path).await["data"]["reviewId"], shown["id"]);
            let deleted = ada.send(&format!("/servers/{}/review/delete", played.slug), &[]).await;
            assert_eq!(deleted.status, 303);
            no_event(&server, &path).await;
        });
    }
}

#[test]
fn a_post_is_one_event_when_it_is_approved() {
    for engine in Engine::BOTH {
        let server = server(engine);
        server.run(async {
            let slug = played(&server).remove(0).slug;
            let mut boss = owner(&server, "boss", &slug).await;
            let mut judge = moderator(&server, "judge").await;
            let path = after_now(&server).await;
            let fields = [("title", "Season 2"), ("content", HELD), ("action", "publish")];
            let sent = boss.send(&format!("/dashboard/servers/{slug}/posts"), &fields).await;
            assert_eq!(sent.status, 303, "{}", sent.notice());
            no_event(&server, &path).await;
            approve_the_only_item(&mut judge, "?kind=post").await;
            let event = only_event(&server, &path).await;
            let newest = |page: &Value| page["updates"][0].clone();
            let updates = format!("/servers/{slug}/updates");
            let post = newest(&server.until(&updates, |page| newest(&page.data())["title"] == "Season 2").await.data());
            assert_eq!(
                event,
                json!({
                    "type": "post.approved",
                    "at": iso(NOW),
                    "server": summary(&server, &slug).await,
                    "player": null,
                    "data": {"postId": post["id"], "title": "Season 2"},
                }),
                "{engine:?}"
            );
        });
    }
}

#[test]
fn a_skin_is_one_event_when_it_is_public() {
    for engine in Engine::BOTH {
        let server = server(engine);
        server.run(async {
            let mut ada = Browser::signed_up(&server, "ada").await;
            let mut judge = moderator(&server, "judge").await;
            let path = after_now(&server).await;
            let id = id_of(&upload(&mut ada, &skin(4711), &Form::default()).await);
            no_event(&server, &path).await;
            approve_the_only_item(&mut judge, "?kind=upload").await;
            let event = only_event(&server, &path).await;
            let shown = server.until("/skins/red-fox", |page| page.status == 200).await.data()["skin"].clone();
            assert_eq!(
                event,
                json!({
                    "type": "skin.published",
                    "at": iso(NOW),
                    "server": null,
                    "player": null,
                    "data": {
                        "skinId": id, "slug": "red-fox", "name": "Red fox", "model": "slim", "pngUrl": shown["pngPath"],
                    },
                }),
                "{engine:?}"
            );
        });
    }
}
