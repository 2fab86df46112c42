//! Every form there is, with what it would do if it were sent by whom it is for. The list is held against the pages.

use std::collections::BTreeSet;

use rollcall_store::accounts;
use rollcall_store::audit::Author;

use super::second_factor;
use crate::harness::{Engine, Guest, NOW, PASSWORD, Server};

/// A service in which every form of every page is shown to someone.
pub struct World<'a> {
    pub stranger: Guest<'a>,
    /// Has a second factor; once inside, and once on the way.
    pub bob: Guest<'a>,
    pub half: Guest<'a>,
    /// Has a key that is rotated, one that is off and waits for limits, and a sign-in elsewhere.
    pub ada: Guest<'a>,
    pub root: Guest<'a>,
    pub forms: Vec<Form<'a>>,
    /// Everything of ada's that has a number: her own pages and those that operators see.
    pub of_ada: Vec<String>,
}

pub struct Form<'a> {
    pub sender: Guest<'a>,
    pub path: String,
    pub fields: Vec<(&'static str, String)>,
}

impl Form<'_> {
    pub fn fields(&self) -> Vec<(&str, &str)> {
        self.fields.iter().map(|(name, value)| (*name, value.as_str())).collect()
    }
}

/// What stands after `mark` up to the next slash or quote.
fn after(html: &str, mark: &str) -> String {
    let rest = html.split(mark).nth(1).unwrap_or_else(|| panic!("no {mark} in {html}"));
    rest.split(['/', '"']).next().expect("an end").to_owned()
}

