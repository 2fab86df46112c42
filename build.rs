//! Bundles what browsers get (`web/`) with esbuild and writes a list of it, which `src/web/assets.rs` compiles in.

use std::path::{Path, PathBuf};
use std::process::Command;

fn main() {
    let root = PathBuf::from(variable("CARGO_MANIFEST_DIR"));
    let (web, out) = (root.join("web"), PathBuf::from(variable("OUT_DIR")).join("web"));
    for watched in ["src", "build.mjs", "package.json", "package-lock.json", "templates"] {
        println!("cargo::rerun-if-changed={}", web.join(watched).display());
    }
    install(&web);
    // Files of an earlier build have other names and would be compiled in beside the new ones.
    let _ = std::fs::remove_dir_all(&out);
    run(Command::new("node").arg("build.mjs").arg(&out).current_dir(&web), "esbuild could not bundle web/src");
    std::fs::write(out.with_file_name("assets.rs"), list(&out)).expect("OUT_DIR can be written");
}

/// The packages of the lock file, unless they are there: a copy of it beside them tells.
fn install(web: &Path) {
    let (lock, copy) = (web.join("package-lock.json"), web.join("node_modules/installed-lock.json"));
    let wanted = std::fs::read(&lock).expect("web/package-lock.json is there");
    if std::fs::read(&copy).is_ok_and(|installed| installed == wanted) {
        return;
    }
    run(Command::new("npm").args(["ci", "--silent"]).current_dir(web), "npm could not install the packages of web/");
    std::fs::write(&copy, wanted).expect("web/node_modules can be written");
}

fn run(command: &mut Command, trouble: &str) {
    match command.output() {
        Ok(output) if output.status.success() => {}
        Ok(output) => panic!("{trouble}:\n{}", String::from_utf8_lossy(&output.stderr)),
        Err(error) => {
            panic!("{trouble}: {error}. Rollcall's pages are built with Node.js 20 or newer and its npm: install them")
        }
    }
}

/// A constant with the address of each file, and all of them with their bytes.
fn list(folder: &Path) -> String {
    let entries = std::fs::read_dir(folder).expect("esbuild wrote files").map(|entry| entry.expect("a file").path());
    let mut files: Vec<PathBuf> = entries.collect();
    files.sort();
    let (mut constants, mut rows) = (String::new(), String::new());
    for file in files {
        let name = file.file_name().and_then(|name| name.to_str()).expect("plain names");
        let (stem, _) = name.rsplit_once('-').expect("a hash in the name");
        constants += &format!("pub const {}: &str = \"/assets/{name}\";\n", stem.to_uppercase().replace('-', "_"));
        rows += &format!("    (\"{name}\", include_bytes!({:?})),\n", file.display().to_string());
    }
    format!("{constants}\nstatic FILES: &[(&str, &[u8])] = &[\n{rows}];\n")
}

#[expect(clippy::disallowed_methods, reason = "cargo speaks to a build script so")]
fn variable(name: &str) -> String {
    std::env::var(name).expect("cargo sets it")
}
