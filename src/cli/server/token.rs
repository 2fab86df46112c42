//! `rollcall server token`: creates the token with which a game server sends reports.

use serde_json::json;

use super::{OneArgs, not_found};
use crate::cli::{Failure, load, store};
use rollcall_model::clock::Clock;
use rollcall_model::server_token::ServerToken;
use rollcall_store::audit::Author;
use rollcall_store::{server_tokens, servers};

pub fn create(args: &OneArgs) -> Result<(), Failure> {
    let (mut conn, _) = store::open_existing(&load(&args.store.flags())?)?;
    let found = servers::list(&mut conn, Some(&args.slug))?.into_iter().next();
    let server = found.ok_or_else(|| not_found(&args.slug))?;
    let token = ServerToken::generate();
    let author = Author::command_line(Clock::System.now());
    conn.transaction(|conn| {
        server_tokens::issue(conn, server.n, &token, &author)?;
        let value = json!({"slug": args.slug, "token": token.reveal()});
        args.output.print_secret(token.reveal(), "token", &value)
    })
}
