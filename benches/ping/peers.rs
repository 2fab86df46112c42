//! Ping clients in other languages, at pinned versions, installed on first use.

use std::path::{Path, PathBuf};
use std::process::Command;

pub const MCSTATUS: &str = "mcstatus, asyncio";
const UVLOOP: &str = "mcstatus, uvloop";
const MINETRACK: &str = "mcping-js (Minetrack)";

pub struct PeerClient {
    pub name: &'static str,
    pub program: Vec<String>,
    /// Arguments before the addresses.
    pub args: &'static [&'static str],
}

/// Clients that cannot be installed are skipped with a message.
pub fn install() -> Vec<PeerClient> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("benches/peers");
    let script = |name: &str| folder.join(name).display().to_string();
    let mut peers = Vec::new();
    match python(&folder) {
        Ok(python) => {
            let program = vec![python.display().to_string(), script("ping_mcstatus.py")];
            peers.push(PeerClient { name: MCSTATUS, program: program.clone(), args: &["asyncio"] });
            peers.push(PeerClient { name: UVLOOP, program, args: &["uvloop"] });
        }
        Err(error) => println!("skipping mcstatus: {error}"),
    }
    match node(&folder) {
        Ok(()) => {
            peers.push(PeerClient {
                name: MINETRACK,
                program: vec!["node".into(), script("ping_mcping.mjs")],
                args: &[],
            });
        }
        Err(error) => println!("skipping mcping-js: {error}"),
    }
    peers
}

/// A virtual environment below `target/` with exactly the pinned versions.
fn python(folder: &Path) -> Result<PathBuf, String> {
    let venv = Path::new(env!("CARGO_TARGET_TMPDIR")).with_file_name("ping-peers");
    let (required, installed) = (folder.join("requirements-ping.txt"), venv.join("installed.txt"));
    if !is_same_file(&required, &installed) {
        println!("installing mcstatus and uvloop ...");
        let requirement =
            "needs Python 3.10 or newer with venv (apt-get install python3 python3-venv), and network access once";
        run(Command::new("python3").args(["-m", "venv", "--clear"]).arg(&venv), requirement)?;
        let mut pip = Command::new(venv.join("bin/pip"));
        run(pip.args(["-q", "--disable-pip-version-check", "install", "-r"]).arg(&required), requirement)?;
        std::fs::copy(&required, &installed).map_err(|error| error.to_string())?;
    }
    Ok(venv.join("bin/python"))
}

fn node(folder: &Path) -> Result<(), String> {
    let (required, installed) = (folder.join("package-lock.json"), folder.join("node_modules/installed-lock.json"));
    if !is_same_file(&required, &installed) {
        println!("installing mcping-js ...");
        let requirement = "needs Node.js 20 or newer with npm, and network access once";
        run(Command::new("npm").args(["ci", "--silent", "--prefix"]).arg(folder), requirement)?;
        std::fs::copy(&required, &installed).map_err(|error| error.to_string())?;
    }
    Ok(())
}

fn is_same_file(a: &Path, b: &Path) -> bool {
    std::fs::read(a).ok().is_some_and(|a| std::fs::read(b).is_ok_and(|b| a == b))
}

fn run(command: &mut Command, requirement: &str) -> Result<(), String> {
    let status = command.status().map_err(|error| format!("{requirement} ({error})"))?;
    if status.success() { Ok(()) } else { Err(format!("{requirement} ({command:?} failed)")) }
}
