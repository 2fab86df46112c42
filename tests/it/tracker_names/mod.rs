//! Where names lead, and where they may not: a name server of our own says what it likes, and a trap on loopback counts who
//! comes.

mod literals;
mod name_server;
mod services;
mod spellings;
mod trap;
mod troubles;

use std::time::{Duration, Instant};

use rollcall_ping::{Answer, Asker, Edition, Failure, Names, Question};

use name_server::NameServer;

/// Of one ask, where nothing else is said.
const DEADLINE: Duration = Duration::from_secs(2);
/// For a busy machine.
const SLACK: Duration = Duration::from_secs(2);

fn asker(names: &NameServer, allow_private: bool, deadline: Duration) -> Asker {
    Asker { names: Names::dns(Some(names.address())).expect("a resolver"), allow_private, deadline }
}

/// Asks for this host, which must be one, at this port. Ends by its deadline, or fails.
async fn ask(asker: &Asker, host: &str, port: u16, edition: Edition) -> Result<Answer, Failure> {
    let host = host.parse().unwrap_or_else(|wrong| panic!("{wrong}"));
    // Its port is tried for queries, too: these are not to get through either.
    let query_port = (!asker.allow_private).then_some(port);
    let question = Question { host, port, edition, query_port, form: None, only_form: false };
    let began = Instant::now();
    let answer = asker.ask(&question).await;
    assert!(began.elapsed() < asker.deadline + SLACK, "{:?} for {}", began.elapsed(), question.host);
    answer
}

/// Why an ask brought nothing, in the word that is kept.
fn reason(asked: Result<Answer, Failure>) -> &'static str {
    match asked {
        Ok(answer) => panic!("it answered: {answer:?}"),
        Err(failure) => failure.reason(),
    }
}
