//! Stores that many tests begin with. Each is made once per engine and copied: running the migrations or generating a world takes
//! far longer.

use std::fs::{self, Permissions};
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use rollcall_demo::{GenerateProgress, PictureGenerator, WorldSize, generate_demo};
use rollcall_store::builtin_skins::{BuiltinPictures, ensure_builtin};
use rollcall_store::captcha_secret::{self, CAPTCHA};
use rollcall_store::media::Media;
use rollcall_store::{Conn, migrate, migrate_ledger};

use super::engine::create_database;
use super::{Engine, NOW, SEED, Store};

/// The files of a store, and its PostgreSQL database, which nobody uses.
struct Template {
    files: Vec<TemplateFile>,
    database: Option<String>,
}

struct TemplateFile {
    path: PathBuf,
    permissions: Permissions,
    content: Vec<u8>,
}

/// A store with the schema and the built-in skins.
pub fn empty(engine: Engine) -> Store {
    static TEMPLATES: [OnceLock<Template>; 2] = [OnceLock::new(), OnceLock::new()];
    TEMPLATES[engine as usize].get_or_init(|| Template::new(engine, |_, _| ())).copy(engine)
}

/// A store with the demo world.
pub fn demo_world(engine: Engine) -> Store {
    static TEMPLATES: [OnceLock<Template>; 2] = [OnceLock::new(), OnceLock::new()];
    let generate = |conn: &mut Conn, media| {
        let pictures = PictureGenerator::minimal(media);
        generate_demo(conn, SEED, NOW, &WorldSize::tests(), &pictures, &GenerateProgress::hidden()).unwrap();
    };
    TEMPLATES[engine as usize].get_or_init(|| Template::new(engine, generate)).copy(engine)
}

impl Template {
    fn new(engine: Engine, fill: impl FnOnce(&mut Conn, Media)) -> Self {
        let store = Store::new(engine);
        let mut conn = store.conn();
        migrate(&mut conn).unwrap();
        migrate_ledger(&mut Conn::open(&store.database.ledger()).unwrap()).unwrap();
        let media = Media::in_folder(&store.path().join("media")).unwrap();
        ensure_builtin(&mut conn, &BuiltinPictures::save(&media).unwrap()).unwrap();
        fill(&mut conn, media);
        // SQLite moves its write-ahead log into the database when the last connection closes.
        drop(conn);
        let mut files = Vec::new();
        read_files(store.path(), Path::new(""), &mut files);
        Self { files, database: (engine == Engine::Postgres).then(|| store.url().to_owned()) }
    }

    fn copy(&self, engine: Engine) -> Store {
        let store = match &self.database {
            Some(template) => Store::at(create_database(Some(template))),
            None => Store::new(engine),
        };
        for file in &self.files {
            let path = store.path().join(&file.path);
            fs::create_dir_all(path.parent().expect("a folder")).unwrap();
            fs::write(&path, &file.content).unwrap();
            fs::set_permissions(&path, file.permissions.clone()).unwrap();
        }
        // Every store has a secret of its own.
        store.change(|conn| captcha_secret::replace(conn, CAPTCHA));
        store
    }
}

/// All files below a folder, with their paths in it.
fn read_files(root: &Path, below: &Path, files: &mut Vec<TemplateFile>) {
    for entry in fs::read_dir(root.join(below)).unwrap() {
        let entry = entry.unwrap();
        let (path, metadata) = (below.join(entry.file_name()), entry.metadata().unwrap());
        match metadata.is_dir() {
            true => read_files(root, &path, files),
            false => {
                let content = fs::read(entry.path()).unwrap();
                files.push(TemplateFile { path, permissions: metadata.permissions(), content });
            }
        }
    }
}
