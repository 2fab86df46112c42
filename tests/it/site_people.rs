//! The pages about people: search, players, leaderboards, skins and capes.

mod leaderboards;
mod players;
mod search;
mod textures;

use crate::site::page;

/// Text as the templates write it.
fn escaped(text: &str) -> String {
    let marks = [('&', "&#38;"), ('<', "&#60;"), ('>', "&#62;"), ('"', "&#34;"), ('\'', "&#39;")];
    marks.into_iter().fold(text.to_owned(), |text, (mark, entity)| text.replace(mark, entity))
}

/// The values of an attribute, in the order of the page.
fn attributes<'a>(html: &'a str, name: &str) -> Vec<&'a str> {
    let mark = format!(" {name}=\"");
    html.split(&mark).skip(1).filter_map(|rest| rest.split('"').next()).collect()
}

/// Links to pages below `root`, each once, in order.
fn links(html: &str, root: &str) -> Vec<String> {
    let mut found: Vec<String> = Vec::new();
    for link in attributes(html, "href").into_iter().filter(|link| link.starts_with(root)) {
        if !found.iter().any(|known| known == link) {
            found.push(link.to_owned());
        }
    }
    found
}
