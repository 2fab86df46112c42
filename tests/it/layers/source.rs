//! Rust source files, split into code and string literals. Comments and test modules are left out.

use std::path::{Path, PathBuf};
use std::sync::LazyLock;

pub struct SourceFile {
    /// Relative to the root of the repository.
    pub path: String,
    /// The code; comments, string contents and test modules are blanked. Line numbers are those of the file.
    pub code: String,
    pub literals: Vec<Literal>,
    /// Files of test modules (`#[cfg(test)] mod tests;`), relative to the root, without extension.
    test_modules: Vec<String>,
}

pub struct Literal {
    pub line: usize,
    pub text: String,
}

/// The sources of all crates, without tests and benches.
pub fn source_files() -> &'static [SourceFile] {
    static FILES: LazyLock<Vec<SourceFile>> = LazyLock::new(read_source_files);
    &FILES
}

fn read_source_files() -> Vec<SourceFile> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut paths = Vec::new();
    collect(&root.join("src"), &mut paths);
    for entry in std::fs::read_dir(root.join("crates")).expect("crates") {
        collect(&entry.expect("a directory entry").path().join("src"), &mut paths);
    }
    paths.sort();
    let parse = |path: &PathBuf| {
        let name = path.strip_prefix(root).expect("below the root").to_str().expect("UTF-8");
        SourceFile::parse(name, &std::fs::read_to_string(path).expect("a readable file"))
    };
    let mut files: Vec<SourceFile> = paths.iter().map(parse).collect();
    let test_modules: Vec<String> = files.iter().flat_map(|file| file.test_modules.clone()).collect();
    files.retain(|file| {
        let is_test = |module: &String| {
            file.path.strip_prefix(module.as_str()).is_some_and(|rest| rest == ".rs" || rest.starts_with('/'))
        };
        !test_modules.iter().any(is_test)
    });
    files
}

fn collect(folder: &Path, paths: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).expect("a source directory") {
        let path = entry.expect("a directory entry").path();
        if path.is_dir() {
            collect(&path, paths);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            paths.push(path);
        }
    }
}

impl SourceFile {
    pub fn parse(path: &str, source: &str) -> Self {
        let mut scanner = Scanner { rest: source, code: String::new(), literals: Vec::new() };
        scanner.scan();
        let Scanner { mut code, mut literals, .. } = scanner;
        let mut test_modules = Vec::new();
        let mut from = 0;
        while let Some(at) = code[from..].find("#[cfg(test)]").map(|at| from + at) {
            let item = &code[at..];
            let Some(end) = item.find(['{', ';']) else { break };
            let end = if item[end..].starts_with(';') {
                let name = item[..end].rsplit(' ').next().unwrap_or_default();
                test_modules.push(format!("{}/{name}", module_folder(path)));
                at + end + 1
            } else {
                at + end + block_length(&item[end..])
            };
            literals.retain(|(offset, _)| !(at..end).contains(offset));
            let blank: String = code[at..end].chars().map(|c| if c == '\n' { '\n' } else { ' ' }).collect();
            from = at + blank.len();
            code.replace_range(at..end, &blank);
        }
        let (mut line, mut counted) = (1, 0);
        let literals = literals.into_iter().map(|(offset, text)| {
            line += code[counted..offset].matches('\n').count();
            counted = offset;
            Literal { line, text }
        });
        let literals = literals.collect();
        Self { path: path.to_owned(), literals, code, test_modules }
    }
}

/// Where the files of a module's submodules are.
fn module_folder(path: &str) -> &str {
    let path = path.strip_suffix(".rs").unwrap_or(path);
    ["/mod", "/lib", "/main"].iter().find_map(|name| path.strip_suffix(name)).unwrap_or(path)
}

/// The length of a block that begins with `{`.
pub fn block_length(code: &str) -> usize {
    let mut depth = 0;
    for (at, c) in code.char_indices() {
        match c {
            '{' => depth += 1,
            '}' => depth -= 1,
            _ => {}
        }
        if depth == 0 {
            return at + 1;
        }
    }
    code.len()
}

/// Splits source text. Every byte of the source becomes one byte of `code`, so that offsets are the same.
struct Scanner<'a> {
    rest: &'a str,
    code: String,
    /// With their offsets.
    literals: Vec<(usize, String)>,
}

