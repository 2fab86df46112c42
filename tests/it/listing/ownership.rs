//! What owners and editors do with a server.

use rollcall_model::time::DAY;
use serde_json::json;

use super::{Game, owned_server, service, submitted, until_stored};
use crate::harness::{Browser, Engine, PUBLIC_URL, Server, TestResponse, run_blocking, until};
use crate::moderation;

async fn save(browser: &mut Browser<'_>, slug: &str, fields: &[(&str, &str)]) -> TestResponse {
    let path = format!("/dashboard/servers/{slug}/settings");
    let page = browser.get(&path).await;
    let names = ["name", "description", "country", "mode", "tags", "website", "chat_url", "store_url", "video_url"];
    let html = page.html();
    let value = |name: &str| {
        let field = html.split(&format!("id=\"{name}\" name=\"{name}\" value=\"")).nth(1);
        field.and_then(|rest| rest.split('"').next()).unwrap_or_else(|| panic!("no {name}: {html}")).to_owned()
    };
    let stored: Vec<(&str, String)> = names.iter().map(|name| (*name, value(name))).collect();
    let mut sent: Vec<(&str, &str)> = stored.iter().map(|(name, value)| (*name, value.as_str())).collect();
    sent.push(("visibility", "PUBLIC"));
    sent.retain(|(name, _)| fields.iter().all(|(field, _)| field != name));
    browser.send(&path, &[&sent[..], fields].concat()).await
}

async fn status_of(server: &Server, path: &str) -> u16 {
    server.raw(reqwest::Method::GET, path, &[]).await.status
}

/// Waits until a page has a status: pages are cached for a moment.
async fn until_status(server: &Server, path: &str, status: u16) {
    until(async || match status_of(server, path).await {
        found if found == status => Ok(()),
        found => Err(format!("{path} is {found}, not {status}")),
    })
    .await;
}

#[tokio::test]
async fn owners_and_editors_edit_the_page() {
    for engine in Engine::BOTH {
        let server = service(engine);
        let game = Game::open(0, "hello");
        let mut ada = Browser::signed_up(&server, "ada").await;
        let slug = owned_server(&mut ada, &game, "Shared").await;
        let saved = save(&mut ada, &slug, &[("description", "By Ada"), ("tags", "pvp")]).await;
        let settings = format!("/dashboard/servers/{slug}/settings");
        assert_eq!(saved.redirect_target(), format!("{settings}?done=server-changed"), "{}", saved.notice());
        let log = ada.get("/dashboard/log").await.html();
        assert!(log.contains("server changed") && log.contains("shortDescription, tags"), "{log}");
        server.until(&format!("/servers/{slug}"), |r| r.data()["server"]["tags"] == json!(["pvp"])).await;
        let same = save(&mut ada, &slug, &[]).await;
        assert_eq!((same.status, same.notice().as_str()), (422, "Nothing was changed: the form is as it was."));
        // Fields of operators are not taken from this form.
        let sneaky =
            save(&mut ada, &slug, &[("slug", "best"), ("trust", "verified"), ("owner", ""), ("address", "x.y")]);
        assert_eq!(sneaky.await.status, 422);

        let mut bob = Browser::signed_up(&server, "bob").await;
        assert_eq!(bob.get(&settings).await.status, 404);
        ada.get(&settings).await;
        for (username, words) in [("nobody", "No account has this username."), ("ada", "This account owns the server.")]
        {
            let refused = ada.send(&format!("{settings}/editors"), &[("username", username)]).await;
            assert_eq!((refused.status, refused.notice().as_str()), (422, words));
        }
        let added = ada.send(&format!("{settings}/editors"), &[("username", "Bob")]).await;
        assert_eq!(added.redirect_target(), format!("{settings}?done=editor-added"));
        assert_eq!(save(&mut bob, &slug, &[("description", "By Bob")]).await.status, 303);
        assert_eq!(bob.get(&format!("/dashboard/servers/{slug}")).await.status, 200);
        // What is the owner's alone.
        for (path, fields) in [
            ("editors", vec![("username", "bob")]),
            ("editors/remove", vec![("username", "bob")]),
            ("address", vec![("address", "other.example")]),
            ("archive", vec![]),
            ("delete", vec![("sure", "yes")]),
        ] {
            assert_eq!(bob.send(&format!("{settings}/{path}"), &fields).await.status, 404, "{path}");
        }
        ada.get(&settings).await;
        let removed = ada.send(&format!("{settings}/editors/remove"), &[("username", "bob")]).await;
        assert_eq!(removed.redirect_target(), format!("{settings}?done=editor-removed"));
        assert_eq!(bob.get(&settings).await.status, 404);
    }
}

