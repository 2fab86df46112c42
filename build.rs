//! Bundles the browser assets (`web/`) with esbuild and generates a list of them for `src/web/assets.rs`.

use std::path::{Path, PathBuf};
use std::process::Command;

fn main() {
    let root = PathBuf::from(cargo_variable("CARGO_MANIFEST_DIR"));
    let (web, out) = (root.join("web"), PathBuf::from(cargo_variable("OUT_DIR")).join("web"));
    for input in ["src", "build.mjs", "package.json", "package-lock.json", "templates"] {
        println!("cargo::rerun-if-changed={}", web.join(input).display());
    }
    install_packages(&web);
    // File names contain a hash: old files would be compiled in beside the new ones.
    let _ = std::fs::remove_dir_all(&out);
    run(Command::new("node").arg("build.mjs").arg(&out).current_dir(&web), "esbuild cannot bundle web/src");
    std::fs::write(out.with_file_name("assets.rs"), asset_list(&out)).expect("write to OUT_DIR");
}

/// Installs the packages of the lock file, unless a copy beside them shows that they are up to date.
fn install_packages(web: &Path) {
    let (lock, copy) = (web.join("package-lock.json"), web.join("node_modules/installed-lock.json"));
    let required = std::fs::read(&lock).expect("read web/package-lock.json");
    if std::fs::read(&copy).is_ok_and(|installed| installed == required) {
        return;
    }
    run(Command::new("npm").args(["ci", "--silent"]).current_dir(web), "npm cannot install the packages of web/");
    std::fs::write(&copy, required).expect("write to web/node_modules");
}

fn run(command: &mut Command, failure: &str) {
    match command.output() {
        Ok(output) if output.status.success() => {}
        Ok(output) => panic!("{failure}:\n{}", String::from_utf8_lossy(&output.stderr)),
        Err(error) => panic!("{failure}: {error}. The build needs Node.js 20 or newer with npm"),
    }
}

/// Rust code: a constant with the URL of each file, the flags by country code, and all files with their bytes.
fn asset_list(folder: &Path) -> String {
    let entries = std::fs::read_dir(folder).expect("read the output of esbuild");
    let mut files: Vec<PathBuf> = entries.map(|entry| entry.expect("read the output of esbuild").path()).collect();
    files.sort();
    let (mut constants, mut flags, mut rows) = (String::new(), String::new(), String::new());
    for file in files {
        let name = file.file_name().and_then(|name| name.to_str()).expect("asset names are ASCII");
        let (stem, _) = name.rsplit_once('-').expect("asset names end with a hash");
        match stem.strip_prefix("flag-") {
            Some(country) => flags += &format!("    (\"{country}\", \"/assets/{name}\"),\n"),
            None => {
                let constant = stem.to_uppercase().replace('-', "_");
                constants += &format!("pub const {constant}: &str = \"/assets/{name}\";\n");
            }
        }
        rows += &format!("    (\"{name}\", include_bytes!({:?})),\n", file.display().to_string());
    }
    format!(
        "{constants}\npub static FLAGS: &[(&str, &str)] = &[\n{flags}];\n\nstatic FILES: &[(&str, &[u8])] = &[\n{rows}];\n"
    )
}

#[expect(clippy::disallowed_methods, reason = "cargo passes its settings to build scripts as environment variables")]
fn cargo_variable(name: &str) -> String {
    std::env::var(name).expect("cargo sets this variable")
}
