//! Pictures in an S3-compatible store, a real one: `scripts/s3`.

use std::collections::BTreeMap;
use std::path::Path;
use std::process::Output;

use crate::harness::{Bucket, Engine, Program, Proxy, Store};

const SERVE: [&str; 3] = ["serve", "--listen", "127.0.0.1:0"];

fn printed(output: &Output) -> String {
    assert!(output.status.success(), "{output:?}");
    String::from_utf8(output.stdout.clone()).unwrap()
}

fn complaint(output: &Output) -> String {
    String::from_utf8(output.stderr.clone()).unwrap()
}

/// A command over a store, with its pictures in a bucket.
fn run(store: &Store, bucket: &Bucket, args: &[&str]) -> Output {
    bucket.set(store.command(args)).output().unwrap()
}

/// The path of a server's icon below `/media`.
fn icon_of(store: &Store, slug: &str) -> String {
    store.change(|conn| {
        conn.query_one("select icon from servers where slug = $1", rollcall_store::values![slug], |row| row.get(0))
    })
}

/// Pictures below a folder by their path.
fn pictures(folder: &Path) -> BTreeMap<String, Vec<u8>> {
    let mut found = BTreeMap::new();
    for kind in std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()) {
        for file in std::fs::read_dir(&kind).unwrap().map(|entry| entry.unwrap().path()) {
            let path = file.strip_prefix(folder).unwrap().to_str().unwrap().to_owned();
            found.insert(path, std::fs::read(file).unwrap());
        }
    }
    found
}

#[tokio::test]
async fn a_picture_that_one_node_stores_is_served_by_the_other() {
    let (first, bucket) = (Store::new(Engine::Postgres), Bucket::new());
    let second = Store::at(first.url().to_owned());
    let node = |store: &Store| Program::start(bucket.set(store.command(&SERVE)));
    let nodes = [node(&first), node(&second)];
    let slug = printed(&run(&first, &bucket, &["server", "add", "play.example.org", "--name", "Example"]));
    let icon = icon_of(&first, slug.trim());
    for node in &nodes {
        let response = node.get(&format!("/media/{icon}"), &[]).await;
        assert_eq!(response.status, 200, "{icon}");
        assert!(rollcall_store::media::matches_content(&icon, &response.body), "{icon}");
        assert_eq!(response.header("content-type"), Some("image/png"));
        assert_eq!(response.header("cache-control"), Some("public, max-age=31536000, immutable"));
        let unknown = format!("/media/icon/{}.png", "0".repeat(32));
        assert_eq!(node.get(&unknown, &[]).await.status, 404);
    }
    for store in [&first, &second] {
        assert!(!store.path().join("media/icon").exists(), "nothing is on the disk");
    }
}

#[test]
fn pictures_are_copied_from_a_folder_into_a_bucket_and_back() {
    let (store, bucket) = (Store::new(Engine::Sqlite), Bucket::new());
    printed(&store.rollcall(&["server", "add", "play.example.org", "--name", "Example"]));
    let originals = pictures(&store.path().join("media"));
    let count = originals.len();
    let copy = |args: &[&str]| {
        let mut command = store.command(&[&["media", "copy"], args].concat());
        bucket.allow(&mut command);
        printed(&command.output().unwrap())
    };
    let copied = copy(&[&bucket.url]);
    assert!(copied.starts_with(&format!("Copied {count} pictures into {}", bucket.url)), "{copied}");
    assert!(copied.ends_with("; 0 were there already.\n"), "{copied}");
    assert!(copy(&[&bucket.url]).ends_with(&format!("; {count} were there already.\n")));
    std::fs::remove_dir_all(store.path().join("media")).unwrap();
    assert_eq!(
        printed(&run(&store, &bucket, &["media", "check"])),
        format!("Checked {count} pictures, all are in order.\n")
    );

    let back = store.path().join("back");
    copy(&["--from", &bucket.url, back.to_str().unwrap()]);
    assert_eq!(pictures(&back), originals);
    let same = run(&store, &bucket, &["media", "copy", &bucket.url]);
    assert_eq!(same.status.code(), Some(2), "{same:?}");
}

