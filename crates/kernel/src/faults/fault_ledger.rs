//! Findings that are one, over rounds and over the runs of one thing, and who found each.

use std::collections::{BTreeMap, BTreeSet};

use super::likeness::Wording;
use super::sighting::{Look, Sighting, looks, looks_among};
use crate::{Digest, Run};

/// A finding is compared in full with at most so many others of its rule and its text; beyond that, and with all others, only
/// what is word by word the same is one. Judges with thousands of findings cost no more than their number.
const MOST_COMPARED: usize = 200;

/// What is wrong with a thing, as far as anybody found it.
#[derive(Debug, Clone, Default)]
pub struct FaultLedger<'r> {
    faults: Vec<Fault<'r>>,
    /// Who judged each text.
    texts: BTreeMap<Digest, BTreeSet<String>>,
    /// The text that was judged last.
    standing: Option<Digest>,
}

/// Findings that mean the same.
#[derive(Debug, Clone)]
pub struct Fault<'r> {
    /// Who found it, where and in which words: the first sighting first.
    pub sightings: Vec<Sighting<'r>>,
    /// The judges who found it, whenever that was.
    pub judges: BTreeSet<String>,
    /// The text that it was first found in, and the judges who found it there. Only they found it without anybody having
    /// spoken of it before.
    pub(super) first: (Digest, BTreeSet<String>),
    /// The last text that it was found in.
    pub(super) last: Digest,
    wording: Wording,
}

/// What a finding is looked up by: its text and its rule, or its words.
type Key = (Digest, String);

impl<'r> FaultLedger<'r> {
    /// Of the runs on one thing, oldest first.
    pub fn of(runs: impl IntoIterator<Item = &'r Run>) -> Self {
        Self::of_looks(runs.into_iter().flat_map(looks))
    }

    /// Of the last rounds of a run.
    pub(super) fn of_rounds(run: &'r Run, most: usize) -> Self {
        let rounds = run.rounds();
        let rounds = &rounds[rounds.len().saturating_sub(most)..];
        Self::of_looks(looks_among(run, rounds.iter().flat_map(|state| run.turns_of(state.round))))
    }

    fn of_looks(looks: impl IntoIterator<Item = Look<'r>>) -> Self {
        let mut ledger = Self::default();
        let mut index = FaultIndex::default();
        for Look { judge, text, sightings } in looks {
            ledger.texts.entry(text).or_default().insert(judge.clone());
            ledger.standing = Some(text);
            // Two findings of one look are two faults.
            let mut taken = BTreeSet::new();
            for sighting in sightings {
                let wording = Wording::of(&sighting);
                let at = index.find(&ledger.faults, text, &wording, &taken).unwrap_or_else(|| {
                    ledger.faults.push(Fault {
                        sightings: Vec::new(),
                        judges: BTreeSet::new(),
                        first: (text, BTreeSet::new()),
                        last: text,
                        wording: wording.clone(),
                    });
                    ledger.faults.len() - 1
                });
                let fault = &mut ledger.faults[at];
                fault.sightings.push(sighting);
                fault.judges.insert(judge.clone());
                if fault.first.0 == text {
                    fault.first.1.insert(judge.clone());
                }
                fault.last = text;
                taken.insert(at);
                index.add(at, text, &wording);
            }
        }
        ledger
    }

    /// The faults, in the order in which they were found.
    pub fn faults(&self) -> &[Fault<'r>] {
        &self.faults
    }

    /// The text that was judged last, and who judged it.
    pub(super) fn standing(&self) -> Option<(Digest, &BTreeSet<String>)> {
        self.standing.and_then(|text| Some((text, self.texts.get(&text)?)))
    }

    /// The texts that all of these judged.
    pub(super) fn judged_by(&self, judges: &BTreeSet<String>) -> BTreeSet<Digest> {
        self.texts.iter().filter(|(_, by)| judges.is_subset(by)).map(|(text, _)| *text).collect()
    }
}

