//! Those who ask in other languages, at pinned versions that install themselves.

use std::path::{Path, PathBuf};
use std::process::Command;

pub const MCSTATUS: &str = "mcstatus, asyncio";
const UVLOOP: &str = "mcstatus, uvloop";
const MINETRACK: &str = "mcping-js (Minetrack)";

pub struct Peer {
    pub name: &'static str,
    pub program: Vec<String>,
    /// Arguments of its own.
    pub more: &'static [&'static str],
}

/// Whoever cannot be installed is left out, and it is said why.
pub fn install() -> Vec<Peer> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("benches/peers");
    let script = |name: &str| folder.join(name).display().to_string();
    let mut peers = Vec::new();
    match python(&folder) {
        Ok(python) => {
            let program = vec![python.display().to_string(), script("ask_mcstatus.py")];
            peers.push(Peer { name: MCSTATUS, program: program.clone(), more: &["asyncio"] });
            peers.push(Peer { name: UVLOOP, program, more: &["uvloop"] });
        }
        Err(why) => println!("mcstatus is left out: {why}"),
    }
    match node(&folder) {
        Ok(()) => {
            peers.push(Peer { name: MINETRACK, program: vec!["node".into(), script("ask_mcping.mjs")], more: &[] });
        }
        Err(why) => println!("mcping-js is left out: {why}"),
    }
    peers
}

/// An environment in `target/`, of exactly the pinned versions.
fn python(folder: &Path) -> Result<PathBuf, String> {
    let venv = Path::new(env!("CARGO_TARGET_TMPDIR")).with_file_name("ping-peers");
    let (wanted, have) = (folder.join("requirements.txt"), venv.join("installed.txt"));
    if !same(&wanted, &have) {
        println!("installing mcstatus and uvloop ...");
        let needs =
            "it needs Python 3.10 or newer with venv (apt-get install python3 python3-venv), and the network once";
        run(Command::new("python3").args(["-m", "venv", "--clear"]).arg(&venv), needs)?;
        let mut pip = Command::new(venv.join("bin/pip"));
        run(pip.args(["-q", "--disable-pip-version-check", "install", "-r"]).arg(&wanted), needs)?;
        std::fs::copy(&wanted, &have).map_err(|error| error.to_string())?;
    }
    Ok(venv.join("bin/python"))
}

fn node(folder: &Path) -> Result<(), String> {
    let (wanted, have) = (folder.join("package-lock.json"), folder.join("node_modules/installed-lock.json"));
    if !same(&wanted, &have) {
        println!("installing mcping-js ...");
        let needs = "it needs Node.js 20 or newer with npm, and the network once";
        run(Command::new("npm").args(["ci", "--silent", "--prefix"]).arg(folder), needs)?;
        std::fs::copy(&wanted, &have).map_err(|error| error.to_string())?;
    }
    Ok(())
}

fn same(wanted: &Path, have: &Path) -> bool {
    std::fs::read(wanted).ok().is_some_and(|wanted| std::fs::read(have).is_ok_and(|have| have == wanted))
}

fn run(command: &mut Command, needs: &str) -> Result<(), String> {
    let ended = command.status().map_err(|error| format!("{needs} ({error})"))?;
    if ended.success() { Ok(()) } else { Err(format!("{needs} ({command:?} failed)")) }
}
