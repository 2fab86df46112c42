//! Long, hostile and many texts are refused with a reason.

use super::*;

#[test]
fn long_texts_and_link_farms_are_refused() {
    let server = server_with(Engine::Sqlite, |config| {
        config.moderation.refused_words = vec!["forbidden".into()];
        config.moderation.reviews_per_day = 1_000;
        config.moderation.posts_per_day = 1_000;
    });
    server.run(async {
        let played = played(&server).remove(0);
        let before = review_total(&server, &played.slug).await;
        let mut ada = reviewer(&server, "ada", &played).await;
        let farm = (0..9).map(|i| format!("https://farm{i}.example/ ")).collect::<String>();
        let disguised = (0..9).map(|i| format!("www.farm{i}.example ")).collect::<String>();
        for (content, status, reason) in [
            ("x".repeat(20_000), 413, "larger than 16 KiB"),
            ("x".repeat(2_001), 422, "at most 2000 characters"),
            ("short".into(), 422, "at least 10 characters"),
            ("The other \u{202e}direction of text".into(), 422, "U+202E"),
            ("A bell \u{7} in the text".into(), 422, "U+0007"),
            ("This is FÖRBIDDEN here.".into(), 422, "not accepted"),
            (farm.clone(), 422, "9 links; at most 3"),
            (disguised, 422, "9 links; at most 3"),
        ] {
            let refused = review(&mut ada, &played.slug, "5", &content).await;
            assert_eq!(refused.status, status, "{reason}");
            assert!(refused.html().contains(reason), "{reason}: {}", refused.notice());
        }
        for rating in ["", "0", "6", "-1", "5.5", "99999999999999999999"] {
            let refused = review(&mut ada, &played.slug, rating, CLEAN).await;
            assert_eq!((refused.status, refused.notice().as_str()), (422, "Choose one to five stars."), "{rating}");
        }
        assert_eq!(review_total(&server, &played.slug).await, before);
        let named = Browser::new(&server).sign_up("the-forbidden-one").await;
        assert_eq!((named.status, named.notice().as_str()), (422, "The word “forbidden” is not accepted here."));

        let mut owner = owner(&server, "boss", &played.slug).await;
        let posts = format!("/dashboard/servers/{}/posts", played.slug);
        owner.get(&posts).await;
        let title = "A title".to_owned();
        let entities = (0..9).map(|i| format!("[x](https&#58;//farm{i}.example/) ")).collect::<String>();
        for (title, content, status, reason) in [
            ("x".repeat(1 << 16), "text".into(), 422, "at most 120 characters"),
            (String::new(), "text".into(), 422, "Enter a title."),
            ("two\u{2028}lines\u{202e}".into(), "text".into(), 422, "control or direction"),
            (title.clone(), "漢".repeat(8_001), 422, "at most 8000 characters"),
            (title.clone(), farm, 422, "9 links; at most 3"),
            (title, entities, 422, "9 links; at most 3"),
        ] {
            let refused = owner.send(&posts, &[("title", &title), ("content", &content), ("action", "publish")]).await;
            assert_eq!(refused.status, status, "{reason}");
            assert!(refused.html().contains(reason), "{reason}: {}", refused.notice());
        }
        // The longest accepted text passes, in a script of three bytes a character.
        let longest = "漢".repeat(8_000);
        let fields = [("title", "A title"), ("content", longest.as_str()), ("action", "publish")];
        assert_eq!(owner.send(&posts, &fields).await.redirect_target(), format!("{posts}?done=post-published"));
    });
}

#[test]
fn attacks_in_markdown_are_shown_as_text() {
    let server = server(Engine::Sqlite);
    server.run(async {
        let played = played(&server).remove(0);
        let mut owner = owner(&server, "boss", &played.slug).await;
        command(&server, &["account", "trust", "boss"]);
        let posts = format!("/dashboard/servers/{}/posts", played.slug);
        owner.get(&posts).await;
        let attack = "<script>alert(1)</script> <svg onload=alert(2)> [x](javascript:alert(3)) ![y](https://evil.example/z.png)\n\n\
                      <iframe src=\"https://evil.example\"></iframe>\n\n[good](https://good.example/?a=\"><img src=x onerror=alert(4)>)";
        let fields = [("title", "<b onclick=alert(0)>T</b>"), ("content", attack), ("action", "preview")];
        let preview = owner.send(&posts, &fields).await.html();
        let fields = [fields[0], fields[1], ("action", "publish")];
        assert_eq!(owner.send(&posts, &fields).await.status, 303);
        let path = format!("/servers/{}/updates", played.slug);
        let shown = server.until(&path, |response| response.data()["updates"][0]["content"] == attack).await.data();
        assert_eq!(shown["updates"][0]["title"], "<b onclick=alert(0)>T</b>");
        let mut visitor = Browser::new(&server);
        let page = visitor.get(&format!("/servers/{}", played.slug)).await.html();
        let feed = visitor.get(&format!("/servers/{}/feed.xml", played.slug)).await.html();
        assert!(feed.contains("&amp;lt;script&amp;gt;alert(1)"), "{feed}");
        for html in [preview, page] {
            assert!(html.contains("&lt;script&gt;alert(1)"), "{html}");
            for bad in ["<svg onload", "<script>alert", "href=\"javascript", "<iframe", "<img src=x", "evil.example/z.png\"", "<b onclick"] {
                assert!(!html.contains(bad), "{bad}");
            }
        }
    });
}

#[test]
fn floods_end_at_the_cap_of_the_day() {
    for engine in Engine::BOTH {
        let server = server_with(engine, |config| {
            config.moderation.reviews_per_day = 3;
            config.moderation.posts_per_day = 2;
        });
        server.run(async {
            let played = played(&server).remove(0);
            let mut ada = reviewer(&server, "ada", &played).await;
            for _ in 0..3 {
                assert_eq!(review(&mut ada, &played.slug, "5", CLEAN).await.status, 303);
            }
            let fourth = review(&mut ada, &played.slug, "5", CLEAN).await;
            assert_eq!((fourth.status, fourth.header("retry-after").is_some()), (429, true));
            assert!(fourth.notice().starts_with("You have written too many reviews"), "{}", fourth.notice());
            server.clock.set(NOW + rollcall_model::time::DAY + 1);
            assert_eq!(review(&mut ada, &played.slug, "5", CLEAN).await.status, 303);
            server.clock.set(NOW);

            let mut owner = owner(&server, "boss", &played.slug).await;
            let posts = format!("/dashboard/servers/{}/posts", played.slug);
            owner.get(&posts).await;
            let post = |action| [("title", "News"), ("content", "There is news."), ("action", action)];
            assert_eq!(owner.send(&posts, &post("publish")).await.status, 303);
            let at = [&post("schedule")[..], &[("publish_at", "2099-01-01T00:00")]].concat();
            assert_eq!(owner.send(&posts, &at).await.status, 422, "more than a year ahead");
            assert_eq!(owner.send(&posts, &post("publish")).await.status, 303);
            let third = owner.send(&posts, &post("publish")).await;
            assert_eq!((third.status, third.header("retry-after").is_some()), (429, true));
            // Drafts have a bound of their own.
            for _ in 0..50 {
                assert_eq!(owner.send(&posts, &post("draft")).await.status, 303);
            }
            let many = owner.send(&posts, &post("draft")).await;
            assert_eq!(many.status, 422);
            assert!(many.notice().contains("at most 50 drafts"), "{}", many.notice());
        });
    }
}