impl Scanner<'_> {
    fn scan(&mut self) {
        while !self.rest.is_empty() {
            if self.rest.starts_with("//") {
                self.blank(self.rest.find('\n').unwrap_or(self.rest.len()));
            } else if self.rest.starts_with("/*") {
                self.blank(block_comment_length(self.rest));
            } else if self.rest.starts_with('"') {
                match raw_string_hashes(&self.code) {
                    Some(hashes) => self.raw_string(hashes),
                    None => self.literal(string_end(self.rest), 1),
                }
            } else if self.rest.starts_with('\'') {
                let length = char_literal_length(self.rest);
                if length > 1 { self.blank(length) } else { self.copy(1) }
            } else {
                let next = self.rest[1..].find(['/', '"', '\'']);
                self.copy(next.map_or(self.rest.len(), |at| at + 1));
            }
        }
    }

    fn copy(&mut self, length: usize) {
        let (now, rest) = self.rest.split_at(length);
        self.code.extend(now.bytes().map(|byte| if byte.is_ascii() { char::from(byte) } else { ' ' }));
        self.rest = rest;
    }

    fn blank(&mut self, length: usize) {
        let (now, rest) = self.rest.split_at(length);
        self.code.extend(now.bytes().map(|byte| if byte == b'\n' { '\n' } else { ' ' }));
        self.rest = rest;
    }

    fn raw_string(&mut self, hashes: usize) {
        let closing = format!("\"{}", "#".repeat(hashes));
        let end = self.rest[1..].find(&closing).map_or(self.rest.len(), |at| at + 1);
        self.literal(end, closing.len());
    }

    /// A string whose content ends at `end`, with a closing delimiter of `closing` bytes.
    fn literal(&mut self, end: usize, closing: usize) {
        self.literals.push((self.code.len(), self.rest[1..end].to_owned()));
        self.blank((end + closing).min(self.rest.len()));
    }
}

/// The number of `#` before the quote of a raw string, if the code ends like the prefix of one: `r`, `br##`.
fn raw_string_hashes(code: &str) -> Option<usize> {
    let letters = code.trim_end_matches('#');
    let before = letters.strip_suffix('r')?.trim_end_matches(['b', 'c']);
    let is_prefix = !before.ends_with(|c: char| c.is_alphanumeric() || c == '_');
    is_prefix.then_some(code.len() - letters.len())
}

fn block_comment_length(text: &str) -> usize {
    let mut depth = 0;
    let mut at = 0;
    while at < text.len() {
        let rest = &text.as_bytes()[at..];
        if rest.starts_with(b"/*") {
            depth += 1;
            at += 2;
        } else if rest.starts_with(b"*/") {
            depth -= 1;
            at += 2;
        } else {
            at += 1;
        }
        if depth == 0 {
            return at;
        }
    }
    text.len()
}

fn string_end(text: &str) -> usize {
    let mut escaped = false;
    for (at, byte) in text.bytes().enumerate().skip(1) {
        match byte {
            _ if escaped => escaped = false,
            b'\\' => escaped = true,
            b'"' => return at,
            _ => {}
        }
    }
    text.len()
}

/// The length of a character literal; 1 for the quote of a lifetime.
fn char_literal_length(text: &str) -> usize {
    let mut chars = text.char_indices().skip(1);
    match chars.next() {
        Some((_, '\\')) => text[2..].char_indices().skip(1).find(|(_, c)| *c == '\'').map_or(1, |(at, _)| 2 + at + 1),
        Some(_) => match chars.next() {
            Some((at, '\'')) => at + 1,
            _ => 1,
        },
        None => 1,
    }
}

#[test]
fn comments_strings_and_test_modules_are_left_out_of_the_code() {
    let source = "let a = \"x \\\" y\"; // \"no\"\nlet b = r#\"raw \" text\"#; /* /* \"no\" */ */ let c = '\"'; let d: &'a u8;\n\
                  #[cfg(test)]\nmod tests { const T: &str = \"test\"; }\nlet e = b\"bytes\";\n#[cfg(test)]\nmod more;\n";
    let file = SourceFile::parse("src/a/mod.rs", source);
    let literals: Vec<(usize, &str)> =
        file.literals.iter().map(|literal| (literal.line, literal.text.as_str())).collect();
    assert_eq!(literals, [(1, "x \\\" y"), (2, "raw \" text"), (5, "bytes")]);
    assert!(!file.code.contains("no") && !file.code.contains("tests") && file.code.contains("let e"));
    assert_eq!(file.code.len(), source.len());
    assert_eq!(file.test_modules, ["src/a/more"]);
}
