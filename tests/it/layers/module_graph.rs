//! Which module names which, at every level of every crate, read from the source text. A name is followed through
//! imports to the module that declares it, so that no re-export hides a dependency. Calls of methods name no module and
//! are not seen.

use std::collections::hash_map::Entry;
use std::collections::{BTreeMap, BTreeSet, HashMap, VecDeque};

use super::named_paths::{NamedPath, named_paths};
use super::source::SourceFile;

/// The path of a module in its crate, or of an item; empty for the root.
type ModulePath<'s> = Vec<&'s str>;

/// A place where a module names another one.
pub struct ModuleUse<'s> {
    pub from: ModulePath<'s>,
    pub to: ModulePath<'s>,
    file: &'s SourceFile,
    offset: usize,
}

impl ModuleUse<'_> {
    /// File and line.
    pub fn place(&self) -> String {
        format!("{}:{}", self.file.path, self.file.code[..self.offset].matches('\n').count() + 1)
    }
}

pub struct ModuleGraph<'s> {
    /// Where the sources of the crate are.
    pub folder: &'s str,
    modules: BTreeSet<ModulePath<'s>>,
    pub uses: Vec<ModuleUse<'s>>,
}

impl<'s> ModuleGraph<'s> {
    /// One graph for each crate, by folder.
    pub fn of_crates(files: &'s [SourceFile]) -> Vec<Self> {
        let mut crates: BTreeMap<&str, BTreeMap<ModulePath, &SourceFile>> = BTreeMap::new();
        for file in files {
            if let Some((folder, module)) = locate(&file.path) {
                crates.entry(folder).or_default().insert(module, file);
            }
        }
        crates.into_iter().map(|(folder, files)| Self::of_crate(folder, &files)).collect()
    }

    fn of_crate(folder: &'s str, files: &BTreeMap<ModulePath<'s>, &'s SourceFile>) -> Self {
        let mut names = Names { modules: files.keys().cloned().collect(), imports: HashMap::new() };
        let mut paths: Vec<(&ModulePath, &SourceFile, usize, ModulePath)> = Vec::new();
        for (module, &file) in files {
            for NamedPath { inline_modules, segments, imported_as, offset } in named_paths(&file.code) {
                let scope = [module.as_slice(), &inline_modules].concat();
                let Some(path) = names.absolute(&scope, &segments) else { continue };
                if let Some(name) = imported_as.filter(|_| scope == *module) {
                    names.imports.insert((module.clone(), name), path.clone());
                }
                paths.push((module, file, offset, path));
            }
        }
        let uses = paths.into_iter().map(|(module, file, offset, path)| ModuleUse {
            from: module.clone(),
            to: names.declaring_module(&path, 0),
            file,
            offset,
        });
        let uses = uses.filter(|used| used.from != used.to).collect();
        Self { folder, modules: names.modules, uses }
    }

    /// The modules directly in the root of the crate.
    pub fn top_modules(&self) -> BTreeSet<&'s str> {
        self.modules.iter().filter_map(|module| module.first().copied()).collect()
    }

    /// The cycles among the modules of each folder, with the places that cause them. The file of the folder itself
    /// (`mod.rs`) is left out: it declares what its modules share, and composes them.
    pub fn cycles(&self) -> Vec<String> {
        let parents: BTreeSet<&[&str]> =
            self.modules.iter().filter_map(|module| module.split_last().map(|(_, parent)| parent)).collect();
        parents.into_iter().flat_map(|parent| self.cycles_in(parent)).collect()
    }

    fn cycles_in(&self, parent: &[&'s str]) -> Vec<String> {
        let child = |module: &[&'s str]| module.strip_prefix(parent).and_then(|rest| rest.first().copied());
        let mut places: BTreeMap<(&str, &str), &ModuleUse> = BTreeMap::new();
        let mut uses: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
        for used in &self.uses {
            if let (Some(from), Some(to)) = (child(&used.from), child(&used.to))
                && from != to
            {
                places.entry((from, to)).or_insert(used);
                uses.entry(from).or_default().insert(to);
            }
        }
        let folder = [&[self.folder][..], parent].concat().join("/");
        let describe = |cycle: Vec<&str>| {
            let next = cycle.iter().copied().cycle().skip(1);
            let mut report = format!("{folder}: {} → {}", cycle.join(" → "), cycle[0]);
            for (from, to) in cycle.iter().copied().zip(next) {
                report += &format!("\n    {from} uses {to}: {}", places[&(from, to)].place());
            }
            report
        };
        cycles(&uses).into_iter().map(describe).collect()
    }
}

/// The folder of a crate's sources, and the module of a file in it. `None` for a binary, which is a crate of its own.
fn locate(path: &str) -> Option<(&str, ModulePath<'_>)> {
    let (folder, file) = match path.strip_prefix("crates/") {
        Some(rest) => path.split_at("crates/".len() + rest.find('/')? + "/src".len()),
        None => path.split_at("src".len()),
    };
    let mut module: ModulePath = file.strip_prefix('/')?.strip_suffix(".rs")?.split('/').collect();
    match module.as_slice() {
        ["main"] => return None,
        ["lib"] | [.., "mod"] => {
            module.pop();
        }
        _ => {}
    }
    Some((folder, module))
}

/// What names in a crate mean.
struct Names<'s> {
    modules: BTreeSet<ModulePath<'s>>,
    /// What a module imports, or exports again, under which name.
    imports: HashMap<(ModulePath<'s>, &'s str), ModulePath<'s>>,
}

