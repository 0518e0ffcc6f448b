//! Tests of Rust that stand in the file they test: they cannot be put back as files, but their modules can.

use std::collections::{BTreeMap, BTreeSet};

use super::source::{SourceLanguage, closing, code_of};

/// What became of a test that stood in a source file at the base.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct InlineChange {
    pub name: String,
    pub is_removed: bool,
}

/// What stands for whatever helps tests and is none.
const HELPERS: &str = "(helpers)";

/// The tests of a file that were removed or changed, by name and by body with its attributes, and whether what helps them was.
pub fn inline_changes(base: &str, head: &str) -> Vec<InlineChange> {
    let now = functions(head);
    let changed = functions(base).into_iter().filter_map(|(name, (body, _))| match now.get(&name) {
        None => Some(InlineChange { name, is_removed: true }),
        Some((now, _)) if *now != body => Some(InlineChange { name, is_removed: false }),
        Some(_) => None,
    });
    let mut changed: Vec<InlineChange> = changed.collect();
    let (given, own) = (helpers(base), helpers(head));
    if changed.is_empty() && !given.is_subset(&own) {
        changed.push(InlineChange { name: HELPERS.to_owned(), is_removed: false });
    }
    changed
}

/// The code of one version with what is built for tests alone of another; nothing if that cannot be taken out cleanly.
pub fn with_tests_of(code: &str, tests: &str) -> Option<String> {
    let bare = without(code)?;
    let modules = gated(tests)?;
    let taken: Vec<&str> = modules.iter().map(|(from, to)| &tests[*from..*to]).collect();
    Some(format!("{}\n{}\n", bare.trim_end(), taken.join("\n")))
}

/// The head with the base's tests in it; nothing if they cannot be put back.
pub(super) fn put_back(head: &str, base: &str) -> Option<String> {
    let is_whole = |text: &String| inline_changes(base, text).is_empty();
    with_tests_of(head, base).filter(is_whole).or_else(|| in_place(head, base).filter(is_whole))
}

/// Each test that was changed, where it stands.
fn in_place(head: &str, base: &str) -> Option<String> {
    let given = functions(base);
    let mut spans: Vec<((usize, usize), &str)> = Vec::new();
    for (name, (now, places)) in functions(head) {
        let Some((body, own)) = given.get(&name).filter(|(body, _)| *body != now) else { continue };
        let ([place], [(from, to)]) = (places.as_slice(), own.as_slice()) else { return None };
        debug_assert!(!body.is_empty());
        spans.push((*place, &base[*from..*to]));
    }
    spans.sort_by_key(|(span, _)| *span);
    let (mut out, mut at) = (String::new(), 0);
    for ((from, to), text) in spans {
        out.push_str(head.get(at..from)?);
        out.push_str(text);
        at = to;
    }
    Some(out + &head[at..])
}

/// Whether something is new in a file that is built for tests alone and no module of tests: it could make the difference.
pub(super) fn has_new_gates(head: &str, base: &str) -> bool {
    const STRANGE: [&str; 6] =
        ["macro_rules", "macro_use", "link_section", "no_mangle", "export_name", "global_allocator"];
    let given = squeezed(base);
    let is_module = |text: &str| {
        let text = squeezed(text);
        let text = text.trim_start_matches("#[cfg(test)]").trim_start_matches("pub").trim_start_matches("(crate)");
        text.starts_with("mod")
    };
    let is_strange = |text: &str| !is_module(text) || STRANGE.iter().any(|word| text.contains(word));
    let is_new = |(from, to): &(usize, usize)| !given.contains(&squeezed(&head[*from..*to]));
    let parts = gated(head).unwrap_or_default();
    let has_strange = parts.iter().filter(|span| is_new(span)).any(|(from, to)| is_strange(&head[*from..*to]));
    has_strange || has_new_inner(head, base) || GATES.iter().any(|(gate, _)| is_new_gate(gate, head, &given))
}

/// The head with what the base builds for tests alone, and nothing else of that kind.
pub(super) fn without_new_gates(head: &str, base: &str) -> Option<String> {
    let given = squeezed(base);
    let mut text = without(head)?;
    for (gate, never) in GATES.iter().filter(|(gate, _)| is_new_gate(gate, head, &given)) {
        text = text.replace(gate, never);
    }
    if has_new_inner(head, base) {
        text = text.replace("#[cfg(test)]", "#[cfg(any())]");
    }
    with_tests_of(&text, base)
}

/// Conditions, and what says the same where there are no tests.
const GATES: [(&str, &str); 2] = [("cfg!(test)", "cfg!(any())"), ("cfg(not(test))", "cfg(all())")];

