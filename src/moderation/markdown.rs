//! Markdown of update posts as safe HTML. Only the tags below are ever written; HTML in the text is shown as text, pictures are
//! replaced by their description, and links lead to web pages only.

use pulldown_cmark::{Event, Options, Parser, Tag, TagEnd};

use rollcall_model::text::is_control_or_bidi;

/// Nested quotes and lists that are rendered; deeper ones are shown at this depth.
const MAX_DEPTH: usize = 8;

pub struct Rendered {
    pub html: String,
    /// Link targets of the text, pictures included.
    pub links: Vec<String>,
}

pub fn render(markdown: &str) -> Rendered {
    let mut writer = Writer::default();
    for event in Parser::new_ext(markdown, Options::ENABLE_STRIKETHROUGH) {
        writer.write(event);
    }
    Rendered { html: writer.html.trim_end().to_owned(), links: writer.links }
}

#[derive(Default)]
struct Writer {
    html: String,
    links: Vec<String>,
    depth: usize,
    /// Whether each open link was written.
    open_links: Vec<bool>,
}

impl Writer {
    fn write(&mut self, event: Event) {
        match event {
            Event::Start(tag) => self.start(tag),
            Event::End(tag) => self.end(tag),
            // Raw HTML is text.
            Event::Text(text) | Event::Html(text) | Event::InlineHtml(text) => self.text(&text),
            Event::Code(text) => {
                self.html.push_str("<code>");
                self.text(&text);
                self.html.push_str("</code>");
            }
            Event::SoftBreak => self.html.push('\n'),
            Event::HardBreak => self.html.push_str("<br>\n"),
            Event::Rule => self.html.push_str("<hr>\n"),
            _ => {}
        }
    }

    fn start(&mut self, tag: Tag) {
        match tag {
            Tag::Paragraph | Tag::HtmlBlock => self.html.push_str("<p>"),
            // The page has its own headings above.
            Tag::Heading { .. } => self.html.push_str("<h4>"),
            Tag::BlockQuote(_) => self.nest("<blockquote>"),
            Tag::List(None) => self.nest("<ul>"),
            Tag::List(Some(first)) => self.nest(&format!("<ol start=\"{}\">", first.min(99_999))),
            Tag::Item => self.html.push_str("<li>"),
            Tag::CodeBlock(_) => self.html.push_str("<pre tabindex=\"0\"><code>"),
            Tag::Emphasis => self.html.push_str("<em>"),
            Tag::Strong => self.html.push_str("<strong>"),
            Tag::Strikethrough => self.html.push_str("<del>"),
            Tag::Link { dest_url, .. } => self.open_link(&dest_url),
            Tag::Image { dest_url, .. } => self.links.push(dest_url.to_string()),
            _ => {}
        }
    }

    fn end(&mut self, tag: TagEnd) {
        match tag {
            TagEnd::Paragraph | TagEnd::HtmlBlock => self.html.push_str("</p>\n"),
            TagEnd::Heading(_) => self.html.push_str("</h4>\n"),
            TagEnd::BlockQuote(_) => self.unnest("</blockquote>\n"),
            TagEnd::List(true) => self.unnest("</ol>\n"),
            TagEnd::List(false) => self.unnest("</ul>\n"),
            TagEnd::Item => self.html.push_str("</li>\n"),
            TagEnd::CodeBlock => self.html.push_str("</code></pre>\n"),
            TagEnd::Emphasis => self.html.push_str("</em>"),
            TagEnd::Strong => self.html.push_str("</strong>"),
            TagEnd::Strikethrough => self.html.push_str("</del>"),
            TagEnd::Link if self.open_links.pop() == Some(true) => self.html.push_str("</a>"),
            _ => {}
        }
    }

    fn nest(&mut self, tag: &str) {
        self.depth += 1;
        if self.depth <= MAX_DEPTH {
            self.html.push_str(tag);
        }
    }

    fn unnest(&mut self, tag: &str) {
        if self.depth <= MAX_DEPTH {
            self.html.push_str(tag);
        }
        self.depth = self.depth.saturating_sub(1);
    }

    fn open_link(&mut self, url: &str) {
        self.links.push(url.to_owned());
        let is_shown = is_web_page(url);
        self.open_links.push(is_shown);
        if is_shown {
            self.html.push_str("<a href=\"");
            self.text(url);
            self.html.push_str("\" rel=\"nofollow noopener ugc\">");
        }
    }

