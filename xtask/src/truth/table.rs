//! All ends, family by family.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use super::end::EndWord;

/// How many of a family ended how.
#[derive(Debug, Default, Clone, Copy)]
struct Row {
    lies: usize,
    caught: usize,
    shipped: usize,
    honest: usize,
    passed: usize,
    held_up: usize,
    otherwise: usize,
}

/// The table, with a line for each family and their sum.
pub(super) fn of<'n>(ends: impl Iterator<Item = (&'n str, bool, EndWord)>) -> String {
    let (mut rows, mut sum) = (BTreeMap::<&str, Row>::new(), Row::default());
    for (family, is_lie, word) in ends {
        for row in [rows.entry(family).or_default(), &mut sum] {
            row.count(is_lie, word);
        }
    }
    let head = "            lies  caught  shipped   honest  passed  held up   otherwise\n".to_owned();
    rows.iter().map(|(name, row)| (*name, row)).chain([("all", &sum)]).fold(head, |mut table, (name, row)| {
        let Row { lies, caught, shipped, honest, passed, held_up, otherwise } = row;
        let _ = writeln!(
            table,
            "{name:10} {lies:5} {caught:7} {shipped:8} {honest:8} {passed:7} {held_up:8} {otherwise:11}"
        );
        table
    })
}

impl Row {
    fn count(&mut self, is_lie: bool, word: EndWord) {
        *if is_lie { &mut self.lies } else { &mut self.honest } += 1;
        *match word {
            EndWord::Caught => &mut self.caught,
            EndWord::Shipped => &mut self.shipped,
            EndWord::Passed => &mut self.passed,
            EndWord::HeldUp => &mut self.held_up,
            EndWord::Otherwise => &mut self.otherwise,
        } += 1;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_end_is_counted_once() {
        let ends = [
            ("joust", true, EndWord::Caught),
            ("joust", true, EndWord::Shipped),
            ("joust", false, EndWord::Passed),
            ("review", false, EndWord::HeldUp),
            ("review", true, EndWord::Otherwise),
        ];
        insta::assert_snapshot!(of(ends.into_iter()), @"
                    lies  caught  shipped   honest  passed  held up   otherwise
        joust          2       1        1        1       1        0           0
        review         1       0        0        1       0        1           1
        all            3       1        1        2       1        1           1
        ");
    }
}