impl<'a> World<'a> {
    pub async fn new(server: &'a Server) -> Self {
        let mut stranger = Guest::new(server);
        stranger.get("/sign-in").await;
        let mut bob = Guest::signed_up(server, "bob").await;
        let (_, codes) = second_factor::switch_on(&mut bob).await;
        let mut half = Guest::new(server);
        half.sign_in("bob", PASSWORD).await;
        half.get("/sign-in/code").await;
        Guest::signed_up(server, "carl").await;
        let off = |conn: &mut _| {
            let carl = accounts::find(conn, "carl")?.expect("carl");
            accounts::set_disabled(conn, carl.n, true, &Author::command_line(NOW)).map(|()| carl.id)
        };
        let carl = server.store.change(off);
        let mut root = Guest::operator(server, "root").await;

        let mut ada = Guest::signed_up(server, "ada").await;
        Guest::signed_in(server, "ada").await;
        let (key, _) = ada.make_key("on").await;
        let page = format!("/dashboard/keys/{key}");
        let newest = ada.get(&page).await.field("newest");
        ada.send(&format!("{page}/rotate"), &[("newest", &newest), ("grace", "24h")]).await;
        let newest = ada.get(&page).await.field("newest");
        let (off, _) = ada.make_key("off").await;
        ada.send(&format!("/dashboard/keys/{off}/disable"), &[]).await;
        let limits = [("per_minute", "70"), ("per_day", "8000"), ("per_month", "90000"), ("reason", "why not")];
        ada.send(&format!("/dashboard/keys/{off}/limits"), &limits).await;
        let (blocked, _) = ada.make_key("blocked").await;
        root.send(&format!("/operator/keys/{blocked}/disable"), &[]).await;
        let sign_in = after(&ada.get("/dashboard/account").await.html(), "/dashboard/account/sign-ins/");
        let wish = after(&root.get("/operator").await.html(), "/operator/wishes/");
        let id = accounts::find;
        let ada_id = server.store.change(|conn| id(conn, "ada")).expect("ada").id;
        let secret = ada.get("/dashboard/account/second-factor").await.field("secret");
        let code = second_factor::code(&secret, NOW);

        let mut forms = Vec::new();
        let mut add = |sender: &Guest<'a>, path: String, fields: &[(&'static str, &str)]| {
            let fields = fields.iter().map(|(name, value)| (*name, (*value).to_owned())).collect();
            forms.push(Form { sender: sender.clone(), path, fields });
        };
        add(&stranger, "/sign-in".into(), &[("username", "ada"), ("password", PASSWORD)]);
        add(&stranger, "/sign-up".into(), &[("username", "eve"), ("password", PASSWORD), ("again", PASSWORD)]);
        add(&half, "/sign-in/code".into(), &[("code", &codes[0])]);
        add(&bob, "/dashboard/account/second-factor/off".into(), &[("password", PASSWORD)]);
        add(&ada, "/dashboard/keys".into(), &[("name", "new")]);
        add(&ada, format!("{page}/rename"), &[("name", "other")]);
        add(&ada, format!("{page}/expiry"), &[("expires", "2099-01-31")]);
        add(&ada, format!("{page}/end-old"), &[]);
        add(&ada, format!("{page}/rotate"), &[("newest", &newest), ("grace", "0")]);
        add(&ada, format!("{page}/disable"), &[]);
        add(&ada, format!("{page}/limits"), &limits);
        add(&ada, format!("{page}/limits/withdraw"), &[]);
        add(&ada, format!("/dashboard/keys/{off}/enable"), &[]);
        add(
            &ada,
            "/dashboard/account/second-factor".into(),
            &[("secret", &secret), ("code", &code), ("password", PASSWORD)],
        );
        add(&ada, format!("/dashboard/account/sign-ins/{sign_in}/end"), &[]);
        add(&ada, "/dashboard/account/sign-ins/end-others".into(), &[]);
        add(&root, format!("/operator/wishes/{wish}"), &[("decision", "grant"), limits[0], limits[1], limits[2]]);
        add(&root, format!("/operator/keys/{key}/disable"), &[]);
        add(&root, format!("/operator/keys/{blocked}/enable"), &[]);
        add(&root, format!("/operator/accounts/{carl}/enable"), &[]);
        add(&root, "/operator/invitations".into(), &[]);
        add(&ada, format!("{page}/delete"), &[("sure", "yes")]);
        add(&root, format!("/operator/accounts/{ada_id}/disable"), &[]);
        add(&ada, "/dashboard/account/password".into(), &[("password", PASSWORD), ("new", NEW), ("again", NEW)]);
        add(&ada, "/dashboard/account/delete".into(), &[("password", PASSWORD), ("sure", "yes")]);
        add(&ada, "/sign-out".into(), &[]);
        let of_ada = vec![key, off, sign_in, wish, ada_id];
        Self { stranger, bob, half, ada, root, forms, of_ada }
    }

    /// Every page that somebody sees.
    pub fn pages(&self) -> Vec<(Guest<'a>, String)> {
        let keys = self.of_ada[..2].iter().map(|id| (&self.ada, format!("/dashboard/keys/{id}")));
        let others = [
            (&self.stranger, "/sign-in"),
            (&self.stranger, "/sign-up"),
            (&self.half, "/sign-in/code"),
            (&self.bob, "/dashboard/account"),
            (&self.ada, "/dashboard"),
            (&self.ada, "/dashboard/account"),
            (&self.ada, "/dashboard/account/second-factor"),
            (&self.ada, "/dashboard/log"),
            (&self.root, "/operator"),
            (&self.root, "/operator/accounts"),
            (&self.root, "/operator/keys"),
            (&self.root, "/operator/log"),
        ];
        let others = others.into_iter().map(|(guest, path)| (guest, path.to_owned()));
        keys.chain(others).map(|(guest, path)| (guest.clone(), path)).collect()
    }
}

const NEW: &str = "dHk3.pQ-z81x over the hill";

/// A path without the numbers in it.
fn kind(path: &str) -> String {
    let parts = path.split('/').map(|part| if part.len() == 20 { "{id}" } else { part });
    parts.collect::<Vec<_>>().join("/")
}

#[tokio::test]
async fn the_list_of_forms_is_whole() {
    let server = Server::empty(Engine::Sqlite);
    let world = World::new(&server).await;
    let mut shown = BTreeSet::new();
    for (mut guest, path) in world.pages() {
        let page = guest.get(&path).await;
        assert_eq!(page.status, 200, "{path}");
        for form in page.html().split("<form").skip(1) {
            let tag = form.split('>').next().expect("a tag");
            let inside = form.split("</form>").next().expect("an end");
            if tag.contains(" method=\"get\"") {
                // What only looks brings no token into an address.
                assert!(!inside.contains(&guest.token), "{path}: {tag}");
                continue;
            }
            assert!(tag.contains(" method=\"post\""), "{path}: {tag}");
            assert!(inside.contains(&format!("name=\"token\" value=\"{}\"", guest.token)), "{path}: {tag}");
            let action = tag.split(" action=\"").nth(1).and_then(|rest| rest.split('"').next());
            shown.insert(kind(action.expect("a form says where it goes")));
        }
    }
    let listed: BTreeSet<String> = world.forms.iter().map(|form| kind(&form.path)).collect();
    assert_eq!(shown, listed);
}
