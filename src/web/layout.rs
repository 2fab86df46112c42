//! The layout that every page extends (`web/templates/layout.html`).

use std::future::Future;

use super::assets;

tokio::task_local! {
    /// Whether the site of this request has a playground. Every page needs it, error pages of failed requests included.
    static HAS_PLAYGROUND: bool;
}

/// Runs a request of a site; its pages link to the playground only if there is one.
pub async fn on_site<T>(has_playground: bool, work: impl Future<Output = T>) -> T {
    HAS_PLAYGROUND.scope(has_playground, work).await
}

/// The same for work that does not wait.
pub fn on_site_now<T>(has_playground: bool, work: impl FnOnce() -> T) -> T {
    HAS_PLAYGROUND.sync_scope(has_playground, work)
}

pub struct Layout {
    /// The navigation link to highlight.
    pub current: &'static str,
}

impl Layout {
    pub fn nav_links(&self) -> impl Iterator<Item = (&'static str, &'static str)> {
        let has_playground = HAS_PLAYGROUND.try_get().unwrap_or(true);
        [("/docs", "API reference"), ("/playground", "Playground"), ("/dashboard", "Dashboard")]
            .into_iter()
            .filter(move |(path, _)| has_playground || *path != "/playground")
    }

    pub fn style(&self) -> &'static str {
        assets::STYLE
    }

    pub fn script(&self) -> &'static str {
        assets::MAIN
    }

    pub fn captcha_script(&self) -> &'static str {
        assets::CAPTCHA
    }

    pub fn captcha_worker(&self) -> &'static str {
        assets::CAPTCHA_WORKER
    }

    pub fn logo(&self) -> &'static str {
        assets::LOGO
    }
}
