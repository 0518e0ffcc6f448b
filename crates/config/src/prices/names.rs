//! The names by which a model may stand in a table. Each is looked up as a whole: `gpt-5` is not `gpt-5-nano`, and what
//! nobody lists has no price.

/// A name to look up, and at whom, where the name says so.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Spelling {
    pub(super) provider: Option<&'static str>,
    pub(super) model: String,
}

/// Who offers models of their own. A model without a provider is theirs.
const FIRST_PARTIES: [&str; 11] = [
    "anthropic",
    "openai",
    "gemini",
    "mistral",
    "deepseek",
    "xai",
    "moonshot",
    "zai",
    "dashscope",
    "minimax",
    "cohere",
];

/// Names of command lines for the newest model of a size, as Claude Code 2.1 and Gemini CLI have them.
const ALIASES: [(&str, &str, &str); 6] = [
    ("opus", "anthropic", "claude-opus-5-5"),
    ("sonnet", "anthropic", "claude-sonnet-5-5"),
    ("haiku", "anthropic", "claude-haiku-5-5"),
    ("pro", "gemini", "gemini-pro-latest"),
    ("flash", "gemini", "gemini-flash-latest"),
    ("flash-lite", "gemini", "gemini-flash-lite-latest"),
];

/// What others call a provider.
const PROVIDERS: [(&str, &str); 30] = [
    ("anthropic", "anthropic"),
    ("openai", "openai"),
    ("openai-chat", "openai"),
    ("gemini", "gemini"),
    ("google", "gemini"),
    ("mistral", "mistral"),
    ("mistralai", "mistral"),
    ("deepseek", "deepseek"),
    ("xai", "xai"),
    ("x-ai", "xai"),
    ("moonshot", "moonshot"),
    ("moonshotai", "moonshot"),
    ("zai", "zai"),
    ("z-ai", "zai"),
    ("dashscope", "dashscope"),
    ("alibaba", "dashscope"),
    ("minimax", "minimax"),
    ("cohere", "cohere"),
    ("cohere_chat", "cohere"),
    ("groq", "groq"),
    ("cerebras", "cerebras"),
    ("together_ai", "together"),
    ("together", "together"),
    ("togetherai", "together"),
    ("bedrock", "bedrock"),
    ("bedrock_converse", "bedrock"),
    ("amazon-bedrock", "bedrock"),
    ("vertex_ai-anthropic_models", "vertex"),
    ("google-vertex-anthropic", "vertex"),
    ("openrouter", "openrouter"),
];

/// Bedrock's regions, before the provider's name.
const REGIONS: [&str; 8] = ["us.", "eu.", "apac.", "global.", "au.", "jp.", "us-gov.", "ca."];

/// Our name of a provider, if it is one that tables have.
pub(super) fn provider(word: &str) -> Option<&'static str> {
    PROVIDERS.iter().find(|(name, _)| *name == word).map(|(_, ours)| *ours)
}

/// Who offers models of their own, by the names in tables.
pub fn first_parties() -> &'static [&'static str] {
    &FIRST_PARTIES
}

/// The names of a model, the most exact first.
pub(super) fn spellings(model: &str) -> Vec<Spelling> {
    let mut found = Vec::new();
    let mut add = |provider, model: &str| {
        let spelling = Spelling { provider, model: model.to_owned() };
        if !model.is_empty() && !found.contains(&spelling) {
            found.push(spelling);
        }
    };
    add(None, model);
    if let Some((_, provider, model)) = ALIASES.iter().find(|(alias, ..)| *alias == long_window(model)) {
        add(Some(provider), model);
    }
    let Unprefixed { provider, name: bare, is_bedrock } = unprefixed(model);
    for name in [bare, long_window(bare)] {
        add(provider, name);
        let plain = name.replace('@', "-");
        add(provider, &plain);
        // Nobody else's names end with a version: there it is another model.
        let bare = if is_bedrock { unversioned(&plain) } else { &plain };
        add(provider, bare);
        let undated = undated(bare);
        add(provider, undated);
    }
    found
}

/// A name without who offers it.
struct Unprefixed<'m> {
    provider: Option<&'static str>,
    name: &'m str,
    /// Whether it has Bedrock's form, which also ends with a version of its own.
    is_bedrock: bool,
}

