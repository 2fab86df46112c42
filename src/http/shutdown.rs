//! What ends a connection from outside: a client that is silent for too long, and the service that stops.

use std::sync::Arc;
use std::time::Duration;

use futures_util::StreamExt;
use futures_util::future::{BoxFuture, FutureExt};
use futures_util::stream::FuturesUnordered;
use tokio::sync::watch;

use super::idle_timeout::Waiting;

/// Each is looked at when it has come, and not whenever the client says something, as a `select!` of them would.
pub struct Interruptions(FuturesUnordered<BoxFuture<'static, Heard>>);

enum Heard {
    Silence,
    Word(watch::Receiver<()>),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Interruption {
    Silence,
    /// The first word asks a connection to finish, the second to end.
    Word,
}

impl Interruptions {
    pub fn new(waiting: Arc<Waiting>, patience: Duration, word: watch::Receiver<()>) -> Self {
        let silence = async move {
            waiting.lasts(patience).await;
            Heard::Silence
        };
        Self([silence.boxed(), next(word)].into_iter().collect())
    }

    pub async fn next(&mut self) -> Interruption {
        match self.0.next().await {
            Some(Heard::Word(word)) => {
                self.0.push(next(word));
                Interruption::Word
            }
            Some(Heard::Silence) | None => Interruption::Silence,
        }
    }
}

fn next(mut word: watch::Receiver<()>) -> BoxFuture<'static, Heard> {
    async move {
        let _ = word.changed().await;
        Heard::Word(word)
    }
    .boxed()
}
