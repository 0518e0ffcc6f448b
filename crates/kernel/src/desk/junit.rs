//! Test counts of a `JUnit` report.

use super::counts::{Closing, TestCounts};

/// Reads the attributes of `testsuites`, or adds up the outermost `testsuite`s: nested ones are in their parents'
/// counts already. What a test printed stands in CDATA and is skipped.
pub(super) fn read(output: &str) -> Option<Closing> {
    let mut rest = output;
    let mut depth = 0u32;
    let mut root = Attributes::default();
    let mut suites = Attributes::default();
    let mut end = None;
    while let Some(start) = rest.find('<') {
        let tail = &rest[start..];
        if let Some(length) = skipped(tail) {
            rest = &tail[length..];
            continue;
        }
        let Some(Tag { name, attributes, is_closed, length }) = tag(tail, &SUITES, LONGEST_TAG) else {
            rest = &tail[1..];
            continue;
        };
        rest = &tail[length..];
        match name {
            "testsuites" => {
                (root, suites, depth) = (Attributes::of(attributes), Attributes::default(), 0);
                end = Some(rest.len());
            }
            "testsuite" => {
                if depth == 0 {
                    suites.add(&Attributes::of(attributes));
                    end = Some(rest.len());
                }
                depth += u32::from(!is_closed);
            }
            "/testsuite" => depth = depth.saturating_sub(1),
            _ => {}
        }
    }
    let read = output.len() - end?;
    let total = root.tests.or(suites.tests)?;
    let failed = root.failures.or(suites.failures).unwrap_or(0);
    let failed = failed.saturating_add(root.errors.or(suites.errors).unwrap_or(0));
    let skipped = root.skipped.or(suites.skipped).unwrap_or(0);
    let line = output[..read].matches('\n').count();
    Some(Closing { line, counts: TestCounts::of_total(total, failed, skipped) })
}

/// How long the comment or CDATA is that `text` begins with.
pub(super) fn skipped(text: &str) -> Option<usize> {
    [("<![CDATA[", "]]>"), ("<!--", "-->")]
        .into_iter()
        .find(|(open, _)| text.starts_with(open))
        .map(|(_, close)| text.find(close).map_or(text.len(), |at| at + close.len()))
}

pub(super) struct Tag<'t> {
    pub(super) name: &'t str,
    pub(super) attributes: &'t str,
    pub(super) is_closed: bool,
    pub(super) length: usize,
}

/// The tags that counts are read from.
const SUITES: [&str; 3] = ["testsuites", "testsuite", "/testsuite"];

/// A tag is not longer than this; what is, is not one.
const LONGEST_TAG: usize = 4096;

/// The tag with one of these names that `text` begins with.
pub(super) fn tag<'t>(text: &'t str, names: &[&str], longest: usize) -> Option<Tag<'t>> {
    let inner = text.strip_prefix('<')?;
    let slash = usize::from(inner.starts_with('/'));
    let name_length = slash + inner[slash..].bytes().take_while(u8::is_ascii_alphabetic).count();
    let name = &inner[..name_length];
    if !names.contains(&name) {
        return None;
    }
    let mut quote = None;
    for (at, byte) in inner.bytes().enumerate().skip(name_length).take(longest) {
        match (quote, byte) {
            (None, b'"' | b'\'') => quote = Some(byte),
            (Some(open), _) if open == byte => quote = None,
            // No attribute holds it, so this tag was never closed.
            (_, b'<') => return None,
            (None, b'>') => {
                let attributes = &inner[name_length..at];
                return Some(Tag { name, attributes, is_closed: attributes.ends_with('/'), length: at + 2 });
            }
            _ => {}
        }
    }
    None
}

/// The attributes of a tag, with their values as they are written.
pub(super) fn attributes(text: &str) -> impl Iterator<Item = (&str, &str)> {
    let mut rest = text;
    std::iter::from_fn(move || {
        let (name, tail) = rest.split_once('=')?;
        let tail = tail.trim_start();
        let quote = tail.chars().next().filter(|c| matches!(c, '"' | '\''))?;
        let (value, after) = tail[1..].split_once(quote)?;
        rest = after;
        Some((name.trim(), value))
    })
}

#[derive(Debug, Default)]
struct Attributes {
    tests: Option<u64>,
    failures: Option<u64>,
    errors: Option<u64>,
    skipped: Option<u64>,
}

impl Attributes {
    fn of(text: &str) -> Self {
        let mut found = Self::default();
        for (name, value) in attributes(text) {
            let place = match name {
                "tests" => &mut found.tests,
                "failures" => &mut found.failures,
                "errors" => &mut found.errors,
                "skipped" => &mut found.skipped,
                _ => continue,
            };
            *place = value.trim().parse().ok();
        }
        found
    }

    fn add(&mut self, other: &Self) {
        let add = |sum: &mut Option<u64>, next: Option<u64>| {
            if let Some(next) = next {
                *sum = Some(sum.unwrap_or(0).saturating_add(next));
            }
        };
        add(&mut self.tests, other.tests);
        add(&mut self.failures, other.failures);
        add(&mut self.errors, other.errors);
        add(&mut self.skipped, other.skipped);
    }
}