#[test]
fn commands_work_with_pictures_in_a_bucket() {
    let (store, bucket) = (Store::new(Engine::Sqlite), Bucket::new());
    let command = |args: &[&str]| run(&store, &bucket, args);
    printed(&command(&["server", "add", "play.example.org", "--name", "Example"]));
    printed(&command(&["server", "set", "example", "--name", "Another"]));
    assert!(printed(&command(&["media", "sweep"])).starts_with("Set 0 unused pictures aside"));
    let [folder, file] = ["exported", "backup.db"].map(|name| store.path().join(name));
    printed(&command(&["export", folder.to_str().unwrap()]));
    let exported = pictures(&folder.join("media"));
    assert!(exported.len() >= 5, "{:?}", exported.keys());
    printed(&command(&["backup", file.to_str().unwrap()]));

    // Into another bucket, from the export and from the backup.
    for (args, what) in [(["restore", file.to_str().unwrap()], "backup"), (["import", "servers.ndjson"], "export")] {
        let (other, elsewhere) = (Store::new(Engine::Sqlite), Bucket::new());
        let file = folder.join(args[1]);
        printed(&run(&other, &elsewhere, &[args[0], file.to_str().unwrap()]));
        assert!(printed(&run(&other, &elsewhere, &["media", "check"])).ends_with("all are in order.\n"), "{what}");
    }
}

#[tokio::test]
async fn an_outage_of_the_bucket_costs_pictures_only() {
    let (store, bucket) = (Store::new(Engine::Sqlite), Bucket::new());
    let proxy = Proxy::to(bucket.address());
    let bucket = bucket.behind(&proxy);
    printed(&run(&store, &bucket, &["server", "add", "play.example.org", "--name", "Example"]));
    let icon = format!("/media/{}", icon_of(&store, "example"));
    let program = Program::start(bucket.set(store.command(&SERVE)));
    proxy.cut();
    let response = program.get(&icon, &[]).await;
    assert_eq!(response.status, 503, "{}", String::from_utf8_lossy(&response.body));
    program.until_logged("pictures cannot be loaded or stored: s3://pictures/");
    for page in ["/", "/servers", "/servers/example", "/readyz"] {
        assert_eq!(program.get(page, &[]).await.status, 200, "{page}");
    }
    // A restart does not need the bucket either.
    drop(program);
    let program = Program::start(bucket.set(store.command(&SERVE)));
    program.until_logged("cannot reach s3://pictures/");
    assert_eq!(program.get("/servers/example", &[]).await.status, 200);
    proxy.mend();
    assert_eq!(program.get(&icon, &[]).await.status, 200);
    program.until_logged("pictures can be loaded and stored again");
}

#[test]
fn a_bucket_that_cannot_be_used_is_explained_at_the_start() {
    let store = Store::new(Engine::Sqlite);
    let refused = run(&store, &Bucket::new().with_secret("wrong"), &SERVE);
    assert_eq!(refused.status.code(), Some(1), "{refused:?}");
    let told = complaint(&refused);
    assert!(told.contains("cannot use s3://pictures/test-") && told.contains("access denied"), "{told}");
    assert!(told.contains("check media.access_key_id and media.secret_access_key"), "{told}");
    assert!(!told.contains("wrong"), "{told}");

    let mut command = Bucket::new().set(store.command(&SERVE));
    let missing = command.env("ROLLCALL_MEDIA_URL", "s3://no-such-bucket").output().unwrap();
    let told = complaint(&missing);
    assert_eq!(missing.status.code(), Some(1), "{told}");
    assert!(told.contains("cannot use s3://no-such-bucket at http://") && told.contains("no such bucket"), "{told}");
}

#[tokio::test]
async fn browsers_load_pictures_from_the_public_url_except_skins() {
    let (store, bucket) = (Store::new(Engine::Sqlite), Bucket::new());
    printed(&run(&store, &bucket, &["server", "add", "play.example.org", "--name", "Example"]));
    let mut command = bucket.set(store.command(&SERVE));
    command.env("ROLLCALL_MEDIA_PUBLIC_URL", "https://cdn.example.org/pictures");
    let program = Program::start(command);
    let icon = icon_of(&store, "example");
    let without_redirects = reqwest::Client::builder().no_proxy().redirect(reqwest::redirect::Policy::none());
    let client = without_redirects.build().unwrap();
    let response = client.get(format!("{}/media/{icon}", program.url)).send().await.unwrap();
    assert_eq!(response.status().as_u16(), 307);
    assert_eq!(response.headers()["location"], format!("https://cdn.example.org/pictures/{icon}"));
    let skin: String = store.change(|conn| {
        conn.query_one("select png from textures where slug = 'default-classic'", &[], |row| row.get(0))
    });
    let response = program.get(&format!("/media/{skin}"), &[]).await;
    assert_eq!(response.status, 200);
    assert!(rollcall_store::media::matches_content(&skin, &response.body));
    for page in ["/", "/embed/example"] {
        let response = program.get(page, &[]).await;
        let policy = response.header("content-security-policy").unwrap();
        assert!(policy.contains("img-src 'self' https://cdn.example.org;"), "{policy}");
    }
}
