//! Duplicates, caps, hostile files, and other people's uploads.

use rollcall_model::time::DAY;

use super::*;
use crate::harness::{Engine, NOW, run_blocking};
use crate::moderation::{command, server, server_with};

#[test]
fn a_duplicate_leads_to_the_first_upload() {
    for engine in Engine::BOTH {
        let server = server(engine);
        server.run(async {
            let mut ada = Browser::signed_up(&server, "ada").await;
            let first = id_of(&upload(&mut ada, &skin(1), &Form::default()).await);
            let again = upload(&mut ada, &skin(1), &Form { name: "Other", ..Form::default() }).await;
            assert_eq!(again.redirect_target(), format!("/dashboard/skins/{first}?done=upload-duplicate"));
            // The same pixels in another file: with other chunks, and bytes after its end.
            let mut eve = Browser::signed_up(&server, "eve").await;
            let disguised = [skin(1), b"<html>".to_vec()].concat();
            let hidden = upload(&mut eve, &disguised, &Form::default()).await;
            assert_eq!(hidden.status, 409);
            assert!(hidden.notice().starts_with("The same picture was uploaded before"), "{}", hidden.notice());
            // Other skins of the gallery have no hash, but their file is known.
            let builtin = rollcall_paint::default_skin(rollcall_paint::ArmModel::Classic);
            let known = upload(&mut eve, &builtin, &Form::default()).await;
            assert_eq!(known.redirect_target(), "/skins/default-classic");
        });
    }
}

#[test]
fn simultaneous_uploads_of_one_picture_are_one() {
    for engine in Engine::BOTH {
        let server = server(engine);
        server.run(async {
            let mut ada = Browser::signed_up(&server, "ada").await;
            command(&server, &["account", "trust", "ada"]);
            let token = ada.get(NEW).await.field("token");
            let file = skin(77);
            let tries = (0..16).map(|_| {
                let (mut browser, file, token) = (ada.clone(), file.clone(), token.clone());
                async move { send(&mut browser, &file, &Form::default(), &token).await.redirect_target().to_owned() }
            });
            let targets = futures_util::future::join_all(tries).await;
            let shown = targets.iter().filter(|target| target.ends_with("done=upload-shown")).count();
            let duplicates = targets.iter().filter(|target| target.ends_with("done=upload-duplicate")).count();
            assert_eq!((shown, duplicates), (1, 15), "{targets:?}");
            for table in ["texture_uploads", "textures"] {
                let sql = format!("select count(*) from {table} where name = 'Red fox'");
                let rows: i64 = server.store.change(|conn| conn.query_one(&sql, &[], |row| row.get(0)));
                assert_eq!(rows, 1, "{table}");
            }
        });
    }
}

#[test]
fn uploads_end_at_the_caps() {
    for engine in Engine::BOTH {
        let server = server_with(engine, |config| {
            config.moderation.uploads_per_day = 2;
            config.moderation.uploads_per_account = 3;
        });
        server.run(async {
            let mut ada = Browser::signed_up(&server, "ada").await;
            let first = id_of(&upload(&mut ada, &skin(1), &Form::default()).await);
            // What was deleted counts: otherwise the cap would be none.
            ada.get(&format!("/dashboard/skins/{first}")).await;
            assert_eq!(ada.send(&format!("/dashboard/skins/{first}/delete"), &[("sure", "yes")]).await.status, 303);
            assert_eq!(upload(&mut ada, &skin(2), &Form::default()).await.status, 303);
            let third = upload(&mut ada, &skin(3), &Form::default()).await;
            assert_eq!((third.status, third.header("retry-after").is_some()), (429, true), "{}", third.notice());
            assert!(third.notice().contains("2 pictures today"), "{}", third.notice());
            server.clock.set(NOW - NOW.rem_euclid(DAY) + DAY);
            for seed in [3, 4] {
                assert_eq!(upload(&mut ada, &skin(seed), &Form::default()).await.status, 303);
            }
            server.clock.set(NOW - NOW.rem_euclid(DAY) + 2 * DAY);
            let fourth = upload(&mut ada, &skin(5), &Form::default()).await;
            assert_eq!(
                (fourth.status, fourth.notice().as_str()),
                (409, "One account may have 3 uploads. Delete one first.")
            );
        });
    }
}