#[tokio::test]
async fn visibility_decides_who_sees_a_server() {
    for engine in Engine::BOTH {
        let server = service(engine);
        let game = Game::open(0, "peekaboo");
        let mut ada = Browser::signed_up(&server, "ada").await;
        let slug = owned_server(&mut ada, &game, "Peekaboo").await;
        let api = format!("/servers/{slug}");
        server.until(&api, |response| response.status == 200).await;

        assert_eq!(save(&mut ada, &slug, &[("visibility", "UNLISTED")]).await.status, 303);
        server.until("/servers", |response| response.data()["servers"] == json!([])).await;
        assert_eq!(server.get(&api).await.status, 404);
        let page = server.raw(reqwest::Method::GET, &api, &[]).await;
        assert_eq!(page.status, 200);
        assert!(page.html().contains("<meta name=\"robots\" content=\"noindex\">"));
        assert_eq!(page.heading(), "Peekaboo");

        assert_eq!(save(&mut ada, &slug, &[("visibility", "HIDDEN")]).await.status, 303);
        until_status(&server, &api, 404).await;
        let mut eve = Browser::signed_up(&server, "eve").await;
        assert_eq!(eve.get(&format!("/dashboard/servers/{slug}/claim")).await.status, 404);
        assert_eq!(status_of(&server, "/servers/%00").await, 404);

        assert_eq!(save(&mut ada, &slug, &[("visibility", "PUBLIC")]).await.status, 303);
        server.until(&api, |response| response.status == 200).await;
    }
}

#[tokio::test]
async fn an_archived_server_comes_back_and_a_deleted_one_is_kept_for_a_month() {
    for engine in Engine::BOTH {
        let server = service(engine);
        let game = Game::open(0, "bye");
        let mut ada = Browser::signed_up(&server, "ada").await;
        let slug = owned_server(&mut ada, &game, "Bye").await;
        let (api, settings) = (format!("/servers/{slug}"), format!("/dashboard/servers/{slug}/settings"));
        server.until(&api, |response| response.status == 200).await;

        ada.get(&settings).await;
        let archived = ada.send(&format!("{settings}/archive"), &[]).await;
        assert_eq!(archived.redirect_target(), format!("{settings}?done=server-archived"));
        server.until(&api, |response| response.status == 404).await;
        until_stored(&server, "select count(*) from servers where is_tracked", 0).await;
        assert!(ada.get(&settings).await.html().contains("This server is archived"));
        let list = ada.get("/dashboard/servers").await.html();
        assert!(list.contains("Archived</span>") && !list.contains("Online</span>"), "{list}");
        ada.get(&format!("/dashboard/servers/{slug}")).await;
        let token = ada.send(&format!("/dashboard/servers/{slug}/token"), &[]).await.secret();
        let bearer = format!("Bearer {token}");
        let report =
            async || server.exchange(reqwest::Method::POST, "/report/v1", &[("authorization", &bearer)], "{}").await;
        let refused = report().await;
        assert!(refused.status == 403 && refused.error().starts_with("The server is archived or deleted"));
        ada.get(&settings).await;
        assert_eq!(ada.send(&format!("{settings}/restore"), &[]).await.status, 303);
        server.until(&api, |response| response.status == 200).await;
        until_stored(&server, "select count(*) from servers where is_tracked", 1).await;
        assert_eq!(report().await.status, 200);

        let unsure = ada.send(&format!("{settings}/delete"), &[]).await;
        assert_eq!(unsure.status, 422);
        let deleted = ada.send(&format!("{settings}/delete"), &[("sure", "yes")]).await;
        assert_eq!(deleted.redirect_target(), format!("{settings}?done=server-deleted"));
        server.until(&api, |response| response.status == 404).await;
        let page = ada.get(&settings).await.html();
        assert!(page.contains("Deleted</span>") && page.contains(">Restore</button>"), "{page}");
        assert!(!page.contains("Delete this server") && !page.contains("id=\"visibility\""), "{page}");
        assert_eq!(report().await.status, 403, "too soon after the last one, which is not what matters");
        server.clock.set(server.clock.now() + 60_000);
        assert_eq!(report().await.status, 403);
        server.clock.set(server.clock.now() + 30 * DAY - 61_000);
        until_stored(&server, "select count(*) from servers", 1).await;
        server.clock.set(server.clock.now() + 2000);
        until_stored(&server, "select count(*) from servers", 0).await;
    }
}

