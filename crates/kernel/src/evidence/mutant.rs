//! Mutants: the work's changed lines, broken one at a time. Checks that notice none of them check nothing.

use serde::{Deserialize, Serialize};

use super::inline_tests::test_spans;
use super::source::{SourceLanguage, code_of};
use crate::Digest;
use crate::digest::Hasher;

/// A line, broken.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Mutant {
    pub path: String,
    /// Counted from 1.
    pub line: usize,
    pub before: String,
    /// Empty where the line is gone.
    pub after: String,
}

/// What became of it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct MutantSeen {
    #[serde(flatten)]
    pub mutant: Mutant,
    pub end: MutantEnd,
}

/// Whether the checks noticed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum MutantEnd {
    Noticed,
    Survived,
    /// It could not be built or loaded, which says nothing about the tests.
    DidNotRun,
}

impl Mutant {
    /// The text with this line broken; nothing if the line is not there any more.
    pub fn apply(&self, text: &str) -> Option<String> {
        let mut lines: Vec<&str> = text.split_inclusive('\n').collect();
        let line = lines.get(self.line.checked_sub(1)?)?;
        let end = if line.ends_with('\n') { "\n" } else { "" };
        if line.trim_end_matches('\n') != self.before {
            return None;
        }
        let after = format!("{}{end}", self.after);
        lines[self.line - 1] = &after;
        Some(lines.concat())
    }
}

/// Mutants of one line.
const MOST_PER_LINE: usize = 6;
/// A longer line was written by a program.
const LONGEST_LINE: usize = 400;

/// Replacements of operators, longest first, each tried wherever it stands between other things.
const OPERATORS: [(&str, &str); 22] = [
    ("===", "!=="),
    ("!==", "==="),
    ("==", "!="),
    ("!=", "=="),
    ("<=", "<"),
    (">=", ">"),
    ("&&", "||"),
    ("||", "&&"),
    ("+=", "-="),
    ("-=", "+="),
    ("*=", "/="),
    ("<<", ">>"),
    (">>", "<<"),
    ("//", "*"),
    ("**", "*"),
    ("<", "<="),
    (">", ">="),
    ("+", "-"),
    ("-", "+"),
    ("*", "/"),
    ("/", "*"),
    ("%", "*"),
];

/// Words that turn a condition or a value around.
const WORDS: [(&str, &str); 10] = [
    ("True", "False"),
    ("False", "True"),
    ("true", "false"),
    ("false", "true"),
    ("and", "or"),
    ("or", "and"),
    ("not", ""),
    ("is", "is not"),
    ("in", "not in"),
    ("break", "continue"),
];

/// The mutants of the lines that changed in a file, in an order that is drawn from the seed but takes every line once
/// before it takes one twice.
pub fn mutants(path: &str, base: Option<&str>, head: &str, seed: Digest, most: usize) -> Vec<Mutant> {
    let Some(language) = SourceLanguage::of(path) else { return Vec::new() };
    let code = code_of(language, head);
    let tests = if language == SourceLanguage::Rust { test_spans(head) } else { Vec::new() };
    let mut found: Vec<(usize, Digest, Mutant)> = Vec::new();
    let mut start = 0;
    let changed = changed_lines(base.unwrap_or_default(), head);
    for (number, line) in head.split('\n').enumerate() {
        let end = start + line.len();
        let is_test = tests.iter().any(|(from, to)| start < *to && *from < end.max(start + 1));
        if changed.binary_search(&number).is_ok() && !is_test && line.len() <= LONGEST_LINE {
            let broken = of_line(language, line, &code[start..end]);
            for after in broken {
                let mut hasher = Hasher::default();
                hasher.field(&seed.0).field(path.as_bytes()).field(&number.to_le_bytes()).field(after.as_bytes());
                let mutant = Mutant { path: path.to_owned(), line: number + 1, before: line.to_owned(), after };
                found.push((0, hasher.finish(), mutant));
            }
        }
        start = end + 1;
    }
    rank(&mut found);
    found.into_iter().take(most).map(|(_, _, mutant)| mutant).collect()
}