fn is_new_gate(gate: &str, head: &str, given: &str) -> bool {
    let code = code_of(SourceLanguage::Rust, head);
    find(&code, 0, gate.as_bytes()).is_some() && !given.contains(gate)
}

fn has_new_inner(head: &str, base: &str) -> bool {
    nested_gates(head) > 0 && nested_gates(base) == 0
}

fn squeezed(text: &str) -> String {
    text.split_whitespace().collect()
}

/// How often something inside of a block is built for tests alone.
fn nested_gates(text: &str) -> usize {
    let code = code_of(SourceLanguage::Rust, text);
    let outer = gated(text).unwrap_or_default();
    let mut found = 0;
    let mut at = 0;
    while let Some(from) = find(&code, at, GATE) {
        at = from + 1;
        found += usize::from(!outer.iter().any(|(begin, end)| (*begin..*end).contains(&from)));
    }
    found
}

/// Whether a file has tests of its own.
pub fn has_inline_tests(text: &str) -> bool {
    !functions(text).is_empty()
}

/// The bytes that belong to test modules: nobody sabotages tests.
pub(super) fn test_spans(text: &str) -> Vec<(usize, usize)> {
    modules(text).unwrap_or_default()
}

fn without(text: &str) -> Option<String> {
    let mut out = String::new();
    let mut at = 0;
    for (from, to) in gated(text)? {
        out.push_str(&text[at..from]);
        at = to;
    }
    Some(out + &text[at..])
}

const GATE: &[u8] = b"#[cfg(test)]";

/// Whatever is built for tests alone at the top of a file; nothing if a module that is cannot be followed.
fn gated(text: &str) -> Option<Vec<(usize, usize)>> {
    modules(text)?; // one inside of another block would be torn out of what it belongs to
    let code = code_of(SourceLanguage::Rust, text);
    let mut found: Vec<(usize, usize)> = Vec::new();
    let mut at = 0;
    while let Some(from) = find(&code, at, GATE) {
        at = from + 1;
        if depth(&code, from) != 0 {
            continue;
        }
        let end = item_end(&code, from)?;
        found.push((from, end));
        at = end;
    }
    Some(found)
}

/// Where the item ends that an attribute stands before.
fn item_end(code: &[u8], attribute: usize) -> Option<usize> {
    let mut at = past_attributes(code, attribute)?;
    let mut round = 0i32;
    loop {
        match *code.get(at)? {
            b'(' | b'[' => round += 1,
            b')' | b']' => round -= 1,
            b';' if round == 0 => return Some(at + 1),
            b'{' if round == 0 => {
                let close = closing(code, at)?;
                let blanks = code[close + 1..].iter().take_while(|byte| byte.is_ascii_whitespace()).count();
                // `use a::{b, c};`
                let is_followed = code.get(close + 1 + blanks) == Some(&b';');
                return Some(if is_followed { close + blanks + 2 } else { close + 1 });
            }
            _ => {}
        }
        at += 1;
    }
}

/// The lines that help tests and are in none: of what is built for tests alone, without the test functions.
fn helpers(text: &str) -> BTreeSet<String> {
    let tests: Vec<(usize, usize)> = functions(text).into_values().flat_map(|(_, places)| places).collect();
    let mut found = BTreeSet::new();
    for (from, to) in gated(text).unwrap_or_default() {
        let mut at = from;
        let inner = tests.iter().filter(|(begin, end)| from <= *begin && *end <= to);
        let mut parts = Vec::new();
        for (begin, end) in inner {
            parts.push(text.get(at..*begin).unwrap_or_default());
            at = *end;
        }
        parts.push(text.get(at..to).unwrap_or_default());
        let lines = parts.iter().flat_map(|part| part.lines());
        let lines = lines.map(|line| line.split_whitespace().collect::<String>());
        // What it takes in is not what it says.
        found.extend(lines.filter(|line| !line.is_empty() && !line.starts_with("//") && !line.starts_with("use")));
    }
    found
}

/// The outermost `#[cfg(test)] mod … { … }` of a file; nothing if one of them cannot be followed.
fn modules(text: &str) -> Option<Vec<(usize, usize)>> {
    let code = code_of(SourceLanguage::Rust, text);
    let mut found: Vec<(usize, usize)> = Vec::new();
    let mut at = 0;
    while let Some(from) = find(&code, at, GATE) {
        at = from + 1;
        let Some(open) = body_of(&code, from, b"mod") else { continue };
        // One that is inside of another block would be torn out of what it belongs to.
        if depth(&code, from) != 0 {
            return None;
        }
        let close = closing(&code, open)?;
        found.push((from, close + 1));
        at = close + 1;
    }
    Some(found)
}