/// Sends a file like a browser does.
async fn upload(browser: &mut Browser<'_>, slug: &str, file: &[u8], token: Option<&str>) -> TestResponse {
    let settings = format!("/dashboard/servers/{slug}/settings");
    let page = browser.get(&settings).await;
    let token = token.map_or_else(|| page.field("token"), str::to_owned);
    let mut body = format!(
        "--line\r\nContent-Disposition: form-data; name=\"token\"\r\n\r\n{token}\r\n--line\r\nContent-Disposition: form-data; \
         name=\"file\"; filename=\"../../banner.png\"\r\nContent-Type: image/png\r\n\r\n"
    )
    .into_bytes();
    body.extend_from_slice(file);
    body.extend_from_slice(b"\r\n--line--\r\n");
    let headers = [("content-type", "multipart/form-data; boundary=line"), ("origin", PUBLIC_URL)];
    browser.post(&format!("{settings}/banner"), &headers, body).await
}

#[tokio::test]
async fn owners_upload_a_banner() {
    for engine in Engine::BOTH {
        let server = service(engine);
        let game = Game::open(0, "banner");
        let mut ada = Browser::signed_up(&server, "ada").await;
        let slug = owned_server(&mut ada, &game, "Banner").await;
        let (api, settings) = (format!("/servers/{slug}"), format!("/dashboard/servers/{slug}/settings"));
        let drawn = server.until(&api, |r| r.status == 200).await.data()["server"]["bannerUrl"].clone();
        let picture = rollcall_paint::banner("My own", "", 7);
        let saved = upload(&mut ada, &slug, &picture, None).await;
        assert_eq!(saved.redirect_target(), format!("{settings}?done=banner-set"));
        let shown = server.until(&api, |r| r.data()["server"]["bannerUrl"] != drawn).await.data();
        let url = shown["server"]["bannerUrl"].as_str().expect("a URL").to_owned();
        let path = url.strip_prefix(PUBLIC_URL).expect("an own URL");
        assert_eq!(server.raw(reqwest::Method::GET, path, &[]).await.body, picture);

        // A new name keeps it.
        assert_eq!(save(&mut ada, &slug, &[("name", "Banner two")]).await.status, 303);
        let renamed = server.until(&api, |r| r.data()["server"]["name"] == "Banner two").await.data();
        assert_eq!(renamed["server"]["bannerUrl"], json!(url));

        let words = "The banner must be a PNG of 936 × 120 or 468 × 60 pixels.";
        let icon = rollcall_paint::icon("no banner", 1);
        let svg = b"<svg xmlns=\"http://www.w3.org/2000/svg\"><script>alert(1)</script></svg>";
        for wrong in [&icon[..], svg, b"", &picture[..picture.len() / 2]] {
            let refused = upload(&mut ada, &slug, wrong, None).await;
            assert_eq!((refused.status, refused.notice().as_str()), (422, words));
        }
        // Refused by its length alone: a body that is still on its way would meet a closed connection.
        let head = format!(
            "POST {settings}/banner HTTP/1.1\r\nhost: rollcall.test\r\norigin: {PUBLIC_URL}\r\ncontent-length: 300000\r\n\
             content-type: multipart/form-data; boundary=line\r\nconnection: close\r\n\r\n"
        );
        let refused = run_blocking(|| server.wire(head.as_bytes()));
        assert!(refused.starts_with(b"HTTP/1.1 413 "), "{}", String::from_utf8_lossy(&refused));
        assert_eq!(upload(&mut ada, &slug, &picture, Some("wrong")).await.status, 403);
        let mut eve = Browser::signed_up(&server, "eve").await;
        let token = eve.get("/dashboard/servers").await.field("token");
        assert_eq!(upload(&mut eve, &slug, &picture, Some(&token)).await.status, 404);
        assert_eq!(server.get(&api).await.data()["server"]["bannerUrl"], json!(url));

        ada.get(&settings).await;
        assert_eq!(ada.send(&format!("{settings}/banner/remove"), &[]).await.status, 303);
        server.until(&api, |r| r.data()["server"]["bannerUrl"] != json!(url)).await;
    }
}

