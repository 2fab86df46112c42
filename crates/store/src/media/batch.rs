//! Work on many pictures at once, for commands. A picture on another machine takes milliseconds, most of them spent waiting.

use futures_util::{StreamExt, TryStreamExt, stream};

use super::{Error, wait};

/// Pictures in work at once.
const CONCURRENCY: usize = 16;

/// Runs `work` for each path and passes its results to `done`, in the order of the paths. The first error ends it. Never call it on
/// an async worker.
pub fn for_each<'a, T>(
    paths: impl IntoIterator<Item = &'a String>,
    work: impl AsyncFn(&'a str) -> Result<T, Error>,
    mut done: impl FnMut(&'a str, T),
) -> Result<(), Error> {
    let work = &work;
    let results = stream::iter(paths).map(|path| async move { Ok::<_, Error>((path.as_str(), work(path).await?)) });
    wait(results.buffered(CONCURRENCY).try_for_each(|(path, result)| {
        done(path, result);
        std::future::ready(Ok(()))
    }))
}
