//! Code that puts the badge or the widget of a server on another site: Markdown, HTML and BBCode.

/// The code in one markup language.
pub struct EmbedCode {
    pub language: &'static str,
    pub code: String,
}

pub fn badge_codes(public_url: &str, slug: &str, name: &str) -> [EmbedCode; 3] {
    let (badge, page) = (format!("{public_url}/badge/{slug}.svg"), format!("{public_url}/servers/{slug}"));
    let name = plain(name);
    [
        EmbedCode { language: "Markdown", code: format!("[![{name}]({badge})]({page})") },
        EmbedCode {
            language: "HTML",
            code: format!("<a href=\"{page}\"><img src=\"{badge}\" alt=\"{name}\" height=\"20\"></a>"),
        },
        EmbedCode { language: "BBCode", code: format!("[url={page}][img]{badge}[/img][/url]") },
    ]
}

/// Markdown and BBCode have no frames; they show the card as a picture with a link.
pub fn widget_codes(public_url: &str, slug: &str, name: &str) -> [EmbedCode; 3] {
    let (card, page) = (format!("{public_url}/card/server/{slug}.png"), format!("{public_url}/servers/{slug}"));
    let name = plain(name);
    [
        EmbedCode {
            language: "HTML",
            code: format!(
                "<iframe src=\"{public_url}/embed/{slug}\" title=\"{name}\" width=\"360\" height=\"180\" \
                 style=\"border:0\" loading=\"lazy\"></iframe>"
            ),
        },
        EmbedCode { language: "Markdown", code: format!("[![{name}]({card})]({page})") },
        EmbedCode { language: "BBCode", code: format!("[url={page}][img]{card}[/img][/url]") },
    ]
}

/// A name without what any of the markup languages reads as markup.
fn plain(name: &str) -> String {
    let is_plain = |c: &char| c.is_alphanumeric() || matches!(c, ' ' | '-' | '.' | ',' | ':' | '+');
    name.chars().filter(is_plain).collect::<String>().trim().to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hostile_names_are_no_markup() {
        let hostile = "a](javascript:x)\"><script>[/url]`*_~ ünï 中\u{202e}\n";
        assert_eq!(plain(hostile), "ajavascript:xscripturl ünï 中");
        for code in badge_codes("https://s.example", "a", hostile).iter().chain(&widget_codes(
            "https://s.example",
            "a",
            hostile,
        )) {
            assert!(!code.code.contains("<script") && !code.code.contains("](javascript"), "{}", code.code);
        }
    }

    #[test]
    fn every_language_shows_the_badge_with_a_link() {
        let codes = badge_codes("https://s.example", "emberfall", "Emberfall").map(|code| code.code);
        assert_eq!(
            codes,
            [
                "[![Emberfall](https://s.example/badge/emberfall.svg)](https://s.example/servers/emberfall)",
                "<a href=\"https://s.example/servers/emberfall\"><img src=\"https://s.example/badge/emberfall.svg\" \
                 alt=\"Emberfall\" height=\"20\"></a>",
                "[url=https://s.example/servers/emberfall][img]https://s.example/badge/emberfall.svg[/img][/url]",
            ]
        );
    }
}
