//! `serve --role`: nodes that share the work.

use tokio::net::TcpListener;
use tokio::time::timeout;

use super::{Program, complaint, printed};
use crate::harness::{DEADLINE, Engine, Store};

fn start(store: &Store, flags: &[&str]) -> Program {
    Program::start(store.command(&[&["serve", "--listen", "127.0.0.1:0"], flags].concat()))
}

async fn answer(program: &Program, path: &str, key: &str) -> (u16, String) {
    let response = program.get(path, &[("x-api-key", key)]).await;
    (response.status, String::from_utf8_lossy(&response.body).into_owned())
}

#[tokio::test]
async fn each_role_serves_its_part() {
    for engine in Engine::BOTH {
        let store = Store::new(engine);
        let key = printed(&store.rollcall(&["key", "create"])).trim_end().to_owned();
        let (api, web) = (start(&store, &["--role", "api"]), start(&store, &["--role", "web"]));
        for program in [&api, &web] {
            assert_eq!(answer(program, "/healthz", "").await, (200, "ok\n".to_owned()));
            assert_eq!(answer(program, "/readyz", "").await, (200, "ready\n".to_owned()));
            assert_eq!(answer(program, "/openapi.json", "").await.0, 200);
        }
        assert_eq!(answer(&api, "/v1/servers", &key).await.0, 200);
        assert_eq!(answer(&api, "/report/v1", "").await.0, 405, "reports are sent with POST");
        for page in ["/", "/servers", "/sign-in", "/playground", "/docs"] {
            assert_eq!(answer(&api, page, "").await, (404, "Not found.\n".to_owned()), "{page}");
            assert_eq!(answer(&web, page, "").await.0, 200, "{page}");
        }
        let refused = r#"{"success":false,"error":"This node does not serve the API"}"#;
        assert_eq!(answer(&web, "/v1/servers", &key).await, (404, refused.to_owned()));
        assert_eq!(answer(&web, "/report/v1", "").await.0, 404);
    }
}

#[tokio::test]
async fn a_tracker_pings_and_answers_health_checks_only() {
    for engine in Engine::BOTH {
        let game_server = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = game_server.local_addr().unwrap().to_string();
        let store = Store::new(engine);
        printed(&store.rollcall(&["server", "add", &address, "--name", "Example"]));
        let tracker = start(&store, &["--role", "tracker", "--allow-private-addresses"]);
        timeout(DEADLINE, game_server.accept()).await.expect("a ping").unwrap();
        assert_eq!(answer(&tracker, "/healthz", "").await, (200, "ok\n".to_owned()));
        assert_eq!(answer(&tracker, "/readyz", "").await, (200, "ready\n".to_owned()));
        for path in ["/", "/v1/servers", "/openapi.json", "/media/icons/none.png"] {
            assert_eq!(answer(&tracker, path, "").await.0, 404, "{path}");
        }
        let (status, _) = tracker.stop("TERM");
        assert!(status.success(), "{status}");
    }
}

#[test]
fn only_trackers_ping() {
    let store = Store::new(Engine::Sqlite);
    for (roles, is_tracker) in [("api,web", false), ("api,tracker", true), ("all", true)] {
        let program = start(&store, &["--role", roles, "--allow-private-addresses"]);
        program.until_logged("\"serving\"");
        // The tracker warns of it before that.
        assert_eq!(program.log().contains("the SSRF guard is off"), is_tracker, "{roles}: {}", program.log());
    }
}

#[test]
fn a_tracker_needs_no_public_url() {
    let store = Store::new(Engine::Sqlite);
    let flags = ["serve", "--listen", "0.0.0.0:0", "--role", "tracker"];
    assert!(Program::start(store.command(&flags)).url.starts_with("http://0.0.0.0:"));
}

#[test]
fn unknown_roles_are_refused() {
    let store = Store::new(Engine::Sqlite);
    let output = store.rollcall(&["serve", "--role", "api,pinger"]);
    let error = complaint(&output, 2);
    assert!(
        error.contains("roles") && error.contains("must be of all, api, web and tracker, not \"pinger\""),
        "{error}"
    );
    let output = store.command(&["serve"]).env("ROLLCALL_ROLES", "").output().unwrap();
    assert!(complaint(&output, 2).contains("must name at least one of all, api, web and tracker"));
}
