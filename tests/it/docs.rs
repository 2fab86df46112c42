//! The reference, its guides and the programs in `examples/`: what they show really runs.

use std::collections::BTreeMap;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::Command;

use reqwest::Method;
use rollcall::v1::ENDPOINTS;
use serde_json::{Value, json};

use crate::harness::{Engine, PUBLIC_URL, Server, shared};

/// Bytes of a compressed page.
const MAX_PAGE: usize = 60_000;
const GUIDES: [&str; 12] = [
    "quick-start",
    "pagination",
    "rate-limits",
    "history",
    "events",
    "webhooks",
    "clients",
    "caching",
    "errors",
    "owners",
    "reports",
    "votes",
];

fn html(server: &Server, path: &str) -> String {
    let answer = server.run(server.raw(Method::GET, path, &[("accept", "text/html")]));
    assert_eq!(answer.status, 200, "{path}");
    String::from_utf8(answer.body).expect("UTF-8")
}

/// The text of an element's content.
fn text(html: &str) -> String {
    let mut text = String::new();
    for part in html.split('<') {
        text += part.split_once('>').map_or(part, |(_, after)| after);
    }
    for (entity, c) in [("&#34;", "\""), ("&#39;", "'"), ("&#60;", "<"), ("&#62;", ">"), ("&#38;", "&")] {
        text = text.replace(entity, c);
    }
    text
}

/// The sample of an endpoint in one language, as a reader copies it.
fn sample(page: &str, endpoint: &str, language: &str) -> String {
    let start = format!("id=\"{endpoint}-{language}\"");
    let rest = page.split(&start).nth(1).unwrap_or_else(|| panic!("{endpoint} has no sample in {language}"));
    let code = rest.split("<code>").nth(1).and_then(|rest| rest.split("</code>").next());
    text(code.expect("code"))
}

/// Code as a reader runs it: with a key and, here, the address of the test server.
fn ready(code: &str, server: &Server) -> String {
    let url = format!("http://{}", server.address);
    code.replace("rc_YOUR_KEY", &server.key).replace(PUBLIC_URL, &url).replace("https://stats.example.org", &url)
}

fn run(mut command: Command) -> String {
    let output = command.env_remove("http_proxy").env("NO_PROXY", "*").output().expect("the program starts");
    let errors = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(output.status.success(), "{command:?}: {errors}");
    String::from_utf8(output.stdout).expect("UTF-8")
}

fn run_file(program: &str, name: &str, code: &str) -> String {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join(name);
    std::fs::write(&file, code).unwrap();
    let mut command = Command::new(program);
    command.arg(&file);
    run(command)
}

fn succeeded(output: &str, what: &str) {
    let answer: Value = serde_json::from_str(output).unwrap_or_else(|error| panic!("{what}: {error}: {output}"));
    assert_eq!(answer["success"], true, "{what}");
}

#[test]
#[ignore = "slow, ./test runs it"]
fn the_samples_of_the_reference_run_as_they_are() {
    let server = shared(Engine::Sqlite);
    let page = html(server, "/docs");
    let answering = ENDPOINTS.iter().filter(|endpoint| endpoint.path != "/events/stream");
    for (i, endpoint) in answering.enumerate() {
        let code = |language| ready(&sample(&page, endpoint.name, language), server);
        succeeded(&run_file("bash", "sample.sh", &format!("{} -s", code("curl"))), endpoint.path);
        succeeded(&run_file("python3", "sample.py", &code("python")), endpoint.path);
        // As CommonJS and as a module, in turns.
        let name = if i % 2 == 0 { "sample.cjs" } else { "sample.mjs" };
        succeeded(&run_file("node", name, &code("javascript")), endpoint.path);
    }
}

