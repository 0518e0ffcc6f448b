//! Prices: as listed or not at all. The fixtures are cut out of what their makers published: `LiteLLM`'s list as it is in the
//! package `litellm` 1.109.1 on `PyPI` (the newest on 2026-11-18), and that of models.dev as it is in `opencode-linux-x64`
//! 1.18.34 on npm (2026-09-30).

use serde_json::Value;
use std::path::Path;
use tribunal_config::{Config, FoundPrice, PriceSource, PriceTable, Sources, import, load};

fn fixture(name: &str) -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../testdata/prices").join(name);
    std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

fn config(toml: &str) -> Config {
    let project = Some(("/p/tribunal.toml".into(), toml.to_owned()));
    load(&Sources { cwd: "/p".into(), project, ..Default::default() }).unwrap().config
}

/// Input, cached, written and output, in micro-dollars.
fn told(found: &FoundPrice<'_>) -> [Option<u64>; 4] {
    let price = found.price.price;
    [Some(price.input), price.cached, price.cache_write, Some(price.output)]
        .map(|usd| usd.map(tribunal_config::UsdAmount::micros))
}

#[test]
fn a_price_is_as_listed_or_unknown_and_never_that_of_another_model() {
    let config = config("");
    let list: Value = serde_json::from_str(&fixture("litellm-1.109.1.json")).unwrap();
    let list = list.as_object().unwrap();
    let mut known = 0;
    for (name, entry) in list {
        let micros =
            |field: &str| entry.get(field)?.as_f64().map(|usd| format!("{:.0}", usd * 1e12).parse::<u64>().unwrap());
        let expected = [
            micros("input_cost_per_token"),
            micros("cache_read_input_token_cost"),
            // Nothing for it is no price for it.
            micros("cache_creation_input_token_cost").filter(|usd| *usd > 0),
            micros("output_cost_per_token"),
        ];
        let provider = entry["litellm_provider"].as_str();
        for at in [None, provider] {
            let Some(found) = config.price([PriceTable::built_in()], at, name) else { continue };
            known += usize::from(at.is_none());
            // Without a provider, the maker's own price is the one.
            let is_elsewhere = name.contains('@') || name.contains("anthropic.") || name.starts_with("groq/");
            assert!(told(&found) == expected || (at.is_none() && is_elsewhere), "{name} at {at:?}: {found:?}");
        }
    }
    assert!(known >= 60 && known + 3 >= list.len(), "{known} of {} are known", list.len());
}

#[test]
fn two_lists_agree_where_both_know_a_model() {
    let config = config("");
    let other = import(&fixture("models-dev-2026-09-30.json"), "2026-09-30").unwrap();
    // What the two say differently, by who made them: the list of the later day counts.
    let differing = ["gemini-omni-flash-preview"];
    let mut compared = 0;
    for (provider, models) in &other.providers {
        for (name, theirs) in models {
            let Some(ours) = config.price([PriceTable::built_in()], Some(provider), name) else { continue };
            compared += 1;
            let same = (ours.price.price.input, ours.price.price.output) == (theirs.price.input, theirs.price.output);
            assert_eq!(!same, differing.contains(&name.as_str()), "{name}: {ours:?} {theirs:?}");
        }
    }
    assert!(compared >= 60, "{compared}");
}

