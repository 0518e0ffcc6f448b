//! Names of files in patches.

use std::fmt::Write as _;
use tribunal_anchors::report::visible;

/// The name of a file as the head of a patch has it, quoted as git quotes it if there is anything in it that a terminal would
/// obey or that would end the line. Whoever applies the patch reads it back.
pub(crate) fn patch_name(side: &str, name: &str) -> String {
    let plain = format!("{side}/{name}");
    if visible(name) == name && !name.contains(['\n', '\t', '"', '\\']) {
        return plain;
    }
    let mut quoted = String::from("\"");
    for c in plain.chars() {
        match c {
            '"' | '\\' => quoted.extend(['\\', c]),
            ' '..='~' => quoted.push(c),
            c => {
                for byte in c.encode_utf8(&mut [0; 4]).bytes() {
                    let _ = write!(quoted, "\\{byte:03o}"); // a string takes everything
                }
            }
        }
    }
    quoted + "\""
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_in_a_patch_obeys_nobody() {
        let rows = [
            ("page.html", "a/page.html"),
            ("Käse & more.html", "a/Käse & more.html"),
            ("a\u{1b}[31m.html", r#""a/a\033[31m.html""#),
            ("a\n+++ b/b.html", r#""a/a\012+++ b/b.html""#),
            ("a\"b\\c", r#""a/a\"b\\c""#),
            ("a\u{202e}b", r#""a/a\342\200\256b""#),
        ];
        for (name, head) in rows {
            assert_eq!(patch_name("a", name), head);
        }
    }
}