/// Stands for the crates that the sample names in its first lines.
const CRATES: &str = r#"
mod serde_json {
    pub struct Value;
    impl std::fmt::Display for Value {
        fn fmt(&self, _: &mut std::fmt::Formatter) -> std::fmt::Result { Ok(()) }
    }
}
mod reqwest {
    pub struct Error;
    pub struct Client;
    pub struct Request;
    pub struct Response;
    impl Client {
        pub fn new() -> Self { Self }
        pub fn get(&self, _: &str) -> Request { Request }
    }
    impl Request {
        pub fn query<T: ?Sized>(self, _: &T) -> Self { self }
        pub fn header(self, _: &str, _: &str) -> Self { self }
        pub async fn send(self) -> Result<Response, Error> { Ok(Response) }
    }
    impl Response {
        pub async fn json<T>(self) -> Result<T, Error> { Err(Error) }
    }
}
"#;

#[test]
fn rust_samples_compile_and_go_samples_are_programs() {
    let page = html(shared(Engine::Sqlite), "/docs");
    let folder = tempfile::tempdir().unwrap();
    for endpoint in ["listServers", "search"] {
        let code = sample(&page, endpoint, "rust");
        assert!(code.contains("// reqwest = { version = \"0.13\"") && code.contains("#[tokio::main]\nasync fn main()"));
        let file = folder.path().join("sample.rs");
        let code = code.replace("#[tokio::main]\nasync fn main()", "pub async fn sample()");
        std::fs::write(&file, format!("#![allow(dead_code)]\n{CRATES}{code}")).unwrap();
        let mut rustc = Command::new("rustc");
        rustc.args(["--edition", "2024", "--crate-type", "lib", "--emit", "metadata", "--out-dir"]);
        rustc.arg(folder.path()).arg(&file);
        run(rustc);
        let go = sample(&page, endpoint, "go");
        assert!(go.starts_with("package main\n\nimport (\n") && go.contains("\nfunc main() {\n"), "{go}");
    }
}

/// Code blocks of a guide, by language.
fn blocks(guide: &str) -> BTreeMap<String, Vec<String>> {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("docs/guides/{guide}.md"));
    let markdown = std::fs::read_to_string(file).unwrap();
    let mut blocks: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for block in markdown.split("\n```").skip(1).step_by(2) {
        let (language, code) = block.split_once('\n').expect("a language and code");
        blocks.entry(language.to_owned()).or_default().push(code.to_owned());
    }
    blocks
}

#[test]
fn the_programs_of_the_guides_run_as_they_are() {
    let server = shared(Engine::Sqlite);
    let busiest = server.run(server.get("/servers?sort=players&limit=3")).data();
    let lines: Vec<String> = busiest["servers"].as_array().unwrap().iter().map(players_line).collect();
    let total = server.run(server.get("/servers")).data()["pagination"]["total"].clone();
    let online = server.run(server.get("/live")).data()["stats"]["totalPlayers"].clone();
    let expected = [
        ("quick-start", lines.join("\n")),
        ("pagination", format!("{total} servers")),
        ("rate-limits", format!("{online} players online")),
        ("caching", "the second answer came from the cache".to_owned()),
        ("errors", "404: Server not found".to_owned()),
    ];
    let mut programs = 0;
    for (guide, expected) in expected {
        for (language, codes) in blocks(guide) {
            for code in codes.iter().map(|code| ready(code, server)) {
                let outputs = match language.as_str() {
                    "js" => vec![run_file("node", "guide.cjs", &code), run_file("node", "guide.mjs", &code)],
                    "python" => vec![run_file("python3", "guide.py", &code)],
                    "sh" => {
                        succeeded(&run_file("bash", "guide.sh", &format!("{} -s", code.trim_end())), guide);
                        continue;
                    }
                    "json" => {
                        serde_json::from_str::<Value>(&code).unwrap_or_else(|error| panic!("{guide}: {error}"));
                        continue;
                    }
                    _ => continue,
                };
                for output in outputs {
                    assert_eq!(output.trim_end(), expected, "{guide} in {language}");
                    programs += 1;
                }
            }
        }
    }
    assert_eq!(programs, 9);
}