#[test]
fn a_model_is_found_by_its_own_names_alone() {
    let config = config("");
    let find = |model: &str| {
        let found = config.price([PriceTable::built_in()], None, model)?;
        let PriceSource::Table { provider, .. } = found.source else { return None };
        Some(format!("{provider}:{}", found.name))
    };
    for (model, expected) in [
        ("gpt-5", Some("openai:gpt-5")),
        ("gpt-5-nano", Some("openai:gpt-5-nano")),
        ("gpt-5-nano-2025-08-07", Some("openai:gpt-5-nano-2025-08-07")),
        ("gpt-5-mini-2099-01-01", Some("openai:gpt-5-mini")),
        ("openai/gpt-5-mini", Some("openai:gpt-5-mini")),
        ("claude-opus-5-5-20260922", Some("anthropic:claude-opus-5-5")),
        ("anthropic/claude-sonnet-4-5", Some("anthropic:claude-sonnet-4-5")),
        ("us.anthropic.claude-sonnet-4-5-20250929-v1:0", Some("bedrock:us.anthropic.claude-sonnet-4-5-20250929-v1:0")),
        ("claude-sonnet-4-5@20250929", Some("vertex:claude-sonnet-4-5@20250929")),
        ("models/gemini-2.5-pro", Some("gemini:gemini-2.5-pro")),
        ("opus", Some("anthropic:claude-opus-5-5")),
        ("sonnet", Some("anthropic:claude-sonnet-5-5")),
        ("haiku", Some("anthropic:claude-haiku-5-5")),
        // What nobody lists has no price.
        ("gpt-5-giga", None),
        ("gpt-5.99", None),
        ("gpt", None),
        ("claude-opus", None),
        ("claude-opus-9", None),
        ("gpt-5-nano-turbo", None),
        ("gpt-5-v3", None),
        ("o3-v1", None),
        ("claude-opus-5-5-v7", None),
        ("my-gpt-5", None),
        ("", None),
    ] {
        assert_eq!(find(model).as_deref(), expected, "{model}");
    }
}

#[test]
fn a_projects_own_price_counts_first_and_a_star_is_a_prefix() {
    let config = config(
        "[prices.gpt-5]\ninput = 7\noutput = 8\n[prices.\"acme/v2.5\"]\ninput = 3\noutput = 3\n[prices.'own-*']\ninput = 1\noutput = 2\ncache_write = 3\nmax_output = \
         900\n[prices.'own-large*']\ninput = 4\noutput = 5\n",
    );
    let user = import(&fixture("models-dev-2026-09-30.json"), "2026-09-30").unwrap();
    let find = |model: &str| {
        let found = config.price([&user, PriceTable::built_in()], None, model)?;
        let from = match found.source {
            PriceSource::Project => "project",
            PriceSource::Table { table, .. } => table.source.as_str(),
        };
        Some(format!("{from} {} {}", found.name, found.price.price.input))
    };
    for (model, expected) in [
        ("gpt-5", Some("project gpt-5 7.00")),
        ("gpt-5-2025-08-07", Some("project gpt-5 7.00")),
        ("gpt-5-nano", Some("models.dev gpt-5-nano 0.05")),
        ("gpt-6.1-terra", Some("LiteLLM 1.109.1 gpt-6.1-terra 1.00")),
        ("own-3", Some("project own-* 1.00")),
        ("own-large-3", Some("project own-large* 4.00")),
        ("acme/v2.5", Some("project acme/v2.5 3.00")),
        ("own", None),
    ] {
        assert_eq!(find(model).as_deref(), expected, "{model}");
    }
    let own = config.own_price("own-3").unwrap().1;
    assert_eq!((own.cache_write.map(tribunal_config::UsdAmount::micros), own.max_output), (Some(3_000_000), Some(900)));
}

#[test]
fn lists_say_what_long_prompts_and_batches_cost() {
    let table = import(&fixture("litellm-1.109.1.json"), "2026-11-18").unwrap();
    let pro = &table.providers["gemini"]["gemini-2.5-pro"];
    let (long, batch) = (pro.long[0], pro.batch.unwrap());
    assert_eq!((long.above, long.input.micros(), long.output.micros()), (200_000, 2_500_000, 15_000_000));
    assert_eq!((batch.input.micros(), batch.output.micros()), (625_000, 5_000_000));
    let other = import(&fixture("models-dev-2026-09-30.json"), "2026-09-30").unwrap();
    assert_eq!(other.providers["openai"]["gpt-5.4"].long.iter().map(|long| long.above).collect::<Vec<_>>(), [272_000]);
    assert_eq!(PriceTable::read(&table.write()).unwrap(), table);
}

/// Above which length, and what input and output cost there, in dollars.
fn long(list: &str, provider: &str, model: &str) -> Vec<(u64, u64, u64)> {
    let table = import(list, "2026-11-18").unwrap();
    assert_eq!(PriceTable::read(&table.write()).unwrap(), table);
    let usd = |usd: tribunal_config::UsdAmount| usd.micros() / 1_000_000;
    table.providers[provider][model].long.iter().map(|it| (it.above, usd(it.input), usd(it.output))).collect()
}

