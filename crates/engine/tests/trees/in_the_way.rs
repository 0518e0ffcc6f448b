//! What the user has and git does not is never taken away by taking work over.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::Path;

use tribunal_engine::tree::{Adopted, TreeError, Trees};

use crate::scene::{BOTH, BRANCH, Scene, With, git, read, write};

/// What somebody does in a folder.
type Deed = fn(&Path);

/// Everything in the checkout, links as links, and what git has noted.
async fn picture(scene: &Scene) -> String {
    let mut lines = Vec::new();
    let mut open = vec![scene.project.clone()];
    while let Some(folder) = open.pop() {
        for path in fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()) {
            let found = fs::symlink_metadata(&path).unwrap();
            if found.is_symlink() {
                lines.push(format!("{} -> {}", path.display(), fs::read_link(&path).unwrap().display()));
            } else if found.is_file() {
                lines.push(format!("{}: {:?}", path.display(), fs::read(&path).unwrap()));
            } else if !path.ends_with(".git") {
                lines.push(format!("{}/", path.display()));
                open.push(path);
            }
        }
    }
    lines.sort();
    lines.join("\n") + &scene.everything().await
}

fn exclude(project: &Path, names: &str) {
    fs::write(project.join(".git/info/exclude"), names).unwrap();
}

#[tokio::test]
async fn what_git_ignores_is_not_taken_away() {
    let cases: [(&str, Deed, Deed, &[&str]); 13] = [
        (
            "the worker no longer ignores it",
            |user| {
                write(user, "target/kept", "mine");
                write(user, "target/deep/kept", "mine");
            },
            |work| {
                fs::write(work.join(".gitignore"), "").unwrap();
                write(work, "target/kept", "the agent's");
                write(work, "target/deep/kept", "the agent's");
            },
            &["target/deep/kept", "target/kept"],
        ),
        (
            "a file in place of a folder",
            |user| {
                write(user, "target/a", "mine");
                write(user, "target/deep/b", "mine");
            },
            |work| {
                fs::write(work.join(".gitignore"), "").unwrap();
                fs::write(work.join("target"), "the agent's").unwrap();
            },
            &["target/a", "target/deep/b"],
        ),
        (
            "a link in place of a folder",
            |user| {
                exclude(user, "notes\n");
                write(user, "notes/a", "mine");
            },
            |work| symlink("src", work.join("notes")).unwrap(),
            &["notes/a"],
        ),
        (
            "excluded by the user alone",
            |user| {
                exclude(user, "settings.local\n");
                write(user, "settings.local", "mine");
            },
            |work| write(work, "settings.local", "the agent's"),
            &["settings.local"],
        ),
        (
            "a folder in place of a file",
            |user| {
                exclude(user, "notes\n");
                write(user, "notes", "mine");
            },
            |work| write(work, "notes/deep/a", "the agent's"),
            &["notes"],
        ),
        (
            "a folder in place of a link",
            |user| {
                exclude(user, "notes\n");
                symlink("/nowhere", user.join("notes")).unwrap();
            },
            |work| {
                write(work, "notes/a", "the agent's");
                write(work, "notes/b", "the agent's");
            },
            &["notes"],
        ),
        (
            "a link to a folder that git knows",
            |user| {
                exclude(user, "src\n");
                fs::rename(user.join("src"), user.join("../elsewhere")).unwrap();
                fs::remove_file(user.join("../elsewhere/main.rs")).unwrap();
                symlink("../elsewhere", user.join("src")).unwrap();
            },
            |work| write(work, "src/main.rs", "the agent's"),
            &["src"],
        ),
        (
            "beside what git knows",
            |user| {
                exclude(user, "mine\n");
                write(user, "src/mine", "mine");
            },
            |work| {
                fs::remove_dir_all(work.join("src")).unwrap();
                write(work, "src", "the agent's");
            },
            &["src/mine"],
        ),
        (
            "what git is no longer to know, removed",
            |user| {
                exclude(user, "README.md\n");
                git(user, &["rm", "-q", "--cached", "README.md"]);
            },
            |work| fs::remove_file(work.join("README.md")).unwrap(),
            &["README.md"],
        ),
        (
            "a repository of the user's",
            |user| {
                exclude(user, "vendor\n");
                write(user, "vendor/x", "mine");
                git(&user.join("vendor"), &["init", "-q"]);
            },
            |work| write(work, "vendor/x", "the agent's"),
            &["vendor/x"],
        ),
        (
            "names that have to be quoted",
            |user| {
                exclude(user, "*\n");
                write(user, "\u{e4} \"b\"\n", "mine");
            },
            |work| write(work, "\u{e4} \"b\"\n", "the agent's"),
            &["\u{e4} \"b\"\n"],
        ),
        (
            "both have gone on",
            |user| {
                exclude(user, "notes\n");
                write(user, "notes", "mine");
                write(user, "meanwhile", "x");
                git(user, &["add", "meanwhile"]);
                git(user, &["commit", "-qm", "meanwhile"]);
            },
            |work| write(work, "notes", "the agent's"),
            &["notes"],
        ),
        (
            "on another branch, which does not know the file",
            |user| {
                git(user, &["checkout", "-qb", "other"]);
                git(user, &["rm", "-q", "--cached", "run.sh"]);
                git(user, &["commit", "-qm", "other"]);
                exclude(user, "run.sh\nmine\n");
                write(user, "mine", "mine");
            },
            |work| write(work, "mine", "the agent's"),
            &["mine"],
        ),
    ];
    for (name, of_user, of_worker, expected) in cases {
        let scene = Scene::new(With::Git);
        let mut trees = scene.open().await;
        of_worker(trees.work());
        write(trees.work(), "innocent", "x");
        trees.commit("step").await.unwrap();
        of_user(&scene.project);
        let before = picture(&scene).await;
        let done = trees.adopt().await;
        assert_eq!(picture(&scene).await, before, "{name}: {done:?}");
        let error = done.expect_err(name);
        let TreeError::InTheWay { files } = &error else { panic!("{name}: {error}") };
        assert_eq!(files, expected, "{name}");
        assert!(error.hint().contains("move"), "{name}: {}", error.hint());
    }
}