/// Orders by the place among a line's own mutants first, and by chance within.
fn rank(found: &mut [(usize, Digest, Mutant)]) {
    found.sort_by_key(|(_, chance, mutant)| (mutant.line, *chance));
    let mut place = 0;
    for at in 0..found.len() {
        place = if at > 0 && found[at - 1].2.line == found[at].2.line { place + 1 } else { 0 };
        found[at].0 = place;
    }
    found.sort_by_key(|(place, chance, _)| (*place, *chance));
}

/// Every way to break a line; deleting it only where there is no other.
fn of_line(language: SourceLanguage, line: &str, code: &[u8]) -> Vec<String> {
    let mut found: Vec<String> = Vec::new();
    let bare = String::from_utf8_lossy(code).into_owned();
    if bare.trim().is_empty() || bare.len() != line.len() || is_declaration(language, bare.trim()) {
        return found;
    }
    operators(language, line, &bare, &mut found);
    words(language, line, &bare, &mut found);
    numbers(line, &bare, &mut found);
    returns(language, line, &bare, &mut found);
    if found.is_empty() && is_statement(language, bare.trim()) {
        // In Python a block must not end up empty.
        let indent = &line[..line.len() - line.trim_start().len()];
        found.push(if language == SourceLanguage::Python { format!("{indent}pass") } else { String::new() });
    }
    found.retain(|after| after != line);
    found.truncate(MOST_PER_LINE);
    found
}

/// Lines that do nothing by themselves, or whose loss is no fault of logic.
fn is_declaration(language: SourceLanguage, line: &str) -> bool {
    let first =
        line.split(|c: char| !c.is_alphanumeric() && c != '_' && c != '#' && c != '@').next().unwrap_or_default();
    match language {
        SourceLanguage::Python => {
            matches!(first, "import" | "from" | "def" | "class" | "async" | "global" | "@") || line.starts_with('@')
        }
        SourceLanguage::Rust => {
            matches!(
                first,
                "use" | "mod" | "fn" | "pub" | "struct" | "enum" | "impl" | "trait" | "type" | "extern" | "where" | "#"
            ) || line.starts_with('#')
        }
        SourceLanguage::Script => matches!(first, "import" | "function" | "class" | "interface" | "type" | "declare"),
        SourceLanguage::Go => matches!(first, "import" | "package" | "func" | "type"),
        SourceLanguage::CLike => {
            line.starts_with('#') || matches!(first, "import" | "package" | "using" | "namespace" | "class")
        }
    }
}

/// A line that can be taken out and leaves something that can be read.
fn is_statement(language: SourceLanguage, line: &str) -> bool {
    match language {
        SourceLanguage::Python => {
            !line.ends_with([':', ',', '(', '[', '{', '\\']) && !line.starts_with([')', ']', '}'])
        }
        SourceLanguage::Go => line.ends_with(')') && !line.starts_with(['}', ')']),
        _ => line.ends_with(';') && !line.starts_with('}') && !line.starts_with("let ") && !line.starts_with("const "),
    }
}

fn operators(language: SourceLanguage, line: &str, bare: &str, found: &mut Vec<String>) {
    let bytes = bare.as_bytes();
    let mut at = 0;
    while at < bytes.len() {
        let Some((from, to)) =
            OPERATORS.iter().find(|(from, _)| bare.get(at..).is_some_and(|rest| rest.starts_with(from)))
        else {
            at += 1;
            continue;
        };
        let end = at + from.len();
        if is_operator(language, bytes, at, end, from) {
            let to = if *from == "//" && language != SourceLanguage::Python { from } else { to };
            found.push(format!("{}{to}{}", &line[..at], &line[end..]));
        }
        at = end;
    }
}

/// Whether it is an operator of two sides, and not an arrow, a reference, a type or a sign.
fn is_operator(language: SourceLanguage, bytes: &[u8], at: usize, end: usize, operator: &str) -> bool {
    let before = at.checked_sub(1).map(|at| bytes[at]);
    let after = bytes.get(end).copied();
    let joins = |byte: Option<u8>| byte.is_some_and(|byte| b"<>=!&|+-*/%^:".contains(&byte));
    if joins(before) || joins(after) {
        return false;
    }
    // Between blanks, or without any on both sides: `a < b`, `a+b`. `Vec<u8>` and `&x` are neither.
    let blank = |byte: Option<u8>| byte == Some(b' ');
    if blank(before) && blank(after) {
        return true;
    }
    let is_generic = matches!(operator, "<" | ">" | "<<" | ">>" | "<=" | ">=");
    let value = |byte: Option<u8>| byte.is_some_and(|byte| byte.is_ascii_alphanumeric() || b"_)]".contains(&byte));
    let opens = |byte: Option<u8>| byte.is_some_and(|byte| byte.is_ascii_alphanumeric() || b"_(".contains(&byte));
    (!is_generic || language == SourceLanguage::Python) && value(before) && opens(after)
}

