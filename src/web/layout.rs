//! The layout that every page extends (`web/templates/layout.html`).

use std::fmt::Display;

use askama::Template;

use super::language::Language;
use super::view::{Theme, View};
use super::{assets, filters};
use crate::config::Site;

pub struct Layout {
    /// The navigation link to highlight.
    pub current: &'static str,
    pub view: View,
    /// The API call with the data of this page, from `/v1` on.
    pub json: Option<String>,
    /// The address for search engines; `None` for pages that are not public.
    pub canonical: Option<String>,
    /// The picture that other sites show with a link to this page, an absolute URL.
    pub card: Option<String>,
}

/// A page for search engines in one language.
struct Alternate {
    code: &'static str,
    url: String,
}

/// Parts of the layout that no page changes, as templates of their own: a layout is compiled again into every page that extends it.
#[derive(Template)]
#[template(path = "layout/assets.html")]
struct Assets<'a> {
    layout: &'a Layout,
}

#[derive(Template)]
#[template(path = "layout/address.html")]
struct Address<'a> {
    layout: &'a Layout,
    url: &'a str,
}

#[derive(Template)]
#[template(path = "layout/preview.html")]
struct Preview<'a> {
    layout: &'a Layout,
}

#[derive(Template)]
#[template(path = "layout/header.html")]
struct Header<'a> {
    layout: &'a Layout,
}

#[derive(Template)]
#[template(path = "layout/footer.html")]
struct Footer<'a> {
    layout: &'a Layout,
}

impl Layout {
    /// The layout of a page that is not for search engines.
    pub fn new(current: &'static str) -> Self {
        Self { current, view: View::current(), json: None, canonical: None, card: None }
    }

    /// The layout of a public page. `path` is its address, with the parameters that make it a page of its own.
    pub fn public(current: &'static str, path: impl Into<String>) -> Self {
        Self { canonical: Some(path.into()), ..Self::new(current) }
    }

    /// Icons, style and script.
    pub fn assets(&self) -> impl Display {
        Assets { layout: self }
    }

    /// The addresses of a public page in all languages.
    pub fn address<'a>(&'a self, url: &'a str) -> impl Display + 'a {
        Address { layout: self, url }
    }

    /// The picture that other sites show with a link to this page.
    pub fn preview(&self) -> impl Display {
        Preview { layout: self }
    }

    pub fn header(&self) -> impl Display {
        Header { layout: self }
    }

    pub fn footer(&self) -> impl Display {
        Footer { layout: self }
    }

    pub fn with_json(mut self, call: impl Into<String>) -> Self {
        self.json = Some(call.into());
        self
    }

    /// Where a reader can look at the call: the playground with the call filled in, else the reference. The API itself
    /// would answer that a key is missing.
    fn json_url(&self, call: &str) -> String {
        match self.view.has_playground {
            true => format!("/playground?call={}", crate::http::query::encode(call)),
            false => "/docs".to_owned(),
        }
    }

    pub fn with_card(mut self, url: impl Into<String>) -> Self {
        self.card = Some(url.into());
        self
    }

    pub fn nav_links(&self) -> impl Iterator<Item = (&'static str, &'static str)> {
        let has_playground = self.view.has_playground;
        [
            ("/servers", "Servers"),
            ("/players", "Players"),
            ("/leaderboards", "Leaderboards"),
            ("/skins", "Skins"),
            ("/capes", "Capes"),
            ("/docs", "API"),
            ("/playground", "Playground"),
            ("/dashboard", "Dashboard"),
        ]
        .into_iter()
        .filter(move |(path, _)| has_playground || *path != "/playground")
    }

    pub fn site(&self) -> &Site {
        &self.view.site
    }

    pub fn lang(&self) -> &'static str {
        self.view.language.code()
    }

    /// The theme that the reader chose.
    pub fn theme(&self) -> Option<&'static str> {
        (self.view.theme != Theme::System).then(|| self.view.theme.code())
    }

    fn themes(&self) -> impl Iterator<Item = (Theme, &'static str)> {
        Theme::ALL.into_iter().zip(["System", "Light", "Dark"])
    }

    fn theme_url(&self, theme: &Theme) -> String {
        let back = crate::http::query::encode(&self.view.address);
        format!("/theme?to={}&back={back}", theme.code())
    }

    fn languages(&self) -> [Language; 3] {
        Language::ALL
    }

    /// The absolute URL for search engines, in the language of the page.
    pub fn canonical_url(&self) -> Option<String> {
        self.canonical.as_ref().map(|path| self.url_in(path, self.view.language))
    }

    /// The same page in every language.
    fn alternates(&self) -> Vec<Alternate> {
        let Some(path) = &self.canonical else { return Vec::new() };
        let all = Language::ALL.map(|language| Alternate { code: language.code(), url: self.url_in(path, language) });
        let default = Alternate { code: "x-default", url: self.url_in(path, Language::English) };
        all.into_iter().chain([default]).collect()
    }

    fn url_in(&self, path: &str, language: Language) -> String {
        let base = &self.view.public_url;
        let separator = if path.contains('?') { '&' } else { '?' };
        match language {
            Language::English => format!("{base}{path}"),
            _ => format!("{base}{path}{separator}lang={}", language.code()),
        }
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
