//! The answers of `testdata/ballots/answers`: files of raw answers, each under a line that says what it counts as.
//!
//! ```text
//! What the file is about.
//! draft: plan.md
//!
//! === hostile | undecided broken undecided | a quote of a comment
//! {"ballot": […]}
//! ```
//!
//! What cannot be seen or would be too long is written as `⟦U+200B⟧` and `⟦1000 × text⟧`.

use std::fs;
use std::path::{Path, PathBuf};

pub(crate) struct RecordedAnswer {
    /// The file's name, without its ending.
    pub(crate) file: String,
    /// The file in `testdata/ballots/drafts` that it is about.
    pub(crate) draft: String,
    pub(crate) kind: Kind,
    /// What it counts as, a word for every item.
    pub(crate) expected: String,
    pub(crate) name: String,
    pub(crate) text: String,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    /// As it was asked for.
    WellFormed,
    /// Of a judge who means well.
    Sloppy,
    /// Of one who does not, or of one who repeats what a draft that does not wants to hear.
    Hostile,
}

impl Kind {
    pub(crate) fn as_str(self) -> &'static str {
        match self {
            Self::WellFormed => "well_formed",
            Self::Sloppy => "sloppy",
            Self::Hostile => "hostile",
        }
    }
}

pub(crate) fn folder() -> PathBuf {
    PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/../../testdata/ballots"))
}

/// All of them, by file.
pub(crate) fn recorded() -> Vec<RecordedAnswer> {
    let mut files: Vec<PathBuf> =
        fs::read_dir(folder().join("answers")).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.sort();
    files.iter().flat_map(|path| of_file(path)).collect()
}

fn of_file(path: &Path) -> Vec<RecordedAnswer> {
    let file = path.file_stem().unwrap().to_string_lossy().into_owned();
    let all = fs::read_to_string(path).unwrap();
    let mut parts = all.split("=== ");
    let head = parts.next().unwrap();
    let draft = head.lines().find_map(|line| line.strip_prefix("draft: ")).expect("a file names its draft");
    let answer = |part: &str| {
        let (title, text) = part.split_once('\n').unwrap();
        let [kind, expected, name] = title.splitn(3, " | ").collect::<Vec<_>>().try_into().expect(title);
        let kind = [Kind::WellFormed, Kind::Sloppy, Kind::Hostile].into_iter().find(|it| it.as_str() == kind);
        RecordedAnswer {
            file: file.clone(),
            draft: draft.to_owned(),
            kind: kind.expect(title),
            expected: expected.to_owned(),
            name: name.to_owned(),
            text: expanded(text.trim_end_matches('\n')),
        }
    };
    parts.map(answer).collect()
}

/// The answer itself.
fn expanded(text: &str) -> String {
    let mut out = String::new();
    let mut rest = text;
    while let Some((before, tail)) = rest.split_once('⟦') {
        let (short, after) = tail.split_once('⟧').expect("⟦…⟧");
        out.push_str(before);
        match (short.strip_prefix("U+"), short.split_once(" × ")) {
            (Some(code), _) => out.extend(u32::from_str_radix(code, 16).ok().and_then(char::from_u32)),
            (_, Some((times, text))) => out.push_str(&text.repeat(times.parse().expect("a number"))),
            _ => panic!("⟦{short}⟧ is neither a character nor a repetition"),
        }
        rest = after;
    }
    out + rest
}
