//! Threads with a runtime each, for work that is to stay on one of them to its end: nothing is handed from one to another, so
//! that nobody has to be woken for it and no core waits for what another one holds.
//!
//! Those that speak with clients are one for each core. What the service does between requests is on others, where only the
//! system takes turns with it. Those that keep the catalogue make and let go of megabytes: what one thread makes and another
//! lets go of would be held until the first one happens to look for it.

use std::future::Future;
use std::sync::Arc;

use tokio::runtime::{Builder, Handle};
use tokio::sync::oneshot;

pub struct WorkerPool(Vec<Worker>);

struct Worker {
    runtime: Handle,
    /// One for each work that it has, and this one.
    works: Arc<()>,
    /// Dropped with the pool, which ends the thread and all that it still does.
    _lasts: oneshot::Sender<()>,
}

impl WorkerPool {
    pub fn new(threads: usize, name: &str) -> std::io::Result<Self> {
        (0..threads).map(|i| Worker::start(format!("{name}-{i}"))).collect::<std::io::Result<_>>().map(Self)
    }

    /// One for each core.
    pub fn per_core(name: &str) -> std::io::Result<Self> {
        Self::new(std::thread::available_parallelism().map_or(1, usize::from), name)
    }

    /// Has the one who has least to do see to this.
    pub fn spawn(&self, work: impl Future<Output = ()> + Send + 'static) {
        let worker = self.0.iter().min_by_key(|worker| Arc::strong_count(&worker.works));
        let Worker { runtime, works, .. } = worker.expect("a pool is somebody");
        let counted = works.clone();
        runtime.spawn(async move {
            let _counted = counted;
            work.await;
        });
    }

    /// Lasts as long as the runtime that this is called in.
    pub fn detach(self) {
        tokio::spawn(async move {
            let _crew = self;
            std::future::pending::<()>().await;
        });
    }
}

impl Worker {
    fn start(name: String) -> std::io::Result<Self> {
        let runtime = Builder::new_current_thread().enable_all().build()?;
        let (lasts, over) = oneshot::channel();
        let worker = Self { runtime: runtime.handle().clone(), works: Arc::default(), _lasts: lasts };
        let work = move || {
            let _ = runtime.block_on(over);
            // What it waits for elsewhere, such as a disk, must not hold up the end.
            runtime.shutdown_background();
        };
        std::thread::Builder::new().name(name).spawn(work)?;
        Ok(worker)
    }
}

#[cfg(test)]
mod tests {
    use std::thread::ThreadId;

    use super::*;

    /// Work that lasts until it is told otherwise, and where it is.
    async fn open(pool: &WorkerPool) -> (oneshot::Sender<()>, ThreadId) {
        let ((end, ended), (tell, told)) = (oneshot::channel(), oneshot::channel());
        pool.spawn(async move {
            let _ = tell.send(std::thread::current().id());
            let _ = ended.await;
        });
        (end, told.await.expect("it runs"))
    }

    #[tokio::test]
    async fn work_goes_to_whoever_has_least() {
        let pool = WorkerPool::new(2, "two").expect("threads");
        let (end, here) = open(&pool).await;
        let (_second, there) = open(&pool).await;
        let (_third, _) = open(&pool).await;
        assert_ne!(here, there);
        let _ = end.send(());
        let all = || pool.0.iter().map(|worker| Arc::strong_count(&worker.works) - 1).sum::<usize>();
        while all() > 2 {
            // The other thread has yet to hear of it.
            tokio::task::yield_now().await;
        }
        // Each has one again: of two more, each gets one.
        let (_fourth, one) = open(&pool).await;
        let (_fifth, other) = open(&pool).await;
        assert_ne!(one, other);
    }

    #[tokio::test]
    async fn no_work_outlives_the_crew() {
        let pool = WorkerPool::new(1, "one").expect("a thread");
        let (held, dropped) = oneshot::channel::<()>();
        pool.spawn(async move {
            let _held = held;
            std::future::pending::<()>().await;
        });
        drop(pool);
        assert!(dropped.await.is_err());
    }
}