/// The script for cron, with programs in place of mcrcon and curl; its exit status and what it sent.
fn report_script(rcon: &str) -> (bool, String) {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name);
    let program = |name: &str, text: &str| {
        std::fs::write(path(name), format!("#!/bin/sh\n{text}\n")).unwrap();
        std::fs::set_permissions(path(name), std::fs::Permissions::from_mode(0o755)).unwrap();
    };
    program("mcrcon", &format!("[ \"$*\" = '-p hunter2 tps' ] && {rcon}"));
    program("curl", &format!("printf '%s\\n' \"$@\" > {}", path("sent").display()));
    std::fs::write(path("secrets"), "RCON_PASSWORD='hunter2'\nROLLCALL_TOKEN='rcs_abc'\n").unwrap();
    let code = &blocks("reports")["bash"][1];
    let code = code.replace("/etc/rollcall-report", path("secrets").to_str().unwrap());
    std::fs::write(path("report-tps"), code).unwrap();
    let mut script = Command::new("sh");
    let search = format!("{}:/usr/bin:/bin", folder.path().display());
    let output = script.arg(path("report-tps")).env_clear().env("PATH", search).output().unwrap();
    (output.status.success(), std::fs::read_to_string(path("sent")).unwrap_or_default())
}

#[test]
fn the_script_for_cron_reports_ticks_or_nothing() {
    let (is_done, sent) = report_script("echo 'TPS from last 1m, 5m, 15m: 19.87, 20.0, 20.0'");
    assert!(is_done);
    let lines: Vec<&str> = sent.lines().collect();
    assert!(lines.contains(&"{\"tps\": 19.87}") && lines.contains(&"Authorization: Bearer rcs_abc"), "{sent}");
    for rcon in ["echo 'Unknown command'", "exit 1"] {
        assert_eq!(report_script(rcon), (false, String::new()), "{rcon}");
    }
}

fn players_line(server: &Value) -> String {
    format!("{}: {} of {}", server["name"].as_str().unwrap(), server["currentPlayers"], server["maxPlayers"])
}

#[test]
fn the_reference_and_its_guides_are_small_pages_that_link_each_other() {
    let server = shared(Engine::Sqlite);
    let paths = GUIDES.map(|guide| format!("/docs/guides/{guide}"));
    for path in ["/docs"].into_iter().chain(paths.iter().map(String::as_str)) {
        let packed = server.run(server.raw(Method::GET, path, &[("accept-encoding", "gzip")]));
        assert!(packed.body.len() < MAX_PAGE, "{path} has {} bytes", packed.body.len());
        let page = html(server, path);
        for other in &paths {
            assert!(page.contains(&format!("href=\"{other}\"")), "{path} does not link {other}");
        }
        assert!(page.contains("id=\"find\"") && page.contains("<rc-copy class=\"code\""), "{path}");
        assert!(!page.contains("stats.example.org"), "{path}");
    }
    let missing = server.run(server.raw(Method::GET, "/docs/guides/nothing", &[("accept", "text/html")]));
    assert_eq!(missing.status, 404);
}

#[test]
fn every_field_of_the_reference_has_a_description() {
    let page = html(shared(Engine::Sqlite), "/docs");
    let rows: Vec<&str> = page.split("<tr><td><code>").skip(1).collect();
    assert!(rows.len() > 400, "{}", rows.len());
    for row in rows {
        let cells: Vec<&str> = row.split("</tr>").next().unwrap().split("<td>").collect();
        assert!(!text(cells[2]).trim().is_empty(), "{}", cells[0]);
    }
}

/// What `data` holds, by type of event.
const EVENT_DATA: [(&str, &[&str]); 11] = [
    ("server.online", &["offlineSince"]),
    ("server.offline", &["reason", "unreachableSince"]),
    ("server.peak", &["players", "previousPlayers"]),
    ("server.version", &["version", "previousVersion"]),
    ("vote.created", &["voteId"]),
    ("review.created", &["reviewId", "rating"]),
    ("post.approved", &["postId", "title"]),
    ("player.joined", &["joinedAt"]),
    ("player.left", &["lastSeenAt"]),
    ("player.renamed", &["nickname", "previousNickname"]),
    ("skin.published", &["skinId", "slug", "name", "model", "pngUrl"]),
];

