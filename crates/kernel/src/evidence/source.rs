//! Source text by language: what of it is code, and what is only a comment or a string.

/// Languages that are told apart by how they write comments and strings.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum SourceLanguage {
    Python,
    Rust,
    /// JavaScript and TypeScript.
    Script,
    Go,
    /// C and whatever took over its form.
    CLike,
}

impl SourceLanguage {
    /// By the path's extension.
    pub(super) fn of(path: &str) -> Option<Self> {
        let extension = path.rsplit('/').next()?.rsplit_once('.')?.1;
        Some(match extension {
            "py" | "pyi" => Self::Python,
            "rs" => Self::Rust,
            "js" | "mjs" | "cjs" | "jsx" | "ts" | "mts" | "cts" | "tsx" => Self::Script,
            "go" => Self::Go,
            "c" | "h" | "cc" | "cpp" | "hpp" | "java" | "kt" | "cs" | "swift" | "scala" | "php" | "dart" => Self::CLike,
            _ => return None,
        })
    }
}

/// The text with every byte of a comment or a string made a blank, line breaks kept: same length, same lines.
pub(super) fn code_of(language: SourceLanguage, text: &str) -> Vec<u8> {
    blanked(language, text, |_| true)
}

/// The text with every comment made blank, and every string over several lines, which may be one; other strings stay.
pub(super) fn without_comments(language: SourceLanguage, text: &str) -> String {
    let is_comment = |part: &[u8]| !matches!(part.first(), Some(b'"' | b'\'' | b'`')) || part.contains(&b'\n');
    String::from_utf8_lossy(&blanked(language, text, is_comment)).into_owned()
}

fn blanked(language: SourceLanguage, text: &str, is_meant: impl Fn(&[u8]) -> bool) -> Vec<u8> {
    let bytes = text.as_bytes();
    let mut code = bytes.to_vec();
    let mut at = 0;
    while at < bytes.len() {
        let end = skipped(language, bytes, at);
        if end > at {
            let part = if is_meant(&bytes[at..end]) { at..end } else { at..at };
            for byte in &mut code[part] {
                if *byte != b'\n' {
                    *byte = b' ';
                }
            }
            at = end;
        } else {
            // A word is taken as a whole: `br"…"` begins a string, the `r"` of `error"` does not.
            at += 1;
            if bytes[at - 1].is_ascii_alphanumeric() || bytes[at - 1] == b'_' {
                while at < bytes.len() && (bytes[at].is_ascii_alphanumeric() || bytes[at] == b'_') {
                    at += 1;
                }
            }
        }
    }
    code
}

/// Where the comment or string ends that begins at `at`; `at` itself if none does.
fn skipped(language: SourceLanguage, bytes: &[u8], at: usize) -> usize {
    let rest = &bytes[at..];
    let line = || find(bytes, at, b"\n").unwrap_or(bytes.len());
    let until = |open: usize, close: &[u8]| find(bytes, at + open, close).map_or(bytes.len(), |end| end + close.len());
    match language {
        SourceLanguage::Python => match rest {
            [b'#', ..] => line(),
            _ if rest.starts_with(b"\"\"\"") => until(3, b"\"\"\""),
            _ if rest.starts_with(b"'''") => until(3, b"'''"),
            [quote @ (b'"' | b'\''), ..] => string(bytes, at, *quote, false),
            _ => at,
        },
        SourceLanguage::Rust => match rest {
            _ if rest.starts_with(b"//") => line(),
            _ if rest.starts_with(b"/*") => nested_comment(bytes, at),
            [b'"', ..] => string(bytes, at, b'"', true),
            [b'r' | b'b' | b'c', ..] => raw_string(bytes, at),
            [b'\'', ..] => character(bytes, at),
            _ => at,
        },
        SourceLanguage::Script | SourceLanguage::Go | SourceLanguage::CLike => match rest {
            _ if rest.starts_with(b"//") => line(),
            _ if rest.starts_with(b"/*") => until(2, b"*/"),
            [b'`', ..] if language != SourceLanguage::CLike => string(bytes, at, b'`', true),
            [quote @ (b'"' | b'\''), ..] => string(bytes, at, *quote, false),
            _ => at,
        },
    }
}

