//! What the stub counted beside what Tribunal read.

use serde_json::Value;
use std::fmt;
use tribunal_stub::Totals;

/// Tokens of one run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Tokens {
    /// What the model server says that it took in and gave out.
    counted: (u64, u64),
    /// What the run says.
    read: (u64, u64),
    /// Whether the run says that some of it is a guess.
    estimated: bool,
}

impl Tokens {
    /// `status` is what `tribunal status RUN --json` prints.
    pub(super) fn new(totals: &Totals, status: &[u8]) -> Self {
        let status: Value = serde_json::from_slice(status).unwrap_or_default();
        let shares = status["spending"].as_array().map(Vec::as_slice).unwrap_or_default();
        let sum = |name: &str| shares.iter().filter_map(|share| share[name].as_u64()).sum();
        let tokens = totals.tokens;
        Self {
            counted: (tokens.input, tokens.output),
            read: (sum("input_tokens"), sum("output_tokens")),
            estimated: shares.iter().any(|share| share["estimated"] == true),
        }
    }

    /// Whether a run knows what it took, to a hundredth, or says that it does not.
    pub(super) fn is_well(&self) -> bool {
        let near = |counted: u64, read: u64| counted.abs_diff(read) <= counted / 100;
        let ((input, output), (read_input, read_output)) = (self.counted, self.read);
        0 < read_input && 0 < read_output && (self.estimated || near(input, read_input) && near(output, read_output))
    }
}

impl fmt::Display for Tokens {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let ((input, output), (read_input, read_output)) = (self.counted, self.read);
        let guess = if self.estimated { ", estimated" } else { "" };
        write!(f, "tokens {input}+{output}, read {read_input}+{read_output}{guess}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_wrong_has_to_be_called_a_guess() {
        let tokens = |read, estimated| Tokens { counted: (1000, 100), read, estimated };
        assert!(tokens((1000, 100), false).is_well());
        assert!(tokens((1009, 100), false).is_well());
        assert!(!tokens((900, 100), false).is_well());
        assert!(tokens((900, 100), true).is_well());
        assert!(!tokens((0, 0), true).is_well(), "nothing is no guess");
        assert!(!tokens((0, 0), false).is_well());
    }
}
