//! `/dashboard/log`: every change with its author and IP address.

use super::{behind_a_proxy, second_factor};
use crate::harness::{Browser, Engine, PASSWORD, Server};

/// The rows of a log page, oldest first: action, key, author, IP address.
fn lines(html: &str) -> Vec<[String; 4]> {
    let part = |text: &str, from: &str, to: &str| {
        text.split(from).nth(1).and_then(|rest| rest.split(to).next()).unwrap_or_default().to_owned()
    };
    let row = |row: &str| {
        let cells: Vec<&str> = row.split("<td").skip(1).collect();
        let [.., key, by] = cells[..] else { panic!("{row}") };
        let key = if key.contains("–") { String::new() } else { part(key, "</span>", "<") };
        let (who, address) = (part(by, "</span>", "<"), part(by, "<span class=\"soft small\">", "</span>"));
        [part(cells[1], "<strong>", "</strong>"), key, who, address]
    };
    let mut lines: Vec<_> = html.split("<tr>").skip(2).map(row).collect();
    lines.reverse();
    lines
}

#[tokio::test]
async fn all_changes_of_a_key_are_logged() {
    for engine in Engine::BOTH {
        let server = Server::empty_with(engine, behind_a_proxy);
        let mut ada = Browser::signed_up(&server, "ada").await;
        let at_first = ada.address().to_owned();
        ada = ada.at("192.0.2.1");
        let mut root = Browser::operator(&server, "root").await.at("198.51.100.1");
        let (id, _) = ada.make_key("mine").await;
        let page = format!("/dashboard/keys/{id}");
        ada.send(&format!("{page}/rename"), &[("name", "yours")]).await;
        ada.send(&format!("{page}/expiry"), &[("expires", "2099-01-31")]).await;
        let newest = ada.get(&format!("{page}/security")).await.field("newest");
        ada.send(&format!("{page}/rotate"), &[("newest", &newest), ("grace", "1h")]).await;
        ada.send(&format!("{page}/end-old"), &[]).await;
        ada.send(&format!("{page}/disable"), &[]).await;
        ada.send(&format!("{page}/enable"), &[]).await;
        let request_limits = async |ada: &mut Browser<'_>, root: &mut Browser<'_>, decision, per_minute| {
            let limits = [("per_minute", per_minute), ("per_day", "8000"), ("per_month", "90000"), ("reason", "x")];
            ada.send(&format!("{page}/limits"), &limits).await;
            let html = root.get("/operator/limit-requests").await.html();
            let request = html
                .split("/operator/limit-requests/")
                .nth(1)
                .and_then(|rest| rest.split('"').next())
                .expect("a limit request");
            let fields = [&[("decision", decision)], &limits[..3]].concat();
            assert_eq!(root.send(&format!("/operator/limit-requests/{request}"), &fields).await.status, 303);
        };
        request_limits(&mut ada, &mut root, "grant", "700").await;
        request_limits(&mut ada, &mut root, "refuse", "900").await;
        let more = [("per_minute", "900"), ("per_day", "8000"), ("per_month", "90000"), ("reason", "x")];
        ada.send(&format!("{page}/limits"), &more).await;
        ada.send(&format!("{page}/limits/withdraw"), &[]).await;
        ada.send(&format!("{page}/limits/withdraw"), &[]).await;
        root.send(&format!("/operator/keys/{id}/disable"), &[("sure", "yes")]).await;
        root.send(&format!("/operator/keys/{id}/enable"), &[]).await;
        for args in
            [&["limits", &id, "--per-day", "70"][..], &["rotate", &id, "--grace", "0"], &["expire", &id, "never"]]
        {
            assert!(server.store.rollcall(&[&["key"], args].concat()).status.success(), "{args:?}");
        }
        ada.send(&format!("{page}/delete"), &[("sure", "yes")]).await;
        let (ada_did, root_did) = (["ada", "192.0.2.1"], ["root", "198.51.100.1"]);
        let command = ["command line", ""];
        let expected = [
            ("account created", "", ["ada", &at_first]),
            ("key created", "mine", ada_did),
            ("key renamed", "yours", ada_did),
            ("expiry changed", "yours", ada_did),
            ("key rotated", "yours", ada_did),
            ("old secret revoked", "yours", ada_did),
            ("key disabled", "yours", ada_did),
            ("key enabled", "yours", ada_did),
            ("limit request created", "yours", ada_did),
            ("limits changed", "yours", root_did),
            ("limit request created", "yours", ada_did),
            ("limit request declined", "yours", root_did),
            ("limit request created", "yours", ada_did),
            ("limit request withdrawn", "yours", ada_did),
            ("key disabled by an operator", "yours", root_did),
            ("key enabled by an operator", "yours", root_did),
            ("limits changed", "yours", command),
            ("key rotated", "yours", command),
            ("expiry changed", "yours", command),
            ("key deleted", "yours", ada_did),
        ];
        let expected = expected.map(|(what, key, [who, from])| [what, key, who, from].map(str::to_owned));
        // Users see their own IP address only.
        let mut own = expected.clone();
        own.iter_mut().filter(|line| line[2] != "ada").for_each(|line| line[3].clear());
        assert_eq!(lines(&ada.get("/dashboard/log").await.html()), own);
        // Operators see all entries with IP addresses.
        let all = lines(&root.get("/operator/log").await.html());
        assert!(expected.iter().all(|line| all.contains(line)));
        assert_eq!(lines(&root.get("/dashboard/log").await.html()).len(), 1, "the account itself");
    }
}

#[tokio::test]
async fn account_changes_are_logged_and_the_log_is_paged() {
    for engine in Engine::BOTH {
        let server = Server::empty(engine);
        let mut ada = Browser::signed_up(&server, "ada").await;
        second_factor::enable(&mut ada).await;
        ada.send("/dashboard/account/second-factor/off", &[("password", PASSWORD)]).await;
        let fields = [("password", PASSWORD), ("new", "another horse battery"), ("again", "another horse battery")];
        ada.send("/dashboard/account/password", &fields).await;
        let actions = |html: &str| lines(html).into_iter().map(|[what, ..]| what).collect::<Vec<_>>();
        let expected = ["account created", "second factor enabled", "second factor disabled", "password changed"];
        let first = ada.get("/dashboard/log").await.html();
        assert_eq!(actions(&first), expected);
        assert!(!first.contains("Older entries"));
        let (id, _) = ada.make_key("mine").await;
        for i in 0..50 {
            ada.send(&format!("/dashboard/keys/{id}/rename"), &[("name", &format!("name {i}"))]).await;
        }
        let newest = ada.get("/dashboard/log").await.html();
        assert_eq!(actions(&newest), vec!["key renamed"; 50]);
        let older = newest.split("href=\"?before=").nth(1).and_then(|rest| rest.split('"').next()).expect("older ones");
        let older = ada.get(&format!("/dashboard/log?before={older}")).await.html();
        assert_eq!(actions(&older), [&expected[..], &["key created"]].concat());
        assert!(!older.contains("Older entries"));
    }
}
