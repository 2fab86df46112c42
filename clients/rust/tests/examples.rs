//! The example programs run against the service.

mod service;

use std::process::Command;

use service::{ROOMY, base_url, client, known_key};

fn program() -> Command {
    // Cargo builds examples together with tests, beside their folder.
    let folder = std::env::current_exe().unwrap().parent().unwrap().parent().unwrap().join("examples");
    Command::new(folder.join("status_page"))
}

#[test]
fn the_status_page_says_which_setting_is_missing() {
    let output = program().env("ROLLCALL_URL", "http://127.0.0.1:1/v1").env_remove("ROLLCALL_KEY").output().unwrap();
    assert!(!output.status.success());
    assert_eq!(String::from_utf8(output.stderr).unwrap(), "Set ROLLCALL_KEY, such as ROLLCALL_KEY=rc_…\n");
}

#[tokio::test]
async fn the_status_page_lists_servers() {
    let (key, _) = known_key(&ROOMY).await;
    let servers = client().await.list_servers(&Default::default()).await.unwrap().servers;
    let page = |slugs: &[&str]| {
        let output = program().args(slugs).env("ROLLCALL_URL", base_url()).env("ROLLCALL_KEY", &key).output().unwrap();
        (output.status.success(), String::from_utf8(output.stdout).unwrap(), String::from_utf8(output.stderr).unwrap())
    };
    let (is_done, html, errors) = page(&[&servers[0].slug, &servers[1].slug]);
    assert!(is_done, "{errors}");
    assert!(html.starts_with("<!doctype html>\n") && html.contains(" of 2 servers are online</h1>"), "{html}");
    for server in &servers[..2] {
        assert!(html.contains(&format!("<tr><td>{}<td>o", server.name)), "{html}");
    }
    let (is_done, html, errors) = page(&[&servers[0].slug, "nothing-has-this-slug"]);
    assert!(!is_done && html.contains(" of 1 servers"), "{html}");
    assert_eq!(errors, "no such server: nothing-has-this-slug\n");
}