fn words(language: SourceLanguage, line: &str, bare: &str, found: &mut Vec<String>) {
    for (from, to) in WORDS {
        let is_pythons = matches!(from, "True" | "False" | "and" | "or" | "not" | "is" | "in");
        if is_pythons != (language == SourceLanguage::Python) && from != "break" {
            continue;
        }
        // `for x in y` is no condition.
        if from == "in" && bare.split_whitespace().any(|word| word == "for") {
            continue;
        }
        for (at, _) in bare.match_indices(from) {
            let is_edge = |byte: Option<&u8>| {
                byte.is_none_or(|byte| !byte.is_ascii_alphanumeric() && *byte != b'_' && *byte != b'.')
            };
            let bytes = bare.as_bytes();
            let after = at + from.len();
            let follows_not = from == "in" && bare[..at].trim_end().ends_with("not");
            let before_not = from == "is" && bare[after..].trim_start().starts_with("not");
            if is_edge(at.checked_sub(1).and_then(|at| bytes.get(at)))
                && is_edge(bytes.get(after))
                && !follows_not
                && !before_not
            {
                let rest = if to.is_empty() { line[after..].trim_start() } else { &line[after..] };
                found.push(format!("{}{to}{rest}", &line[..at]));
            }
        }
    }
}

fn numbers(line: &str, bare: &str, found: &mut Vec<String>) {
    let bytes = bare.as_bytes();
    let mut at = 0;
    while at < bytes.len() {
        if !bytes[at].is_ascii_digit() {
            at += 1;
            continue;
        }
        let length =
            bytes[at..].iter().take_while(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'.')).count();
        let is_own =
            at.checked_sub(1).is_none_or(|at| !bytes[at].is_ascii_alphanumeric() && !matches!(bytes[at], b'_' | b'.'));
        if let Some(number) = bare[at..at + length].parse::<u64>().ok().filter(|_| is_own) {
            found.push(format!("{}{}{}", &line[..at], number.wrapping_add(1), &line[at + length..]));
        }
        at += length;
    }
}

/// `return x` becomes one that returns nothing of it.
fn returns(language: SourceLanguage, line: &str, bare: &str, found: &mut Vec<String>) {
    let Some(value) = bare.trim_start().strip_prefix("return ").map(str::trim) else { return };
    let indent = &line[..line.len() - line.trim_start().len()];
    match language {
        SourceLanguage::Python if value != "None" => found.push(format!("{indent}return None")),
        SourceLanguage::Script if value.ends_with(';') && value != "null;" => {
            found.push(format!("{indent}return null;"));
        }
        _ => {}
    }
}

