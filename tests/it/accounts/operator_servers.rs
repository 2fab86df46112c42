//! `/operator/servers`: servers are added, edited and removed on the page.

use rollcall_store::servers::{self, ServerListing};
use rollcall_store::{tracking, values};

use super::shared_server;
use crate::harness::{Browser, Engine, NOW, Server, TestResponse};

/// The fields that every form sends, like a browser.
const JAVA: [(&str, &str); 4] =
    [("edition", "java"), ("trust", "auto"), ("visibility", "PUBLIC"), ("is_tracked", "yes")];

fn listing(server: &Server, slug: &str) -> Option<ServerListing> {
    server.store.change(|conn| servers::list(conn, Some(slug))).pop()
}

async fn add(root: &mut Browser<'_>, fields: &[(&str, &str)]) -> TestResponse {
    root.get("/operator/add-server").await;
    root.send("/operator/servers", &[&JAVA[..], fields].concat()).await
}

/// The value of every field of the form, as a browser would send it back.
fn fields_of(page: &TestResponse) -> Vec<(String, String)> {
    let html = page.html();
    let form = html.split("<h2 id=\"settings\">").nth(1).and_then(|rest| rest.split("</form>").next()).expect("a form");
    let mut fields = Vec::new();
    for tag in form.split('<').filter(|tag| tag.contains(" name=\"")) {
        let attribute = |name: &str| tag.split(&format!(" {name}=\"")).nth(1).and_then(|rest| rest.split('"').next());
        let name = attribute("name").expect("a name").to_owned();
        if tag.starts_with("select") {
            let options = form.split(&format!("name=\"{name}\"")).nth(1).expect("options");
            let chosen = options.split("\" selected").next().and_then(|before| before.rsplit('"').next());
            fields.push((name, chosen.expect("a choice").to_owned()));
        } else if !tag.contains("type=\"checkbox\"") || tag.contains(" checked") {
            fields.push((name, attribute("value").unwrap_or_default().to_owned()));
        }
    }
    fields
}

/// Sends the form of a page with some fields changed.
async fn save(root: &mut Browser<'_>, page: &str, changes: &[(&str, &str)]) -> TestResponse {
    let mut fields = fields_of(&root.get(page).await);
    for (name, value) in changes {
        fields.retain(|(field, _)| field != name);
        fields.push(((*name).to_owned(), (*value).to_owned()));
    }
    let fields: Vec<(&str, &str)> = fields.iter().map(|(name, value)| (name.as_str(), value.as_str())).collect();
    root.send(page.split('?').next().expect("a path"), &fields).await
}

