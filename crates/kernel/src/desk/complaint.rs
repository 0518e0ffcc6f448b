//! What a failing command complains of: the lines that tell, and a form in which the same complaint of two iterations
//! compares equal.

use super::plain::plain;

/// The most that a headline has.
pub const MAX_HEADLINE: usize = 400;
/// The most lines that a headline quotes.
const MAX_LINES: usize = 3;

/// Words before a number that differs from run to run.
const NUMBERED: [&str; 14] = [
    "line",
    "lines",
    "column",
    "col",
    "char",
    "pid",
    "process",
    "thread",
    "tid",
    "port",
    "duration_ms",
    "seed",
    "took",
    "elapsed",
];
/// Units of time, written apart from their number or next to it.
const UNITS: [&str; 15] =
    ["ns", "us", "µs", "μs", "ms", "s", "sec", "secs", "second", "seconds", "m", "min", "minutes", "h", "milliseconds"];
/// Where temporary files are, on the systems we know.
const TEMPORARY: [&str; 5] = ["/tmp/", "/var/tmp/", "/var/folders/", "/private/var/", "/dev/shm/"];

/// The error without what differs between two runs of the same thing: colours, folders, line numbers, addresses,
/// times, ids, percentages. Words, and numbers that are part of what is said, stay.
pub fn normalise(error: &str) -> String {
    let text = plain(error);
    let mut all = String::with_capacity(text.len());
    for line in text.lines() {
        let before = all.len();
        let mut words = Words::default();
        line.chars().for_each(|c| words.push(c, &mut all));
        words.flush(&mut all);
        all.truncate(all.trim_end().len().max(before));
        if all.len() > before {
            all.push('\n');
        }
    }
    all.truncate(all.trim_end().len());
    all
}

/// A line, word by word.
#[derive(Default)]
struct Words {
    word: String,
    /// The two words before, in lower case, the nearer one first.
    before: [String; 2],
    /// What stood between the word before and this one.
    between: String,
    /// Where the word before begins in what was written.
    last_at: usize,
    count: usize,
}

impl Words {
    fn push(&mut self, c: char, out: &mut String) {
        let is_between = c.is_whitespace() || c.is_control() || "\"'`()[]{}<>,;=|".contains(c);
        if !is_between {
            self.word.push(c);
            return;
        }
        self.flush(out);
        let c = if c.is_whitespace() || c.is_control() { ' ' } else { c };
        // The number before a bar is the line that a compiler quotes.
        if c == '|' && self.count == 1 && is_number(&self.before[0]) {
            out.truncate(self.last_at);
            out.push_str("# ");
        }
        if c != ' ' || !(out.is_empty() || out.ends_with([' ', '\n'])) {
            out.push(c);
        }
        self.between.push(c);
    }

    fn flush(&mut self, out: &mut String) {
        if self.word.is_empty() {
            return;
        }
        let word = std::mem::take(&mut self.word);
        let core = word.trim_end_matches([':', '.', '!', '?']);
        let is_unit = self.between == " " && is_number(&self.before[0]) && UNITS[2..].contains(&core);
        if is_unit {
            out.truncate(self.last_at);
            out.push_str("<time>");
        } else {
            let at = out.len();
            out.push_str(&self.replaced(core));
            out.push_str(&word[core.len()..]);
            self.last_at = at;
        }
        let [near, _] = std::mem::take(&mut self.before);
        self.before = [core.to_lowercase(), near];
        self.between.clear();
        self.count += 1;
    }

    fn replaced(&self, word: &str) -> String {
        let [near, far] = &self.before;
        let is_place = self.between.ends_with('(') && has_extension(near);
        let is_second = self.between == "," && is_number(near) && has_extension(far);
        let is_numbered = NUMBERED.contains(&near.as_str()) || far == "thread";
        if is_number(word) && (is_place || is_second || is_numbered) {
            return "#".into();
        }
        replaced(word)
    }
}

/// The word, or what stands for it.
fn replaced(word: &str) -> String {
    let hex = |text: &str| text.bytes().all(|byte| byte.is_ascii_hexdigit());
    if let Some(address) = word.strip_prefix("0x").filter(|address| !address.is_empty() && hex(address)) {
        return if address.len() < 5 { word.to_owned() } else { "<address>".into() };
    }
    let groups: Vec<usize> = word.split('-').take(6).map(str::len).collect();
    if groups == [8, 4, 4, 4, 12] && word.split('-').all(hex) {
        return "<id>".into();
    }
    let has = |digit: fn(&u8) -> bool| word.as_bytes().iter().any(digit);
    if word.len() >= 8 && hex(word) && has(u8::is_ascii_digit) && has(u8::is_ascii_alphabetic) {
        return "<hash>".into();
    }
    if word.strip_suffix('%').is_some_and(is_number) {
        return "<n>%".into();
    }
    if is_time(word) || is_duration(word) {
        return "<time>".into();
    }
    without_line(&without_folders(word))
}

/// `12`, `0.05`.
fn is_number(word: &str) -> bool {
    word.starts_with(|c: char| c.is_ascii_digit()) && word.bytes().all(|byte| byte.is_ascii_digit() || byte == b'.')
}

