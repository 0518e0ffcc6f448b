//! What given scripts noted while they ran: each line a word, the number of a script, and a process.

use std::collections::BTreeSet;

/// A word that a planted line notes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum MarkWord {
    Start,
    /// Its last line was reached.
    End,
    /// It ended by a word of its own: `exit`.
    Exit,
    /// An assertion that is false held.
    Lied,
    /// It ended badly.
    Left,
    /// It ended, and not by anything that is given.
    Gone,
}

/// All that was noted in one run.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ControlMarks(Vec<(MarkWord, usize, u64)>);

/// More is not read: a script that runs in a loop says nothing new.
const MOST_MARKS: usize = 20_000;

impl ControlMarks {
    /// Reads notes. A line that is no note is nobody's.
    pub fn read(text: &str) -> Self {
        let read = |line: &str| {
            let mut words = line.split(' ');
            let word = match words.next()? {
                "start" => MarkWord::Start,
                "end" => MarkWord::End,
                "exit" => MarkWord::Exit,
                "lied" => MarkWord::Lied,
                "left" => MarkWord::Left,
                "gone" => MarkWord::Gone,
                _ => return None,
            };
            Some((word, words.next()?.parse().ok()?, words.next()?.parse().ok()?))
        };
        Self(text.lines().take(MOST_MARKS).filter_map(read).collect())
    }

    fn has(&self, word: MarkWord, script: usize) -> bool {
        self.0.iter().any(|mark| mark.0 == word && mark.1 == script)
    }

    pub fn is_started(&self, script: usize) -> bool {
        self.has(MarkWord::Start, script)
    }

    /// Whether it came to its own end.
    pub fn is_reached(&self, script: usize) -> bool {
        self.has(MarkWord::End, script) || self.has(MarkWord::Exit, script)
    }

    /// Whether it ended badly by itself.
    pub fn is_left(&self, script: usize) -> bool {
        self.has(MarkWord::Left, script)
    }

    /// Whether it was ended by something that is not given.
    pub fn is_gone(&self, script: usize) -> bool {
        self.has(MarkWord::Gone, script)
    }

    /// The first script in which something false held.
    pub fn lied(&self) -> Option<usize> {
        self.0.iter().find(|mark| mark.0 == MarkWord::Lied).map(|mark| mark.1)
    }

    /// The processes of a script.
    pub fn processes(&self, script: usize) -> BTreeSet<u64> {
        self.0.iter().filter(|mark| mark.0 == MarkWord::Start && mark.1 == script).map(|mark| mark.2).collect()
    }

    /// Whether it started somewhere and did not come to its end there, nor did a given script end the process for it.
    pub fn is_open(&self, script: usize) -> bool {
        let ends = |process: u64| {
            self.0.iter().any(|(word, own, place)| {
                *place == process && (*word == MarkWord::Exit || (*own == script && *word == MarkWord::End))
            })
        };
        self.processes(script).into_iter().any(|process| !ends(process))
    }

    /// Other scripts that ended the process of this one by a word of theirs.
    pub fn enders(&self, script: usize) -> BTreeSet<usize> {
        let processes = self.processes(script);
        let ends = |mark: &&(MarkWord, usize, u64)| mark.0 == MarkWord::Exit && processes.contains(&mark.2);
        self.0.iter().filter(ends).map(|mark| mark.1).filter(|ender| *ender != script).collect()
    }

    /// The scripts that started, in the order in which each started last.
    pub fn started(&self) -> Vec<usize> {
        let mut found: Vec<usize> = Vec::new();
        for (_, script, _) in self.0.iter().filter(|mark| mark.0 == MarkWord::Start) {
            found.retain(|other| other != script);
            found.push(*script);
        }
        found
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_noted_is_told_apart() {
        let marks =
            ControlMarks::read("start 0 7\nstart 1 7\nend 1 7\nstart 2 8\nexit 2 8\nstart 3 9\nrubbish\nend x 1\n");
        assert_eq!(marks.started(), [0, 1, 2, 3]);
        assert_eq!([0, 1, 2, 3].map(|script| marks.is_open(script)), [true, false, false, true]);
        assert!(marks.is_reached(1) && marks.is_reached(2) && !marks.is_reached(3) && marks.lied().is_none());
        let ended = ControlMarks::read("start 0 7\nstart 1 7\nend 1 7\nexit 1 7\nlied 1 7\n");
        assert!(!ended.is_open(0) && !ended.is_reached(0), "another one ended it");
        assert_eq!((ended.enders(0), ended.lied()), (BTreeSet::from([1]), Some(1)));
        let twice = ControlMarks::read("start 0 7\nend 0 7\nstart 0 8\ngone 0 8\nleft 0 9\n");
        assert!(twice.is_open(0) && twice.is_gone(0) && twice.is_left(0) && !twice.is_gone(1));
        assert!(!ControlMarks::read("").is_started(0) && !ControlMarks::default().is_open(0));
    }
}
