//! All forms with a valid sender and valid fields. A test compares the list with the pages.

use std::collections::BTreeSet;

use rollcall_store::accounts;
use rollcall_store::audit::Author;

use super::passkeys::{self, Authenticator, VERIFIED};
use super::second_factor;
use crate::harness::{Browser, Engine, NOW, PASSWORD, PUBLIC_URL, Server};

/// A server with users for whom every form of every page is shown.
pub struct FormsFixture<'a> {
    pub stranger: Browser<'a>,
    /// Has a second factor; `half` has entered the password only.
    pub bob: Browser<'a>,
    pub half: Browser<'a>,
    /// Has a rotated key, a disabled key with an open limit request, and a second session.
    pub ada: Browser<'a>,
    pub root: Browser<'a>,
    pub forms: Vec<Form<'a>>,
    /// The ids of all resources of Ada.
    pub of_ada: Vec<String>,
}

pub struct Form<'a> {
    pub sender: Browser<'a>,
    pub path: String,
    pub fields: Vec<(&'static str, String)>,
}

impl Form<'_> {
    pub fn fields(&self) -> Vec<(&str, &str)> {
        self.fields.iter().map(|(name, value)| (*name, value.as_str())).collect()
    }
}

fn borrowed<'a>(fields: &'a [(&'static str, String)]) -> Vec<(&'static str, &'a str)> {
    fields.iter().map(|(name, value)| (*name, value.as_str())).collect()
}

/// The text after `mark` up to the next slash or quote.
fn after(html: &str, mark: &str) -> String {
    let rest = html.split(mark).nth(1).unwrap_or_else(|| panic!("no {mark} in {html}"));
    rest.split(['/', '"']).next().expect("an end").to_owned()
}

impl<'a> FormsFixture<'a> {
    pub async fn new(server: &'a Server) -> Self {
        let mut stranger = Browser::new(server);
        stranger.get("/sign-in").await;
        let mut bob = Browser::signed_up(server, "bob").await;
        let (_, codes) = second_factor::enable(&mut bob).await;
        let mut half = Browser::new(server);
        half.sign_in("bob", PASSWORD).await;
        half.get("/sign-in/code").await;
        Browser::signed_up(server, "carl").await;
        let off = |conn: &mut _| {
            let carl = accounts::find(conn, "carl")?.expect("carl");
            accounts::set_disabled(conn, carl.n, true, &Author::command_line(NOW)).map(|()| carl.id)
        };
        let carl = server.store.change(off);
        let mut root = Browser::operator(server, "root").await;

        let mut ada = Browser::signed_up(server, "ada").await;
        Browser::signed_in(server, "ada").await;
        let (key, _) = ada.make_key("on").await;
        let page = format!("/dashboard/keys/{key}");
        let newest = ada.get(&format!("{page}/security")).await.field("newest");
        ada.send(&format!("{page}/rotate"), &[("newest", &newest), ("grace", "24h")]).await;
        let newest = ada.get(&format!("{page}/security")).await.field("newest");
        let (off, _) = ada.make_key("off").await;
        ada.send(&format!("/dashboard/keys/{off}/disable"), &[]).await;
        let limits = [("per_minute", "70"), ("per_day", "8000"), ("per_month", "90000"), ("reason", "why not")];
        ada.send(&format!("/dashboard/keys/{off}/limits"), &limits).await;
        let (blocked, _) = ada.make_key("blocked").await;
        root.send(&format!("/operator/keys/{blocked}/disable"), &[("sure", "yes")]).await;
        let sign_in = after(&ada.get("/dashboard/account").await.html(), "/dashboard/account/sign-ins/");
        let limit_request = after(&root.get("/operator/limit-requests").await.html(), "/operator/limit-requests/");
        let id = accounts::find;
        let ada_id = server.store.change(|conn| id(conn, "ada")).expect("ada").id;
        let bob_id = server.store.change(|conn| id(conn, "bob")).expect("bob").id;
        root.send("/operator/invitations", &[]).await;
        let revoke = root.get("/operator/invitations").await.html();
        let server_fields = [
            ("address", "of-the-form-fixture.example.org"),
            ("slug", SLUG),
            ("edition", "java"),
            ("trust", "auto"),
            ("visibility", "PUBLIC"),
        ];
        root.send("/operator/servers", &server_fields).await;
        let invitation = after(&revoke, "action=\"/operator/invitations/");
        // These forms begin a new session, so they have senders of their own.
        let mut dora = Browser::signed_up(server, "dora").await;
        let mut finn = Browser::signed_up(server, "finn").await;
        let secret = dora.get("/dashboard/account/second-factor").await.field("secret");
        let code = second_factor::code(&secret, NOW);
        finn.get("/dashboard/confirm").await;

        let mut laptop = Authenticator::new(b"laptop");
        passkeys::register(&mut ada, &laptop).await;
        let passkey = after(&ada.get("/dashboard/account").await.html(), "/dashboard/account/passkeys/");
        let challenge = passkeys::challenge(&mut ada, "register").await;
        let new_passkey = Authenticator::new(b"phone").create(challenge["challenge"].as_str().expect("a text"));
        let challenge = passkeys::challenge(&mut stranger, "sign-in").await;
        let known_passkey = laptop.get(challenge["challenge"].as_str().expect("a text"), VERIFIED, PUBLIC_URL);

        let mut forms = Vec::new();
        let mut add = |sender: &Browser<'a>, path: String, fields: &[(&'static str, &str)]| {
            let fields = fields.iter().map(|(name, value)| (*name, (*value).to_owned())).collect();
            forms.push(Form { sender: sender.clone(), path, fields });
        };
        add(&stranger, "/sign-in".into(), &[("username", "ada"), ("password", PASSWORD)]);
        add(&stranger, "/sign-up".into(), &[("username", "eve"), ("password", PASSWORD), ("again", PASSWORD)]);
        add(&half, "/sign-in/code".into(), &[("code", &codes[0])]);
        add(&stranger, "/sign-in/passkey".into(), &borrowed(&known_passkey));
        add(&ada, "/dashboard/account/passkeys".into(), &borrowed(&new_passkey));
        add(&ada, format!("/dashboard/account/passkeys/{passkey}/remove"), &[]);
        add(&bob, "/dashboard/account/second-factor/codes".into(), &[("password", PASSWORD)]);
        add(&bob, "/dashboard/account/second-factor/off".into(), &[("password", PASSWORD)]);
        add(&finn, "/dashboard/confirm".into(), &[("password", PASSWORD)]);
        add(&ada, "/dashboard/keys".into(), &[("name", "new")]);
        add(&ada, format!("{page}/rename"), &[("name", "other")]);
        add(&ada, format!("{page}/expiry"), &[("expires", "2099-01-31")]);
        add(&ada, format!("{page}/end-old"), &[]);
        add(&ada, format!("{page}/rotate"), &[("newest", &newest), ("grace", "0")]);
        add(&ada, format!("{page}/restrict"), &[("networks", "192.0.2.0/24")]);
        add(&ada, format!("{page}/disable"), &[]);
        add(&ada, format!("{page}/limits"), &limits);
        add(&ada, format!("{page}/limits/withdraw"), &[]);
        add(&ada, format!("/dashboard/keys/{off}/enable"), &[]);
        add(
            &dora,
            "/dashboard/account/second-factor".into(),
            &[("secret", &secret), ("code", &code), ("password", PASSWORD)],
        );
        add(&ada, format!("/dashboard/account/sign-ins/{sign_in}/end"), &[]);
        add(&ada, "/dashboard/account/sign-ins/end-others".into(), &[]);
        add(
            &root,
            format!("/operator/limit-requests/{limit_request}"),
            &[("decision", "grant"), limits[0], limits[1], limits[2]],
        );
        add(&root, format!("/operator/keys/{key}/limits"), &[("per_minute", "77")]);
        add(&root, format!("/operator/keys/{key}/disable"), SURE);
        add(&root, format!("/operator/keys/{blocked}/enable"), &[]);
        add(&root, format!("/operator/accounts/{carl}/enable"), &[]);
        add(&root, "/operator/invitations".into(), &[]);
        add(&root, format!("/operator/invitations/{invitation}/revoke"), SURE);
        add(
            &root,
            "/operator/servers".into(),
            &[("address", "new.example.org"), ("edition", "java"), ("trust", "auto"), ("visibility", "PUBLIC")],
        );
        add(
            &root,
            format!("/operator/servers/{SLUG}"),
            &[
                ("address", SLUG),
                ("name", "Fixture"),
                ("slug", SLUG),
                ("edition", "java"),
                ("trust", "auto"),
                ("visibility", "PUBLIC"),
            ],
        );
        add(&root, format!("/operator/servers/{SLUG}/remove"), SURE);
        add(&root, "/moderation/next".into(), &[]);
        add(&ada, "/dashboard/account/export".into(), &[]);
        add(&root, format!("/operator/accounts/{bob_id}/trust"), &[("trusted", "yes")]);
        add(&root, format!("/operator/accounts/{bob_id}/role"), &[("role", "MODERATOR"), SURE[0]]);
        add(&root, format!("/operator/accounts/{bob_id}/sign-out"), SURE);
        add(&root, format!("/operator/accounts/{bob_id}/password"), SURE);
        add(&root, format!("/operator/accounts/{bob_id}/delete"), SURE);
        add(&ada, format!("{page}/delete"), &[("sure", "yes")]);
        add(&root, format!("/operator/accounts/{ada_id}/disable"), SURE);
        add(&ada, "/dashboard/account/password".into(), &[("password", PASSWORD), ("new", NEW), ("again", NEW)]);
        add(&ada, "/dashboard/account/delete".into(), &[("password", PASSWORD), ("sure", "yes")]);
        add(&ada, "/sign-out".into(), &[]);
        let of_ada = vec![key, off, sign_in, limit_request, ada_id];
        Self { stranger, bob, half, ada, root, forms, of_ada }
    }

    /// All pages, each with a user who may see it.
    pub fn pages(&self) -> Vec<(Browser<'a>, String)> {
        let tabs = ["", "/usage", "/security", "/settings"];
        let keys =
            self.of_ada[..2].iter().flat_map(|id| tabs.map(|tab| (&self.ada, format!("/dashboard/keys/{id}{tab}"))));
        let others = [
            (&self.stranger, "/sign-in"),
            (&self.stranger, "/sign-up"),
            (&self.half, "/sign-in/code"),
            (&self.bob, "/dashboard/account"),
            (&self.ada, "/dashboard"),
            (&self.ada, "/dashboard/account"),
            (&self.ada, "/dashboard/account/second-factor"),
            (&self.ada, "/dashboard/account/password"),
            (&self.ada, "/dashboard/confirm"),
            (&self.ada, "/dashboard/contributions"),
            (&self.ada, "/dashboard/log"),
            (&self.root, "/moderation"),
            (&self.root, "/operator"),
            (&self.root, "/operator/accounts"),
            (&self.root, "/operator/keys"),
            (&self.root, "/operator/log"),
            (&self.root, "/operator/limit-requests"),
            (&self.root, "/operator/servers"),
            (&self.root, "/operator/add-server"),
            (&self.root, "/operator/invitations"),
        ];
        let others = others.into_iter().map(|(browser, path)| (browser, path.to_owned()));
        let rows = [
            format!("/operator/keys/{}", self.of_ada[0]),
            format!("/operator/accounts/{}", self.of_ada[4]),
            format!("/operator/servers/{SLUG}"),
        ];
        keys.chain(others)
            .chain(rows.into_iter().map(|path| (&self.root, path)))
            .map(|(browser, path)| (browser.clone(), path))
            .collect()
    }
}