#[tokio::test]
async fn a_server_is_added_edited_and_removed() {
    for engine in Engine::BOTH {
        let server = shared_server(engine);
        let mut root = Browser::operator(server, "keeps-servers").await;
        let fields = [
            ("address", "Play.Example.org:25570"),
            ("name", "Example <Craft>"),
            ("slug", "example-craft"),
            ("tags", "survival, pvp"),
            ("country", "DE"),
            ("website", "https://example.org/"),
            ("owner", "keeps-servers"),
            ("query_port", "25571"),
        ];
        let added = add(&mut root, &fields).await;
        assert_eq!(added.redirect_target(), "/operator/servers/example-craft?done=server-added", "{}", added.notice());
        let page = root.get(added.redirect_target()).await;
        assert_eq!(page.notice(), "Server added. It is pinged from now on.");
        assert_eq!(page.heading(), "Example &#60;Craft&#62;");
        let shown = ["address", "name", "slug", "tags", "country", "website", "owner", "query_port"];
        let values = ["play.example.org:25570", "Example &#60;Craft&#62;", "example-craft", "survival, pvp", "Germany"];
        let values = [&values[..], &["https://example.org/", "keeps-servers", "25571"]].concat();
        assert_eq!(shown.map(|name| page.field(name)).to_vec(), values);

        // Fields that stay as they were change nothing; an empty one removes its value.
        let path = "/operator/servers/example-craft?find=craft&before=a";
        let edited =
            save(&mut root, path, &[("name", "Example Craft"), ("website", ""), ("visibility", "UNLISTED")]).await;
        let target = "/operator/servers/example-craft?done=server-changed&find=craft&before=a";
        assert_eq!(edited.redirect_target(), target, "{}", edited.notice());
        let page = root.get(target).await;
        assert_eq!([page.field("name"), page.field("website")], ["Example Craft", ""]);
        assert!(page.html().contains("<a href=\"/operator/servers?find=craft&#38;before=a\">All servers</a>"));
        assert_eq!(listing(server, "example-craft").expect("it").visibility, "UNLISTED");
        let renamed = save(&mut root, "/operator/servers/example-craft", &[("slug", "renamed-craft")]).await;
        assert_eq!(renamed.redirect_target(), "/operator/servers/renamed-craft?done=server-changed");
        let unchanged = save(&mut root, "/operator/servers/renamed-craft", &[]).await;
        let words = "Nothing was changed: the form is as it was.";
        assert_eq!((unchanged.status, unchanged.notice().as_str()), (422, words));

        let remove = "/operator/servers/renamed-craft/remove";
        assert_eq!(root.send(remove, &[("sure", "no")]).await.heading(), "Not confirmed");
        assert!(listing(server, "renamed-craft").is_some());
        let removed = root.send(remove, &[("sure", "yes"), ("find", "craft")]).await;
        assert_eq!(removed.redirect_target(), "/operator/servers?done=server-removed&find=craft");
        assert_eq!(root.get(removed.redirect_target()).await.notice(), "Server removed with its history.");
        assert!(listing(server, "renamed-craft").is_none());
        assert_eq!(root.send(remove, &[("sure", "yes")]).await.status, 404);
        let log = root.get("/operator/log").await.html();
        let entry =
            |action: &str, detail: &str| format!("<strong>{action}</strong><br><span class=\"soft\">{detail}</span>");
        for (action, detail) in [
            ("server added", "example-craft (Play.Example.org:25570)"),
            ("server changed", "example-craft: name, website, visibility"),
            ("server changed", "example-craft: slug"),
            ("server removed", "renamed-craft (Example Craft)"),
        ] {
            assert!(log.contains(&entry(action, detail)), "{action} {detail}: {log}");
        }
    }
}

#[tokio::test]
async fn a_form_with_mistakes_is_shown_again_and_saves_nothing() {
    for engine in Engine::BOTH {
        let server = shared_server(engine);
        let mut root = Browser::operator(server, "mistypes").await;
        let first = add(&mut root, &[("address", "taken.mistakes.example")]).await;
        assert_eq!(first.status, 303, "{}", first.notice());
        // Other tests add servers to the same store.
        let count = || {
            let listed = server.store.change(|conn| servers::list(conn, None));
            listed.iter().filter(|listed| listed.ip.to_lowercase().ends_with("mistakes.example")).count()
        };
        let before = count();
        for (wrong, message) in [
            (("address", "bad host.example"), ""),
            (
                ("address", "TAKEN.mistakes.example:25565"),
                "taken.mistakes.example port 25565 is already tracked as taken-mistakes-example.",
            ),
            (
                ("country", "Atlantis"),
                "Country must be a country name or two-letter code, such as Germany or DE, not &#34;Atlantis&#34;.",
            ),
            (("website", "javascript:alert(1)"), ""),
            (("owner", "nobody-here"), "no account has the username &#34;nobody-here&#34;."),
            (("name", "a\u{202e}b"), ""),
            (("query_port", "0"), "The query port must be a number from 1 to 65535 or empty, not “0”."),
            (("edition", "atari"), "Choose an edition of the list, not “atari”."),
            (("trust", "blind"), "Choose a trust level of the list, not “blind”."),
        ] {
            let mut fields = vec![("address", "fresh.mistakes.example"), ("mode", "stays typed")];
            fields.retain(|(name, _)| *name != wrong.0);
            fields.extend(JAVA.into_iter().filter(|(name, _)| *name != wrong.0));
            fields.push(wrong);
            let refused = root.send("/operator/servers", &fields).await;
            assert_eq!(refused.status, 422, "{wrong:?}");
            let notice = refused.notice();
            assert!(!notice.is_empty() && notice.ends_with(message), "{wrong:?}: {notice}");
            assert_eq!(refused.field("mode"), "stays typed");
        }
        assert_eq!(count(), before);
        let page = "/operator/servers/taken-mistakes-example";
        let refused = save(&mut root, page, &[("website", "nonsense"), ("name", "Kept")]).await;
        assert_eq!((refused.status, refused.field("name").as_str()), (422, "Kept"));
        assert_eq!(listing(server, "taken-mistakes-example").expect("it").name, "taken.mistakes.example");
    }
}