#[tokio::test]
async fn a_banner_of_someone_who_proved_nothing_is_reviewed_first() {
    for engine in Engine::BOTH {
        let server = service(engine);
        let game = Game::open(0, "banner");
        let mut ada = Browser::signed_up(&server, "ada").await;
        let slug = submitted(&mut ada, &game.text(), "Banner").await;
        let (api, settings) = (format!("/servers/{slug}"), format!("/dashboard/servers/{slug}/settings"));
        let drawn = server.until(&api, |r| r.status == 200).await.data()["server"]["bannerUrl"].clone();
        let picture = rollcall_paint::banner("My own", "", 7);
        let saved = upload(&mut ada, &slug, &picture, None).await;
        assert_eq!(saved.redirect_target(), format!("{settings}?done=banner-held"));
        let done = ada.get(saved.redirect_target()).await;
        assert_eq!(done.notice(), "Banner saved. A moderator looks at the server before it is shown.");
        assert!(done.html().contains("A moderator looks at it before it is shown."), "{}", done.html());
        server.until(&api, |r| r.status == 404).await;

        let mut root = Browser::operator(&server, "root").await;
        let id = moderation::queue(&mut root, "?kind=server").await.remove(0);
        let page = root.get(&format!("/moderation/{id}")).await.html();
        for part in ["The banner was uploaded by someone who has not claimed the server.", "class=\"banner-preview\""] {
            assert!(page.contains(part), "{part}: {page}");
        }
        assert_eq!(moderation::decide(&mut root, &id, "approve", "").await.status, 303);
        let shown = server.until(&api, |r| r.status == 200).await.data();
        assert_ne!(shown["server"]["bannerUrl"], drawn);

        // Removing it is no picture; trusted accounts skip the queue.
        ada.get(&settings).await;
        let removed = ada.send(&format!("{settings}/banner/remove"), &[]).await;
        assert_eq!(removed.redirect_target(), format!("{settings}?done=banner-removed"));
        moderation::command(&server, &["account", "trust", "ada"]);
        let saved = upload(&mut ada, &slug, &picture, None).await;
        assert_eq!(saved.redirect_target(), format!("{settings}?done=banner-set"));
        assert!(moderation::queue(&mut root, "?kind=server").await.is_empty());
    }
}

#[tokio::test]
async fn links_to_unknown_hosts_are_reviewed_when_they_change() {
    for engine in Engine::BOTH {
        let server = service(engine);
        let game = Game::open(0, "links");
        let mut ada = Browser::signed_up(&server, "ada").await;
        let slug = owned_server(&mut ada, &game, "Links").await;
        let api = format!("/servers/{slug}");
        server.until(&api, |r| r.status == 200).await;
        let known = [("chat_url", "https://discord.gg/links"), ("video_url", "https://youtu.be/links")];
        assert_eq!(save(&mut ada, &slug, &known).await.status, 303);
        let mut root = Browser::operator(&server, "root").await;
        assert!(moderation::queue(&mut root, "?kind=server").await.is_empty());

        for (field, host) in [("website", "one.example"), ("store_url", "two.example")] {
            let url = format!("https://{host}/");
            assert_eq!(save(&mut ada, &slug, &[(field, &url)]).await.status, 303);
            server.until(&api, |r| r.status == 404).await;
            let id = moderation::queue(&mut root, "?kind=server").await.remove(0);
            let page = root.get(&format!("/moderation/{id}")).await.html();
            assert!(page.contains(&format!("The text links to {host}.")) && page.contains(&url), "{page}");
            assert_eq!(moderation::decide(&mut root, &id, "approve", "").await.status, 303);
            server.until(&api, |r| r.status == 200).await;
        }
        // What was approved is not reviewed again.
        assert_eq!(save(&mut ada, &slug, &[("description", "A fine server")]).await.status, 303);
        assert!(moderation::queue(&mut root, "?kind=server").await.is_empty());
    }
}
