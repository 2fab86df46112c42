//! Uploaded skins and capes: from the form through the moderation queue to the API and back.

mod copies;
mod fake_session_server;
mod flow;
mod refusals;

use crate::harness::{Browser, PUBLIC_URL, TestResponse};

const NEW: &str = "/dashboard/skins/new";

/// What the form sends besides the file.
pub struct Form<'a> {
    pub kind: &'a str,
    pub model: &'a str,
    pub name: &'a str,
    pub tags: &'a str,
    pub visibility: &'a str,
    pub based_on: &'a str,
    pub address: &'a str,
    pub player: &'a str,
}

impl Default for Form<'_> {
    fn default() -> Self {
        Self {
            kind: "skin",
            model: "",
            name: "Red fox",
            tags: "fox, red",
            visibility: "PUBLIC",
            based_on: "",
            address: "",
            player: "",
        }
    }
}

/// Sends a file like a browser does.
pub async fn upload(browser: &mut Browser<'_>, file: &[u8], form: &Form<'_>) -> TestResponse {
    let token = browser.get(NEW).await.field("token");
    send(browser, file, form, &token).await
}

pub async fn send(browser: &mut Browser<'_>, file: &[u8], form: &Form<'_>, token: &str) -> TestResponse {
    let fields = [
        ("token", token),
        ("kind", form.kind),
        ("model", form.model),
        ("name", form.name),
        ("description", "A fox in the snow."),
        ("tags", form.tags),
        ("visibility", form.visibility),
        ("based_on", form.based_on),
        ("address", form.address),
        ("player", form.player),
    ];
    let mut body = Vec::new();
    for (name, value) in fields {
        let part = format!("--line\r\nContent-Disposition: form-data; name=\"{name}\"\r\n\r\n{value}\r\n");
        body.extend_from_slice(part.as_bytes());
    }
    let part = "--line\r\nContent-Disposition: form-data; name=\"file\"; filename=\"../../skin.png\"\r\nContent-Type: image/png\r\n\r\n";
    body.extend_from_slice(part.as_bytes());
    body.extend_from_slice(file);
    body.extend_from_slice(b"\r\n--line--\r\n");
    let headers = [("content-type", "multipart/form-data; boundary=line"), ("origin", PUBLIC_URL)];
    browser.post(NEW, &headers, body).await
}

/// The id of the upload that a response leads to.
pub fn id_of(response: &TestResponse) -> String {
    let target = response.redirect_target();
    let id = target.strip_prefix("/dashboard/skins/").and_then(|rest| rest.split('?').next());
    id.unwrap_or_else(|| panic!("{target}")).to_owned()
}

pub fn skin(seed: u64) -> Vec<u8> {
    rollcall_paint::skin(rollcall_paint::ArmModel::Slim, seed)
}

pub async fn save(browser: &mut Browser<'_>, id: &str, name: &str, tags: &str, visibility: &str) -> TestResponse {
    let path = format!("/dashboard/skins/{id}");
    browser.get(&path).await;
    let fields =
        [("model", "slim"), ("name", name), ("description", "Changed."), ("tags", tags), ("visibility", visibility)];
    browser.send(&path, &fields).await
}
