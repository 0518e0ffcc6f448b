//! A command line of the shell, read just far enough to add an argument in the right place.
//!
//! Only plain commands joined by `&&`, `||`, `;`, `|` and line breaks are understood. Whatever else the shell can do
//! is refused with the reason: a wrong guess would run something else than what was asked for.

/// A word, with its quotes taken away.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Word {
    pub(super) text: String,
    pub(super) from: usize,
    pub(super) to: usize,
    /// Whether the shell puts nothing in: no variables, no patterns.
    pub(super) is_literal: bool,
}

/// One command of a line.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) struct Simple {
    /// The words, without the variables that are set before them, and without redirections.
    pub(super) words: Vec<Word>,
    /// Whether its exit code is lost: something after it decides.
    pub(super) hides_exit: bool,
}

/// Longer lines are programs, and are not adapted.
const LONGEST_LINE: usize = 16 << 10;

/// Words that begin something that is no plain command.
const KEYWORDS: [&str; 20] = [
    "!", "{", "[[", "case", "coproc", "do", "done", "elif", "else", "esac", "eval", "fi", "for", "function", "if",
    "select", "then", "trap", "until", "while",
];

/// The commands of a line, in their order; or why it cannot be read.
pub(super) fn read(line: &str) -> Result<Vec<Simple>, String> {
    if line.len() > LONGEST_LINE {
        return Err("the line is too long".into());
    }
    let mut reader = Reader { line, at: 0, done: Vec::new(), current: Simple::default(), skip_next: false };
    reader.run()?;
    let commands = reader.done;
    for command in &commands {
        if let Some(first) = command.words.first().filter(|word| KEYWORDS.contains(&word.text.as_str())) {
            return Err(format!("`{}` is more than a plain command", first.text));
        }
    }
    Ok(commands)
}

/// A text as one word for the shell.
pub(super) fn quoted(text: &str) -> String {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "-_./=:,@+%".contains(c);
    if !text.is_empty() && text.chars().all(is_plain) {
        return text.to_owned();
    }
    format!("'{}'", text.replace('\'', r"'\''"))
}

struct Reader<'l> {
    line: &'l str,
    at: usize,
    done: Vec<Simple>,
    current: Simple,
    /// The next word is the target of a redirection.
    skip_next: bool,
}

impl Reader<'_> {
    fn run(&mut self) -> Result<(), String> {
        while let Some(c) = self.peek() {
            match c {
                ' ' | '\t' => self.at += 1,
                '\\' if self.line[self.at..].starts_with("\\\n") => self.at += 2,
                '\n' | ';' => {
                    self.at += 1;
                    self.close(true);
                }
                '#' => self.at += self.line[self.at..].find('\n').unwrap_or(self.line.len() - self.at),
                '&' if self.rest().starts_with("&&") => {
                    self.at += 2;
                    self.close(false);
                }
                '&' if self.rest().starts_with("&>") => self.redirect()?,
                '&' => return Err("it starts something in the background".into()),
                '|' => {
                    self.at += if self.rest().starts_with("||") || self.rest().starts_with("|&") { 2 } else { 1 };
                    self.close(true);
                }
                '(' | ')' => return Err("it has a subshell".into()),
                '<' | '>' => self.redirect()?,
                _ => self.word()?,
            }
        }
        if self.skip_next {
            return Err("a redirection leads nowhere".into());
        }
        self.close(false);
        Ok(())
    }

    fn rest(&self) -> &str {
        &self.line[self.at..]
    }

    fn peek(&self) -> Option<char> {
        self.rest().chars().next()
    }

    /// Ends a command. If what follows does not depend on it, its exit code and those before it are lost, should
    /// anything follow.
    fn close(&mut self, loses_exit: bool) {
        let command = std::mem::take(&mut self.current);
        if !command.words.is_empty() {
            self.done.push(command);
        }
        if loses_exit && !self.rest().trim().trim_end_matches(';').is_empty() {
            for command in &mut self.done {
                command.hides_exit = true;
            }
        }
    }

    fn redirect(&mut self) -> Result<(), String> {
        if self.rest().starts_with("<<") || self.rest().starts_with("<(") || self.rest().starts_with(">(") {
            return Err("it feeds text or a process to a command".into());
        }
        let length = self.rest().chars().take_while(|c| matches!(c, '<' | '>' | '&' | '|')).count();
        self.at += length;
        // `2>&1`: the target stands right there.
        let digits = self.rest().chars().take_while(|c| c.is_ascii_digit() || *c == '-').count();
        if self.line[..self.at].ends_with('&') && digits > 0 {
            self.at += digits;
        } else {
            self.skip_next = true;
        }
        Ok(())
    }

    fn word(&mut self) -> Result<(), String> {
        let from = self.at;
        let mut text = String::new();
        let (mut is_literal, mut is_quoted) = (true, false);
        while let Some(c) = self.peek() {
            match c {
                ' ' | '\t' | '\n' | ';' | '&' | '|' | '<' | '>' => break,
                '(' | ')' => return Err("it has a subshell or a function".into()),
                '`' => return Err("it runs a command inside of another".into()),
                '$' if self.rest().starts_with("$(") => return Err("it runs a command inside of another".into()),
                '\'' => {
                    let inner = &self.line[self.at + 1..];
                    let end = inner.find('\'').ok_or("a quote is not closed")?;
                    text.push_str(&inner[..end]);
                    self.at += end + 2;
                    is_quoted = true;
                    continue;
                }
                '"' => {
                    is_literal &= self.double_quoted(&mut text)?;
                    is_quoted = true;
                    continue;
                }
                '\\' => {
                    self.at += 1;
                    if let Some(next) = self.peek() {
                        text.push(next);
                        self.at += next.len_utf8();
                    }
                    continue;
                }
                '$' | '*' | '?' | '[' => is_literal = false,
                _ => {}
            }
            text.push(c);
            self.at += c.len_utf8();
        }
        // `2>`: the number belongs to the redirection.
        let is_descriptor = !is_quoted
            && !text.is_empty()
            && text.bytes().all(|byte| byte.is_ascii_digit())
            && self.rest().starts_with(['<', '>']);
        let is_setting = self.current.words.is_empty() && is_assignment(&self.line[from..self.at]);
        if std::mem::take(&mut self.skip_next) || is_descriptor || is_setting {
            return Ok(());
        }
        self.current.words.push(Word { text, from, to: self.at, is_literal });
        Ok(())
    }

    /// Reads what is in double quotes; whether it is nothing but text.
    fn double_quoted(&mut self, text: &mut String) -> Result<bool, String> {
        self.at += 1;
        let mut is_literal = true;
        while let Some(c) = self.peek() {
            self.at += c.len_utf8();
            match c {
                '"' => return Ok(is_literal),
                '`' => return Err("it runs a command inside of another".into()),
                '$' if self.rest().starts_with('(') => return Err("it runs a command inside of another".into()),
                '$' => is_literal = false,
                '\\' if self.rest().starts_with(['"', '\\', '$', '`', '\n']) => {
                    let next = self.peek().expect("one of these follows");
                    self.at += 1;
                    if next != '\n' {
                        text.push(next);
                    }
                    continue;
                }
                _ => {}
            }
            text.push(c);
        }
        Err("a quote is not closed".into())
    }
}

