//! Judging: order, filters, locks, decisions, reasons and appeals.

use rollcall_model::time::MINUTE;
use rollcall_store::moderation::{ItemKind, NewItem, open};
use serde_json::json;

use super::*;

/// Puts items into the queue that no text belongs to.
fn fill(server: &Server, count: usize) {
    server.store.change(|conn| {
        for i in 0..count {
            let subject = format!("subject-{i}");
            let item =
                NewItem { kind: ItemKind::Name, subject: &subject, server_n: None, author_n: None, why: "a test" };
            open(conn, &item, NOW)?;
        }
        Ok(())
    });
}

#[test]
fn a_held_review_is_shown_at_once_after_approval_on_every_node() {
    for engine in Engine::BOTH {
        let first = server(engine);
        let second = node(first.store.clone(), |_| {});
        first.run(async {
            let played = played(&first).remove(0);
            let before = review_total(&first, &played.slug).await;
            let mut ada = reviewer(&first, "ada", &played).await;
            let held = review(&mut ada, &played.slug, "5", HELD).await;
            assert_eq!(held.redirect_target(), format!("/servers/{}/review?done=held", played.slug));
            let mut judge = moderator(&first, "judge").await;
            let ids = queue(&mut judge, "").await;
            assert_eq!(ids.len(), 1);
            let page = judge.get(&format!("/moderation/{}", ids[0])).await.html();
            for part in ["The text links to held.example.", "https://held.example/", ">ada<", &played.nickname] {
                assert!(page.contains(part), "{part}: {page}");
            }
            assert_eq!(review_total(&first, &played.slug).await, before, "it is not shown yet");
            let decided = decide(&mut judge, &ids[0], "approve", "").await;
            assert_eq!(decided.redirect_target(), "/moderation?done=approved");
            for server in [&first, &second] {
                let shown = until_reviews(server, &played.slug, before + 1).await;
                let review = &shown["reviews"][0];
                assert_eq!(
                    json!([review["content"], review["rating"], review["user"]["username"], review["gameUsername"]]),
                    json!([HELD, 5, "ada", played.nickname])
                );
            }
            let again = judge.send(&format!("/moderation/{}/decide", ids[0]), &[("decision", "approve")]).await;
            assert_eq!((again.status, again.notice().as_str()), (409, "Another moderator has decided this item."));
            // Both find it in their logs.
            let log = ada.get("/dashboard/log").await.html();
            assert!(log.contains("approved by a moderator") && log.contains("review written"), "{log}");
        });
        assert_recount(&first.store);
    }
}

#[test]
fn the_author_reads_the_reason_and_appeals_once() {
    for engine in Engine::BOTH {
        let server = server(engine);
        server.run(async {
            let played = played(&server).remove(0);
            let before = review_total(&server, &played.slug).await;
            let mut ada = reviewer(&server, "ada", &played).await;
            review(&mut ada, &played.slug, "1", HELD).await;
            let mut judge = moderator(&server, "judge").await;
            let id = queue(&mut judge, "").await.remove(0);
            let without = decide(&mut judge, &id, "reject", " ").await;
            assert_eq!((without.status, without.notice().as_str()), (422, "Enter a reason. The author reads it."));
            assert_eq!(decide(&mut judge, &id, "burn", "x").await.status, 422);
            assert_eq!(decide(&mut judge, &id, "reject", "No <b>advertising</b>.").await.status, 303);
            let page = ada.get("/dashboard/contributions").await.html();
            assert!(page.contains("No &#60;b&#62;advertising&#60;/b&#62;."), "{page}");
            // A clean text does not pass by itself any more, also not after the review is deleted.
            let edited = review(&mut ada, &played.slug, "2", CLEAN).await;
            assert!(edited.redirect_target().ends_with("held"));
            let delete = format!("/servers/{}/review/delete", played.slug);
            assert_eq!(ada.send(&delete, &[]).await.status, 303);
            assert!(queue(&mut judge, "").await.is_empty(), "it is withdrawn");
            assert!(review(&mut ada, &played.slug, "2", CLEAN).await.redirect_target().ends_with("held"));
            let id = queue(&mut judge, "").await.remove(0);
            let page = judge.get(&format!("/moderation/{id}")).await.html();
            assert!(page.contains("An earlier text or picture of this author was turned down."), "{page}");
            decide(&mut judge, &id, "hide", "Not about the server.").await;

            let appeal = format!("/dashboard/contributions/{id}/appeal");
            ada.get("/dashboard/contributions").await;
            assert_eq!(ada.send(&appeal, &[("appeal", "short")]).await.status, 422);
            let mut eve = Browser::signed_up(&server, "eve").await;
            assert_eq!(eve.send(&appeal, &[("appeal", "It is mine, all mine.")]).await.status, 404);
            let sent = ada.send(&appeal, &[("appeal", "It is about the people there.")]).await;
            assert_eq!(sent.redirect_target(), "/dashboard/contributions?done=appealed");
            let page = judge.get(&format!("/moderation/{id}")).await.html();
            assert!(page.contains("It is about the people there.") && page.contains("Not about the server."), "{page}");
            decide(&mut judge, &id, "hide", "Still not.").await;
            assert_eq!(ada.send(&appeal, &[("appeal", "And once more, please.")]).await.status, 404);
            assert_eq!(review_total(&server, &played.slug).await, before);
        });
        assert_recount(&server.store);
    }
}

