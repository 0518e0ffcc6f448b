//! One name, one type: no exported type has the name of another one in the workspace.

use anyhow::{Context, Result};
use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;
use syn::{Attribute, Ident, Item, UseTree, Visibility};

use super::Fault;
use crate::repo::Repo;

/// Names that several types may have, and why that misleads nobody.
const EXCEPTIONS: &[(&str, &str)] =
    &[("Settings", "every loop has its own, and everybody writes the loop before it: `review::Settings`")];

/// Names that several types still have. TEMPORARY: an entry goes with its second type, and none is added.
const NOT_YET: &[&str] = &[];

/// A type that a crate exports, and where that is said.
struct Export {
    krate: String,
    name: String,
    file: PathBuf,
    line: usize,
}

pub(super) fn rule(repo: &Repo) -> Result<Vec<Fault>> {
    check(repo, EXCEPTIONS, NOT_YET)
}

fn check(repo: &Repo, exceptions: &[(&str, &str)], not_yet: &[&str]) -> Result<Vec<Fault>> {
    let mut types: BTreeMap<String, Vec<Export>> = BTreeMap::new();
    for export in exports(repo)? {
        types.entry(export.name.clone()).or_default().push(export);
    }
    types.retain(|_, places| places.len() > 1);
    let listed: BTreeSet<&str> = exceptions.iter().map(|(name, _)| *name).chain(not_yet.iter().copied()).collect();
    let mut faults = Vec::new();
    for (name, places) in types.iter().filter(|(name, _)| !listed.contains(name.as_str())) {
        let first = &places[0];
        faults.extend(places[1..].iter().map(|other| {
            let what = format!("`{name}` is also the name of a type in {}:{}", first.file.display(), first.line);
            Fault::line(&other.file, other.line, what)
        }));
    }
    let stale = listed.into_iter().filter(|name| !types.contains_key(*name));
    faults.extend(stale.map(|name| {
        Fault::file("xtask/src/tidy/names.rs", format!("`{name}` is listed, and no two types have that name any more"))
    }));
    Ok(faults)
}

/// All types that crates export, in the order of their files.
fn exports(repo: &Repo) -> Result<Vec<Export>> {
    let (mut found, mut passed_on) = (Vec::new(), Vec::new());
    for file in repo.files(&[".rs"])? {
        let parts: Vec<_> = file.iter().map(|part| part.to_string_lossy()).collect();
        let ["crates", krate, "src", ..] = parts.iter().map(AsRef::as_ref).collect::<Vec<&str>>()[..] else { continue };
        let parsed = syn::parse_file(&repo.read(&file)?);
        let parsed = parsed.with_context(|| format!("cannot read {} as Rust", file.display()))?;
        let mut public = Public::default();
        public.look_at(&parsed.items);
        let export = |name: &Ident| Export {
            krate: krate.to_owned(),
            name: name.to_string(),
            file: file.clone(),
            line: name.span().start().line,
        };
        found.extend(public.defined.iter().map(export));
        passed_on.extend(public.passed_on.iter().map(export));
    }
    // What a macro defines is seen only where it is passed on; what is seen itself is not another type there.
    let mut seen: BTreeSet<(String, String)> = found.iter().map(|one| (one.krate.clone(), one.name.clone())).collect();
    found.extend(passed_on.into_iter().filter(|one| seen.insert((one.krate.clone(), one.name.clone()))));
    Ok(found)
}

/// The types of a file that anybody can see.
#[derive(Default)]
struct Public {
    defined: Vec<Ident>,
    /// From its own modules.
    passed_on: Vec<Ident>,
}

impl Public {
    fn look_at(&mut self, items: &[Item]) {
        let modules: BTreeSet<String> = items
            .iter()
            .filter_map(|item| match item {
                Item::Mod(module) => Some(module.ident.to_string()),
                _ => None,
            })
            .collect();
        for item in items {
            match item {
                Item::Struct(one) if is_public(&one.vis, &one.attrs) => self.defined.push(one.ident.clone()),
                Item::Enum(one) if is_public(&one.vis, &one.attrs) => self.defined.push(one.ident.clone()),
                Item::Union(one) if is_public(&one.vis, &one.attrs) => self.defined.push(one.ident.clone()),
                Item::Trait(one) if is_public(&one.vis, &one.attrs) => self.defined.push(one.ident.clone()),
                Item::Type(one) if is_public(&one.vis, &one.attrs) => self.defined.push(one.ident.clone()),
                Item::Use(one) if is_public(&one.vis, &one.attrs) => {
                    if let UseTree::Path(path) = &one.tree
                        && modules.contains(&path.ident.to_string())
                    {
                        self.pass_on(&path.tree);
                    }
                }
                Item::Mod(one) if !is_for_tests(&one.attrs) => {
                    self.look_at(one.content.as_ref().map_or(&[][..], |(_, items)| items));
                }
                _ => {}
            }
        }
    }

