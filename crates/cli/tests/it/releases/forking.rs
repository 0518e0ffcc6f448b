//! Variations of old runs: what was paid for then is not paid for again.

use super::{ALL, called_again, calls, free, is_intact, runs};

#[test]
fn an_old_run_is_forked_and_only_what_differs_is_paid() {
    for (name, args, again) in [
        ("review-shipped", ["--from-round", "2", "--seat", "reviewer=kind"], "reviewer 1"),
        ("joust-converged", ["--from-round", "1", "--seat", "skeptic=other"], "skeptic 1"),
        ("theater-seats-shipped", ["--from-round", "2", "--seat", "critic=other"], "critic 1"),
        ("theater-seats-interrupted", ["--from-round", "2", "--seat", "critic=other"], "critic 1"),
    ] {
        let project = free(name);
        let (before, old, files) = (calls(&project), runs(&project), project.snapshot());
        let dry = project.tribunal(&[&["fork"], &args[..], &["--dry-run"]].concat());
        assert_eq!(dry.code, 0, "{name}: {}", dry.all());
        assert!(dry.stdout.contains(&format!("answers of run {} are reused", old[0])), "{name}: {}", dry.all());
        assert_eq!(project.snapshot(), files, "{name}: a dry run changes nothing");

        let forked = project.tribunal(&[&["fork"], &args[..], &["--yes"]].concat());
        assert_eq!(forked.code, 0, "{name}: {}", forked.all());
        assert_eq!(called_again(&project, &before), again, "{name}: {}", forked.all());
        assert_eq!(runs(&project).len(), 2, "{name}");
        for (path, (bytes, _)) in &files {
            let kept = path.ends_with("log.ndjson") || path.components().any(|part| part.as_os_str() == "copy");
            assert!(!kept || std::fs::read(path).unwrap() == *bytes, "{name}: {} has changed", path.display());
        }
        is_intact(&project, name);
    }
}

#[test]
fn a_fork_can_be_forked() {
    let project = free("theater-seats-forked");
    let (before, all) = (calls(&project), runs(&project));
    let again = project.tribunal(&["fork", &all[0], "--from-round", "2", "--seat", "brand=other", "--yes"]);
    assert_eq!(again.code, 0, "{}", again.all());
    assert_eq!(called_again(&project, &before), "brand 1", "{}", again.all());
    is_intact(&project, "theater-seats-forked");
}

#[test]
fn what_could_not_be_forked_still_cannot() {
    for (name, kind, _) in ALL {
        if kind == "desk" || name.starts_with("theater-single") {
            let project = free(name);
            let files = project.snapshot();
            let refused = project.tribunal(&["fork", "--from-round", "1", "--dry-run"]);
            assert_eq!(refused.code, 2, "{name}: {}", refused.all());
            assert_eq!(project.snapshot(), files, "{name}");
        }
    }
}
