//! Writes a status page: one HTML file without scripts, for any web server or bucket.
//!
//! ROLLCALL_URL=https://stats.example.org/v1 ROLLCALL_KEY=rc_… cargo run --example status_page -- aurora-vale kelpedge > status.html

use std::env;
use std::error::Error;
use std::process::ExitCode;

use rollcall_client::Client;
use rollcall_client::types::ServerSummary;

#[tokio::main]
async fn main() -> ExitCode {
    match run().await {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("{error}");
            ExitCode::FAILURE
        }
    }
}

async fn run() -> Result<(), Box<dyn Error>> {
    let url = setting("ROLLCALL_URL", "https://stats.example.org/v1")?;
    let rollcall = Client::new(&url, &setting("ROLLCALL_KEY", "rc_…")?)?;
    let slugs: Vec<String> = env::args().skip(1).collect();
    let slugs: Vec<&str> = slugs.iter().map(String::as_str).collect();
    let batch = rollcall.batch_servers(&slugs).await?;
    print!("{}", page(&batch.servers));
    match batch.missing.as_slice() {
        [] => Ok(()),
        missing => Err(format!("no such server: {}", missing.join(", ")).into()),
    }
}

fn setting(name: &str, example: &str) -> Result<String, String> {
    env::var(name).map_err(|_| format!("Set {name}, such as {name}={example}"))
}

/// The page of some servers.
fn page(servers: &[ServerSummary]) -> String {
    let online = servers.iter().filter(|server| server.is_online).count();
    let rows: String = servers.iter().map(row).collect();
    format!(
        "<!doctype html>\n<html lang=\"en\">\n<meta charset=\"utf-8\">\n<meta name=\"viewport\" content=\"width=device-width\">\n\
         <title>Server status</title>\n<h1>{online} of {} servers are online</h1>\n<table>\n\
         <tr><th>Server<th>State<th>Players<th>Version<th>Uptime, 30 days\n{rows}</table>\n</html>\n",
        servers.len()
    )
}

fn row(server: &ServerSummary) -> String {
    let state = if server.is_online { "online" } else { "offline" };
    let (name, version) = (escaped(&server.name), escaped(&server.version));
    let (now, most, uptime) = (server.current_players, server.max_players, server.uptime);
    format!("<tr><td>{name}<td>{state}<td>{now} of {most}<td>{version}<td>{uptime} %\n")
}

/// Names come from strangers.
fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}
