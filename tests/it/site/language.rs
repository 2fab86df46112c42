//! Languages and themes of the pages.

use crate::harness::{Browser, Engine, PUBLIC_URL, shared};
use crate::site::{attributes, page, page_with};

const PAGES: [&str; 5] = ["/", "/servers", "/status", "/changelog", "/nothing-here"];

#[tokio::test]
async fn pages_speak_the_language_of_the_reader() {
    let server = shared(Engine::Sqlite);
    for path in PAGES {
        for (language, headers) in [
            ("en", vec![]),
            ("en", vec![("accept-language", "de-DE, fr;q=0.5")]),
            ("tr", vec![("accept-language", "de, tr-TR;q=0.8, en;q=0.5")]),
            ("ru", vec![("cookie", "lang=ru"), ("accept-language", "tr")]),
        ] {
            let (response, html) = page_with(server, path, &headers).await;
            assert!(html.contains(&format!("<html lang=\"{language}\"")), "{path} {headers:?}");
            let vary = response.header("vary").unwrap_or_default();
            assert_eq!(vary, "Accept-Encoding, Accept-Language, Cookie", "{path}");
        }
    }
}

#[tokio::test]
async fn the_address_chooses_a_language_and_the_browser_remembers_it() {
    let server = shared(Engine::Sqlite);
    let (response, html) = page_with(server, "/servers?sort=votes&lang=tr", &[("cookie", "lang=ru")]).await;
    assert!(html.contains("<h1>Sunucular</h1>"));
    let cookie = "lang=tr; Path=/; Max-Age=31536000; SameSite=Lax; Secure";
    assert_eq!(response.header("set-cookie"), Some(cookie));
    // The links of the switch keep the filters.
    assert!(attributes(&html, "href").contains(&"/servers?sort=votes&#38;lang=ru"));
    let (response, _) = page(server, "/servers?lang=xx").await;
    assert_eq!(response.header("set-cookie"), None);
}

#[tokio::test]
async fn search_engines_find_every_language() {
    let (_, html) = page(shared(Engine::Sqlite), "/servers?lang=tr").await;
    assert!(html.contains(&format!("<link rel=\"canonical\" href=\"{PUBLIC_URL}/servers?lang=tr\">")));
    for (code, query) in [("en", ""), ("tr", "?lang=tr"), ("ru", "?lang=ru"), ("x-default", "")] {
        let link = format!("<link rel=\"alternate\" hreflang=\"{code}\" href=\"{PUBLIC_URL}/servers{query}\">");
        assert!(html.contains(&link), "{code}");
    }
    let (_, html) = page(shared(Engine::Sqlite), "/sign-in").await;
    assert!(html.contains("<meta name=\"robots\" content=\"noindex\">") && !html.contains("rel=\"canonical\""));
}

#[tokio::test]
async fn a_theme_is_remembered_and_leads_back() {
    let server = shared(Engine::Sqlite);
    let (response, _) = page(server, "/theme?to=dark&back=%2Fservers%3Fsort%3Dvotes").await;
    assert_eq!((response.status, response.header("location")), (303, Some("/servers?sort=votes")));
    let cookie = "theme=dark; Path=/; Max-Age=31536000; SameSite=Lax; Secure";
    assert_eq!(response.header("set-cookie"), Some(cookie));
    let (_, html) = page_with(server, "/servers", &[("cookie", "theme=dark")]).await;
    assert!(html.contains("<html lang=\"en\" data-theme=\"dark\">"));
    let (_, html) = page_with(server, "/servers", &[("cookie", "theme=\"><script>")]).await;
    assert!(html.contains("<html lang=\"en\">"));
    for elsewhere in ["https://evil.example", "//evil.example", "/%5Cevil.example"] {
        let (response, _) = page(server, &format!("/theme?to=dark&back={elsewhere}")).await;
        assert_eq!(response.header("location"), Some("/"), "{elsewhere}");
    }
}

#[tokio::test]
async fn numbers_and_plurals_follow_the_language() {
    let server = shared(Engine::Sqlite);
    let total = server.get("/servers?limit=1").await.data()["pagination"]["total"].as_i64().expect("a total");
    let (_, html) = page(server, "/servers?lang=tr").await;
    assert!(html.contains(&format!("{total} sunucu eşleşiyor")));
    let form = match (total % 10, total % 100) {
        (1, last) if last != 11 => "сервер",
        (2..=4, last) if !(12..=14).contains(&last) => "сервера",
        _ => "серверов",
    };
    let (_, html) = page(server, "/servers?lang=ru").await;
    assert!(html.contains(&format!("{total} {form}</p>")), "{total}");
}

/// Texts that templates get from Rust code: the pages themselves show which.
#[tokio::test]
async fn no_page_shows_a_text_without_translation() {
    let server = shared(Engine::Sqlite);
    let first = async |list: &str, root: &str| {
        let (_, html) = page(server, list).await;
        let links = attributes(&html, "href").into_iter().filter(|link| link.starts_with(root) && !link.contains('?'));
        links.map(str::to_owned).next().unwrap_or_else(|| panic!("{list} links to {root}"))
    };
    let mut paths: Vec<String> = [
        "/",
        "/servers",
        "/servers?search=zzzzzz",
        "/players",
        "/leaderboards",
        "/skins",
        "/capes",
        "/search?q=sky",
        "/search?q=s",
        "/status",
        "/changelog",
        "/docs",
        "/playground",
        "/sign-in",
        "/sign-up",
        "/nothing",
    ]
    .map(str::to_owned)
    .into();
    for (list, root) in [
        ("/servers?sort=votes", "/servers/"),
        ("/players?sort=playtime", "/players/"),
        ("/skins", "/skins/"),
        ("/capes", "/capes/"),
    ] {
        paths.push(first(list, root).await);
    }
    for path in &paths {
        for language in ["tr", "ru"] {
            let (response, html) = page_with(server, path, &[("accept-language", language)]).await;
            assert!(response.status < 500, "{path}");
            assert!(html.contains(&format!("<html lang=\"{language}\"")), "{path}");
        }
    }
    let mut user = Browser::signed_up(server, "polyglot").await.with("accept-language", "ru");
    let mut operator = Browser::operator(server, "polyglot-operator").await.with("accept-language", "tr");
    for path in ["/dashboard", "/dashboard/account", "/dashboard/log", "/dashboard/confirm"] {
        user.get(path).await;
    }
    let operator_pages = [
        "/operator",
        "/operator/accounts",
        "/operator/accounts/operator-polyglot-operator",
        "/operator/invitations",
        "/operator/keys",
        "/operator/limit-requests",
        "/operator/log",
        "/operator/servers",
        "/operator/add-server",
        "/dashboard",
    ];
    for path in operator_pages {
        operator.get(path).await;
    }
    assert_eq!(rollcall::web::collect_untranslated_texts(), Vec::<String>::new());
}
