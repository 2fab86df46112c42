//! `/docs/guides/{name}`: how to use the API, from `docs/guides/*.md`.

use std::sync::Arc;

use askama::Template;
use axum::body::Body;
use axum::extract::{Path, State};
use axum::http::Response;
use axum::http::header::HeaderMap;
use pulldown_cmark::{CodeBlockKind, CowStr, Event, Options, Parser, Tag, TagEnd};

use super::EndpointGroup;
use crate::app::App;
use crate::error::ApiError;
use crate::web::code_sample::{Syntax, highlighted};
use crate::web::error_page::error_page;
use crate::web::filters;
use crate::web::layout::Layout;
use crate::web::page;

/// The address in examples, which a reader of the repository sees.
pub const EXAMPLE_URL: &str = "https://stats.example.org";

pub struct Guide {
    pub name: &'static str,
    pub title: &'static str,
    /// Other words that a reader may search for.
    pub keywords: &'static str,
    markdown: &'static str,
}

macro_rules! guide {
    ($name:literal, $title:literal, $keywords:literal) => {
        Guide {
            name: $name,
            title: $title,
            keywords: $keywords,
            markdown: include_str!(concat!("../../../docs/guides/", $name, ".md")),
        }
    };
}

pub const GUIDES: [Guide; 12] = [
    guide!("quick-start", "Quick start", "getting started tutorial introduction first request hello world begin key"),
    guide!("pagination", "Pagination", "paging pages page limit offset cursor total loop whole list iterate next"),
    guide!(
        "rate-limits",
        "Rate limits and retries",
        "limits quota throttle throttling 429 retry-after too many requests backoff retry"
    ),
    guide!(
        "history",
        "History",
        "history range from to resolution buckets coverage latency tps uptime csv spreadsheet compare chart"
    ),
    guide!("events", "Events", "events stream sse server-sent eventsource realtime live push follow offline joined"),
    guide!(
        "webhooks",
        "Webhooks",
        "webhooks webhook callback push notify discord alert signature standard whsec secret rotate retry delivery replay"
    ),
    guide!(
        "clients",
        "Clients",
        "clients sdk library package typescript javascript python rust npm pypi crate webhook"
    ),
    guide!("caching", "Caching", "cache etag if-none-match 304 max-age cache-control freshness conditional pictures"),
    guide!("errors", "Errors", "error codes status codes failures exceptions 400 401 403 404 429 500 503 handling"),
    Guide {
        name: "owners",
        title: "For owners of game servers",
        keywords: "owner add list claim my server motd txt code settings posts reviews",
        markdown: include_str!("../../../docs/OWNERS.md"),
    },
    guide!(
        "reports",
        "Reports of game servers",
        "azlink plugin tps mspt sessions joins leaves counters token report server owner cron"
    ),
    guide!("votes", "Votes", "vote votifier nuvotifier reward claim deliver receiver token public key"),
];

#[derive(Template)]
#[template(path = "guide.html")]
struct GuidePage {
    layout: Layout,
    guide: &'static Guide,
    html: String,
    groups: Vec<EndpointGroup>,
    /// Before the links of the contents to chapters of the reference.
    reference: &'static str,
}

pub async fn show(State(app): State<Arc<App>>, Path(name): Path<String>, headers: HeaderMap) -> Response<Body> {
    let Some(guide) = GUIDES.iter().find(|guide| guide.name == name) else {
        return error_page(&ApiError::NotFound("Page not found".into()));
    };
    let render = async {
        page::render(&GuidePage {
            layout: Layout::public("/docs", format!("/docs/guides/{}", guide.name)),
            guide,
            html: html(guide.markdown, &app.public_url),
            groups: super::groups(&super::openapi(&app)),
            reference: "/docs",
        })
    };
    page::cached(&app, &headers, render).await
}

impl GuidePage {
    fn is_current(&self, guide: &str) -> bool {
        self.guide.name == guide
    }
}

/// Our own text as HTML, with highlighted code and the address of this installation.
fn html(markdown: &str, public_url: &str) -> String {
    let markdown = markdown.replace(EXAMPLE_URL, public_url);
    let mut fence: Option<(Syntax, String)> = None;
    let mut events = Vec::new();
    for event in Parser::new_ext(&markdown, Options::ENABLE_TABLES) {
        match (event, &mut fence) {
            (Event::Start(Tag::CodeBlock(CodeBlockKind::Fenced(name))), _) => {
                fence = Some((Syntax::from_name(&name), String::new()));
            }
            (Event::Text(text), Some((_, code))) => code.push_str(&text),
            (Event::End(TagEnd::CodeBlock), Some((syntax, code))) => {
                events.push(Event::Html(CowStr::from(code_block(code.trim_end(), *syntax))));
                fence = None;
            }
            (Event::Start(Tag::Table(columns)), _) => {
                events.push(Event::Html(
                    "<div class=\"scroll\" tabindex=\"0\" role=\"region\" aria-label=\"Table\">".into(),
                ));
                events.push(Event::Start(Tag::Table(columns)));
            }
            (Event::End(TagEnd::Table), _) => {
                events.push(Event::End(TagEnd::Table));
                events.push(Event::Html("</div>".into()));
            }
            (Event::Start(Tag::Link { link_type, dest_url, title, id }), _) => {
                let dest_url = page_of(&dest_url).map_or(dest_url, CowStr::from);
                events.push(Event::Start(Tag::Link { link_type, dest_url, title, id }));
            }
            (event, _) => events.push(event),
        }
    }
    let mut html = String::new();
    pulldown_cmark::html::push_html(&mut html, events.into_iter());
    html
}

/// The page of a guide that another one links to as a file of the repository.
fn page_of(file: &str) -> Option<String> {
    let name = match file {
        "../OWNERS.md" => "owners",
        _ => file.trim_start_matches("guides/").strip_suffix(".md")?,
    };
    GUIDES.iter().any(|guide| guide.name == name).then(|| format!("/docs/guides/{name}"))
}

fn code_block(code: &str, syntax: Syntax) -> String {
    format!(
        "<rc-copy class=\"code\"><pre tabindex=\"0\"><code>{}</code></pre></rc-copy>\n",
        highlighted(code, syntax).0
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_guide_begins_with_its_title() {
        for guide in GUIDES {
            assert!(guide.markdown.starts_with(&format!("# {}\n", guide.title)), "{}", guide.name);
            let html = html(guide.markdown, "https://rollcall.test");
            assert!(!html.contains(".md\""), "{}: a link to a file", guide.name);
            assert!(!html.contains(EXAMPLE_URL) && !html.contains('\u{60}'.to_string().repeat(3).as_str()));
        }
    }
}
