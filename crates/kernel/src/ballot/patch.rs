//! A change as its readers quote it: the lines of a patch without the marks in front of them. What looks like a tag in it is
//! code. That something is done is shown by lines that were added, or by lines that were taken away and are quoted as such:
//! never by what was there before, or by what git writes around it.

/// A patch, side by side.
#[derive(Debug, Default)]
pub(super) struct PatchText {
    /// All of it, without the marks.
    pub(super) all: String,
    pub(super) added: String,
    pub(super) removed: String,
}

/// Whether a text is a patch, as git writes it.
pub(crate) fn is_patch(text: &str) -> bool {
    text.starts_with("diff --git ")
}

/// The files that a patch is about, as they are called with it.
pub(crate) fn files(patch: &str) -> impl Iterator<Item = &str> {
    patch.lines().filter_map(|line| line.strip_prefix("diff --git ")?.split_once(" b/").map(|(_, path)| path))
}

impl PatchText {
    /// Nothing, if it is no patch.
    pub(super) fn of(text: &str) -> Option<Self> {
        if !is_patch(text) {
            return None;
        }
        let (mut patch, mut is_hunk) = (Self::default(), false);
        for line in text.split_inclusive('\n') {
            if line.starts_with("diff --git ") {
                is_hunk = false;
            } else if line.starts_with("@@") {
                is_hunk = true;
            }
            let bare = line.strip_prefix(['+', '-', ' ']).unwrap_or(line);
            patch.all.push_str(bare);
            match line.as_bytes().first() {
                Some(b'+') if is_hunk => patch.added.push_str(bare),
                Some(b'-') if is_hunk => patch.removed.push_str(bare),
                _ => {}
            }
        }
        Some(patch)
    }
}

/// What somebody quotes from a patch: with or without the marks, and with or without the file and the line in front; and
/// whether it is quoted as taken away.
pub(super) fn quoted(quote: &str) -> (String, bool) {
    let mut is_removed = false;
    let lines = quote.trim().trim_matches('`').lines().map(|line| {
        let line = line.trim_start();
        let line = after_place(line).unwrap_or(line).trim_start();
        is_removed |= line.starts_with('-');
        line.strip_prefix(['+', '-']).unwrap_or(line)
    });
    (lines.collect::<Vec<_>>().join("\n"), is_removed)
}

/// What stands behind `src/calc.py:12:`.
fn after_place(line: &str) -> Option<&str> {
    let (path, rest) = line.split_once(':')?;
    let is_path = path.contains(['.', '/']) && !path.contains(char::is_whitespace);
    let text = rest.trim_start_matches(|c: char| c.is_ascii_digit());
    let text = text.strip_prefix(':').unwrap_or(text);
    (is_path && text.len() < rest.len() && !text.trim().is_empty()).then_some(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    const PATCH: &str = "diff --git a/calc.py b/calc.py\nindex 1..2 100644\n--- a/calc.py\n+++ b/calc.py\n@@ -1,2 +1,2 @@ def f(a, b):\n \
                         the same line as before\n-    old = a // b\n+    new = a / b\n+    return new or None\n";

    #[test]
    fn a_quote_is_what_the_line_says() {
        for (quote, expected) in [
            ("+    return a / b", "    return a / b"),
            ("calc.py:4: return a / b", "return a / b"),
            ("src/calc.py:4 return a / b", "return a / b"),
            ("`return a / b`", "return a / b"),
            ("-    return a\n+    return b", "    return a\n    return b"),
            ("see https://x.org", "see https://x.org"),
            ("calc.py:4", "calc.py:4"),
            ("if x.y: return 3", "if x.y: return 3"),
        ] {
            assert_eq!(quoted(quote).0, expected, "{quote}");
        }
        let PatchText { all, added, removed } = PatchText::of(PATCH).unwrap();
        assert_eq!(
            (added.as_str(), removed.as_str()),
            ("    new = a / b\n    return new or None\n", "    old = a // b\n")
        );
        assert!(all.contains("the same line") && all.contains("index 1..2"));
        assert_eq!(files(PATCH).collect::<Vec<_>>(), ["calc.py"]);
        assert!(PatchText::of("some text").is_none());
    }

    #[test]
    fn only_what_changed_shows_that_something_is_done() {
        for (quote, expected) in [
            ("new = a / b", true),
            ("calc.py:3: new = a / b", true),
            ("+    new = a / b\n+    return new or None", true),
            ("-    old = a // b", true),
            ("old = a // b", false),
            ("the same line as before", false),
            ("diff --git a/calc.py b/calc.py", false),
            ("@@ -1,2 +1,2 @@ def f(a, b):", false),
            ("index 1..2 100644", false),
            ("+++ b/calc.py", false),
            ("a / b", false),
        ] {
            assert_eq!(crate::ballot::quotes(PATCH, quote).is_ok(), expected, "{quote}");
        }
    }
}
