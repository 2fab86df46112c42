//! One round of one server: asked, asked once more if it fails while it counts as online, and what follows from the answer.

use std::time::Duration;

use super::outage_detector::{Outcome, ROUNDS_UNTIL_OUT};
use super::persist::{Finished, Told};
use super::pictures::Painter;
use super::sanitize::believe;
use rollcall_model::clock::Clock;
use rollcall_model::country;
use rollcall_ping::{Answer, Asker, Edition, Failure, Form, Host, Question};
use rollcall_store::tracking::{Due, DueServer};

/// Between a failed ask and the one more: a moment's trouble may be over by then.
const BEFORE_RETRY: Duration = Duration::from_millis(500);
/// Where nobody said where a server stands.
pub const UNKNOWN: &str = "Unknown";

/// What rounds have in common.
pub struct Rounds {
    pub asker: Asker,
    pub painter: Painter,
    pub clock: Clock,
}

impl Rounds {
    pub async fn run(&self, due: Due, most_new: usize) -> Finished {
        let Some(server) = &due.server else {
            // The whole roll is summed up where it is kept.
            let outcome = Outcome::Failed { reason: "" };
            return Finished { at: self.clock.now(), due, outcome, told: Told::default(), most_new };
        };
        let asked = match question(server, &due.form) {
            Ok(question) => self.ask(&question, !is_out(&due)).await,
            Err(failure) => Err(failure),
        };
        let at = self.clock.now();
        match asked {
            Ok(answer) => self.answered(due, at, answer, most_new).await,
            Err(failure) => {
                metrics::counter!("rollcall_rounds_total", "outcome" => failure.reason()).increment(1);
                let outcome = Outcome::Failed { reason: failure.reason() };
                Finished { due, at, outcome, told: Told::default(), most_new }
            }
        }
    }

    /// Who is known to be out is asked once a round.
    async fn ask(&self, question: &Question, may_retry: bool) -> Result<Answer, Failure> {
        match self.asker.ask(question).await {
            // Nothing changes that soon.
            Err(failure @ (Failure::Forbidden(_) | Failure::NameNotFound(_))) => Err(failure),
            Err(_) if may_retry => {
                tokio::time::sleep(BEFORE_RETRY.min(self.asker.deadline / 4)).await;
                self.asker.ask(question).await
            }
            asked => asked,
        }
    }

    async fn answered(&self, due: Due, at: i64, answer: Answer, most_new: usize) -> Finished {
        metrics::counter!("rollcall_rounds_total", "outcome" => "answered").increment(1);
        let Answer { address, form, latency_ms, mut status, everybody } = answer;
        let drawn = self.painter.draw(&due, &status.motd_raw, status.icon.take(), at).await;
        let unplaced = due.server.as_ref().is_some_and(|server| server.country == UNKNOWN);
        let told = Told {
            form: Some(form.name()),
            version: std::mem::take(&mut status.version),
            protocol: status.protocol,
            motd_raw: std::mem::take(&mut status.motd_raw),
            drawn,
            country: unplaced
                .then(|| iptocc::country_code(address.ip()).and_then(country::by_code))
                .flatten()
                .map(|country| country.name),
        };
        let unqueried = due.server.as_ref().and_then(|server| server.query_port).filter(|_| everybody.is_none());
        let mut believed = believe(&status, everybody);
        if let Some(port) = unqueried {
            believed.add_note(&format!("no query is answered on port {port}"));
        }
        if !believed.note.is_empty() && believed.note != due.note {
            let slug = due.server.as_ref().map_or("", |server| &server.slug);
            tracing::warn!(server = slug, "not all that it says is believed: {}", believed.note);
        }
        Finished { due, at, outcome: Outcome::Answered { believed, latency_ms }, told, most_new }
    }
}

fn is_out(due: &Due) -> bool {
    due.failures >= ROUNDS_UNTIL_OUT
}

fn question(server: &DueServer, form: &str) -> Result<Question, Failure> {
    let lost = || Failure::NameNotFound(server.host.clone());
    let port = |port: i64| u16::try_from(port).ok().filter(|port| *port > 0);
    Ok(Question {
        host: server.host.parse::<Host>().map_err(|_| lost())?,
        port: port(server.port).ok_or_else(lost)?,
        edition: Edition::parse(&server.edition).unwrap_or_default(),
        query_port: server.query_port.and_then(port),
        form: Form::parse(form),
        only_form: false,
    })
}
