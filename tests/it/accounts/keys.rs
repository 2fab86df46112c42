//! `/dashboard`: creating keys.

use rollcall_model::time::DAY;

use super::{shared_server, stored_rows, until_status};
use crate::harness::{Browser, Engine, NOW, Server};

#[tokio::test]
async fn a_secret_is_shown_once_works_immediately_and_is_not_stored() {
    for engine in Engine::BOTH {
        let server = Server::empty(engine);
        let mut ada = Browser::signed_up(&server, "ada").await;
        let id = ada.get("/dashboard").await.field("id");
        let made = ada.send("/dashboard/keys", &[("id", &id), ("name", "my bot")]).await;
        assert_eq!((made.status, made.heading().as_str()), (200, "API key created"));
        assert_eq!(made.header("cache-control"), Some("no-store"));
        let secret = made.secret();
        assert_eq!(until_status(&server, &secret, 200).await.header("x-ratelimit-limit-minute"), Some("60"));
        let own = format!("/dashboard/keys/{id}");
        let security = format!("{own}/security");
        for path in [
            "/dashboard",
            &own,
            &security,
            "/dashboard/live",
            "/dashboard/log",
            "/dashboard/account",
            "/dashboard/usage.csv",
        ] {
            let page = ada.get(path).await;
            assert!(page.status == 200 && !page.html().contains(&secret), "{path}");
        }
        assert!(ada.get(&security).await.html().contains(&format!("<code>{}…</code>", &secret[..7])));
        assert!(!stored_rows(&server.store).iter().any(|row| row.contains(&secret[7..])));
        let store = crate::harness::run_blocking(|| server.stop());
        for file in std::fs::read_dir(store.path()).unwrap().map(|entry| entry.unwrap().path()) {
            if file.is_file() {
                let bytes = std::fs::read(&file).unwrap();
                assert!(!bytes.windows(secret.len()).any(|part| part == secret.as_bytes()), "{}", file.display());
            }
        }
    }
}

#[tokio::test]
async fn a_form_sent_twice_creates_one_key() {
    for engine in Engine::BOTH {
        let mut ada = Browser::signed_up(shared_server(engine), "sends-twice").await;
        let id = ada.get("/dashboard").await.field("id");
        let fields = [("id", id.as_str()), ("name", "one")];
        let (mut one, mut other) = (ada.clone(), ada.clone());
        let (one, other) = tokio::join!(one.send("/dashboard/keys", &fields), other.send("/dashboard/keys", &fields));
        let mut outcomes = [one.status, other.status];
        outcomes.sort_unstable();
        assert_eq!(outcomes, [200, 303]);
        let again = ada.send("/dashboard/keys", &fields).await;
        assert_eq!(again.redirect_target(), "/dashboard?done=made-before");
        let keys = ada.get("/dashboard?done=made-before").await;
        assert_eq!(keys.html().matches("href=\"/dashboard/keys/").count(), 1);
        assert!(keys.notice().starts_with("This API key already exists."));
    }
}

#[tokio::test]
async fn key_names_are_one_line_of_visible_text() {
    let (longest, too_long) = ("ö".repeat(100), "ö".repeat(101));
    for engine in Engine::BOTH {
        let mut ada = Browser::signed_up(shared_server(engine), "names-keys").await;
        for name in ["a", &longest, "Öz 機器人 <b>"] {
            ada.make_key(name).await;
        }
        for name in ["", "  ", "a\nb", "a\tb", "\u{1b}[31mred", &too_long, "a\u{202e}b", "a\u{2028}b"] {
            let id = ada.get("/dashboard").await.field("id");
            let refused = ada.send("/dashboard/keys", &[("id", &id), ("name", name)]).await;
            let words = "The key name must have 1 to 100 characters on one line.";
            assert_eq!((refused.status, refused.notice().as_str()), (422, words), "{name:?}");
        }
        assert_eq!(ada.get("/dashboard").await.html().matches("href=\"/dashboard/keys/").count(), 3);
    }
}

#[tokio::test]
async fn the_expiry_date_must_be_in_the_future() {
    for engine in Engine::BOTH {
        let server = Server::empty(engine);
        let mut ada = Browser::signed_up(&server, "ada").await;
        for (day, words) in [
            (
                "2026-06-02",
                "The expiry date must be today or later, not 2026-06-02. To stop a key now, disable or delete it.",
            ),
            ("2027-02-29", "Write the expiry date as YYYY-MM-DD, for example 2027-01-31."),
            ("soon", "Write the expiry date as YYYY-MM-DD, for example 2027-01-31."),
            ("9999-12-31", "The expiry date must be before 9999-12-31."),
        ] {
            let refused = ada.send("/dashboard/keys", &[("name", "short"), ("expires", day)]).await;
            assert_eq!((refused.status, refused.notice().as_str()), (422, words));
            assert_eq!(refused.field("name"), "short");
        }
        let made = ada.send("/dashboard/keys", &[("name", "short"), ("expires", "2026-06-03")]).await;
        let secret = made.secret();
        until_status(&server, &secret, 200).await;
        assert!(ada.get("/dashboard").await.html().contains("until <time datetime=\"2026-06-04T00:00:00.000Z\">"));
        server.clock.set((NOW / DAY + 1) * DAY);
        assert_eq!(server.get_as(&secret, "/capes").await.error(), "API key expired");
        assert!(ada.get("/dashboard").await.html().contains("<span class=\"pill warn\">expired</span>"));
    }
}

#[tokio::test]
async fn the_number_of_keys_and_of_new_keys_per_day_is_limited() {
    for engine in Engine::BOTH {
        let server = Server::empty_with(engine, |config| {
            config.accounts.max_keys = 2;
            config.accounts.new_keys_per_day = 3;
        });
        let mut ada = Browser::signed_up(&server, "ada").await;
        let make = [("name", "one more")];
        let (first, _) = ada.make_key("one").await;
        let (second, _) = ada.make_key("two").await;
        let refused = ada.send("/dashboard/keys", &make).await;
        let words = "An account can have 2 API keys. Delete one you no longer need.";
        assert_eq!((refused.status, refused.notice().as_str()), (422, words));
        for id in [&first, &second] {
            let delete = format!("/dashboard/keys/{id}/delete");
            assert_eq!(ada.send(&delete, &[("sure", "yes")]).await.redirect_target(), "/dashboard?done=deleted");
        }
        ada.make_key("three").await;
        // Deleted keys count as well: each had its own quota.
        let refused = ada.send("/dashboard/keys", &make).await;
        let words = "An account can create 3 API keys within 24 hours. Try again tomorrow.";
        assert_eq!((refused.status, refused.notice().as_str()), (429, words));
        server.clock.set(NOW + DAY);
        ada.make_key("four").await;
    }
}

#[tokio::test]
async fn concurrent_forms_do_not_exceed_the_key_limit() {
    for engine in Engine::BOTH {
        let server = Server::empty_with(engine, |config| config.accounts.max_keys = 3);
        let ada = Browser::signed_up(&server, "ada").await;
        let forms = (0..12).map(|i| {
            let (mut browser, name) = (ada.clone(), format!("key {i}"));
            async move { browser.send("/dashboard/keys", &[("name", &name)]).await.status }
        });
        let outcomes = futures_util::future::join_all(forms).await;
        assert_eq!(outcomes.iter().filter(|status| **status == 200).count(), 3, "{outcomes:?}");
    }
}