/// Without who offers it: `anthropic/NAME`, `openrouter/openai/NAME`, `models/NAME`, `us.anthropic.NAME`.
fn unprefixed(model: &str) -> Unprefixed<'_> {
    let (mut by, mut rest) = (None, model.strip_prefix("models/").unwrap_or(model));
    while let Some((first, inner)) = rest.split_once('/')
        && let Some(known) = provider(first)
    {
        (by, rest) = (Some(known), inner);
    }
    let region = REGIONS.iter().find_map(|region| rest.strip_prefix(region)).unwrap_or(rest);
    match region.strip_prefix("anthropic.") {
        // By its name at Bedrock first, which was tried as it is; else as its maker calls it.
        Some(inner) => Unprefixed { provider: Some("anthropic"), name: inner, is_bedrock: true },
        None => Unprefixed { provider: by, name: rest, is_bedrock: false },
    }
}

/// Without Claude Code's word for a long window: `sonnet[1m]`.
fn long_window(model: &str) -> &str {
    model.strip_suffix("[1m]").unwrap_or(model)
}

/// Without Bedrock's version: `NAME-v1:0`.
fn unversioned(model: &str) -> &str {
    let is_version = |end: &str| end.len() <= 5 && end.bytes().all(|byte| byte.is_ascii_digit() || byte == b':');
    model.rsplit_once("-v").filter(|(_, end)| !end.is_empty() && is_version(end)).map_or(model, |(name, _)| name)
}

/// Without the date of a snapshot, `NAME-20250929` or `NAME-2025-08-07`, and without `-latest`.
fn undated(model: &str) -> &str {
    if let Some(name) = model.strip_suffix("-latest") {
        return name;
    }
    let is_number = |text: &str, digits: usize| text.len() == digits && text.bytes().all(|byte| byte.is_ascii_digit());
    let year_is_fine = |year: &str| year.starts_with("20");
    if let Some((name, date)) = model.rsplit_once('-')
        && is_number(date, 8)
        && year_is_fine(date)
    {
        return name;
    }
    let mut parts = model.rsplitn(4, '-');
    match (parts.next(), parts.next(), parts.next(), parts.next()) {
        (Some(day), Some(month), Some(year), Some(name))
            if is_number(day, 2) && is_number(month, 2) && is_number(year, 4) && year_is_fine(year) =>
        {
            name
        }
        _ => model,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_model_has_its_own_names_and_no_others() {
        for (model, expected) in [
            ("gpt-5-nano", "gpt-5-nano"),
            ("gpt-5-2025-08-07", "gpt-5-2025-08-07 gpt-5"),
            ("openai/gpt-5-mini", "openai/gpt-5-mini openai:gpt-5-mini"),
            ("openrouter/anthropic/claude-sonnet-5", "openrouter/anthropic/claude-sonnet-5 anthropic:claude-sonnet-5"),
            ("claude-sonnet-4-5-20250929", "claude-sonnet-4-5-20250929 claude-sonnet-4-5"),
            ("claude-sonnet-4-5@20250929", "claude-sonnet-4-5@20250929 claude-sonnet-4-5-20250929 claude-sonnet-4-5"),
            ("claude-3-7-sonnet-latest", "claude-3-7-sonnet-latest claude-3-7-sonnet"),
            ("models/gemini-2.5-pro", "models/gemini-2.5-pro gemini-2.5-pro"),
            (
                "us.anthropic.claude-opus-4-5-20251101-v1:0",
                "us.anthropic.claude-opus-4-5-20251101-v1:0 anthropic:claude-opus-4-5-20251101-v1:0 \
                 anthropic:claude-opus-4-5-20251101 anthropic:claude-opus-4-5",
            ),
            ("opus", "opus anthropic:claude-opus-5-5"),
            ("sonnet[1m]", "sonnet[1m] anthropic:claude-sonnet-5-5 sonnet"),
            ("acme/own-20250929", "acme/own-20250929 acme/own"),
            ("gpt-4-0613", "gpt-4-0613"),
            ("gpt-5-v3", "gpt-5-v3"),
            ("claude-opus-5-5-v7", "claude-opus-5-5-v7"),
            ("claude-opus-5-5-v1:0", "claude-opus-5-5-v1:0"),
        ] {
            let told = |spelling: Spelling| match spelling.provider {
                Some(provider) => format!("{provider}:{}", spelling.model),
                None => spelling.model,
            };
            let names: Vec<String> = spellings(model).into_iter().map(told).collect();
            assert_eq!(names.join(" "), expected, "{model}");
        }
    }
}