    fn pass_on(&mut self, tree: &UseTree) {
        match tree {
            UseTree::Path(path) => self.pass_on(&path.tree),
            UseTree::Name(name) => self.passed_on.extend(Some(name.ident.clone()).filter(is_type)),
            UseTree::Rename(name) => self.passed_on.extend(Some(name.rename.clone()).filter(is_type)),
            UseTree::Group(group) => group.items.iter().for_each(|tree| self.pass_on(tree)),
            UseTree::Glob(_) => {}
        }
    }
}

/// Functions begin with a small letter, and constants have none.
fn is_type(name: &Ident) -> bool {
    let name = name.to_string();
    name.starts_with(|c: char| c.is_ascii_uppercase()) && name.contains(|c: char| c.is_ascii_lowercase())
}

fn is_public(visibility: &Visibility, attributes: &[Attribute]) -> bool {
    matches!(visibility, Visibility::Public(_)) && !is_for_tests(attributes)
}

fn is_for_tests(attributes: &[Attribute]) -> bool {
    attributes.iter().any(|attribute| {
        attribute.path().is_ident("cfg") && attribute.parse_args::<Ident>().is_ok_and(|condition| condition == "test")
    })
}

#[cfg(test)]
mod tests {
    use super::super::tests::repository;
    use super::*;

    fn faults(files: &[(&str, &str)], exceptions: &[(&str, &str)], not_yet: &[&str]) -> Vec<String> {
        let (_folder, repo) = repository(files);
        check(&repo, exceptions, not_yet).unwrap().iter().map(ToString::to_string).collect()
    }

    #[test]
    fn a_name_that_two_exported_types_have_is_named() {
        for (name, one, two, fault) in [
            ("two structs", "pub struct A;", "pub struct A;", Some("crates/a/src/lib.rs:1")),
            ("whatever they are", "pub trait A {}", "\npub type A = u8;", Some("crates/a/src/lib.rs:1")),
            ("an enum in a module", "pub enum A {}", "mod m { pub union A { a: u8 } }", Some("crates/a/src/lib.rs:1")),
            ("made by a macro", "mod m; pub use m::{f, A};", "pub struct A;", Some("crates/b/src/deep/b.rs:1")),
            (
                "passed on by another name",
                "mod m; pub use m::B as A;",
                "pub struct A;",
                Some("crates/b/src/deep/b.rs:1"),
            ),
            ("two names", "pub struct A;", "pub struct B;", None),
            ("one is not exported", "pub struct A;", "pub(crate) struct A; mod m { struct A; }", None),
            ("one is for tests", "pub struct A;", "#[cfg(test)] mod tests { pub struct A; }", None),
            ("another crate's", "pub struct A;", "pub use a::A;", None),
            ("a function and a constant", "mod m; pub use m::{a, A};", "mod n; pub use n::{a, A};", None),
        ] {
            let (one, two) = match name {
                "a function and a constant" => (one.replace('A', "AB"), two.replace('A', "AB")),
                _ => (one.replace('A', "Aa"), two.replace('A', "Aa")),
            };
            let found = faults(&[("crates/a/src/lib.rs", &one), ("crates/b/src/deep/b.rs", &two)], &[], &[]);
            match fault {
                Some(first) => {
                    assert_eq!(found.len(), 1, "{name}: {found:?}");
                    assert!(
                        found[0].ends_with(&format!("`Aa` is also the name of a type in {first}")),
                        "{name}: {found:?}"
                    );
                }
                None => assert_eq!(found, [] as [String; 0], "{name}"),
            }
        }
    }

    #[test]
    fn a_type_and_what_passes_it_on_are_one() {
        let lib = "mod m;\npub use m::Aa;\n";
        assert_eq!(
            faults(&[("crates/a/src/lib.rs", lib), ("crates/a/src/m.rs", "pub struct Aa;")], &[], &[]),
            [] as [&str; 0]
        );
    }

    #[test]
    fn what_is_listed_is_let_pass_as_long_as_it_is_needed() {
        let files = [("crates/a/src/lib.rs", "pub struct Aa;\npub mod m { pub struct Aa; pub struct Bb; }\n")];
        assert_eq!(faults(&files, &[("Aa", "why")], &[]), [] as [&str; 0]);
        assert_eq!(faults(&files, &[], &["Aa"]), [] as [&str; 0]);
        let stale = "xtask/src/tidy/names.rs: `Bb` is listed, and no two types have that name any more";
        assert_eq!(faults(&files, &[("Bb", "why")], &["Aa"]), [stale]);
        assert_eq!(faults(&files, &[("Aa", "why")], &["Bb"]), [stale]);
        assert_eq!(
            faults(&files, &[], &[]),
            ["crates/a/src/lib.rs:2: `Aa` is also the name of a type in crates/a/src/lib.rs:1"]
        );
    }
}