/// The end of a string with escapes. One that may not span lines ends with its line at the latest.
fn string(bytes: &[u8], at: usize, quote: u8, spans_lines: bool) -> usize {
    let mut next = at + 1;
    while next < bytes.len() {
        match bytes[next] {
            b'\\' => next += 1,
            b'\n' if !spans_lines => return next,
            byte if byte == quote => return next + 1,
            _ => {}
        }
        next += 1;
    }
    bytes.len()
}

/// `r"…"`, `br#"…"#`, `b"…"`, `c"…"`
fn raw_string(bytes: &[u8], at: usize) -> usize {
    let prefix = bytes[at..].iter().take_while(|byte| matches!(byte, b'r' | b'b' | b'c')).count();
    let hashes = bytes[at + prefix..].iter().take_while(|byte| **byte == b'#').count();
    let open = at + prefix + hashes;
    if prefix > 2 || bytes.get(open) != Some(&b'"') {
        return at;
    }
    if !bytes[at..at + prefix].contains(&b'r') {
        return if hashes == 0 { string(bytes, open, b'"', true) } else { at };
    }
    let close = [b"\"".as_slice(), &vec![b'#'; hashes]].concat();
    find(bytes, open + 1, &close).map_or(bytes.len(), |end| end + close.len())
}

/// `'x'` and `'\n'` are characters, `'a` is a lifetime.
fn character(bytes: &[u8], at: usize) -> usize {
    if bytes.get(at + 1) == Some(&b'\\') {
        return string(bytes, at, b'\'', false);
    }
    let width = bytes[at + 1..].iter().skip(1).take_while(|byte| **byte & 0xc0 == 0x80).count() + 1;
    if bytes.get(at + 1 + width) == Some(&b'\'') { at + width + 2 } else { at }
}

fn nested_comment(bytes: &[u8], at: usize) -> usize {
    let mut depth = 0u32;
    let mut next = at;
    while next < bytes.len() {
        if bytes[next..].starts_with(b"/*") {
            depth += 1;
            next += 2;
        } else if bytes[next..].starts_with(b"*/") {
            depth -= 1;
            next += 2;
            if depth == 0 {
                return next;
            }
        } else {
            next += 1;
        }
    }
    bytes.len()
}

fn find(bytes: &[u8], from: usize, needle: &[u8]) -> Option<usize> {
    bytes.get(from..)?.windows(needle.len()).position(|window| window == needle).map(|at| from + at)
}

/// The closing brace that belongs to the one at `open`.
pub(super) fn closing(code: &[u8], open: usize) -> Option<usize> {
    let mut depth = 0u32;
    for (at, byte) in code.iter().enumerate().skip(open) {
        match byte {
            b'{' => depth += 1,
            b'}' => {
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

#[cfg(test)]
mod tests {
    use super::*;

    /// The text with a dot for everything that is no code.
    fn shown(language: SourceLanguage, text: &str) -> String {
        let code = code_of(language, text);
        let dot = |(own, code): (u8, &u8)| char::from(if own == *code { own } else { b'.' });
        text.bytes().zip(&code).map(dot).collect()
    }

    #[test]
    fn comments_and_strings_are_no_code() {
        for (language, text, expected) in [
            (SourceLanguage::Python, "a = 'x#y' #z\nb", "a = ..... ..\nb"),
            (SourceLanguage::Python, "\"\"\"doc\n+\"\"\"\nx + 1", "......\n....\nx + 1"),
            (SourceLanguage::Rust, "x('+', \"a\\\"+\") /*/*+*/+*/ 'a", "x(..., ......) .......... 'a"),
            (SourceLanguage::Rust, "r#\"a\"+\"# + br\"x\" error + b'x'", "........ + ..... error + b..."),
            (SourceLanguage::Script, "`a${b}` + 'c' //+", "....... + ... ..."),
            (SourceLanguage::Go, "`a\n+` + \"b\"", "..\n.. + ..."),
            (SourceLanguage::CLike, "a + 'b' /*+*/", "a + ... ....."),
        ] {
            assert_eq!(shown(language, text), expected, "{text}");
        }
    }
}
