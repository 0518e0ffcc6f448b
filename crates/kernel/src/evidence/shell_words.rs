//! Words of a script of the shell's that end it, and those that include another one. Quotes, comments and texts that are
//! fed to a command are passed over.

/// Words after which a command begins.
const BEFORE_COMMANDS: [&str; 8] = ["!", "do", "elif", "else", "if", "then", "until", "while"];

/// Where `exit` and `exec` stand as commands, and which of them it is. `exec` with nothing but a redirection ends nothing.
pub(super) fn leaving_words(text: &str) -> Vec<(usize, &'static str)> {
    commands(text)
        .into_iter()
        .filter_map(|at| {
            let rest = &text[at..];
            let word = ["exit", "exec"].into_iter().find(|word| {
                let after = rest.strip_prefix(word).map(|rest| rest.chars().next());
                after.is_some_and(|next| next.is_none_or(|c| c.is_whitespace() || ";&|)}`\"".contains(c)))
            })?;
            let argument = rest[word.len()..].trim_start_matches([' ', '\t']);
            let is_redirection = argument
                .trim_start_matches(|c: char| c.is_ascii_digit() || c == '{' || c == '}' || c.is_alphabetic())
                .starts_with(['<', '>', '&']);
            let is_bare = argument.is_empty() || argument.starts_with(['\n', ';', '#']);
            (word == "exit" || !(is_redirection || is_bare)).then_some((at, word))
        })
        .collect()
}

/// Whether a line includes a file, so that what stands in it runs in the same shell.
pub(super) fn sources(text: &str) -> bool {
    commands(text).into_iter().any(|at| {
        let mut words = text[at..].split_whitespace();
        matches!(words.next(), Some("." | "source" | "eval")) && words.next().is_some()
    })
}

/// Whether a text calls a program, and does not say itself what is meant by its name.
pub(super) fn calls(text: &str, program: &str) -> bool {
    let rest = |at: &usize| text[*at..].strip_prefix(program).map(|rest| rest.chars().next());
    let found: Vec<Option<char>> = commands(text).iter().filter_map(rest).collect();
    !found.contains(&Some('(')) && found.iter().any(|next| next.is_none_or(|c| c.is_whitespace() || ";&|".contains(c)))
}

/// Where commands begin.
fn commands(text: &str) -> Vec<usize> {
    let mut found = Vec::new();
    let mut is_command = true;
    let mut heredocs: Vec<String> = Vec::new();
    let bytes = text.as_bytes();
    let mut at = 0;
    while at < bytes.len() {
        match bytes[at] {
            b'\'' => {
                at += text[at + 1..].find('\'').map_or(text.len() - at, |end| end + 2);
                is_command = false;
            }
            b'"' => {
                at = double_quoted(text, at + 1, &mut found);
                is_command = false;
            }
            b'\\' => at = (at + 2).min(text.len()),
            b'#' if at == 0 || text[..at].ends_with([' ', '\t', '\n', ';', '(']) => {
                at += text[at..].find('\n').unwrap_or(text.len() - at);
            }
            b'\n' => {
                at += 1;
                for end in heredocs.drain(..) {
                    at += body(&text[at..], &end);
                }
                is_command = true;
            }
            b';' | b'&' | b'|' | b'(' | b'{' | b')' | b'`' => {
                at += 1;
                is_command = true;
            }
            b'<' if text[at..].starts_with("<<") && !text[at..].starts_with("<<<") => {
                let rest = text[at + 2..].trim_start_matches('-').trim_start_matches([' ', '\t']);
                let word: String = rest.chars().take_while(|c| !c.is_whitespace() && !";&|)".contains(*c)).collect();
                heredocs.push(word.chars().filter(|c| !"'\"\\".contains(*c)).collect());
                at += 2;
            }
            b' ' | b'\t' => at += 1,
            _ => {
                let length =
                    text[at..].find([' ', '\t', '\n', ';', '&', '|', '(', ')', '`', '\'', '"', '<', '>', '\\']);
                let length = length.unwrap_or(text.len() - at).max(1);
                let word = &text[at..at + length];
                if is_command {
                    found.push(at);
                }
                // Variables may be set before a command.
                let is_setting = is_command && super::shell::is_assignment(word);
                is_command = is_setting || BEFORE_COMMANDS.contains(&word);
                at += length;
            }
        }
        // A character of several bytes is passed over as a whole.
        while at < text.len() && !text.is_char_boundary(at) {
            at += 1;
        }
    }
    found
}