/// `NAME=value`
pub(super) fn is_assignment(word: &str) -> bool {
    word.split_once('=').is_some_and(|(name, _)| {
        !name.is_empty()
            && !name.starts_with(|c: char| c.is_ascii_digit())
            && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(line: &str) -> String {
        match read(line) {
            Err(why) => format!("no: {why}"),
            Ok(commands) => {
                let show = |command: &Simple| {
                    let words: Vec<&str> = command.words.iter().map(|word| word.text.as_str()).collect();
                    format!("[{}]{}", words.join("|"), if command.hides_exit { "?" } else { "" })
                };
                commands.iter().map(show).collect::<Vec<_>>().join(" ")
            }
        }
    }

    #[test]
    fn plain_commands_are_read_and_everything_else_is_refused() {
        for (line, expected) in [
            ("pytest -q", "[pytest|-q]"),
            ("CI=1 X='a b' pytest -k 'a and b'", "[pytest|-k|a and b]"),
            ("cd sub && pytest \"tests/a b.py\" && echo ok", "[cd|sub] [pytest|tests/a b.py] [echo|ok]"),
            ("pytest > log.txt 2>&1", "[pytest]"),
            ("pytest 2>/dev/null -x", "[pytest|-x]"),
            ("pytest | tee log", "[pytest]? [tee|log]"),
            ("pytest || true", "[pytest]? [true]"),
            ("pytest; true", "[pytest]? [true]"),
            ("pytest;", "[pytest]"),
            ("make lint\npytest # the tests", "[make|lint]? [pytest]"),
            ("pytest a\\ b", "[pytest|a b]"),
            ("pytest $(ls)", "no: it runs a command inside of another"),
            ("pytest \"`ls`\"", "no: it runs a command inside of another"),
            ("(pytest)", "no: it has a subshell"),
            ("if true; then pytest; fi", "no: `if` is more than a plain command"),
            ("! pytest", "no: `!` is more than a plain command"),
            ("pytest &", "no: it starts something in the background"),
            ("cat <<E\nE", "no: it feeds text or a process to a command"),
            ("pytest 'a", "no: a quote is not closed"),
            ("pytest >", "no: a redirection leads nowhere"),
        ] {
            assert_eq!(shown(line), expected, "{line}");
        }
    }

    #[test]
    fn a_word_is_quoted_when_it_has_to_be() {
        assert_eq!(quoted("/tmp/a-b.xml"), "/tmp/a-b.xml");
        assert_eq!(quoted("it's"), r"'it'\''s'");
        assert_eq!(quoted(""), "''");
    }
}