/// A chain of more imports is a circle of them.
const MAX_IMPORTS: usize = 10;

impl<'s> Names<'s> {
    /// A path from the root of the crate; `None` for a path into another crate.
    fn absolute(&self, scope: &[&'s str], segments: &[&'s str]) -> Option<ModulePath<'s>> {
        match segments {
            ["crate", rest @ ..] => Some(rest.to_vec()),
            ["self", rest @ ..] => Some([scope, rest].concat()),
            ["super", rest @ ..] => {
                let (_, parent) = scope.split_last()?;
                if rest.first() == Some(&"super") { self.absolute(parent, rest) } else { Some([parent, rest].concat()) }
            }
            [first, ..] => {
                let is_child = self.modules.contains(&[scope, &[*first]].concat());
                is_child.then(|| [scope, segments].concat())
            }
            [] => None,
        }
    }

    fn declaring_module(&self, path: &[&'s str], imports_before: usize) -> ModulePath<'s> {
        let mut module = ModulePath::new();
        for (i, segment) in path.iter().enumerate() {
            let child = [module.as_slice(), &[*segment]].concat();
            if self.modules.contains(&child) {
                module = child;
                continue;
            }
            match self.imports.get(&(module.clone(), *segment)) {
                Some(import) if imports_before < MAX_IMPORTS => {
                    let path = [import.as_slice(), &path[i + 1..]].concat();
                    return self.declaring_module(&path, imports_before + 1);
                }
                _ => break,
            }
        }
        module
    }
}

/// A shortest cycle through each module, except those in a cycle that was found before.
fn cycles<'s>(uses: &BTreeMap<&'s str, BTreeSet<&'s str>>) -> Vec<Vec<&'s str>> {
    let mut found: Vec<Vec<&str>> = Vec::new();
    for &start in uses.keys() {
        if !found.iter().flatten().any(|module| *module == start) {
            found.extend(cycle_through(start, uses));
        }
    }
    found
}

fn cycle_through<'s>(start: &'s str, uses: &BTreeMap<&'s str, BTreeSet<&'s str>>) -> Option<Vec<&'s str>> {
    let mut reached_from: HashMap<&str, &str> = HashMap::new();
    let mut queue = VecDeque::from([start]);
    while let Some(module) = queue.pop_front() {
        for &next in uses.get(module).into_iter().flatten() {
            if next == start {
                let way_back = std::iter::successors(Some(module), |module| reached_from.get(module).copied());
                let mut cycle: Vec<&str> = way_back.collect();
                cycle.reverse();
                return Some(cycle);
            }
            if let Entry::Vacant(new) = reached_from.entry(next) {
                new.insert(module);
                queue.push_back(next);
            }
        }
    }
    None
}

fn cycles_of(files: &[(&str, &str)]) -> Vec<String> {
    let files: Vec<SourceFile> = files.iter().map(|(path, code)| SourceFile::parse(path, code)).collect();
    ModuleGraph::of_crates(&files).iter().flat_map(ModuleGraph::cycles).collect()
}

#[test]
fn a_cycle_is_found_with_the_places_that_cause_it() {
    let found = cycles_of(&[
        ("crates/x/src/lib.rs", "mod a;\nmod b;\nmod c;\nmod d;\npub use c::C;"),
        ("crates/x/src/a.rs", "use crate::b::{self, B};"),
        ("crates/x/src/b/mod.rs", "pub mod deep;\nfn f() { super::d::g() }"),
        ("crates/x/src/b/deep.rs", "\nuse crate::C;"),
        ("crates/x/src/c.rs", "use super::{d, a::A as Other};"),
        ("crates/x/src/d.rs", "use rollcall_model::a; // crate::a\n#[cfg(test)]\nmod tests { use crate::a; }"),
        ("crates/y/src/lib.rs", "mod a;"),
        ("crates/y/src/a.rs", "use crate::b;"),
    ]);
    let expected = "crates/x/src: a → b → c → a\n    a uses b: crates/x/src/a.rs:1\n    \
                    b uses c: crates/x/src/b/deep.rs:2\n    c uses a: crates/x/src/c.rs:1";
    assert_eq!(found, [expected]);
}

#[test]
fn siblings_in_a_folder_are_compared_and_not_with_their_own_module_file() {
    let found = cycles_of(&[
        ("src/lib.rs", "mod m;"),
        ("src/m/mod.rs", "mod a;\nmod b;\npub use a::A;\npub struct Own;\nmod codec { pub use super::a::Part; }"),
        ("src/m/a.rs", "use super::{Own, b::B};"),
        ("src/m/b.rs", "fn f() -> super::A { super::Own }"),
    ]);
    assert_eq!(found, ["src/m: a → b → a\n    a uses b: src/m/a.rs:1\n    b uses a: src/m/b.rs:1"]);
}

#[test]
fn modules_without_a_cycle_are_accepted() {
    let uses = BTreeMap::from([("a", BTreeSet::from(["b", "c"])), ("b", BTreeSet::from(["c"]))]);
    assert!(cycles(&uses).is_empty());
}
