//! The `[theater]` table: what it may hold, and how its settings hold each other.

use insta::assert_snapshot;
use tribunal_config::{Decimal, FallbackPolicy, PanelMode, Policy, Sources};

use crate::{With as _, listing, loaded, project, report, setting};

/// The report of each row under its name.
fn reports<const N: usize>(rows: [(&str, Sources); N]) -> String {
    rows.map(|(row, sources)| format!("# {row}\n{}", report(&sources))).join("\n")
}

#[test]
fn a_whole_panel() {
    let text = r#"
[theater]
enabled = false
policy = "on-demand"
panel = "single"
cast = ["designer", "critic", "a11y"]
max_rounds = 5
score_scale = 100
score_threshold = 82.5
per_round_timeout_ms = 1_000
total_timeout_ms = 86_400_000
parser_max_block_bytes = 0x400
fallback_policy = "ship_last"
protocol_version = 1
max_concurrent_runs = 2
design = "DESIGN.md"
artifact = "landing_page"
[theater.weights]
critic = 0.75
a11y = 0.25
"#;
    let loaded = loaded(&project(text));
    assert_snapshot!(listing(&loaded), @r#"
    theater.enabled = false (tribunal.toml:3)
    theater.policy = on-demand (tribunal.toml:4)
    theater.panel = single (tribunal.toml:5)
    theater.cast = ["designer", "critic", "a11y"] (tribunal.toml:6)
    theater.max_rounds = 5 (tribunal.toml:7)
    theater.score_scale = 100 (tribunal.toml:8)
    theater.score_threshold = 82.5 (tribunal.toml:9)
    theater.per_round_timeout_ms = 1000 (tribunal.toml:10)
    theater.total_timeout_ms = 86400000 (tribunal.toml:11)
    theater.parser_max_block_bytes = 1024 (tribunal.toml:12)
    theater.fallback_policy = ship_last (tribunal.toml:13)
    theater.protocol_version = 1 (tribunal.toml:14)
    theater.max_concurrent_runs = 2 (tribunal.toml:15)
    theater.design = /proj/DESIGN.md (tribunal.toml:16)
    theater.artifact = landing_page (tribunal.toml:17)
    theater.weights.a11y = 0.25 (tribunal.toml:20)
    theater.weights.critic = 0.75 (tribunal.toml:19)
    "#);
    let theater = &loaded.config.theater;
    assert_eq!((theater.policy, theater.panel), (Policy::OnDemand, PanelMode::Single));
    assert_eq!(theater.fallback_policy, FallbackPolicy::ShipLast);
    assert_eq!(theater.score_threshold, Decimal::from_micros(82_500_000));
    assert_eq!(theater.weights["critic"].micros(), 750_000);
}

#[test]
fn numbers_in_every_form() {
    for (row, sources, key, expected) in [
        ("default", project(""), "theater.score_threshold", "8 (default)"),
        ("integer", project("theater.score_threshold = 7"), "theater.score_threshold", "7 (tribunal.toml:1)"),
        ("float", project("theater.score_threshold = 7.50"), "theater.score_threshold", "7.5 (tribunal.toml:1)"),
        ("hexadecimal", project("theater.score_scale = 0x20"), "theater.score_scale", "32 (tribunal.toml:1)"),
        (
            "variable",
            project("").env("TRIBUNAL_THEATER_SCORE_THRESHOLD", "6.000001"),
            "theater.score_threshold",
            "6.000001 (env TRIBUNAL_THEATER_SCORE_THRESHOLD)",
        ),
        ("flag", project("").flag("theater.score_threshold", "0"), "theater.score_threshold", "0 (flag --set)"),
        (
            "as high as the scale",
            project("theater.score_threshold = 10"),
            "theater.score_threshold",
            "10 (tribunal.toml:1)",
        ),
    ] {
        assert_eq!(setting(&loaded(&sources), key).as_deref(), Some(expected), "{row}");
    }
}

#[test]
fn weights_from_every_source() {
    let sources = project("[theater.weights]\ncritic = 0.4\na11y = 0.2\n")
        .env("TRIBUNAL_THEATER_WEIGHTS_A11Y", "0.3")
        .env("TRIBUNAL_THEATER_WEIGHTS_BRAND", "0.2")
        .flag("theater.weights.copy", "0.1")
        .flag("theater.weights.designer", "0");
    assert_snapshot!(listing(&loaded(&sources)), @"
    theater.weights.a11y = 0.3 (env TRIBUNAL_THEATER_WEIGHTS_A11Y)
    theater.weights.brand = 0.2 (env TRIBUNAL_THEATER_WEIGHTS_BRAND)
    theater.weights.copy = 0.1 (flag --set)
    theater.weights.critic = 0.4 (tribunal.toml:2)
    theater.weights.designer = 0 (flag --set)
    ");
}

#[test]
fn a_variable_can_weigh_a_role_that_a_variable_cast() {
    let sources = Sources::default()
        .env("TRIBUNAL_THEATER_WEIGHTS_HOUSE_STYLE", "1")
        .env("TRIBUNAL_THEATER_CAST", "designer,house_style");
    assert_snapshot!(listing(&loaded(&sources)), @r#"
    theater.cast = ["designer", "house_style"] (env TRIBUNAL_THEATER_CAST)
    theater.weights.house_style = 1 (env TRIBUNAL_THEATER_WEIGHTS_HOUSE_STYLE)
    "#);
}

#[test]
fn weights_may_miss_one_by_a_thousandth() {
    for (row, brand, good) in [
        ("thirds", "0.333333", true),
        ("a thousandth less", "0.332334", true),
        ("a thousandth more", "0.334334", true),
        ("more than that less", "0.332333", false),
        ("more than that more", "0.334335", false),
    ] {
        let sources = project("[theater.weights]\ncritic = 0.333333\ncopy = 0.333333\n");
        let answer = report(&sources.flag("theater.weights.brand", brand));
        assert_eq!(answer.starts_with("loaded"), good, "{row}: {answer}");
    }
}

#[test]
fn the_panel_out_of_range() {
    let text = r#"
[theater]
enabled = "yes"
policy = "ondemand"
panel = "seat"
cast = []
max_rounds = 11
score_scale = 0.5
score_threshold = 8.0000001
per_round_timeout_ms = 999
total_timeout_ms = 86_400_001
parser_max_block_bytes = 1023
fallback_policy = "best"
protocol_version = 2
max_concurrent_runs = 0
design = ""
artifact = "Landing Page"
weights.critic = -0.4
weights.brand = "0.2"
weights.copy = 1.1
"#;
    assert_snapshot!(report(&project(text)), @r#"
    tribunal.toml:3:1: `theater.enabled` is `"yes"`, expected `true` or `false`
    tribunal.toml:4:1: `theater.policy` is `"ondemand"`, expected `always`, `on-demand` or `off`
      hint: did you mean `on-demand`?
    tribunal.toml:5:1: `theater.panel` is `"seat"`, expected `single` or `seats`
      hint: did you mean `seats`?
    tribunal.toml:6:1: `theater.cast` is `[]`, expected a list of names such as `["slug", "title_seo"]`, at least one
    tribunal.toml:7:1: `theater.max_rounds` is `11`, expected a whole number from 1 to 10
    tribunal.toml:8:1: `theater.score_scale` is `0.5`, expected a number from 1 to 100 with at most six decimals
    tribunal.toml:9:1: `theater.score_threshold` is `8.0000001`, expected a number from 0 to 100 with at most six decimals
    tribunal.toml:10:1: `theater.per_round_timeout_ms` is `999`, expected a whole number from 1000 to 86400000
    tribunal.toml:11:1: `theater.total_timeout_ms` is `86_400_001`, expected a whole number from 1000 to 86400000
    tribunal.toml:12:1: `theater.parser_max_block_bytes` is `1023`, expected a whole number from 1024 to 1073741824
    tribunal.toml:13:1: `theater.fallback_policy` is `"best"`, expected `ship_best`, `ship_last` or `fail`
      hint: did you mean `ship_best`?
    tribunal.toml:14:1: `theater.protocol_version` is `2`, expected `1`
    tribunal.toml:15:1: `theater.max_concurrent_runs` is `0`, expected a whole number from 1 to 1024
    tribunal.toml:16:1: `theater.design` is `""`, expected a path
    tribunal.toml:17:1: `theater.artifact` is `"Landing Page"`, expected a name such as `title_seo`: lower-case letters, digits and `_`, starting with a letter
    tribunal.toml:18:9: `theater.weights.critic` is `-0.4`, expected a number from 0 to 1 with at most six decimals
    tribunal.toml:19:9: `theater.weights.brand` is `"0.2"`, expected a number from 0 to 1 with at most six decimals
    tribunal.toml:20:9: `theater.weights.copy` is `1.1`, expected a number from 0 to 1 with at most six decimals
    "#);
    let sources = project("").env("TRIBUNAL_THEATER_SCORE_SCALE", "ten").flag("theater.score_threshold", "8/10");
    assert_snapshot!(report(&sources), @"
    TRIBUNAL_THEATER_SCORE_SCALE: `theater.score_scale` is `ten`, expected a number from 1 to 100 with at most six decimals
    --set theater.score_threshold: `theater.score_threshold` is `8/10`, expected a number from 0 to 100 with at most six decimals
    ");
}

#[test]
fn the_panel_in_another_spelling() {
    let text = "
[theater]
maxRounds = 3
scoreScale = 10
scoreThreshold = 8.0
perRoundTimeoutMs = 90000
totalTimeoutMs = 240000
parserMaxBlockBytes = 262144
fallbackPolicy = 'fail'
protocolVersion = 1
maxConcurrentRuns = 2
[theater.weight]
critic = 1
";
    assert_snapshot!(report(&project(text)), @"
    tribunal.toml:3:1: unknown key `theater.maxRounds`
      hint: did you mean `theater.max_rounds`?
    tribunal.toml:4:1: unknown key `theater.scoreScale`
      hint: did you mean `theater.score_scale`?
    tribunal.toml:5:1: unknown key `theater.scoreThreshold`
      hint: did you mean `theater.score_threshold`?
    tribunal.toml:6:1: unknown key `theater.perRoundTimeoutMs`
      hint: did you mean `theater.per_round_timeout_ms`?
    tribunal.toml:7:1: unknown key `theater.totalTimeoutMs`
      hint: did you mean `theater.total_timeout_ms`?
    tribunal.toml:8:1: unknown key `theater.parserMaxBlockBytes`
      hint: did you mean `theater.parser_max_block_bytes`?
    tribunal.toml:9:1: unknown key `theater.fallbackPolicy`
      hint: did you mean `theater.fallback_policy`?
    tribunal.toml:10:1: unknown key `theater.protocolVersion`
      hint: did you mean `theater.protocol_version`?
    tribunal.toml:11:1: unknown key `theater.maxConcurrentRuns`
      hint: did you mean `theater.max_concurrent_runs`?
    tribunal.toml:12:10: unknown key `theater.weight`
      hint: did you mean `theater.weights`?
    ");
    assert_snapshot!(report(&project("[theater]\nweights = 0.4\n").flag("theater.weight.critic", "1")), @"
    tribunal.toml:2:1: `theater.weights` is a float, expected a table
      hint: give each its own value: theater.weights.NAME = …
    --set theater.weight.critic: unknown key `theater.weight.critic`
      hint: did you mean `theater.weights.critic`?
    ");
}

#[test]
fn a_threshold_above_the_scale() {
    assert_snapshot!(reports([
        ("both given", project("[theater]\nscore_scale = 5\nscore_threshold = 5.5\n")),
        ("the scale alone", project("[theater]\nscore_scale = 5\n")),
        ("the threshold alone", project("[theater]\nscore_threshold = 10.000001\n")),
        ("from two sources", project("[theater]\nscore_threshold = 9\n").flag("theater.score_scale", "8.5")),
        ("not against a scale that was refused", project("[theater]\nscore_scale = 200\nscore_threshold = 80\n")),
    ]), @"
    # both given
    tribunal.toml:3:1: `theater.score_threshold` is `5.5`, expected a number from 0 to 5 with at most six decimals
      hint: `theater.score_scale` is `5` (tribunal.toml:2)
    # the scale alone
    tribunal.toml:2:1: `theater.score_threshold` is `8`, expected a number from 0 to 5 with at most six decimals
      hint: `theater.score_scale` is `5` (tribunal.toml:2)
    # the threshold alone
    tribunal.toml:2:1: `theater.score_threshold` is `10.000001`, expected a number from 0 to 10 with at most six decimals
      hint: `theater.score_scale` is `10` (default)
    # from two sources
    tribunal.toml:2:1: `theater.score_threshold` is `9`, expected a number from 0 to 8.5 with at most six decimals
      hint: `theater.score_scale` is `8.5` (flag --set)
    # not against a scale that was refused
    tribunal.toml:2:1: `theater.score_scale` is `200`, expected a number from 1 to 100 with at most six decimals
    ");
}

#[test]
fn a_cast_that_cannot_play() {
    assert_snapshot!(reports([
        ("nobody drafts", project("[theater]\ncast = ['critic', 'copy']\n")),
        ("nobody judges", project("").flag("theater.cast", "designer")),
    ]), @r#"
    # nobody drafts
    tribunal.toml:2:1: `theater.cast` is `["critic", "copy"]`, expected a list of names with `designer` and at least one judge
    # nobody judges
    --set theater.cast: `theater.cast` is `["designer"]`, expected a list of names with `designer` and at least one judge
    "#);
}

#[test]
fn weights_that_do_not_fit() {
    assert_snapshot!(reports([
        ("misspelt role", project("[theater.weights]\ncritc = 0.4\nbrand = 0.6\n")),
        ("in another letter case", project("[theater.weights]\nCritic = 1\n")),
        ("nobody like that", project("[theater.weights]\nlawyer = 1\n")),
        ("not in this cast", project("[theater]\ncast = ['designer', 'critic']\nweights.brand = 1\n")),
        ("by a variable", project("").env("TRIBUNAL_THEATER_WEIGHTS_CRITICS", "1")),
        ("designer", project("[theater.weights]\ndesigner = 0.1\ncritic = 0.9\n")),
        ("too little", project("[theater.weights]\ncritic = 0.4\nbrand = 0.2\ncopy = 0.2\n")),
        ("too much", project("[theater.weights]\ncritic = 1\n").flag("theater.weights.copy", "0.001001")),
        ("nothing", project("[theater.weights]\ncritic = 0\n")),
        ("no sum with a refused one", project("[theater.weights]\ncritic = 0.4\ncopy = 2\n")),
    ]), @"
    # misspelt role
    tribunal.toml:2:1: `theater.weights.critc` is `0.4`, but `critc` is not in the cast
      hint: did you mean `critic`?
    # in another letter case
    tribunal.toml:2:1: `theater.weights.Critic` is `1`, but `Critic` is not in the cast
      hint: did you mean `critic`?
    # nobody like that
    tribunal.toml:2:1: `theater.weights.lawyer` is `1`, but `lawyer` is not in the cast
      hint: the cast is designer, critic, brand, a11y, copy
    # not in this cast
    tribunal.toml:3:9: `theater.weights.brand` is `1`, but `brand` is not in the cast
      hint: the cast is designer, critic
    # by a variable
    TRIBUNAL_THEATER_WEIGHTS_CRITICS: `theater.weights.critics` is `1`, but `critics` is not in the cast
      hint: did you mean `critic`?
    # designer
    tribunal.toml:2:1: `theater.weights.designer` is `0.1`, expected `0`
      hint: the designer never scores
    # too little
    tribunal.toml:4:1: the weights in `theater.weights` add up to `0.8`, expected 1 (from 0.999 to 1.001)
      hint: a judge without a weight counts 0; without any weights, the defaults apply
    # too much
    --set theater.weights.copy: the weights in `theater.weights` add up to `1.001001`, expected 1 (from 0.999 to 1.001)
      hint: a judge without a weight counts 0; without any weights, the defaults apply
    # nothing
    tribunal.toml:2:1: the weights in `theater.weights` add up to `0`, expected 1 (from 0.999 to 1.001)
      hint: a judge without a weight counts 0; without any weights, the defaults apply
    # no sum with a refused one
    tribunal.toml:3:1: `theater.weights.copy` is `2`, expected a number from 0 to 1 with at most six decimals
    ");
}
