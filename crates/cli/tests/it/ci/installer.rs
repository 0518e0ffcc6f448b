//! `install.sh`: what is damaged, or not what it should be, is not installed.

use std::fs;
use std::path::Path;

use super::release::{ARCHIVE, Release};
use super::{root, scripted};
use crate::support::{Output, Project};

fn install(project: &Project, words: &str, environment: &[(&str, String)]) -> Output {
    let script = format!("sh '{}' {words}", root().join("install.sh").display());
    scripted(project, &["sh", "-ec"], &script, environment)
}

/// Nothing is left where it would have been installed.
fn refused(project: &Project, release: &Release, why: &str) {
    let output = install(project, &format!("--from {} --to bin", release.folder().display()), &[]);
    assert!(output.code == 1 && output.stderr.contains("error: "), "{why}: {}", output.all());
    assert!(output.stderr.contains(why) && output.stdout.is_empty(), "{why}: {}", output.all());
    assert!(!project.path("bin").exists(), "{why}: {:?}", project.list("bin"));
}

#[test]
fn what_has_another_checksum_is_not_installed() {
    let project = Project::bare();
    let rows = [
        ("the checksum of", format!("printf x >> {ARCHIVE}")),
        ("the checksum of", "sed -i s/^./x/ SHA256SUMS".to_owned()),
        ("SHA256SUMS does not have", ": > SHA256SUMS".to_owned()),
        ("SHA256SUMS does not have", format!("sed -i 's|{ARCHIVE}|other/{ARCHIVE}|' SHA256SUMS")),
        ("cannot get SHA256SUMS", "rm SHA256SUMS".to_owned()),
        ("cannot get tribunal-", format!("rm {ARCHIVE}")),
        (
            "does not start",
            format!(
                "cd tribunal-x86*; printf '#!/bin/sh\\nexit 1\\n' > tribunal; cd ..; tar -czf {ARCHIVE} tribunal-x86*; \
                 sha256sum {ARCHIVE} > SHA256SUMS"
            ),
        ),
    ];
    for (why, damage) in rows {
        let release = Release::new();
        release.shell(&damage);
        refused(&project, &release, why);
    }
}

#[test]
fn what_cannot_run_here_is_not_installed() {
    let (project, release) = (Project::bare(), Release::new());
    project.agent("fake/uname", "#!/bin/sh\ncase $1 in -s) echo Darwin ;; *) echo arm64 ;; esac\n");
    let path = format!("{}:{}", project.path("fake").display(), std::env::var("PATH").unwrap());
    let from = format!("--from {} --to bin", release.folder().display());
    let mac = install(&project, &from, &[("PATH", path.clone())]);
    assert!(mac.code == 1 && mac.stderr.contains("no archive for Darwin on arm64"), "{}", mac.all());
    fs::remove_file(project.path("fake/uname")).unwrap();
    project.agent("fake/getconf", "#!/bin/sh\nexit 1\n");
    let musl = install(&project, &from, &[("PATH", path)]);
    assert!(musl.code == 1 && musl.stderr.contains("no glibc"), "{}", musl.all());
    let unknown = install(&project, "--form x", &[]);
    assert!(unknown.code == 1 && unknown.stderr.contains("unknown argument: --form"), "{}", unknown.all());
    assert!(!project.path("bin").exists());
}

#[test]
fn what_is_whole_is_installed_and_replaces_what_was_there() {
    let (project, release) = (Project::bare(), Release::new());
    for from in [release.folder().display().to_string(), format!("file://{}", release.folder().display())] {
        let to = project.path("my bin").display().to_string();
        let output = install(&project, "", &[("TRIBUNAL_FROM", from), ("TRIBUNAL_INSTALL_DIR", to.clone())]);
        assert_eq!(output.code, 0, "{}", output.all());
        assert_eq!(output.stdout, format!("tribunal {} is in {to}/tribunal\n", env!("CARGO_PKG_VERSION")));
        assert!(output.stderr.contains("hint: put") && output.stderr.contains("PATH"), "{}", output.all());
        assert_eq!(project.list("my bin"), [Path::new("my bin/tribunal").display().to_string()]);
    }
    let help = install(&project, "--help", &[]);
    assert!(help.code == 0 && help.stdout.contains("Usage: install.sh"), "{}", help.all());
}