    /// Escapes text for content and for quoted attributes.
    fn text(&mut self, text: &str) {
        for c in text.chars() {
            match c {
                '&' => self.html.push_str("&amp;"),
                '<' => self.html.push_str("&lt;"),
                '>' => self.html.push_str("&gt;"),
                '"' => self.html.push_str("&quot;"),
                '\'' => self.html.push_str("&#39;"),
                '\n' | '\t' => self.html.push(c),
                // Entities can write what the text itself may not contain.
                c if is_control_or_bidi(c) => self.html.push('\u{fffd}'),
                c => self.html.push(c),
            }
        }
    }
}

/// Whether a link leads to a page of the web: no script, no file, no address relative to ours.
fn is_web_page(url: &str) -> bool {
    let lower = url.to_ascii_lowercase();
    let rest = lower.strip_prefix("https://").or_else(|| lower.strip_prefix("http://"));
    rest.is_some_and(|rest| rest.starts_with(|c: char| c.is_alphanumeric() || c == '['))
        && !url.chars().any(|c| c.is_whitespace() || is_control_or_bidi(c) || c == '\\')
}

#[cfg(test)]
mod tests {
    use super::*;

    fn html(markdown: &str) -> String {
        render(markdown).html
    }

    #[test]
    fn the_safe_subset_is_rendered() {
        assert_eq!(
            html("# New\n\nA *map* and **more**, ~~old~~ `code`.\n\n1. one\n2. two"),
            "<h4>New</h4>\n<p>A <em>map</em> and <strong>more</strong>, <del>old</del> <code>code</code>.</p>\n\
             <ol start=\"1\"><li>one</li>\n<li>two</li>\n</ol>"
        );
        assert_eq!(
            html("[Map](https://example.org/a?b=\"c\"&d)"),
            "<p><a href=\"https://example.org/a?b=&quot;c&quot;&amp;d\" rel=\"nofollow noopener ugc\">Map</a></p>"
        );
        assert_eq!(html("```html\n<b>\n```"), "<pre tabindex=\"0\"><code>&lt;b&gt;\n</code></pre>");
        assert_eq!(html("![A castle](https://example.org/x.png)"), "<p>A castle</p>");
    }

    #[test]
    fn attacks_become_text() {
        for attack in [
            "<script>alert(1)</script>",
            "<img src=x onerror=alert(1)>",
            "<svg onload=alert(1)>",
            "<svg><animate onbegin=alert(1) attributeName=x></svg>",
            "[x](javascript:alert(1))",
            "[x](JaVaScRiPt:alert(1))",
            "[x](java&#x0A;script:alert(1))",
            "[x](data:text/html;base64,PHNjcmlwdD4=)",
            "[x](vbscript:x)",
            "[x](//evil.example)",
            "[x](/sign-out)",
            "[x](\\\\evil.example)",
            "<javascript:alert(1)>",
            "![x](javascript:alert(1))",
            "[x]: javascript:alert(1)\n\n[x]",
            "<a href='https://x' onclick='alert(1)'>x</a>",
            "`</code><script>alert(1)</script>`",
            "```\n</code></pre><script>alert(1)</script>\n```",
            "&lt;script&gt;alert(1)&lt;/script&gt;",
            "<style>*{display:none}</style>",
            "<iframe src=https://evil.example></iframe>",
            "<!-- --><script>alert(1)</script>",
            "[a](https://x.example \"onmouseover=alert(1)\")",
            "[a](https://x.example/\"onmouseover=alert(1))",
        ] {
            let html = html(attack);
            let tags: Vec<&str> =
                html.split('<').skip(1).map(|rest| rest.split('>').next().unwrap_or_default()).collect();
            for tag in tags {
                let name = tag.trim_start_matches('/').split(' ').next().unwrap_or_default();
                assert!(["p", "a", "code", "pre", "li", "ul"].contains(&name), "{attack} → {html}");
                if name == "a" && tag != "/a" {
                    assert!(tag.starts_with("a href=\"http"), "{attack} → {html}");
                    assert_eq!(tag.matches('"').count(), 4, "{attack} → {html}");
                }
            }
        }
        assert_eq!(html("a&#x202e;b&#0;"), "<p>a\u{fffd}b\u{fffd}</p>");
    }

    #[test]
    fn deep_nesting_is_bounded_and_links_are_counted() {
        let deep = html(&(">".repeat(2_000) + " x"));
        assert_eq!(deep.matches("<blockquote>").count(), MAX_DEPTH);
        assert_eq!(deep.matches("</blockquote>").count(), MAX_DEPTH);
        let links =
            render("[a](https&#58;//one.example) <https://two.example> ![x](https://three.example/x.png)").links;
        assert_eq!(links, ["https://one.example", "https://two.example", "https://three.example/x.png"]);
    }
}
