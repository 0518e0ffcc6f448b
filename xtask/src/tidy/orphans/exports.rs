//! Everything that a module of the page exports is imported by another one, or used by itself and shown to a test.

use anyhow::Result;
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Component, Path, PathBuf};

use super::corpus::Corpus;
use super::script::{Kind, Script};
use super::{Fault, Item};

const PAGE: &str = "web/src";

/// What can stand between `export` and the name.
const BEFORE_NAMES: &[&str] = &[
    "abstract",
    "async",
    "class",
    "const",
    "declare",
    "enum",
    "function",
    "interface",
    "let",
    "namespace",
    "type",
    "var",
];

#[expect(clippy::unnecessary_wraps, reason = "a check, like others that can fail")]
pub(super) fn rule(corpus: &Corpus<'_>) -> Result<Vec<Fault>> {
    let shipped = corpus.scripts(PAGE).filter(|script| !is_declaration(&script.path));
    let modules: Modules = shipped.map(|script| (script.path.clone(), Module::of(script))).collect();
    let tests: Modules = corpus.script_tests("web").map(|script| (script.path.clone(), Module::of(script))).collect();
    let (used, tested) = (used(&modules, &modules), used(&tests, &modules));
    let mut faults = Vec::new();
    // What a program writes is not ours to shorten.
    for (path, module) in modules.iter().filter(|(_, module)| !module.is_generated) {
        for item in &module.exports {
            let key = (path.clone(), item.name.clone());
            // What its own module uses may be shown to a test.
            let is_used_here = module.words.get(&item.name).is_some_and(|count| *count > 1);
            if used.contains(&key) || (is_used_here && tested.contains(&key)) {
                continue;
            }
            faults.push(item.fault(if tested.contains(&key) {
                "is there for tests alone: test what others use, or move what helps tests to a folder `testing`"
            } else {
                "is exported, and no other module of web/src imports it"
            }));
        }
    }
    Ok(faults)
}

type Modules = BTreeMap<PathBuf, Module>;

/// What `users` import of `modules`.
fn used(users: &Modules, modules: &Modules) -> BTreeSet<(PathBuf, String)> {
    let mut used = BTreeSet::new();
    for (path, user) in users {
        for (from, names) in &user.imports {
            let Some(target) = resolve(path, from, modules) else { continue };
            match names {
                Names::These(names) => names.iter().for_each(|name| mark(modules, &target, name, &mut used)),
                // Whatever of it is named in the file.
                Names::Any => {
                    let all = std::iter::once("default").chain(user.words.keys().map(String::as_str));
                    all.for_each(|name| mark(modules, &target, name, &mut used));
                }
            }
        }
    }
    used
}

fn is_declaration(path: &Path) -> bool {
    path.to_string_lossy().ends_with(".d.ts")
}

/// Notes that `name` of the module is used, and of the one that it is passed on from.
fn mark(modules: &Modules, path: &Path, name: &str, used: &mut BTreeSet<(PathBuf, String)>) {
    let Some(module) = modules.get(path) else { return };
    if module.exports.iter().any(|item| item.name == name) {
        used.insert((path.to_owned(), name.to_owned()));
        return;
    }
    for from in &module.passed_on {
        if let Some(target) = resolve(path, from, modules).filter(|target| target != path) {
            mark(modules, &target, name, used);
        }
    }
}

/// The module that a path in an import names; nothing for packages and for what is no script.
fn resolve(from: &Path, target: &str, modules: &Modules) -> Option<PathBuf> {
    let target = target.split('?').next().unwrap_or_default();
    let start = match target.split('/').next()? {
        "." | ".." => from.parent()?.join(target),
        "~" | "@" => Path::new(PAGE).join(target.get(2..)?),
        _ => return None,
    };
    let mut path = PathBuf::new();
    for component in start.components() {
        match component {
            Component::ParentDir => drop(path.pop()),
            Component::Normal(name) => path.push(name),
            _ => {}
        }
    }
    let plain = path.to_string_lossy().into_owned();
    let stem = [".js", ".jsx"].iter().find_map(|end| plain.strip_suffix(end)).unwrap_or(&plain);
    let candidates = [
        plain.clone(),
        format!("{stem}.ts"),
        format!("{stem}.tsx"),
        format!("{stem}/index.ts"),
        format!("{stem}/index.tsx"),
    ];
    candidates.into_iter().map(PathBuf::from).find(|path| modules.contains_key(path))
}

