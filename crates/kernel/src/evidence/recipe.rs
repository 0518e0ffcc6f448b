//! What stands behind a command that only names other commands: a script of `package.json`, a target of a Makefile.

use serde_json::Value;
use std::collections::BTreeMap;

/// The names of a Makefile, in the order in which make looks for them.
pub(super) const MAKEFILES: [&str; 3] = ["GNUmakefile", "makefile", "Makefile"];

/// Targets that are followed from one to the next.
const DEEPEST: usize = 8;
/// Lines of a target and of what it needs.
const MOST_LINES: usize = 200;
/// Variables inside of variables.
const DEEPEST_VARIABLE: usize = 5;

/// What `npm run NAME` does: the script, with those that run before and after it.
pub(super) fn script(package: &str, name: &str, arguments: &str) -> Result<String, String> {
    let package: Value = serde_json::from_str(package).map_err(|_| "package.json is no JSON".to_owned())?;
    let scripts = package.get("scripts").and_then(Value::as_object).ok_or("package.json has no scripts")?;
    let find = |name: &str| scripts.get(name).and_then(Value::as_str).filter(|script| !script.trim().is_empty());
    let main = find(name).ok_or_else(|| format!("package.json has no script `{name}`"))?;
    let mut parts: Vec<String> = find(&format!("pre{name}")).map(str::to_owned).into_iter().collect();
    parts.push(if arguments.is_empty() { main.to_owned() } else { format!("{main} {arguments}") });
    parts.extend(find(&format!("post{name}")).map(str::to_owned));
    Ok(parts.join(" && "))
}

/// The command lines that make runs for a target, its prerequisites first. Conditionals, functions and patterns are
/// not followed: what is left out is not found, and the command then counts as a plain one.
pub(super) fn target(makefile: &str, target: Option<&str>) -> Result<Vec<String>, String> {
    let makefile = Makefile::read(makefile);
    let first = makefile.order.iter().find(|name| !name.starts_with('.'));
    let target = match target {
        Some(target) => target.to_owned(),
        None => first.ok_or("the Makefile has no target")?.clone(),
    };
    if !makefile.rules.contains_key(&target) {
        return Err(format!("the Makefile has no target `{target}`"));
    }
    let mut lines = Vec::new();
    let mut seen = Vec::new();
    makefile.collect(&target, 0, &mut seen, &mut lines);
    Ok(lines)
}

#[derive(Debug, Default)]
struct Makefile {
    variables: BTreeMap<String, String>,
    rules: BTreeMap<String, Rule>,
    order: Vec<String>,
}

#[derive(Debug, Default)]
struct Rule {
    needs: Vec<String>,
    lines: Vec<String>,
}

impl Makefile {
    fn read(text: &str) -> Self {
        let mut found = Self::default();
        let mut current: Vec<String> = Vec::new();
        let joined = text.replace("\\\n", " ");
        for line in joined.lines() {
            if let Some(recipe) = line.strip_prefix('\t') {
                for name in &current {
                    let rule = found.rules.entry(name.clone()).or_default();
                    if rule.lines.len() < MOST_LINES {
                        rule.lines.push(recipe.to_owned());
                    }
                }
                continue;
            }
            let line = line.split('#').next().unwrap_or_default().trim_end();
            if line.trim().is_empty() {
                continue;
            }
            if let Some((name, value)) = assignment(line) {
                found.variables.insert(name.to_owned(), value.to_owned());
                continue;
            }
            current.clear();
            let Some((names, needs)) = line.split_once(':') else { continue };
            let (needs, recipe) = needs.split_once(';').unwrap_or((needs, ""));
            let names = found.expanded(names, 0);
            let needs = found.expanded(needs.trim_start_matches(':'), 0);
            for name in names.split_whitespace() {
                current.push(name.to_owned());
                if !found.rules.contains_key(name) {
                    found.order.push(name.to_owned());
                }
                let rule = found.rules.entry(name.to_owned()).or_default();
                rule.needs.extend(needs.split_whitespace().filter(|need| *need != "|").map(str::to_owned));
                if !recipe.trim().is_empty() {
                    rule.lines.push(recipe.trim().to_owned());
                }
            }
        }
        found
    }