#[test]
fn of_simultaneous_locks_one_wins_for_15_minutes() {
    for engine in Engine::BOTH {
        let first = server(engine);
        let second = node(first.store.clone(), |_| {});
        fill(&first, 1);
        let (one, two) = (first.run(moderator(&first, "one")), first.run(moderator(&first, "two")));
        let id = first.run(async { queue(&mut one.clone(), "").await.remove(0) });
        let take = format!("/moderation/{id}/take");
        let tries = (0..32).map(|i| {
            let server = if i % 4 < 2 { &first } else { &second };
            let browser = if i % 2 == 0 { &one } else { &two };
            let (mut browser, take) = (browser.clone().on(server), &take);
            async move { (i % 2, browser.send(take, &[]).await.status) }
        });
        let outcomes = first.run(futures_util::future::join_all(tries));
        let winners: std::collections::BTreeSet<usize> =
            outcomes.iter().filter(|(_, status)| *status == 303).map(|(who, _)| *who).collect();
        assert_eq!(winners.len(), 1, "{engine:?}: {outcomes:?}");
        let winner = *winners.first().expect("a winner");
        let (mut has, mut waits) = if winner == 0 { (one, two) } else { (two, one) };
        first.run(async {
            let page = waits.get(&format!("/moderation/{id}")).await.html();
            assert!(page.contains("Taken by") && !page.contains("name=\"decision\""), "{page}");
            assert!(has.get("/moderation").await.html().contains("Taken by you"));
            let seen = has.get(&format!("/moderation/{id}")).await.field("seen");
            let decide = format!("/moderation/{id}/decide");
            let fields = [("decision", "approve"), ("seen", seen.as_str())];
            assert_eq!(waits.send(&decide, &fields).await.status, 409);
            first.clock.set(NOW + 15 * MINUTE - 1);
            assert_eq!(waits.send(&decide, &fields).await.status, 409);
            first.clock.set(NOW + 15 * MINUTE);
            assert_eq!(waits.send(&decide, &fields).await.redirect_target(), "/moderation?done=approved");
        });
    }
}

#[test]
fn the_queue_is_paged_oldest_first_and_moderators_share_it() {
    for engine in Engine::BOTH {
        let server = server(engine);
        fill(&server, 60);
        server.run(async {
            let (mut one, mut two) = (moderator(&server, "one").await, moderator(&server, "two").await);
            let first = queue(&mut one, "").await;
            assert_eq!(first.len(), 50);
            let html = one.get("/moderation").await.html();
            let more = html.split("href=\"/moderation?after=").nth(1).and_then(|rest| rest.split('"').next());
            let rest = queue(&mut one, &format!("?after={}", more.expect("a next page"))).await;
            assert_eq!(rest.len(), 10);
            assert!(!rest.iter().any(|id| first.contains(id)));
            assert_eq!(queue(&mut one, "?kind=name").await.len(), 50);
            assert!(queue(&mut one, "?kind=review").await.is_empty());
            assert!(queue(&mut one, "?state=approved").await.is_empty());
            for odd in ["?kind=%00", "?after=x", "?after=9223372036854775807", "?state=gone&kind="] {
                assert_eq!(one.get(&format!("/moderation{odd}")).await.status, 200, "{odd}");
            }
            // Each takes another one.
            assert_eq!(one.send("/moderation/next", &[]).await.redirect_target(), format!("/moderation/{}", first[0]));
            assert_eq!(two.send("/moderation/next", &[]).await.redirect_target(), format!("/moderation/{}", first[1]));
            // A decision leads to the next one.
            let next = decide(&mut one, &first[0], "approve", "").await;
            assert_eq!(next.redirect_target(), format!("/moderation/{}?done=approved", first[2]));
            assert_eq!(one.send(&format!("/moderation/{}/give-back", first[2]), &[]).await.status, 303);
            assert_eq!(two.send(&format!("/moderation/{}/take", first[2]), &[]).await.status, 303);
        });
    }
}

#[test]
fn a_changed_text_must_be_read_again_and_nobody_reviews_their_own() {
    for engine in Engine::BOTH {
        let server = server(engine);
        server.run(async {
            let played = played(&server).remove(0);
            let mut ada = reviewer(&server, "ada", &played).await;
            review(&mut ada, &played.slug, "5", HELD).await;
            let mut judge = moderator(&server, "judge").await;
            let id = queue(&mut judge, "").await.remove(0);
            let seen = judge.get(&format!("/moderation/{id}")).await.field("seen");
            review(&mut ada, &played.slug, "5", "Now it says https://worse.example/").await;
            let fields = [("decision", "approve"), ("seen", seen.as_str())];
            let changed = judge.send(&format!("/moderation/{id}/decide"), &fields).await;
            assert_eq!(
                (changed.status, changed.notice().as_str()),
                (409, "The author has changed the text. Read it again before you decide.")
            );
            assert!(changed.html().contains("https://worse.example/"));
            command(&server, &["account", "role", "ada", "moderator"]);
            let own = decide(&mut ada, &id, "approve", "").await;
            assert_eq!((own.status, own.notice().as_str()), (409, "You cannot review what you wrote yourself."));
            assert_eq!(ada.send("/moderation/next", &[]).await.redirect_target(), "/moderation?done=queue-empty");
            assert_eq!(judge.get("/moderation/00000000000000000000").await.status, 404);
        });
    }
}
