//! What could sit in a seat on this machine: programs on the PATH, and keys of model providers.

use std::env;
use tribunal_app::programs;
use tribunal_app::seat_proposal::SeatProposal;

/// Programs that are agents, and the kind that they have in the configuration.
const PROGRAMS: [(&str, &str); 4] =
    [("claude", "claude"), ("codex", "codex"), ("gemini", "gemini"), ("opencode", "opencode")];
/// Variables that hold a provider's key.
const KEYS: [(&str, &str); 3] =
    [("ANTHROPIC_API_KEY", "anthropic"), ("OPENAI_API_KEY", "openai"), ("GEMINI_API_KEY", "gemini")];

/// The agents that were found, as a part of `tribunal.toml` that is commented out: whether to pay is the user's choice.
/// Those who have a seat already are not offered.
pub(super) fn offers(proposal: &SeatProposal) -> Option<String> {
    let is_offered = |program: &str| programs::find(program).is_some() && !proposal.has_seated(program);
    let found = PROGRAMS.into_iter().filter(|(program, _)| is_offered(program));
    let programs = found.map(|(program, kind)| {
        format!("#\n# `{program}` is on the PATH:\n# [agents.{program}]\n# kind = \"{kind}\"\n")
    });
    let has_key = |name: &str| env::var_os(name).is_some_and(|value| !value.is_empty());
    let keys = KEYS.into_iter().filter(|(name, _)| has_key(name)).map(|(name, provider)| {
        format!(
            "#\n# `{name}` is set:\n# [agents.{provider}]\n# kind = \"http\"\n# provider = \"{provider}\"\n# api_key = \
             \"${name}\"\n"
        )
    });
    let found: Vec<String> = programs.chain(keys).collect();
    (!found.is_empty()).then(|| {
        format!(
            "\n# Found on this machine. Name one of them in a seat: `[seats.designer]`, `agent = \"…\"`.\n{}",
            found.concat()
        )
    })
}
