//! Threads with a single-threaded runtime each. A task stays on one thread, so no other thread is woken for it and cores
//! share no queue.
//!
//! Connections run on one worker per core. The catalogue has workers of its own: memory that one thread allocates and
//! another frees would stay in the allocator's lists of the first.

use std::future::Future;
use std::sync::Arc;

use tokio::runtime::{Builder, Handle};
use tokio::sync::oneshot;

pub struct WorkerPool(Vec<Worker>);

struct Worker {
    runtime: Handle,
    /// Its strong count is one more than the number of running tasks.
    tasks: Arc<()>,
    /// Dropped with the pool, which ends the thread and its tasks.
    _stop: oneshot::Sender<()>,
}

impl WorkerPool {
    pub fn new(threads: usize, name: &str) -> std::io::Result<Self> {
        (0..threads).map(|i| Worker::start(format!("{name}-{i}"))).collect::<std::io::Result<_>>().map(Self)
    }

    /// One worker per core.
    pub fn per_core(name: &str) -> std::io::Result<Self> {
        Self::new(std::thread::available_parallelism().map_or(1, usize::from), name)
    }

    /// Runs the task on the worker with the fewest tasks.
    pub fn spawn(&self, task: impl Future<Output = ()> + Send + 'static) {
        let worker = self.0.iter().min_by_key(|worker| Arc::strong_count(&worker.tasks));
        let Worker { runtime, tasks, .. } = worker.expect("a pool has workers");
        let counted = tasks.clone();
        runtime.spawn(async move {
            let _counted = counted;
            task.await;
        });
    }

    /// Keeps the pool running as long as the current runtime.
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
        let (stop, stopped) = oneshot::channel();
        let worker = Self { runtime: runtime.handle().clone(), tasks: Arc::default(), _stop: stop };
        let work = move || {
            let _ = runtime.block_on(stopped);
            // Blocking work, such as a slow disk, must not delay the shutdown.
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

    /// A task that runs until it is stopped, and its thread.
    async fn open(pool: &WorkerPool) -> (oneshot::Sender<()>, ThreadId) {
        let ((end, ended), (tell, told)) = (oneshot::channel(), oneshot::channel());
        pool.spawn(async move {
            let _ = tell.send(std::thread::current().id());
            let _ = ended.await;
        });
        (end, told.await.expect("the task runs"))
    }

    #[tokio::test]
    async fn tasks_go_to_the_worker_with_the_fewest() {
        let pool = WorkerPool::new(2, "two").expect("threads");
        let (end, here) = open(&pool).await;
        let (_second, there) = open(&pool).await;
        let (_third, _) = open(&pool).await;
        assert_ne!(here, there);
        let _ = end.send(());
        let all = || pool.0.iter().map(|worker| Arc::strong_count(&worker.tasks) - 1).sum::<usize>();
        while all() > 2 {
            tokio::task::yield_now().await;
        }
        // Each worker has one task again, so each gets one of two more.
        let (_fourth, one) = open(&pool).await;
        let (_fifth, other) = open(&pool).await;
        assert_ne!(one, other);
    }

    #[tokio::test]
    async fn tasks_end_with_the_pool() {
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