#[tokio::test]
async fn what_nobody_loses_is_not_in_the_way() {
    let cases: [(&str, Deed, Deed); 4] = [
        (
            "an empty folder",
            |user| fs::create_dir_all(user.join("target/deep")).unwrap(),
            |work| {
                fs::write(work.join(".gitignore"), "").unwrap();
                fs::write(work.join("target"), "the agent's").unwrap();
            },
        ),
        (
            "beside the work",
            |user| write(user, "target/kept", "mine"),
            |work| {
                fs::write(work.join(".gitignore"), "").unwrap();
                write(work, "target/other", "the agent's");
            },
        ),
        (
            "a folder that git knows and nobody else",
            |_| {},
            |work| {
                fs::remove_dir_all(work.join("src")).unwrap();
                write(work, "src", "the agent's");
            },
        ),
        (
            "a file that git knows",
            |_| {},
            |work| {
                fs::remove_file(work.join("README.md")).unwrap();
                write(work, "README.md/a", "the agent's");
            },
        ),
    ];
    for (name, of_user, of_worker) in cases {
        let scene = Scene::new(With::Git);
        let mut trees = scene.open().await;
        of_worker(trees.work());
        let commit = trees.commit("step").await.unwrap();
        of_user(&scene.project);
        assert_eq!(trees.adopt().await.unwrap(), Adopted::FastForward { to: commit.id }, "{name}");
        assert_eq!(git(&scene.project, &["status", "--porcelain", "--untracked-files=no"]), "", "{name}");
    }
}

