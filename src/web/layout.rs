//! The layout that every page extends (`web/templates/layout.html`).

use super::assets;

pub struct Layout {
    /// The navigation link to highlight.
    pub current: &'static str,
}

impl Layout {
    pub fn nav_links(&self) -> [(&'static str, &'static str); 3] {
        [("/docs", "API reference"), ("/playground", "Playground"), ("/dashboard", "Dashboard")]
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