/// Where the block begins that follows an attribute, if it is one of this kind.
fn body_of(code: &[u8], attribute: usize, keyword: &[u8]) -> Option<usize> {
    let at = past_attributes(code, attribute)?;
    let end = at + code[at..].iter().position(|byte| matches!(byte, b'{' | b';'))?;
    let head = code[at..end].split(|byte| !byte.is_ascii_alphanumeric() && *byte != b'_');
    (head.into_iter().any(|word| word == keyword) && code[end] == b'{').then_some(end)
}

/// Past an attribute and others that follow it.
fn past_attributes(code: &[u8], attribute: usize) -> Option<usize> {
    let mut at = attribute;
    loop {
        at += code[at..].iter().position(|byte| *byte == b'[')?;
        at = bracket(code, at)? + 1;
        at += code[at..].iter().take_while(|byte| byte.is_ascii_whitespace()).count();
        if code.get(at) != Some(&b'#') {
            return Some(at);
        }
    }
}

fn bracket(code: &[u8], open: usize) -> Option<usize> {
    let mut depth = 0u32;
    for (at, byte) in code.iter().enumerate().skip(open) {
        match byte {
            b'[' => depth += 1,
            b']' => {
                depth = depth.checked_sub(1)?;
                if depth == 0 {
                    return Some(at);
                }
            }
            _ => {}
        }
    }
    None
}

/// Every test function: its name, its body with the attributes before it, without blanks, and where those of the name are.
fn functions(text: &str) -> BTreeMap<String, (String, Vec<(usize, usize)>)> {
    let code = code_of(SourceLanguage::Rust, text);
    let mut found: BTreeMap<String, (String, Vec<(usize, usize)>)> = BTreeMap::new();
    let mut at = 0;
    while let Some(from) = find(&code, at, b"#[") {
        at = from + 2;
        let Some(end) = bracket(&code, from + 1) else { break };
        let Some(open) = body_of(&code, from, b"fn").filter(|open| is_near(&code, end, *open)) else { continue };
        let Some(close) = closing(&code, open) else { break };
        let head = &code[from..open];
        at = close + 1;
        if !is_test(head) {
            at = open + 1;
            continue;
        }
        let words = head.split(|byte| !byte.is_ascii_alphanumeric() && *byte != b'_').collect::<Vec<_>>();
        let name = words
            .iter()
            .rposition(|word| *word == b"fn")
            .and_then(|place| words[place + 1..].iter().find(|word| !word.is_empty()));
        let Some(name) = name else { continue };
        let body: String = text[from..=close].split_whitespace().collect();
        let (bodies, places) = found.entry(String::from_utf8_lossy(name).into_owned()).or_default();
        bodies.push_str(&body);
        places.push((from, close + 1));
    }
    found
}

/// Whether nothing but more attributes and a signature stands between.
fn is_near(code: &[u8], end: usize, open: usize) -> bool {
    end < open && !code[end..open].contains(&b'}')
}

/// `#[test]`, `#[tokio::test]`, `#[rstest]`, `#[test_case(…)]`
fn is_test(head: &[u8]) -> bool {
    let head = String::from_utf8_lossy(head);
    let mut attributes = head.split("#[").skip(1).filter_map(|attribute| attribute.split([']', '(', ' ']).next());
    attributes.any(|path| {
        let last = path.rsplit("::").next().unwrap_or(path);
        matches!(last, "test" | "rstest" | "test_case" | "quickcheck" | "case" | "wasm_bindgen_test")
    })
}

fn depth(code: &[u8], end: usize) -> i32 {
    code[..end].iter().map(|byte| i32::from(*byte == b'{') - i32::from(*byte == b'}')).sum()
}

fn find(code: &[u8], from: usize, needle: &[u8]) -> Option<usize> {
    code.get(from..)?.windows(needle.len()).position(|window| window == needle).map(|at| from + at)
}

#[cfg(test)]
mod tests {
    use super::*;

    const BASE: &str = "pub fn add(a: u8, b: u8) -> u8 { a + b }\n\n#[cfg(test)]\nmod tests {\n    use super::*;\n\n    \
                        #[test]\n    fn adds() { assert_eq!(add(1, 2), 3); }\n\n    #[test]\n    #[should_panic]\n    fn overflows() { add(255, 1); }\n}\n";