#[tokio::test]
async fn in_a_subfolder_the_names_are_those_of_the_project() {
    let scene = Scene::new(With::Git);
    scene.user("apps/one/app.txt", "app");
    git(&scene.project, &["add", "."]);
    git(&scene.project, &["commit", "-qm", "apps"]);
    let project = scene.project.join("apps/one");
    let mut trees = Trees::open(&project, &scene.home, BRANCH, &["desk".into()]).await.unwrap();
    for path in ["mine", "../../src/mine"] {
        write(trees.work(), path, "the agent's");
    }
    trees.commit("step").await.unwrap();
    exclude(&scene.project, "mine\n");
    for path in ["mine", "../../src/mine"] {
        write(&project, path, "mine");
    }
    let error = trees.adopt().await.unwrap_err();
    assert_eq!(error.to_string(), "files of yours stand where the work would be written: mine, ../../src/mine");
    assert_eq!((read(&project, "mine"), read(&scene.project, "src/mine")), ("mine".into(), "mine".into()));
}

#[tokio::test]
async fn of_many_files_a_few_are_named() {
    let scene = Scene::new(With::Git);
    let mut trees = scene.open().await;
    for number in 0..7 {
        write(trees.work(), &format!("mine-{number}"), "the agent's");
    }
    trees.commit("step").await.unwrap();
    exclude(&scene.project, "mine-*\n");
    for number in 0..7 {
        scene.user(&format!("mine-{number}"), "mine");
    }
    let told = trees.adopt().await.unwrap_err().to_string();
    assert!(told.ends_with("mine-0, mine-1, mine-2, mine-3, mine-4 and 2 more"), "{told}");
}

#[tokio::test]
async fn files_and_folders_do_not_take_each_others_place() {
    let cases: [(&str, Deed, Deed, &[&str]); 2] = [
        (
            "a file in place of a folder",
            |user| write(user, "src/mine", "mine"),
            |work| {
                fs::remove_dir_all(work.join("src")).unwrap();
                write(work, "src", "the agent's");
            },
            &["src/mine"],
        ),
        (
            "a folder in place of a file",
            |user| write(user, "notes", "mine"),
            |work| write(work, "notes/deep/a", "the agent's"),
            &["notes"],
        ),
    ];
    for with in BOTH {
        for (name, of_user, of_worker, expected) in cases {
            let scene = Scene::new(with);
            let mut trees = scene.open().await;
            of_worker(trees.work());
            trees.commit("step").await.unwrap();
            of_user(&scene.project);
            let before = picture(&scene).await;
            let done = trees.adopt().await;
            assert_eq!(picture(&scene).await, before, "{name} {with:?}: {done:?}");
            let TreeError::InTheWay { files } = done.expect_err(name) else { panic!("{name} {with:?}") };
            assert_eq!(files, expected, "{name} {with:?}");
        }
    }
}

#[tokio::test]
async fn what_the_user_has_not_finished_is_named() {
    for (name, begin, expected) in [
        ("merge", &["merge", "-q", "other"][..], "a merge is not finished in your checkout"),
        ("cherry-pick", &["cherry-pick", "other"], "a cherry-pick is not finished in your checkout"),
        ("rebase", &["rebase", "-q", "other"], "a rebase is not finished in your checkout"),
        ("a stash", &["stash", "pop", "-q"], "these files have conflicts: README.md"),
    ] {
        let scene = Scene::new(With::Git);
        let mut trees = scene.open().await;
        write(trees.work(), "new", "x");
        trees.commit("step").await.unwrap();
        git(&scene.project, &["checkout", "-qb", "other"]);
        scene.user("README.md", "theirs\n");
        git(&scene.project, &["commit", "-qam", "theirs"]);
        git(&scene.project, &["checkout", "-q", "main"]);
        scene.user("README.md", "stashed\n");
        git(&scene.project, &["stash", "-q"]);
        scene.user("README.md", "mine\n");
        git(&scene.project, &["commit", "-qam", "mine"]);
        let begun = std::process::Command::new("git")
            .args(["-c", "user.name=U", "-c", "user.email=u@example.com"])
            .args(begin)
            .current_dir(&scene.project)
            .output()
            .unwrap();
        assert!(!begun.status.success(), "{name}");
        let before = picture(&scene).await;
        let error = trees.adopt().await.unwrap_err();
        assert_eq!(error.to_string(), expected, "{name}");
        assert!(error.hint().ends_with("nothing was changed"), "{name}: {}", error.hint());
        assert_eq!(picture(&scene).await, before, "{name}");
    }
}