/// `2025-01-15T10:30:00Z`, `2025/01/15`, `10:30:00.123`.
fn is_time(word: &str) -> bool {
    let count = |mark: char| word.matches(mark).count();
    word.starts_with(|c: char| c.is_ascii_digit())
        && (count('-') == 2 || count(':') == 2 || count('/') == 2 || (count('-') == 3 && word.contains('T')))
        && word.bytes().all(|byte| byte.is_ascii_digit() || b"-:/.+TZ".contains(&byte))
}

/// `0.05s`, `12ms`, `1m23s`.
fn is_duration(word: &str) -> bool {
    let mut rest = word;
    let mut parts = 0;
    while !rest.is_empty() {
        let number = rest.bytes().take_while(|byte| byte.is_ascii_digit() || *byte == b'.').count();
        let unit = rest[number..].chars().take_while(|c| c.is_alphabetic()).map(char::len_utf8).sum::<usize>();
        if number == 0 || !UNITS.contains(&&rest[number..number + unit]) {
            return false;
        }
        rest = &rest[number + unit..];
        parts += 1;
    }
    parts > 0
}

/// A path's last part; a temporary one without a name worth keeping is only `<tmp>`.
fn without_folders(word: &str) -> String {
    let slashes = word.bytes().filter(|byte| matches!(byte, b'/' | b'\\')).count();
    let name = word.rsplit(['/', '\\']).next().unwrap_or(word);
    let is_path = word.starts_with(['/', '~', '.']) || word.get(1..3) == Some(":\\") || slashes > 1;
    if word.contains("://") && !word.starts_with("file:") {
        return word.to_owned();
    }
    let is_named = has_extension(name.split(':').next().unwrap_or(name));
    let is_temporary = TEMPORARY.iter().any(|root| word.contains(root)) || word.contains("\\Temp\\");
    match (slashes > 0, is_named) {
        (true, true) => name.to_owned(),
        (true, false) if is_temporary => "<tmp>".into(),
        (true, false) if is_path && !name.is_empty() => name.to_owned(),
        (false, _) | (true, false) => word.to_owned(),
    }
}

/// `calc.py:12:5` is `calc.py:#:#`.
fn without_line(word: &str) -> String {
    let mut parts = word.split(':');
    let mut clean = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        clean.push(':');
        clean.push_str(if is_number(part) && clean.len() > 1 { "#" } else { part });
    }
    clean
}

fn has_extension(name: &str) -> bool {
    name.rsplit_once('.').is_some_and(|(stem, extension)| {
        !stem.is_empty()
            && (1..=5).contains(&extension.len())
            && extension.starts_with(|c: char| c.is_ascii_alphabetic())
            && extension.bytes().all(|byte| byte.is_ascii_alphanumeric())
    })
}

/// The most telling lines of a failing command's output: what broke, in the program's words. Without any that look
/// like it, the last line.
pub fn headline(output: &str) -> String {
    let text = plain(output);
    let mut best = 0;
    let mut told: Vec<&str> = Vec::new();
    let mut last = "";
    for line in text.lines().map(str::trim).filter(|line| line.chars().any(char::is_alphanumeric)) {
        last = line;
        let weight = weight(line);
        if weight > best {
            (best, told) = (weight, Vec::new());
        }
        if weight == best && best > 0 && told.len() < MAX_LINES && !told.contains(&line) {
            told.push(line);
        }
    }
    let told = if told.is_empty() { last.to_owned() } else { told.join("\n") };
    shortened(&told)
}

/// How much a line tells of a failure.
fn weight(line: &str) -> u8 {
    let line = line.get(..MAX_HEADLINE).unwrap_or(line);
    let starts = |marks: &[&str]| marks.iter().any(|mark| line.starts_with(mark));
    let contains = |marks: &[&str]| marks.iter().any(|mark| line.contains(mark));
    if contains(&["0 failed", "0 errors", "0 error(s)", "no errors"]) {
        return 0;
    }
    let is_raised = line.split_once(':').is_some_and(|(name, _)| {
        let name = name.split(' ').next().unwrap_or(name);
        name.len() > 5 && (name.ends_with("Error") || name.ends_with("Exception"))
    });
    if is_raised
        || starts(&["E  ", "error[", "error:", "Error:", "ERROR:", "fatal:", "panic:", "assertion "])
        || contains(&["AssertionError", "panicked at", ": error:", ": error TS", ": fatal error", "assertion failed"])
    {
        return 3;
    }
    if starts(&["FAIL", "FAILED", "not ok", "✗", "✕", "✖", "×", "--- FAIL"])
        || contains(&["command not found", "No such file", "not found", "undefined", "Permission denied", "cannot "])
    {
        return 2;
    }
    u8::from(contains(&["error", "Error", "ERROR", "failed", "failure", "FAILED"]))
}

fn shortened(text: &str) -> String {
    if text.chars().count() <= MAX_HEADLINE {
        return text.to_owned();
    }
    text.chars().take(MAX_HEADLINE - 1).chain(['…']).collect()
}
