//! What is configured of a desk arrives where the trial looks for it.

use super::{Bench, HONEST, LADDERS, PASSES};
use crate::settings::spec;

#[test]
fn every_setting_of_a_desk_is_in_its_run_spec() {
    let bench = Bench::new(HONEST, PASSES);
    bench.lay_out("campaigns");
    let settings = "[desk]\nroot = \"campaigns\"\nladder = [\"small\", \"large\"]\nverifier_ladder = [\"strict\"]\nroll_back = \
                    true\nstale_after = 5\nmax_consecutive_failures = 4\nchecks_network = false\n\
                    carry = [\"data\"]\nsetup = [\"true\"]\nverifier_network = true\nmutants = \"off\"\n";
    let toml = bench.project.read("tribunal.toml").replace(LADDERS, "").replace("[desk]\n", settings);
    bench.project.write("tribunal.toml", &toml);
    let output = bench.run();
    assert_eq!(output.code, 0, "{}", output.all());
    assert_eq!((bench.calls("worker"), bench.calls("verifier")), (vec!["1 small".into()], vec!["1 strict".into()]));
    assert!(bench.project.path("campaigns/memos/calc-complete.md").exists());
    insta::assert_snapshot!(format!("{:#}", spec(&bench.project)["desk"]), @r#"
    {
      "slug": "calc",
      "root": "campaigns",
      "ladder": [
        "small",
        "large"
      ],
      "verifier_ladder": [
        "strict"
      ],
      "roll_back": true,
      "stale_after": 5,
      "max_consecutive_failures": 4,
      "mutants": "off"
    }
    "#);
}

#[test]
fn a_check_without_the_network_is_in_a_place_of_its_own() {
    let here = std::fs::read_link("/proc/self/ns/net").unwrap();
    let test = format!("echo 1..1\n[ \"$(readlink /proc/self/ns/net)\" != '{}' ] && echo ok 1\n", here.display());
    for (network, code) in [("false", 0), ("true", 3)] {
        let bench = Bench::without_git(HONEST, PASSES);
        if !bench.project.tribunal(&["agents", "doctor"]).stdout.contains("sandbox: bubblewrap") {
            return;
        }
        bench.project.write("test_calc.sh", &test);
        let network = format!("desk.checks_network={network}");
        let output = bench.project.tribunal(&["desk", "run", "calc", "--max-iter", "1", "--set", &network]);
        assert_eq!(output.code, code, "{network}: {}", output.all());
    }
}

#[test]
fn a_verifier_that_needs_no_network_can_be_kept_from_it() {
    let here = std::fs::read_link("/proc/self/ns/net").unwrap();
    let verifier = format!("[ \"$(readlink /proc/self/ns/net)\" != '{}' ] || exit 1\n{PASSES}", here.display());
    for (network, is_well) in [("false", true), ("true", false)] {
        let bench = Bench::without_git(HONEST, &verifier);
        if !bench.project.tribunal(&["agents", "doctor"]).stdout.contains("sandbox: bubblewrap") {
            return;
        }
        let network = format!("desk.verifier_network={network}");
        let output = bench.project.tribunal(&["desk", "run", "calc", "--max-iter", "1", "--set", &network]);
        assert_eq!(output.code == 0, is_well, "{network}: {}", output.all());
    }
}

#[test]
fn a_model_that_is_named_is_taken_whatever_the_ladder_says() {
    for (name, settings, flags) in [
        ("flags", "", &["--worker-model", "opus", "--verifier-model", "mini"][..]),
        ("keys", "worker_model = \"opus\"\nverifier_model = \"mini\"\n", &[]),
    ] {
        let bench = Bench::new(HONEST, PASSES);
        let toml = bench.project.read("tribunal.toml").replace("[desk]\n", &format!("[desk]\n{settings}"));
        bench.project.write("tribunal.toml", &toml);
        let args: Vec<&str> = ["desk", "run", "calc"].iter().chain(flags).copied().collect();
        let output = bench.project.tribunal(&args);
        assert_eq!(output.code, 0, "{name}: {}", output.all());
        assert_eq!(bench.calls("worker"), ["1 opus"], "{name}");
        assert_eq!(bench.calls("verifier"), ["1 mini"], "{name}");
    }
}

#[test]
fn a_plain_command_has_no_models_and_costs_nothing() {
    for (name, ladders, prices, models, is_free) in [
        ("by itself", "", "", (vec!["1 "], vec!["1 "]), true),
        ("told of models", LADDERS, "", (vec!["1 sonnet"], vec!["1 opus"]), true),
        (
            "with a rate",
            LADDERS,
            "[prices.sonnet]\ninput = 3\noutput = 15\n",
            (vec!["1 sonnet"], vec!["1 opus"]),
            false,
        ),
    ] {
        let bench = Bench::new(HONEST, PASSES);
        let toml = bench.project.read("tribunal.toml").replace(LADDERS, ladders) + prices;
        bench.project.write("tribunal.toml", &toml);
        let output = bench.run();
        assert_eq!(output.code, 0, "{name}: {}", output.all());
        assert_eq!((bench.calls("worker"), bench.calls("verifier")), (lines(&models.0), lines(&models.1)), "{name}");
        assert_eq!(bench.report().contains(" $0.00,"), is_free, "{name}: {}", bench.report());
    }
}

/// A model that is named for an agent or a seat is the only one, whatever the ladder says.
#[test]
fn a_model_of_the_agent_wins_over_the_ladder() {
    let bench = Bench::new(HONEST, PASSES);
    let toml = bench.project.read("tribunal.toml");
    let toml = toml.replace("command = [\"./worker.sh\"]", "command = [\"./worker.sh\"]\nmodel = \"mine\"");
    let toml = toml.replace("[seats.verifier]\n", "[seats.verifier]\nmodel = \"yours\"\n");
    bench.project.write("tribunal.toml", &toml);
    let output = bench.run();
    assert_eq!(output.code, 0, "{}", output.all());
    assert_eq!((bench.calls("worker"), bench.calls("verifier")), (lines(&["1 mine"]), lines(&["1 yours"])));
}

fn lines(lines: &[&str]) -> Vec<String> {
    lines.iter().map(|line| (*line).to_owned()).collect()
}

#[test]
fn what_is_not_finished_can_be_taken_over_on_request() {
    let bench = Bench::new("good\nremember continue 'the rest'\n", PASSES);
    let output = bench.project.tribunal(&["desk", "run", "calc", "--max-iter", "1"]);
    assert_eq!(output.code, 3, "{}", output.all());
    let refused = bench.project.tribunal(&["adopt", "calc"]);
    assert_eq!(refused.code, 2, "{}", refused.all());
    assert!(refused.stderr.contains("is not complete"), "{}", refused.all());
    assert!(!bench.project.path("calc.sh").exists());
    let adopted = bench.project.tribunal(&["adopt", "calc", "--unfinished"]);
    assert_eq!(adopted.code, 0, "{}", adopted.all());
    assert_eq!(bench.project.read("calc.sh"), "echo $(($1 + $2))\n");
}

#[test]
fn a_seat_can_be_asked_for_a_plan() {
    let bench = Bench::new(HONEST, PASSES);
    let plan = r#"{"slug": "abacus", "objective": "beads", "stories": [{"title": "Count", "criteria": ["it counts"]}], "commands": [{"purpose": "test", "line": "sh test_calc.sh"}]}"#;
    bench.project.agent("worker.sh", &format!("#!/bin/sh\ncat > calls/prompt\nprintf '%s' '{plan}'\n"));
    let output = bench.project.tribunal(&["desk", "brainstorm", "a calculator with beads", "--ask", "worker"]);
    assert_eq!(output.code, 0, "{}", output.all());
    assert!(output.stdout.contains("slug = \"abacus\"") && output.stdout.contains("it counts"), "{}", output.all());
    assert!(bench.project.read("calls/prompt").contains("a calculator with beads"));
}
