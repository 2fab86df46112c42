//! The paths in source code: those of `use` items, one for each name, and those of two or more segments elsewhere.

use super::source::block_length;

#[derive(Debug, PartialEq, Eq)]
pub struct NamedPath<'s> {
    /// The modules around it that are in the same file.
    pub inline_modules: Vec<&'s str>,
    pub segments: Vec<&'s str>,
    /// The name that an import gives it.
    pub imported_as: Option<&'s str>,
    pub offset: usize,
}

/// `code` has no comments and no strings.
pub fn named_paths(code: &str) -> Vec<NamedPath<'_>> {
    let inline_modules = inline_modules(code);
    let around = |offset: usize| -> Vec<&str> {
        inline_modules
            .iter()
            .filter(|(_, start, end)| (*start..*end).contains(&offset))
            .map(|(name, ..)| *name)
            .collect()
    };
    let mut paths = Vec::new();
    let mut at = 0;
    while let Some(start) = code[at..].find(is_word).map(|found| at + found) {
        let first = word(&code[start..]);
        at = start + first.len();
        if first == "use" && code[at..].starts_with(char::is_whitespace) {
            let end = code[at..].find(';').map_or(code.len(), |length| at + length);
            for (segments, imported_as) in imports(&code[at..end], &[]) {
                paths.push(NamedPath { inline_modules: around(start), segments, imported_as, offset: start });
            }
            at = end;
            continue;
        }
        let mut segments = vec![first];
        while let Some(rest) = code[at..].strip_prefix("::").filter(|rest| rest.starts_with(is_word)) {
            segments.push(word(rest));
            at += "::".len() + word(rest).len();
        }
        if segments.len() > 1 && !code[..start].ends_with("::") {
            paths.push(NamedPath { inline_modules: around(start), segments, imported_as: None, offset: start });
        }
    }
    paths
}

/// The modules with a body, outer ones first, each with where it begins and ends.
fn inline_modules(code: &str) -> Vec<(&str, usize, usize)> {
    let modules = code.match_indices("mod ").filter_map(|(at, keyword)| {
        let after = &code[at + keyword.len()..];
        let name = word(after);
        let body = after[name.len()..].trim_start();
        let is_keyword = !code[..at].ends_with(is_word);
        let start = code.len() - body.len();
        (is_keyword && body.starts_with('{')).then(|| (name, start, start + block_length(body)))
    });
    modules.collect()
}

/// The paths of `a::{b, c as d}` with the names that they get. The last segment of a glob is `*`.
fn imports<'s>(tree: &'s str, parent: &[&'s str]) -> Vec<(Vec<&'s str>, Option<&'s str>)> {
    let segments = |path: &'s str| -> Vec<&'s str> {
        let own = path.split("::").map(str::trim).filter(|segment| !segment.is_empty());
        parent.iter().copied().chain(own).collect()
    };
    if let Some((path, group)) = tree.split_once('{') {
        let group = group.rsplit_once('}').map_or(group, |(group, _)| group);
        let parent = segments(path);
        return items(group).flat_map(|item| imports(item, &parent)).collect();
    }
    let (path, alias) = match tree.split_once(" as ") {
        Some((path, alias)) => (path, Some(alias.trim())),
        None => (tree, None),
    };
    let mut segments = segments(path);
    if segments.last() == Some(&"self") {
        segments.pop();
    }
    let name = alias.or(segments.last().copied());
    if segments.is_empty() { Vec::new() } else { vec![(segments, name)] }
}

/// The items of `a, b::{c, d}`.
fn items(group: &str) -> impl Iterator<Item = &str> {
    let (mut items, mut depth, mut start) = (Vec::new(), 0, 0);
    for (at, c) in group.char_indices() {
        match c {
            '{' => depth += 1,
            '}' => depth -= 1,
            ',' if depth == 0 => {
                items.push(&group[start..at]);
                start = at + 1;
            }
            _ => {}
        }
    }
    items.push(&group[start..]);
    // A comma may follow the last one.
    items.into_iter().filter(|item| !item.trim().is_empty())
}

fn word(code: &str) -> &str {
    code.split(|c: char| !is_word(c)).next().unwrap_or_default()
}

fn is_word(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}

#[test]
fn paths_are_found() {
    let paths = |code: &'static str| -> Vec<(String, Option<&'static str>)> {
        named_paths(code).into_iter().map(|path| (path.segments.join("::"), path.imported_as)).collect()
    };
    let path = |path: &str, name: Option<&'static str>| (path.to_owned(), name);
    assert_eq!(
        paths("pub use crate::{\n    app::{web, App as A},\n    http::{self},\n    *,\n};"),
        [
            path("crate::app::web", Some("web")),
            path("crate::app::App", Some("A")),
            path("crate::http", Some("http")),
            path("crate::*", Some("*"))
        ]
    );
    assert_eq!(
        paths("fn f() -> super::T<self::U> { <X as Y>::z::w(Vec::<u8>::new(), user) }"),
        [path("super::T", None), path("self::U", None)]
    );
    let nested = "mod a { mod b { use super::x; } } use y;";
    let modules: Vec<Vec<&str>> = named_paths(nested).into_iter().map(|path| path.inline_modules).collect();
    assert_eq!(modules, [vec!["a", "b"], vec![]]);
}
