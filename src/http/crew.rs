//! The threads that speak with clients: one for each core, each with a runtime of its own. A connection stays with the thread
//! that has the fewest, to its end. Nothing is handed from one to another, so that nobody has to be woken for it and no core
//! waits for what another one holds; and what the service does between requests is on other threads, where only the system
//! takes turns with it.

use std::future::Future;
use std::sync::Arc;

use tokio::runtime::{Builder, Handle};
use tokio::sync::oneshot;

pub struct Crew(Vec<Member>);

struct Member {
    runtime: Handle,
    /// One for each connection that it has, and this one.
    connections: Arc<()>,
    /// Dropped with the crew, which ends the thread and all that it still does.
    _works: oneshot::Sender<()>,
}

impl Crew {
    pub fn of(threads: usize) -> std::io::Result<Self> {
        (0..threads).map(Member::start).collect::<std::io::Result<_>>().map(Self)
    }

    /// One for each core.
    pub fn whole() -> std::io::Result<Self> {
        Self::of(std::thread::available_parallelism().map_or(1, usize::from))
    }

    /// Has one of them see to a connection.
    pub fn spawn(&self, connection: impl Future<Output = ()> + Send + 'static) {
        let member = self.0.iter().min_by_key(|member| Arc::strong_count(&member.connections));
        let Member { runtime, connections, .. } = member.expect("a crew is somebody");
        let counted = connections.clone();
        runtime.spawn(async move {
            let _counted = counted;
            connection.await;
        });
    }
}

impl Member {
    fn start(i: usize) -> std::io::Result<Self> {
        let runtime = Builder::new_current_thread().enable_all().build()?;
        let (works, over) = oneshot::channel();
        let member = Self { runtime: runtime.handle().clone(), connections: Arc::default(), _works: works };
        let work = move || {
            let _ = runtime.block_on(over);
            // What it waits for elsewhere, such as a disk, must not hold up the end.
            runtime.shutdown_background();
        };
        std::thread::Builder::new().name(format!("http-{i}")).spawn(work)?;
        Ok(member)
    }
}

#[cfg(test)]
mod tests {
    use std::thread::ThreadId;

    use super::*;

    /// A connection that lasts until it is told otherwise, and where it is.
    async fn open(crew: &Crew) -> (oneshot::Sender<()>, ThreadId) {
        let ((end, ended), (tell, told)) = (oneshot::channel(), oneshot::channel());
        crew.spawn(async move {
            let _ = tell.send(std::thread::current().id());
            let _ = ended.await;
        });
        (end, told.await.expect("it runs"))
    }

    #[tokio::test]
    async fn a_connection_goes_to_whoever_has_the_fewest() {
        let crew = Crew::of(2).expect("threads");
        let (end, here) = open(&crew).await;
        let (_second, there) = open(&crew).await;
        let (_third, _) = open(&crew).await;
        assert_ne!(here, there);
        let _ = end.send(());
        let all = || crew.0.iter().map(|member| Arc::strong_count(&member.connections) - 1).sum::<usize>();
        while all() > 2 {
            // The other thread has yet to hear of it.
            tokio::task::yield_now().await;
        }
        // Each has one again: of two more, each gets one.
        let (_fourth, one) = open(&crew).await;
        let (_fifth, other) = open(&crew).await;
        assert_ne!(one, other);
    }

    #[tokio::test]
    async fn no_connection_outlives_the_crew() {
        let crew = Crew::of(1).expect("a thread");
        let (held, dropped) = oneshot::channel::<()>();
        crew.spawn(async move {
            let _held = held;
            std::future::pending::<()>().await;
        });
        drop(crew);
        assert!(dropped.await.is_err());
    }
}
