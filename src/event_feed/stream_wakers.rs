//! Wakes event streams. Most follow one server, and waking all of them for each event would take more time than the events.

use tokio::sync::watch;

use rollcall_store::events::EventFilter;

/// Streams of servers whose numbers have the same remainder wake together.
const SHARDS: i64 = 256;

pub struct StreamWakers {
    /// Streams that any event may be for.
    any: watch::Sender<()>,
    by_server: Vec<watch::Sender<()>>,
}

impl Default for StreamWakers {
    fn default() -> Self {
        Self { any: watch::Sender::new(()), by_server: (0..SHARDS).map(|_| watch::Sender::new(())).collect() }
    }
}

impl StreamWakers {
    pub fn subscribe(&self, filter: &EventFilter) -> watch::Receiver<()> {
        filter.server_n.map_or(&self.any, |n| self.of_server(n)).subscribe()
    }

    /// Wakes streams for events of these servers, and those that follow no single server.
    pub fn wake(&self, servers: impl Iterator<Item = i64>) {
        for waker in servers.map(|n| self.of_server(n)).chain([&self.any]) {
            waker.send_replace(());
        }
    }

    pub fn wake_all(&self) {
        self.wake(0..SHARDS);
    }

    fn of_server(&self, n: i64) -> &watch::Sender<()> {
        &self.by_server[n.rem_euclid(SHARDS) as usize]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_event_wakes_the_streams_of_its_server_and_those_of_all() {
        let wakers = StreamWakers::default();
        let stream = |server_n| wakers.subscribe(&EventFilter { server_n, ..EventFilter::default() });
        let streams = [stream(Some(1)), stream(Some(2)), stream(None)];
        let woken = || streams.each_ref().map(|stream| stream.has_changed().expect("the wakers exist"));
        assert_eq!(woken(), [false; 3]);
        wakers.wake([1].into_iter());
        assert_eq!(woken(), [true, false, true]);
        wakers.wake_all();
        assert_eq!(woken(), [true; 3]);
    }
}