/// Passes over what is in double quotes, but for the commands inside of it. Where it ends.
fn double_quoted(text: &str, from: usize, found: &mut Vec<usize>) -> usize {
    let mut at = from;
    while at < text.len() {
        match text.as_bytes()[at] {
            b'"' => return at + 1,
            b'\\' => at += 2,
            b'$' if text[at..].starts_with("$(") => {
                let inner = &text[at + 2..];
                let end = closing(inner);
                found.extend(commands(&inner[..end]).into_iter().map(|inside| at + 2 + inside));
                at += 2 + end;
            }
            _ => at += 1,
        }
        while at < text.len() && !text.is_char_boundary(at) {
            at += 1;
        }
    }
    text.len()
}

/// Where the bracket closes that was open before a text.
fn closing(text: &str) -> usize {
    let mut depth = 1;
    for (at, c) in text.char_indices() {
        match c {
            '(' => depth += 1,
            ')' => depth -= 1,
            _ => {}
        }
        if depth == 0 {
            return at;
        }
    }
    text.len()
}

/// How long a text is that is fed to a command, with the line that ends it.
fn body(text: &str, end: &str) -> usize {
    let mut length = 0;
    for line in text.split_inclusive('\n') {
        length += line.len();
        if line.trim() == end {
            break;
        }
    }
    length
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_that_end_a_script_are_found_where_they_are_commands() {
        for (text, expected) in [
            ("exit 0", "exit@0"),
            ("test 1 = 2 || exit 1", "exit@14"),
            ("if x; then exit; fi", "exit@11"),
            ("case $1 in a) exit 0;; esac", "exit@14"),
            ("f() { exit 1; }", "exit@6"),
            ("X=1 exec node a.js", "exec@4"),
            ("exec 2>&1\nexec 3< a\nexec >log", ""),
            ("echo exit; awk '{ exit 1 }' a; echo \"exit\" # exit", ""),
            ("cat <<E\nexit 1\nE\nexit 2", "exit@17"),
            ("x=\"$(f || exit 3)\"; echo ü; exit", "exit@10 exit@29"),
            ("exit_code=1; exits; on-exit", ""),
            ("trap 'exit 1' INT", ""),
        ] {
            let found: Vec<String> = leaving_words(text).iter().map(|(at, word)| format!("{word}@{at}")).collect();
            assert_eq!(found.join(" "), expected, "{text}");
        }
    }

    #[test]
    fn a_program_is_called_where_a_command_begins() {
        for (text, program, expected) in [
            ("test 1 = 1 && echo", "test", true),
            ("if ! [ -f a ]; then x; fi", "[", true),
            ("x=\"$(grep a b)\"", "grep", true),
            ("npm test; sh test", "test", false),
            ("tests; test-all", "test", false),
            ("test() { run; }; test", "test", false),
            ("false || x", "false", true),
        ] {
            assert_eq!(calls(text, program), expected, "{text}");
        }
    }

    #[test]
    fn a_file_that_is_included_is_seen() {
        for (text, expected) in [
            (". ./a.sh && test 1", true),
            ("cd x; source lib.sh", true),
            ("if . ./a.sh; then x; fi", true),
            ("./a.sh", false),
            ("grep . file", false),
            ("echo '. ./a.sh'", false),
        ] {
            assert_eq!(sources(text), expected, "{text}");
        }
    }
}
