//! Waivers: what was measured and a person lets stand.

use serde::{Deserialize, Serialize};

use crate::finding::Complaint;
use crate::verdict::Correction;

/// The correction of a demand that a person waived.
pub const WAIVED: &str = "waived";

/// A measured demand that does not hold the gate, and why. Only a person writes one.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Waiver {
    /// The code of a measurement, such as `contrast.text`.
    pub code: String,
    /// Where alone it is waived: words of the finding, such as its place. Nothing: everywhere.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub target: Option<String>,
    pub why: String,
}

impl Waiver {
    /// Whether it is about this.
    pub fn covers(&self, code: &str, text: &str) -> bool {
        self.code == code && self.target.as_deref().is_none_or(|target| text.contains(target))
    }
}

/// Waives what is waived: it is recorded and shown, and not obeyed. Gives a correction for each.
pub fn waive(waivers: &[Waiver], complaints: &mut [Complaint]) -> Vec<Correction> {
    let mut corrections = Vec::new();
    for complaint in complaints {
        let Some(code) = complaint.code.as_deref() else { continue };
        let covers = |waiver: &&Waiver| waiver.covers(code, &complaint.text);
        if let Some(waiver) = waivers.iter().find(covers) {
            complaint.contested = true;
            corrections.push(Correction {
                given: complaint.text.clone(),
                rule: WAIVED.into(),
                why: format!("`{}` is waived: {}", waiver.code, waiver.why),
            });
        }
    }
    corrections
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_is_named_is_waived() {
        let waiver = |code: &str, target: Option<&str>| Waiver {
            code: code.into(),
            target: target.map(str::to_owned),
            why: "the brand's own grey".into(),
        };
        let rows = [
            (waiver("contrast.text", None), true),
            (waiver("contrast.text", Some("footer")), true),
            (waiver("contrast.text", Some("3.9:1")), true),
            (waiver("contrast.text", Some("header")), false),
            (waiver("contrast", None), false),
            (waiver("", None), false),
            (waiver("image.alt", None), false),
        ];
        for (waiver, is_waived) in rows {
            let mut complaints = [Complaint {
                code: Some("contrast.text".into()),
                ..Complaint::must_fix("too faint (3.9:1, needs 4.5:1), at line 7, footer > p")
            }];
            let corrections = waive(std::slice::from_ref(&waiver), &mut complaints);
            assert_eq!((complaints[0].contested, corrections.len() == 1), (is_waived, is_waived), "{waiver:?}");
        }
    }
}