#[test]
fn the_reference_lists_the_fields_of_each_type_of_event() {
    let page = html(shared(Engine::Sqlite), "/docs");
    let part = |id: &str| {
        let start = format!("<article id=\"{id}\"");
        page.split(&start).nth(1).and_then(|rest| rest.split("</article>").next()).expect("an endpoint").to_owned()
    };
    for (endpoint, event) in [("eventsList", "events[]."), ("eventsStream", "")] {
        let part = part(endpoint);
        let groups: Vec<&str> = part.split("scope=\"rowgroup\"").skip(1).collect();
        let group_of = |kind: &str| {
            let found =
                groups.iter().find(|group| text(group.split("</tr>").next().unwrap_or_default()).contains(kind));
            *found.unwrap_or_else(|| panic!("{endpoint} has no {kind}"))
        };
        for (kind, fields) in EVENT_DATA {
            for field in fields {
                let row = format!("<code>{event}data.{field}</code>");
                assert!(group_of(kind).contains(&row), "{endpoint} {kind}: {row}");
            }
        }
        assert_eq!(groups.len(), EVENT_DATA.len(), "{endpoint}");
        assert!(!part.contains("<td>anything</td>"), "{endpoint}");
    }
}

#[test]
fn the_reference_names_every_conditional_header() {
    let page = html(shared(Engine::Sqlite), "/docs");
    let caching = page.split("<section id=\"caching\"").nth(1).and_then(|rest| rest.split("</section>").next());
    let caching = caching.expect("a chapter");
    for name in ["ETag", "If-None-Match", "Last-Modified", "If-Modified-Since", "Cache-Control", "Accept-Encoding"] {
        assert!(caching.contains(&format!("<code>{name}</code>")), "{name}");
    }
}

fn example(program: &str, path: &str, server: &Server) -> Command {
    let mut command = Command::new(program);
    let url = format!("http://{}/v1", server.address);
    command.arg(PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("examples").join(path));
    command.env("ROLLCALL_KEY", &server.key).env("ROLLCALL_URL", url);
    command
}

#[test]
fn the_node_example_writes_all_servers_as_csv() {
    for engine in Engine::BOTH {
        let server = shared(engine);
        let csv = run(example("node", "node/servers-to-csv.mjs", server));
        let total = server.run(server.get("/servers")).data()["pagination"]["total"].as_u64().unwrap();
        assert!(csv.starts_with("slug,name,ip,port,isOnline,currentPlayers,maxPlayers,version,country,uptime\n"));
        assert!(csv.lines().count() as u64 > total, "{csv}");
        let mut wrong = example("node", "node/servers-to-csv.mjs", server);
        let output = wrong.env("ROLLCALL_KEY", "rc_wrong").output().unwrap();
        assert_eq!((output.status.code(), output.stderr.as_slice()), (Some(1), &b"401: Invalid API key\n"[..]));
    }
}

#[test]
fn the_python_example_describes_a_server() {
    let server = shared(Engine::Sqlite);
    let busiest = server.run(server.get("/servers?sort=players&limit=1")).data()["servers"][0].clone();
    let slug = busiest["slug"].as_str().unwrap();
    let mut watch = example("python3", "python/watch_server.py", server);
    watch.args([slug, "--checks", "1"]);
    let expected = format!("{} players, {}\n", players_line(&busiest), busiest["version"].as_str().unwrap());
    assert_eq!(run(watch), expected);
    let mut missing = example("python3", "python/watch_server.py", server);
    let output = missing.args(["no-such-server", "--checks", "1"]).output().unwrap();
    assert_eq!((output.status.code(), output.stderr.as_slice()), (Some(1), &b"404: Server not found\n"[..]));
}