#[test]
fn every_length_of_a_prompt_has_its_own_price() {
    let tiers = |tiers: &str| {
        format!(
            "{{\"alibaba\": {{\"models\": {{\"m\": {{\"cost\": {{\"input\": 1, \"output\": 5, \"tiers\": [{tiers}]}}}}}}}}}}"
        )
    };
    let tier = |input: u64, output: u64, size: u64| {
        format!("{{\"input\": {input}, \"output\": {output}, \"tier\": {{\"type\": \"context\", \"size\": {size}}}}}")
    };
    let (small, large) = (tier(2, 9, 32_000), tier(6, 60, 256_000));
    let both = vec![(32_000, 2, 9), (256_000, 6, 60)];
    for (name, list, expected) in [
        ("in order", tiers(&format!("{small}, {large}")), both.clone()),
        ("the larger one first", tiers(&format!("{large}, {small}")), both),
        ("output alone", tiers("{\"output\": 9, \"tier\": {\"type\": \"context\", \"size\": 1}}"), vec![(1, 1, 9)]),
        ("of another kind", tiers("{\"input\": 2, \"output\": 9, \"tier\": {\"type\": \"speed\"}}"), vec![]),
    ] {
        assert_eq!(long(&list, "dashscope", "m"), expected, "{name}");
    }
    let litellm = |fields: &str| {
        format!(
            "{{\"m\": {{\"litellm_provider\": \"gemini\", \"mode\": \"chat\", \"input_cost_per_token\": 1e-6, \"output_cost_per_token\": 5e-6, {fields}}}}}"
        )
    };
    for (name, fields, expected) in [
        ("input alone", "\"input_cost_per_token_above_200k_tokens\": 9e-6", vec![(200_000, 9, 5)]),
        ("output alone", "\"output_cost_per_token_above_512k_tokens\": 9e-6", vec![(512_000, 1, 9)]),
        (
            "two",
            "\"output_cost_per_token_above_200k_tokens\": 9e-6, \"input_cost_per_token_above_64k_tokens\": 2e-6",
            vec![(64_000, 2, 5), (200_000, 2, 9)],
        ),
        ("another service", "\"input_cost_per_token_above_200k_tokens_priority\": 9e-6", vec![]),
    ] {
        assert_eq!(long(&litellm(fields), "gemini", "m"), expected, "{name}");
    }
}

#[test]
fn a_name_that_nobody_can_ask_for_is_left_out() {
    let entry = "{\"litellm_provider\": \"openai\", \"mode\": \"chat\", \"input_cost_per_token\": 1e-6, \"output_cost_per_token\": 1e-6, \"max_output_tokens\": 0}";
    let names = [r"gpt\nx", r"gpt\u001b[31mred", "", "  ", r#"a\"b"#, r"a'b", r#"a'''\"b"#, r"a\\b"];
    let entries: Vec<String> = names.iter().map(|name| format!("\"{name}\": {entry}")).collect();
    let table = import(&format!("{{{}}}", entries.join(", ")), "2026-11-18").unwrap();
    let found: Vec<&str> = table.providers["openai"].keys().map(String::as_str).collect();
    assert_eq!(found, ["a\"b", "a'''\"b", "a'b", "a\\b"]);
    assert_eq!(PriceTable::read(&table.write()).unwrap(), table, "what is written is read");
    // Nothing is no length of an answer.
    assert!(table.providers["openai"].values().all(|listed| listed.price.max_output.is_none()));
    let models_dev = r#"{"openai": {"models": {"a\nb": {"cost": {"input": 1, "output": 1}}, "c": {"cost": {"input": 1, "output": 1}}}}}"#;
    assert_eq!(import(models_dev, "2026-11-18").unwrap().count(), 1);
}

#[test]
fn what_is_no_list_is_refused() {
    for (text, expected) in [
        ("", "it is not JSON"),
        ("[]", "it is neither"),
        ("{\"a\": 1}", "it is neither"),
        ("{\"anthropic\": {\"models\": {}}}", "it has no prices"),
        ("{\"x\": {\"litellm_provider\": \"nobody\", \"mode\": \"chat\"}}", "it has no prices"),
    ] {
        let error = import(text, "2026-11-18").unwrap_err().to_string();
        assert!(error.starts_with(expected), "{text}: {error}");
    }
}