enum Names {
    These(Vec<String>),
    /// `import * as`, or `import()`.
    Any,
}

struct Module {
    exports: Vec<Item>,
    imports: Vec<(String, Names)>,
    /// `export * from`.
    passed_on: Vec<String>,
    /// How often each word occurs.
    words: BTreeMap<String, usize>,
    is_generated: bool,
}

impl Module {
    fn of(script: &Script) -> Self {
        let mut module = Self {
            exports: Vec::new(),
            imports: Vec::new(),
            passed_on: Vec::new(),
            words: BTreeMap::new(),
            is_generated: script.is_generated,
        };
        for (at, token) in script.tokens.iter().enumerate() {
            let Kind::Word(word) = &token.kind else { continue };
            *module.words.entry(word.clone()).or_default() += 1;
            // `x.import` and `{ export: 1 }` are names.
            let is_name = (at > 0 && script.is_mark(at - 1, '.')) || script.is_mark(at + 1, ':');
            match word.as_str() {
                "import" if !is_name => module.import(script, at + 1),
                "export" if !is_name => module.export(script, at + 1),
                _ => {}
            }
        }
        module
    }

    fn import(&mut self, script: &Script, at: usize) {
        if script.is_mark(at, '(') {
            self.imports.extend(script.text(at + 1).map(|from| (from.to_owned(), Names::Any)));
            return;
        }
        let mut names = Vec::new();
        let mut is_any = false;
        let mut place = at;
        while place < script.tokens.len() && script.text(place).is_none() {
            if script.is_mark(place, '{') {
                names.extend(list(script, place).into_iter().map(|(name, _, _)| name));
                place = script.behind(place);
                continue;
            }
            is_any |= script.is_mark(place, '*');
            // A name of its own is the default; `type` and `from` are none, unless they are imported.
            if let Some(word) = script.word(place)
                && !is_any
                && word != "from"
                && !(word == "type" && !(script.word(place + 1) == Some("from") || script.is_mark(place + 1, ',')))
            {
                names.push("default".to_owned());
            }
            place += 1;
        }
        if let Some(from) = script.text(place) {
            self.imports.push((from.to_owned(), if is_any { Names::Any } else { Names::These(names) }));
        }
    }

    fn export(&mut self, script: &Script, at: usize) {
        let item = |name: &str, place: usize| Item::new(name, &script.path, script.tokens[place].line);
        let mut place = at;
        if script.word(place) == Some("default") {
            self.exports.push(item("default", place));
            return;
        }
        while script.word(place).is_some_and(|word| BEFORE_NAMES.contains(&word)) || script.is_mark(place, '*') {
            if script.is_mark(place, '*') && script.word(place - 1) != Some("function") {
                match (script.word(place + 1), script.word(place + 2)) {
                    (Some("as"), Some(name)) => self.exports.push(item(name, place + 2)),
                    _ => self.passed_on.extend(script.text(place + 2).map(str::to_owned)),
                }
                return;
            }
            place += 1;
        }
        if script.is_mark(place, '{') || script.is_mark(place, '[') {
            let names = list(script, place);
            let behind = script.behind(place);
            self.exports.extend(names.iter().map(|(_, name, place)| item(name, *place)));
            if script.word(behind) == Some("from")
                && let Some(from) = script.text(behind + 1)
            {
                let names = names.into_iter().map(|(name, _, _)| name).collect();
                self.imports.push((from.to_owned(), Names::These(names)));
            }
        } else if let Some(name) = script.word(place) {
            self.exports.push(item(name, place));
        }
    }
}

