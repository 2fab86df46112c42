//! Placeholders of free hosts. While a server sleeps, its host answers pings for it and says so in the MOTD or the version; to
//! players such a server is offline.

use rollcall_minecraft::ServerStatus;
use rollcall_model::motd;

/// The reason of an outage that is recorded.
pub const ASLEEP: &str = "asleep at its host";

/// Names of hosts, as their placeholders show them.
const HOSTS: [&str; 7] = ["aternos", "falix", "minehut", "exaroton", "server.pro", "ploudos", "minefort"];
/// Texts that they report for a stopped server.
const WORDS: [&str; 8] =
    ["offline", "sleeping", "asleep", "hibernat", "not running", "is stopped", "is starting", "start the server"];
/// Versions that no game has.
const VERSIONS: [&str; 4] = ["offline", "sleeping", "hibernating", "starting"];

/// Nobody plays on a placeholder, so a server with players never is one.
pub fn is_placeholder(status: &ServerStatus) -> bool {
    if status.players > 0 {
        return false;
    }
    let version = motd::plain(&status.version).to_lowercase();
    let letters: String = version.chars().filter(|c| c.is_alphabetic()).collect();
    if VERSIONS.contains(&letters.as_str()) {
        return true;
    }
    let text = format!("{version} {}", motd::plain(&status.motd_raw).to_lowercase());
    HOSTS.iter().any(|host| text.contains(host)) && WORDS.iter().any(|word| text.contains(word))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn status(version: &str, motd: &str, players: i64) -> ServerStatus {
        ServerStatus { version: version.into(), motd_raw: motd.into(), players, ..ServerStatus::default() }
    }

    #[test]
    fn placeholders_are_recognized() {
        for (version, motd) in [
            ("§4● Offline", "§cThis server is offline.\n§7Powered by aternos.org"),
            ("§6● Starting", ""),
            ("1.21.4", "§cServer is offline §7- start it at Falixnodes.net"),
            ("Velocity", "§eThis Minehut server is hibernating"),
        ] {
            assert!(is_placeholder(&status(version, motd, 0)), "{version} {motd}");
        }
    }

    #[test]
    fn real_servers_are_not() {
        for (version, motd, players) in [
            ("1.21.4", "§aWelcome! Powered by Aternos", 0),
            ("1.21.4", "An offline mode server", 0),
            ("Paper 1.20.1", "The dragon is sleeping", 0),
            ("● Offline", "aternos: this server is offline", 3),
            ("", "", 0),
        ] {
            assert!(!is_placeholder(&status(version, motd, players)), "{version} {motd}");
        }
    }
}