#[tokio::test]
async fn trust_and_its_evidence_are_shown_and_set() {
    for engine in Engine::BOTH {
        let server = shared_server(engine);
        let mut root = Browser::operator(server, "judges").await;
        add(&mut root, &[("address", "liar.example.net"), ("slug", "liar")]).await;
        server.store.change(|conn| {
            let n: i64 = conn.query_one("select n from servers where slug = 'liar'", &[], |row| row.get(0))?;
            tracking::start_tracking(conn, 0, |_, _| NOW)?;
            conn.execute("update servers set last_ping = $1 where n = $2", values![NOW, n])?;
            tracking::suspect(conn, n, NOW, "claims 900 <players>")
        });
        let page = "/operator/servers/liar";
        let shown = root.get(page).await.html();
        assert!(shown.contains("<span class=\"pill warn\">Trust: suspicious</span>"), "{shown}");
        assert!(shown.contains("Evidence against its player data: claims 900 &#60;players&#62;"));
        let list = root.get("/operator/servers?find=LIAR.example").await.html();
        assert!(list.contains("<td><span class=\"pill warn\">suspicious</span></td>"), "{list}");
        // Other changes keep the evidence.
        save(&mut root, page, &[("name", "Liar")]).await;
        assert!(listing(server, "liar").expect("it").suspected_at.is_some());
        let saved = save(&mut root, page, &[("trust", "verified")]).await;
        assert_eq!(saved.status, 303, "{}", saved.notice());
        assert!(root.get(page).await.html().contains("<span class=\"pill good\">Trust: verified</span>"));
        save(&mut root, page, &[("trust", "auto")]).await;
        let forgiven = listing(server, "liar").expect("it");
        assert_eq!((forgiven.operator_trust, forgiven.suspected_at), (None, None));
        server.store.change(|conn| tracking::suspect(conn, forgiven.n, NOW, "again"));
        assert_eq!(save(&mut root, page, &[("forgive", "yes")]).await.status, 303);
        assert_eq!(listing(server, "liar").expect("it").suspected_at, None);
    }
}

#[tokio::test]
async fn the_list_is_searched_and_paged() {
    for engine in Engine::BOTH {
        let server = Server::empty(engine);
        let mut root = Browser::operator(&server, "root").await;
        assert!(root.get("/operator/servers").await.html().contains("No servers found."));
        add(&mut root, &[("address", "first.example.org"), ("slug", "row-000"), ("name", "100% Fun_Craft")]).await;
        server.store.change(|conn| {
            // Copies of the first one.
            let columns: Vec<String> = conn.query(
                if conn.is_postgres() {
                    "select cast(column_name as text) from information_schema.columns where table_name = 'servers'
                     and table_schema = current_schema()"
                } else {
                    "select name from pragma_table_info('servers')"
                },
                &[],
                |row| row.get(0),
            )?;
            for i in 1..120 {
                let value = |column: &String| match column.as_str() {
                    "id" => format!("'copied-server-{i:06}'"),
                    "slug" => format!("'row-{i:03}'"),
                    "name" => "'Copy'".to_owned(),
                    other => other.to_owned(),
                };
                let kept: Vec<String> = columns.iter().filter(|column| *column != "n").cloned().collect();
                let values: Vec<String> = kept.iter().map(value).collect();
                let (names, values) = (kept.join(", "), values.join(", "));
                conn.execute(
                    &format!("insert into servers ({names}) select {values} from servers where slug = 'row-000'"),
                    &[],
                )?;
            }
            Ok(())
        });
        let rows = |html: &str| html.matches("<tr>\n").count();
        let first = root.get("/operator/servers").await.html();
        assert_eq!(rows(&first), 100);
        assert!(first.contains("<a href=\"?before=row%2D099\">Show more</a>"), "{first}");
        let second = root.get("/operator/servers?before=row-099").await.html();
        assert_eq!(rows(&second), 20);
        assert!(second.contains("/operator/servers/row-119?before=row%2D099\"") && !second.contains("Show more"));
        for (find, found) in
            [("ROW-01", 10), ("copy", 100), ("100%25", 1), ("n_C", 1), ("%25", 1), ("FIRST.example", 100), ("x", 100)]
        {
            let html = root.get(&format!("/operator/servers?find={find}")).await.html();
            assert_eq!(rows(&html), found, "{find}");
        }
        assert_eq!(rows(&root.get("/operator/servers?find=nowhere").await.html()), 0);
    }
}