/// Where faults are found again.
#[derive(Debug, Default)]
struct FaultIndex {
    /// Of a text: those of a rule, and all.
    rules: BTreeMap<Key, Vec<usize>>,
    texts: BTreeMap<Digest, Vec<usize>>,
    /// Whatever the text: the same words under the same rule.
    words: BTreeMap<(Option<String>, String), Vec<usize>>,
}

impl FaultIndex {
    fn find(&self, faults: &[Fault<'_>], text: Digest, wording: &Wording, taken: &BTreeSet<usize>) -> Option<usize> {
        let words = self.words.get(&(wording.rule.clone(), wording.words.clone()));
        let of_rule = wording.rule.as_ref().and_then(|rule| self.rules.get(&(text, rule.clone())));
        let of_text = self.texts.get(&text);
        let is_like = |at: &&usize| !taken.contains(at) && faults[**at].wording.is_like(wording);
        let first = |list: Option<&Vec<usize>>| list?.iter().rev().take(MOST_COMPARED).find(is_like).copied();
        first(words).or_else(|| first(of_rule)).or_else(|| first(of_text))
    }

    fn add(&mut self, at: usize, text: Digest, wording: &Wording) {
        let insert = |list: &mut Vec<usize>| {
            if list.last() != Some(&at) {
                list.push(at);
            }
        };
        insert(self.words.entry((wording.rule.clone(), wording.words.clone())).or_default());
        insert(self.texts.entry(text).or_default());
        if let Some(rule) = &wording.rule {
            insert(self.rules.entry((text, rule.clone())).or_default());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Finding, FindingId, Round, RunId, SeatName, Severity};
    use uuid::Uuid;

    fn finding(text: &str) -> Finding {
        let id = FindingId(Uuid::nil());
        Finding { id, severity: Severity::MustFix, text: text.into(), code: None, target: None, contested: false }
    }

    /// Plays looks, each `judge draft: finding, finding`, and shows who found what first, and who later.
    fn ledger(looks: &[(&str, &str, &[&str])]) -> String {
        let seat = SeatName::new("critic");
        let findings: Vec<Vec<Finding>> =
            looks.iter().map(|(.., said)| said.iter().map(|text| finding(text)).collect()).collect();
        let looks = looks.iter().zip(&findings).map(|((judge, text, _), findings)| Look {
            judge: (*judge).into(),
            text: Digest::of(text),
            sightings: findings
                .iter()
                .map(|finding| Sighting { run: RunId(Uuid::nil()), round: Round(1), seat: &seat, finding, quote: None })
                .collect(),
        });
        let names = |judges: &BTreeSet<String>| judges.iter().cloned().collect::<Vec<_>>().join(" ");
        let ledger = FaultLedger::of_looks(looks);
        let told = ledger.faults().iter().map(|fault| {
            let Fault { sightings, judges, first, .. } = fault;
            format!("{}: {} first, {} in all", sightings[0].finding.text, names(&first.1), names(judges))
        });
        told.collect::<Vec<_>>().join("\n")
    }

    #[test]
    fn the_same_finding_of_several_judges_is_one_fault() {
        insta::assert_snapshot!(ledger(&[
            ("ann", "one", &["Say when we move.", "The logo is blurred", "typo", "typo"]),
            ("bob", "one", &["say when we move", "typo"]),
            ("ann", "two", &["typo"]),
            ("cid", "two", &["the logo is blurred", "a new thing"]),
        ]), @"
        Say when we move.: ann bob first, ann bob in all
        The logo is blurred: ann first, ann cid in all
        typo: ann first, ann in all
        typo: ann bob first, ann bob in all
        a new thing: cid first, cid in all
        ");
    }

    #[test]
    fn ten_thousand_findings_of_two_judges_cost_no_more_than_their_number() {
        let said: Vec<String> = (0..10_000).map(|number| format!("say more about line {number}")).collect();
        let said: Vec<&str> = said.iter().map(String::as_str).collect();
        let told = ledger(&[("ann", "one", &said), ("bob", "one", &said)]);
        assert_eq!(told.lines().filter(|line| line.ends_with("ann bob first, ann bob in all")).count(), 10_000);
    }
}