#[test]
fn hostile_files_and_forms_are_refused() {
    let server = server(Engine::Sqlite);
    server.run(async {
        let mut ada = Browser::signed_up(&server, "ada").await;
        let whole = skin(1);
        let mut huge = whole.clone();
        huge[16..24].copy_from_slice(&[0x7f, 0xff, 0xff, 0xff, 0x7f, 0xff, 0xff, 0xff]);
        for (file, reason) in [
            (&b""[..], "Choose a file, or enter what to copy."),
            (b"<svg xmlns=\"http://www.w3.org/2000/svg\"><script>alert(1)</script></svg>", "The file is SVG, not PNG."),
            (b"<!doctype html><script>alert(1)</script>", "The file is HTML, not PNG."),
            (b"GIF89a", "The file is GIF, not PNG."),
            (&whole[..whole.len() / 2], "The PNG is incomplete"),
            (&huge, "The picture has 2147483647 × 2147483647 pixels"),
            (&rollcall_paint::cape(1), "The picture has 64 × 32 pixels"),
            (&rollcall_paint::icon("icon", 1)[..40], "The PNG is incomplete"),
        ] {
            let refused = upload(&mut ada, file, &Form::default()).await;
            // A cape has the size of an old skin: it is one, if its uploader says so.
            if reason.starts_with("The picture has 64 × 32") {
                assert_eq!(refused.status, 303);
                continue;
            }
            assert_eq!(refused.status, 422, "{reason}");
            assert!(refused.notice().starts_with(reason), "{reason}: {}", refused.notice());
            assert!(refused.html().contains("value=\"Red fox\""), "what was entered stays");
        }
        for (form, reason) in [
            (Form { kind: "hat", ..Form::default() }, "Choose whether it is a skin or a cape."),
            (Form { name: " ", ..Form::default() }, "Enter a name."),
            (Form { name: "a\u{202e}b", ..Form::default() }, "The name must not contain control"),
            (Form { model: "wide", ..Form::default() }, "Choose classic or slim arms."),
            (Form { visibility: "SECRET", ..Form::default() }, "Choose who sees it"),
            (Form { based_on: "no-such-skin", ..Form::default() }, "There is no public skin or cape"),
            (Form { kind: "cape", ..Form::default() }, "The picture has 64 × 64 pixels; a cape has"),
        ] {
            let refused = upload(&mut ada, &whole, &form).await;
            assert_eq!(refused.status, 422, "{reason}");
            assert!(refused.notice().starts_with(reason), "{reason}: {}", refused.notice());
        }
        // Refused by its length alone.
        let head = format!(
            "POST {NEW} HTTP/1.1\r\nhost: rollcall.test\r\norigin: {PUBLIC_URL}\r\ncontent-length: 600000\r\n\
             content-type: multipart/form-data; boundary=line\r\nconnection: close\r\n\r\n"
        );
        let refused = run_blocking(|| server.wire(head.as_bytes()));
        assert!(refused.starts_with(b"HTTP/1.1 413 "), "{}", String::from_utf8_lossy(&refused));
    });
}

#[test]
fn other_people_cannot_touch_an_upload() {
    for engine in Engine::BOTH {
        let server = server(engine);
        server.run(async {
            let mut ada = Browser::signed_up(&server, "ada").await;
            let id = id_of(&upload(&mut ada, &skin(1), &Form::default()).await);
            let path = format!("/dashboard/skins/{id}");
            let mut eve = Browser::signed_up(&server, "eve").await;
            for page in [path.clone(), format!("{path}/picture.png"), format!("{path}/figure.png")] {
                assert_eq!(eve.get(&page).await.status, 404, "{page}");
                let visitor = Browser::new(&server).get(&page).await;
                assert!(visitor.redirect_target().starts_with("/sign-in"), "{page}");
            }
            eve.get("/dashboard").await;
            let fields =
                [("name", "Mine"), ("description", ""), ("tags", ""), ("model", "slim"), ("visibility", "PUBLIC")];
            assert_eq!(eve.send(&path, &fields).await.status, 404);
            assert_eq!(eve.send(&format!("{path}/delete"), &[("sure", "yes")]).await.status, 404);
            let forged = send(&mut ada, &skin(2), &Form::default(), "0000").await;
            assert_eq!(forged.status, 403);
            assert!(ada.get(&path).await.html().contains("Red fox"));
            assert!(!ada.get("/dashboard/skins").await.html().contains("Mine"));
        });
    }
}