/// The names in brackets: as the other module calls it, as this one does, and where. `{ a, type b, c as d }`
fn list(script: &Script, at: usize) -> Vec<(String, String, usize)> {
    let end = script.behind(at) - 1;
    let mut found = Vec::new();
    let mut place = at + 1;
    while place < end {
        if script.word(place) == Some("type") && script.word(place + 1).is_some_and(|next| next != "as") {
            place += 1;
        }
        if let Some(name) = script.word(place) {
            let renamed = matches!(script.word(place + 1), Some("as")) || script.is_mark(place + 1, ':');
            let own = if renamed { script.word(place + 2).unwrap_or(name) } else { name };
            found.push((name.to_owned(), own.to_owned(), place));
        }
        while place < end && !script.is_mark(place, ',') {
            place += 1;
        }
        place += 1;
    }
    found
}

#[cfg(test)]
mod tests {
    use super::super::tests::orphans;
    use super::*;

    fn said(files: &[(&str, &str)]) -> Vec<String> {
        let all: Vec<(String, &str)> = files.iter().map(|(path, text)| (format!("web/src/{path}"), *text)).collect();
        let all: Vec<(&str, &str)> = all.iter().map(|(path, text)| (path.as_str(), *text)).collect();
        let faults = orphans(rule, &all);
        faults
            .iter()
            .map(|fault| fault.replace(" is exported, and no other module of web/src imports it", ""))
            .collect()
    }

    #[test]
    fn every_way_of_exporting_and_importing_is_known() {
        let good: &[(&str, &str)] = &[
            (
                "main.tsx",
                "import App, { type Props, start as go } from './app'; import * as all from \"~/all\"; import './style.css';
                 const Diff = lazy(() => import('./diff/Diff')); const { late } = await import('./late');
                 import type { Frame } from './api'; import { render } from 'solid-js/web'; all.one(); import type T from './t.js';",
            ),
            ("app.tsx", "export default function App() {}\nexport interface Props {}\nexport async function* start() {}"),
            ("all.ts", "export const one = 1;"),
            ("diff/Diff.tsx", "export default () => <p>It's</p>;"),
            ("late.ts", "export const late = 1;"),
            ("api/index.ts", "export * from './schema'; export { a as Other } from './a';"),
            ("api/schema.ts", "export type Frame = { a: 1 };"),
            ("api/a.ts", "const a = 1; export { a };"),
            ("other.ts", "import { Other } from './api'; x.import; y = { export: 1 };"),
            ("t.ts", "export default 1;"),
        ];
        assert_eq!(said(good), Vec::<String>::new());
    }

    #[test]
    fn an_export_that_nobody_imports_is_named() {
        let files: &[(&str, &str)] = &[
            ("a.ts", "export const used = 1;\nexport const unused = 2;\nexport type Gone = {};\nexport default 1;"),
            ("b.ts", "import { used } from './a'; export { other } from './c';"),
            ("c.ts", "export const other = 1, x = 2; export function own() { return own(); }"),
            ("a.test.ts", "import { Gone } from './a'; import { helps } from './testing/help';"),
            ("testing/help.ts", "export const helps = 1;"),
        ];
        assert_eq!(
            said(files),
            [
                "web/src/a.ts:2: `unused`",
                "web/src/a.ts:3: `Gone` is there for tests alone: test what others use, or move what helps tests to a folder `testing`",
                "web/src/a.ts:4: `default`",
                "web/src/b.ts:1: `other`",
                "web/src/c.ts:1: `own`"
            ]
        );
    }

    #[test]
    fn what_a_program_wrote_may_export_whatever_it_likes() {
        let text = "/**\n * This file was auto-generated by openapi-typescript.\n */\nexport type A = { b: B };\nexport type B = {};";
        assert_eq!(said(&[("schema.ts", text)]), Vec::<String>::new());
    }
}