/// The slug of a server; as long as an id.
const SLUG: &str = "of-the-form-fixture1";
/// Confirms an act of an operator.
const SURE: &[(&str, &str)] = &[("sure", "yes")];
const NEW: &str = "dHk3.pQ-z81x over the hill";

/// A path with ids replaced by `{id}`.
fn kind(path: &str) -> String {
    let parts = path.split('/').map(|part| if part.len() == 20 { "{id}" } else { part });
    parts.collect::<Vec<_>>().join("/")
}

#[tokio::test]
async fn the_list_contains_every_form_of_every_page() {
    let server = Server::empty(Engine::Sqlite);
    let fixture = FormsFixture::new(&server).await;
    let mut shown = BTreeSet::new();
    for (mut browser, path) in fixture.pages() {
        let page = browser.get(&path).await;
        assert_eq!(page.status, 200, "{path}");
        for form in page.html().split("<form").skip(1) {
            let tag = form.split('>').next().expect("a tag");
            let inside = form.split("</form>").next().expect("an end");
            if tag.contains(" method=\"get\"") || !tag.contains(" method=") {
                // GET forms must not put the token into a URL.
                assert!(!inside.contains(&browser.token), "{path}: {tag}");
                continue;
            }
            assert!(tag.contains(" method=\"post\""), "{path}: {tag}");
            assert!(inside.contains(&format!("name=\"token\" value=\"{}\"", browser.token)), "{path}: {tag}");
            let action = tag.split(" action=\"").nth(1).and_then(|rest| rest.split('"').next());
            shown.insert(kind(action.expect("a form says where it goes")));
            // A form may have a second button that sends it elsewhere.
            let others = inside.split(" formaction=\"").skip(1).filter_map(|rest| rest.split('"').next());
            shown.extend(others.map(kind));
        }
    }
    let listed: BTreeSet<String> = fixture.forms.iter().map(|form| kind(&form.path)).collect();
    assert_eq!(shown, listed);
}
