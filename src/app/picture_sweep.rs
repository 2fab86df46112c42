//! Deletes pictures that no row names any more, while the service runs.

use std::sync::Arc;
use std::time::Duration;

use super::App;
use rollcall_store::builtin_skins::BuiltinPictures;
use rollcall_store::pictures;

/// The first sweep is soon, so that a service that often restarts sweeps too, and not at once, when much else starts.
const FIRST_AFTER: Duration = Duration::from_secs(10 * 60);
const INTERVAL: Duration = Duration::from_secs(6 * 3600);

impl App {
    /// Runs until the service stops.
    pub(super) async fn sweep_pictures_forever(self: Arc<Self>) {
        tokio::time::sleep(FIRST_AFTER).await;
        loop {
            self.store_builtin_pictures().await;
            self.sweep_pictures().await;
            tokio::time::sleep(INTERVAL).await;
        }
    }

    /// They are missing if the picture store was unavailable at the first start.
    async fn store_builtin_pictures(&self) {
        let media = self.media.clone();
        let saved = tokio::task::spawn_blocking(move || BuiltinPictures::save(&media)).await;
        if let Ok(Err(error)) = saved {
            tracing::warn!(%error, "cannot store the built-in pictures");
        }
    }

    async fn sweep_pictures(&self) {
        let named = match self.pool.with_long_timeout().read(pictures::named).await {
            Ok(named) => named,
            Err(error) => return tracing::warn!(%error, "cannot list the pictures in use; unused ones stay"),
        };
        match self.media.sweep(&named, self.clock.now()).await {
            Ok(swept) if swept == Default::default() => {}
            Ok(swept) => tracing::info!(
                set_aside = swept.set_aside,
                put_back = swept.put_back,
                deleted = swept.deleted,
                "swept unused pictures"
            ),
            Err(error) => tracing::warn!(%error, "cannot sweep unused pictures"),
        }
    }
}