/// Stands for Discord: takes the commands of the bot, then sends it signed interactions and prints the answers.
const DISCORD: &str = r#"
import { generateKeyPairSync, sign } from "node:crypto";
import { createServer } from "node:http";
import { spawn } from "node:child_process";
const { publicKey, privateKey } = generateKeyPairSync("ed25519");
const raw = publicKey.export({ format: "der", type: "spki" }).subarray(-32).toString("hex");
let registered;
const discord = createServer(async (request, response) => {
  let body = "";
  for await (const chunk of request) body += chunk;
  registered = { method: request.method, url: request.url, authorization: request.headers.authorization, names: JSON.parse(body).map(({ name }) => name) };
  response.end("[]");
});
await new Promise((resolve) => discord.listen(0, "127.0.0.1", resolve));
const [bot, text] = process.argv.slice(2);
const env = { ...process.env, PORT: "0", DISCORD_URL: `http://127.0.0.1:${discord.address().port}/api`, DISCORD_PUBLIC_KEY: raw, DISCORD_TOKEN: "token", DISCORD_APPLICATION: "42" };
const child = spawn(process.execPath, [bot], { env, stdio: ["ignore", "pipe", "inherit"] });
const url = await new Promise((resolve) => child.stdout.once("data", (line) => resolve(String(line).trim().replace("Listening on ", ""))));
async function send(interaction, signed = true) {
  const body = JSON.stringify(interaction);
  const signature = sign(null, Buffer.from(`1700000000${signed ? "" : "x"}${body}`), privateKey).toString("hex");
  const headers = { "x-signature-ed25519": signature, "x-signature-timestamp": "1700000000" };
  const response = await fetch(url, { method: "POST", headers, body });
  return { status: response.status, body: await response.json() };
}
const command = (type, value) => ({ type, data: { name: "server", options: [{ name: "name", value }] } });
const answers = {
  registered,
  forged: await send({ type: 1 }, false),
  ping: await send({ type: 1 }),
  choices: await send(command(4, text)),
  found: await send(command(2, text)),
  unknown: await send(command(2, "nothing-has-this-name")),
};
console.log(JSON.stringify(answers));
child.kill();
discord.close();
"#;

#[test]
fn the_discord_bot_answers_signed_commands_only() {
    let server = shared(Engine::Sqlite);
    let busiest = server.run(server.get("/servers?sort=players&limit=1")).data()["servers"][0].clone();
    let folder = tempfile::tempdir().unwrap();
    let stand_in = folder.path().join("discord.mjs");
    std::fs::write(&stand_in, DISCORD).unwrap();
    let bot = Path::new(env!("CARGO_MANIFEST_DIR")).join("examples/discord-bot/bot.mjs");
    let mut command = Command::new("node");
    command.arg(stand_in).arg(bot).arg(busiest["slug"].as_str().unwrap());
    command.env("ROLLCALL_KEY", &server.key).env("ROLLCALL_URL", format!("http://{}/v1", server.address));
    let answers: Value = serde_json::from_str(&run(command)).unwrap();
    let registered = json!({
        "method": "PUT", "url": "/api/applications/42/commands", "authorization": "Bot token", "names": ["server"],
    });
    assert_eq!(answers["registered"], registered);
    assert_eq!(answers["forged"], json!({"status": 401, "body": {"error": "invalid signature"}}));
    assert_eq!(answers["ping"], json!({"status": 200, "body": {"type": 1}}));
    let embed = &answers["found"]["body"]["data"]["embeds"][0];
    assert_eq!((&embed["title"], &embed["thumbnail"]["url"]), (&busiest["name"], &busiest["iconUrl"]));
    let players = format!("{} of {}", busiest["currentPlayers"], busiest["maxPlayers"]);
    assert_eq!(embed["fields"][0], json!({"name": "Players", "value": players, "inline": true}));
    assert_eq!(answers["found"]["body"]["data"]["allowed_mentions"], json!({"parse": []}));
    assert_eq!(answers["unknown"]["body"]["data"]["content"], "No server has this name.");
    assert_eq!(answers["choices"]["body"]["type"], 8);
}
