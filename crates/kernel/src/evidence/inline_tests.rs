//! Tests of Rust that stand in the file they test: they cannot be put back as files, but their modules can.

use std::collections::BTreeMap;

use super::source::{SourceLanguage, closing, code_of};

/// What became of a test that stood in a source file at the base.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct InlineChange {
    pub name: String,
    pub is_removed: bool,
}

/// The tests of a file that were removed or changed, by name and by body with its attributes.
pub fn inline_changes(base: &str, head: &str) -> Vec<InlineChange> {
    let head = functions(head);
    let changed = functions(base).into_iter().filter_map(|(name, body)| match head.get(&name) {
        None => Some(InlineChange { name, is_removed: true }),
        Some(now) if *now != body => Some(InlineChange { name, is_removed: false }),
        Some(_) => None,
    });
    changed.collect()
}

/// The code of one version with the test modules of another; nothing if a module cannot be taken out cleanly.
pub fn with_tests_of(code: &str, tests: &str) -> Option<String> {
    let bare = without(code)?;
    let modules = modules(tests)?;
    let taken: Vec<&str> = modules.iter().map(|(from, to)| &tests[*from..*to]).collect();
    Some(format!("{}\n{}\n", bare.trim_end(), taken.join("\n")))
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
    for (from, to) in modules(text)? {
        out.push_str(&text[at..from]);
        at = to;
    }
    Some(out + &text[at..])
}

/// The outermost `#[cfg(test)] mod … { … }` of a file; nothing if one of them cannot be followed.
fn modules(text: &str) -> Option<Vec<(usize, usize)>> {
    let code = code_of(SourceLanguage::Rust, text);
    let mut found: Vec<(usize, usize)> = Vec::new();
    let mut at = 0;
    while let Some(from) = find(&code, at, b"#[cfg(test)]") {
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
    let mut at = attribute;
    // Past this attribute and others that follow it.
    loop {
        at += code[at..].iter().position(|byte| *byte == b'[')?;
        at = bracket(code, at)? + 1;
        at += code[at..].iter().take_while(|byte| byte.is_ascii_whitespace()).count();
        if code.get(at) != Some(&b'#') {
            break;
        }
    }
    let end = at + code[at..].iter().position(|byte| matches!(byte, b'{' | b';'))?;
    let head = code[at..end].split(|byte| !byte.is_ascii_alphanumeric() && *byte != b'_');
    (head.into_iter().any(|word| word == keyword) && code[end] == b'{').then_some(end)
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

/// Every test function: its name, and its body with the attributes before it, without blanks.
fn functions(text: &str) -> BTreeMap<String, String> {
    let code = code_of(SourceLanguage::Rust, text);
    let mut found: BTreeMap<String, String> = BTreeMap::new();
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
        found.entry(String::from_utf8_lossy(name).into_owned()).or_default().push_str(&body);
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
            ("no test any more", BASE.replace("#[test]\n    fn adds", "fn adds"), "-adds"),
        ] {
            assert_eq!(shown(&head), expected, "{what}");
        }
    }

    #[test]
    fn modules_are_put_back_without_touching_the_code() {
        let head = BASE.replace("a + b }", "a - b }").replace("assert_eq!(add(1, 2), 3);", "");
        let put_back = with_tests_of(&head, BASE).unwrap();
        assert!(put_back.contains("a - b }") && put_back.contains("assert_eq!(add(1, 2), 3);"), "{put_back}");
        assert!(shown(&put_back).is_empty());
        assert_eq!(with_tests_of("mod a { #[cfg(test)] mod tests {} }", BASE), None, "it is inside of another block");
        assert_eq!(with_tests_of("fn f() {}", "mod x;").unwrap(), "fn f() {}\n\n");
        assert!(has_inline_tests(BASE) && !has_inline_tests("fn test() {}"));
    }
}