    fn collect(&self, target: &str, depth: usize, seen: &mut Vec<String>, lines: &mut Vec<String>) {
        if depth > DEEPEST || lines.len() > MOST_LINES || seen.iter().any(|name| name == target) {
            return;
        }
        seen.push(target.to_owned());
        let Some(rule) = self.rules.get(target) else { return };
        for need in &rule.needs {
            self.collect(need, depth + 1, seen, lines);
        }
        for line in &rule.lines {
            let line = self.expanded(line, 0).replace("$@", target);
            let bare = line.trim_start_matches(['@', '+', ' ']);
            // An error that make ignores is one that nobody sees.
            match bare.strip_prefix('-') {
                Some(ignored) => lines.push(format!("{} || true", ignored.trim_start_matches(['@', '+', ' ']))),
                None => lines.push(bare.to_owned()),
            }
        }
    }

    /// A text with the variables that are plain put in; `$$` is the shell's own.
    fn expanded(&self, text: &str, depth: usize) -> String {
        let mut out = String::new();
        let mut rest = text;
        while let Some(at) = rest.find('$') {
            out.push_str(&rest[..at]);
            let tail = &rest[at + 1..];
            let close = match tail.as_bytes().first() {
                Some(b'(') => ')',
                Some(b'{') => '}',
                Some(b'$') => {
                    out.push('$');
                    rest = &tail[1..];
                    continue;
                }
                _ => {
                    out.push('$');
                    rest = tail;
                    continue;
                }
            };
            let Some(end) = tail.find(close) else {
                out.push('$');
                rest = tail;
                continue;
            };
            let name = &tail[1..end];
            match self.variables.get(name).filter(|_| depth < DEEPEST_VARIABLE) {
                Some(value) => out.push_str(&self.expanded(value, depth + 1)),
                None if name == "MAKE" => out.push_str("make"),
                // A function, or a variable of somebody else's: the shell reader refuses what is left of it.
                None => out.push_str(&rest[at..at + end + 2]),
            }
            rest = &tail[end + 1..];
        }
        out.push_str(rest);
        out
    }
}

/// `NAME = value`, also with `:=`, `::=` and `?=`.
fn assignment(line: &str) -> Option<(&str, &str)> {
    let (name, value) = line.split_once('=')?;
    let name = name.trim_end_matches([':', '?', '+', '!']).trim().trim_start_matches("export ").trim();
    let is_name = !name.is_empty() && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"_-.".contains(&byte));
    is_name.then_some((name, value.trim()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_script_comes_with_what_runs_around_it() {
        let package = r#"{"scripts": {"test": "jest", "pretest": "tsc", "check": "vitest run", "empty": ""}}"#;
        assert_eq!(script(package, "test", "--ci").unwrap(), "tsc && jest --ci");
        assert_eq!(script(package, "check", "").unwrap(), "vitest run");
        assert_eq!(script(package, "empty", "").unwrap_err(), "package.json has no script `empty`");
        assert_eq!(script("{", "test", "").unwrap_err(), "package.json is no JSON");
    }

    #[test]
    fn a_target_comes_with_what_it_needs() {
        let makefile = "PY ?= python3\nTEST := $(PY) -m pytest\n.PHONY: test\n\nall: test\n\ntest: build lint\n\
                        \t@$(TEST) -q \\\n\t\ttests\nbuild:\n\t-echo build $$HOME\nlint: ; ruff check\nodd:\n\t$(shell x)\n";
        let lines = |name| target(makefile, name).unwrap().join(" / ");
        assert_eq!(lines(Some("test")), "echo build $HOME || true / ruff check / python3 -m pytest -q  \t\ttests");
        assert_eq!(lines(None), lines(Some("test")));
        assert_eq!(lines(Some("odd")), "$(shell x)");
        assert_eq!(target(makefile, Some("none")).unwrap_err(), "the Makefile has no target `none`");
        assert!(target("a: b\n\techo a\nb: a\n\techo b\n", Some("a")).unwrap().len() == 2, "a circle ends");
    }
}
