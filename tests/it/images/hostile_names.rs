//! Names come from outside: they are shown harmlessly on badges, cards and widgets.

use rollcall_store::{Result, revision, values};

use super::{get, png_size};
use crate::harness::{Engine, Server};

#[test]
fn a_hostile_name_is_no_markup() {
    let hostile = format!("</title><script>alert(1)</script>\"'>&[x](y) \u{202e}{}", "e\u{301}".repeat(500));
    for engine in Engine::BOTH {
        let server = Server::own(engine);
        let listed = server.run(server.get("/servers?limit=1")).data()["servers"][0].clone();
        let slug = listed["slug"].as_str().unwrap();
        server.store.change(|conn| -> Result<()> {
            let rev = revision::bump(conn)?;
            conn.execute("update servers set name = $1, rev = $2 where slug = $3", values![&hostile, rev, slug])
                .map(drop)
        });
        server
            .run(server.until("/servers?limit=1", |answer| String::from_utf8_lossy(&answer.body).contains("alert(1)")));
        let text = |path: &str| {
            let answer = server.run(get(&server, path));
            assert_eq!(answer.status, 200, "{path}");
            String::from_utf8(answer.body).expect("UTF-8")
        };
        for path in [format!("/badge/{slug}.svg"), format!("/embed/{slug}")] {
            let markup = text(&path);
            assert!(markup.contains("alert(1)") && !markup.contains("<script"), "{path}: {markup}");
        }
        let page = text(&format!("/servers/{slug}"));
        assert!(page.contains("[![titlescriptalert1scriptx"), "the code to copy holds no markup");
        let card = server.run(get(&server, &format!("/card/server/{slug}.png")));
        assert_eq!(png_size(&card.body), (1200, 630));
    }
}