    fn shown(head: &str) -> String {
        let show = |change: &InlineChange| format!("{}{}", if change.is_removed { "-" } else { "~" }, change.name);
        inline_changes(BASE, head).iter().map(show).collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn tests_that_went_or_changed_are_named() {
        for (what, head, expected) in [
            ("the same", BASE.to_owned(), ""),
            ("only the code changed", BASE.replace("a + b }", "a.wrapping_add(b) }"), ""),
            ("only blanks changed", BASE.replace("{ assert_eq", "{\n        assert_eq"), ""),
            (
                "a test was added",
                BASE.replace("#[test]\n    fn adds", "#[test]\n    fn new() {}\n\n    #[test]\n    fn adds"),
                "",
            ),
            ("weakened", BASE.replace("assert_eq!(add(1, 2), 3);", ""), "~adds"),
            (
                "ignored",
                BASE.replace("#[test]\n    fn adds", concat!("#[test]\n    #[", "ignore]\n    fn adds")),
                "~adds",
            ),
            ("renamed", BASE.replace("fn adds", "fn sums"), "-adds"),
            ("removed", BASE.split("#[cfg(test)]").next().unwrap().to_owned(), "-adds -overflows"),
            ("a helper weakened", BASE.replace("use super::*;", "use super::*;\n    fn help() {}"), ""),
            ("no test any more", BASE.replace("#[test]\n    fn adds", "fn adds"), "-adds"),
        ] {
            assert_eq!(shown(&head), expected, "{what}");
        }
    }

    #[test]
    fn modules_are_put_back_without_touching_the_code() {
        let head = BASE.replace("a + b }", "a - b }").replace("assert_eq!(add(1, 2), 3);", "");
        let whole = with_tests_of(&head, BASE).unwrap();
        assert!(whole.contains("a - b }") && whole.contains("assert_eq!(add(1, 2), 3);"), "{whole}");
        assert!(shown(&whole).is_empty());
        assert_eq!(with_tests_of("mod a { #[cfg(test)] mod tests {} }", BASE), None, "it is inside of another block");
        assert_eq!(with_tests_of("fn f() {}", "mod x;").unwrap(), "fn f() {}\n\n");
        let deep = "mod a {\n    #[cfg(test)]\n    mod tests {\n        #[test]\n        fn adds() { assert_eq!(1, 1); }\n    }\n}\n";
        let weak = deep.replace("assert_eq!(1, 1);", "");
        assert_eq!(put_back(&weak, deep).unwrap(), deep, "where it stands");
        assert_eq!(put_back("mod a {}\n", deep), None, "what is gone from the inside of a block cannot be put back");
        assert!(has_inline_tests(BASE) && !has_inline_tests("fn test() {}"));
    }

    #[test]
    fn what_helps_tests_is_given_like_them() {
        let base = "fn f() -> u8 { 1 }\n#[cfg(test)]\nfn same(a: u8, b: u8) {\n    assert_eq!(a, b);\n}\n#[cfg(test)]\nmod tests {\n    #[test]\n    fn f() { super::same(super::f(), 1); }\n}\n";
        let head = base.replace("    assert_eq!(a, b);\n", "").replace("{ 1 }", "{ 2 }");
        let changes = inline_changes(base, &head);
        assert_eq!(changes.iter().map(|change| change.name.as_str()).collect::<Vec<_>>(), [HELPERS]);
        let put_back = put_back(&head, base).unwrap();
        assert!(put_back.contains("{ 2 }") && put_back.contains("assert_eq!(a, b)"), "{put_back}");
        assert!(inline_changes(base, &base.replace("mod tests {", "mod tests {\n    use std::fmt;")).is_empty());
    }

    #[test]
    fn what_is_new_and_built_for_tests_alone_can_be_taken_out() {
        for (what, head, expected) in [
            ("a module", format!("{BASE}#[cfg(test)]\nmod more {{\n    #[test]\n    fn more() {{}}\n}}\n"), None),
            (
                "a macro in a module",
                format!(
                    "#[cfg(test)]\n#[macro_use]\nmod more {{\n    macro_rules! assert_eq {{ ($($t:tt)*) => {{}} }}\n}}\n{BASE}"
                ),
                Some("macro_rules"),
            ),
            (
                "another function for tests",
                BASE.replacen(
                    "pub fn add",
                    "#[cfg(test)]\npub fn add(a: u8, b: u8) -> u8 { a + b }\n#[cfg(not(test))]\npub fn add",
                    1,
                ),
                Some("cfg(not(test))"),
            ),
            ("a condition", BASE.replace("a + b }", "if cfg!(test) { a + b } else { 0 } }"), Some("cfg!(test)")),
            ("a block", BASE.replace("{ a + b }", "{ #[cfg(test)] { return a + b; } 0 }"), Some("{ #[cfg(test)]")),
        ] {
            assert_eq!(has_new_gates(&head, BASE), expected.is_some(), "{what}");
            let quiet = without_new_gates(&head, BASE).unwrap();
            if let Some(gone) = expected {
                assert!(!quiet.contains(gone) && shown(&quiet).is_empty(), "{what}: {quiet}");
            }
        }
    }
}