/// Lines of the head that are not in the base, counted from 0. Both ends that are the same are left out, and the
/// middle is aligned where it is small enough.
pub(crate) fn changed_lines(base: &str, head: &str) -> Vec<usize> {
    const MOST_CELLS: usize = 4_000_000;
    let (old, new): (Vec<&str>, Vec<&str>) = (base.split('\n').collect(), head.split('\n').collect());
    let front = old.iter().zip(&new).take_while(|(old, new)| old == new).count();
    let room = old.len().min(new.len()) - front;
    let back = old.iter().rev().zip(new.iter().rev()).take(room).take_while(|(old, new)| old == new).count();
    let (old, middle) = (&old[front..old.len() - back], &new[front..new.len() - back]);
    if old.is_empty() || old.len().saturating_mul(middle.len()) > MOST_CELLS {
        return (front..front + middle.len()).collect();
    }
    // The longest common subsequence, from the end.
    let width = middle.len() + 1;
    let mut best = vec![0u32; (old.len() + 1) * width];
    for i in (0..old.len()).rev() {
        for j in (0..middle.len()).rev() {
            best[i * width + j] = if old[i] == middle[j] {
                best[(i + 1) * width + j + 1] + 1
            } else {
                best[(i + 1) * width + j].max(best[i * width + j + 1])
            };
        }
    }
    let (mut i, mut j) = (0, 0);
    let mut changed = Vec::new();
    while j < middle.len() {
        if i < old.len() && old[i] == middle[j] {
            (i, j) = (i + 1, j + 1);
        } else if i < old.len() && best[(i + 1) * width + j] >= best[i * width + j + 1] {
            i += 1;
        } else {
            changed.push(front + j);
            j += 1;
        }
    }
    changed
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(path: &str, base: &str, head: &str) -> Vec<String> {
        let mut all: Vec<String> = mutants(path, Some(base), head, Digest::of("seed"), 100)
            .iter()
            .map(|mutant| format!("{}: {}", mutant.line, mutant.after.trim()))
            .collect();
        all.sort();
        all
    }

    #[test]
    fn changed_lines_are_broken_by_language_and_nothing_else() {
        let text = |lines: &[&str]| lines.join("\n");
        for (path, line, expected) in [
            ("a.py", "    return a + b  # a + b", vec!["return None", "return a - b  # a + b"]),
            (
                "a.py",
                "    if a <= 3 and not b:",
                vec!["if a < 3 and not b:", "if a <= 3 and b:", "if a <= 3 or not b:", "if a <= 4 and not b:"],
            ),
            ("a.py", "    x = 'a + b'", vec!["pass"]),
            ("a.py", "    for x in y:", vec![]),
            ("a.py", "# a + b", vec![]),
            ("a.py", "import os", vec![]),
            ("a.py", "def f(a=1):", vec![]),
            ("a.py", "    log(a)", vec!["pass"]),
            ("a.rs", "    if a < b && c {", vec!["if a < b || c {", "if a <= b && c {"]),
            ("a.rs", "    let x: Vec<u8> = f(&y) -> z;", vec![]),
            ("a.rs", "    items.push(x);", vec![""]),
            ("a.rs", "    a.checked_add(10)", vec!["a.checked_add(11)"]),
            ("a.ts", "  return a === b;", vec!["return a !== b;", "return null;"]),
            ("a.js", "  const f = (a) => a * 2;", vec!["const f = (a) => a * 3;", "const f = (a) => a / 2;"]),
            ("a.go", "\tif a != nil {", vec!["if a == nil {"]),
            ("a.c", "  x += 1; /* x += 1 */", vec!["x += 2; /* x += 1 */", "x -= 1; /* x += 1 */"]),
            ("a.txt", "a + b", vec![]),
        ] {
            let (base, head) = (text(&["one", "two"]), text(&["one", line, "two"]));
            let expected: Vec<String> = expected.iter().map(|after| format!("2: {after}")).collect();
            assert_eq!(of(path, &base, &head), expected, "{path}: {line}");
        }
    }

    #[test]
    fn tests_in_a_file_are_left_alone_and_every_line_comes_once_before_one_comes_twice() {
        let head = "fn f() -> u8 {\n    1 + 2\n}\nfn g() -> u8 {\n    3 * 4\n}\n#[cfg(test)]\nmod tests {\n    fn x() { 1 + 1; }\n}\n";
        let all = mutants("a.rs", None, head, Digest::of("seed"), 100);
        assert!(all.iter().all(|mutant| mutant.line < 7), "{all:?}");
        assert_ne!(all[0].line, all[1].line);
        assert_eq!(all, mutants("a.rs", None, head, Digest::of("seed"), 100), "the same seed gives the same order");
        let bounded = mutants("a.rs", None, head, Digest::of("seed"), 2);
        assert_eq!(bounded, all[..2]);
        let broken = all[0].apply(head).unwrap();
        assert_eq!(broken.lines().zip(head.lines()).filter(|(one, other)| one != other).count(), 1);
        assert_eq!(all[0].apply("something else"), None);
    }

    #[test]
    fn only_lines_that_differ_count() {
        assert_eq!(changed_lines("a\nb\nc\n", "a\nx\nb\ny\nc\n"), [1, 3]);
        assert_eq!(changed_lines("a\nb", "a\nb"), [0usize; 0]);
        assert_eq!(changed_lines("", "a\nb"), [0, 1]);
        assert_eq!(changed_lines("a\nb\nc", "a\nc"), [0usize; 0]);
    }
}
