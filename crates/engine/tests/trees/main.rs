//! Real repositories and copies, and agents that do what they should not.

#![cfg(unix)]
#![expect(clippy::unwrap_used, reason = "tests; clippy overlooks helpers outside of `#[test]`")]

mod adopt;
mod apart;
mod in_the_way;
mod scene;
mod two_disks;

use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::Path;

use scene::{BOTH, BRANCH, Scene, With, git, read, shown, write};
use tribunal_engine::tree::{Adopted, TreeError, Trees, read_inside, tree_hash};

#[tokio::test]
async fn work_is_committed_and_rolled_back_and_the_user_sees_nothing_of_it() {
    for with in BOTH {
        let scene = Scene::new(with);
        scene.user("notes.txt", "not committed");
        scene.user("README.md", "changed, not committed\n");
        let before = scene.everything().await;
        let mut trees = scene.open().await;
        assert_eq!(trees.left_behind(), if with == With::Git { 2 } else { 0 });
        assert_eq!(trees.missing().is_some(), with == With::Nothing);
        let base = trees.head().to_owned();
        let work = trees.work().to_owned();
        assert_eq!(work.join("notes.txt").exists(), with == With::Nothing, "{with:?}");

        assert!(trees.commit("nothing").await.unwrap().is_empty);
        write(&work, "src/lib.rs", "pub fn f() {}\n");
        write(&work, "src/main.rs", "fn main() { f() }\n");
        fs::remove_file(work.join("README.md")).unwrap();
        symlink("src/lib.rs", work.join("run.link")).unwrap();
        fs::remove_file(work.join("run.sh")).unwrap();
        symlink("src", work.join("run.sh")).unwrap();
        write(&work, "desk/memo.md", "aside");
        let first = trees.commit("first step").await.unwrap();
        let expected = "- README.md, + run.link, @ run.sh, + src/lib.rs, ~ src/main.rs";
        assert_eq!(shown(&first.changed), expected, "{with:?}");
        assert!(!first.is_empty && first.id == trees.head() && first.id != base);
        assert_eq!(trees.changes(&base, &first.id).await.unwrap(), first.changed);

        write(&work, "src/deep/er/new.rs", "x");
        write(&work, "src/main.rs", "broken");
        fs::set_permissions(work.join("src/lib.rs"), fs::Permissions::from_mode(0o755)).unwrap();
        let second = trees.commit("second step").await.unwrap();
        assert_eq!(shown(&second.changed), "+ src/deep/er/new.rs, ~ src/lib.rs, ~ src/main.rs", "{with:?}");

        write(&work, "src/main.rs", "half done");
        write(&work, "untracked", "x");
        trees.roll_back(&first.id).await.unwrap();
        assert_eq!(read(&work, "src/main.rs"), "fn main() { f() }\n");
        assert!(!work.join("untracked").exists() && !work.join("src/deep").exists(), "{with:?}");
        assert_eq!(read(&work, "desk/memo.md"), "aside");
        assert!(work.join("run.sh").is_symlink());
        assert_eq!(trees.head(), first.id);
        let again = trees.commit("again").await.unwrap();
        assert!(again.is_empty && again.tree == first.tree, "{with:?}");

        trees.roll_back(&base).await.unwrap();
        assert_eq!(fs::metadata(work.join("run.sh")).unwrap().permissions().mode() & 0o777, 0o755);
        assert!(!work.join("run.link").is_symlink() && work.join("README.md").exists());
        assert!(matches!(trees.roll_back("999").await, Err(TreeError::NoCommit { .. })));
        assert_eq!(scene.everything().await, before, "{with:?}");
    }
}

#[tokio::test]
async fn what_is_ignored_is_not_committed_and_survives_a_roll_back_but_nothing_can_hide() {
    let scene = Scene::new(With::Git);
    let mut trees = scene.open().await;
    let (work, base) = (trees.work().to_owned(), trees.head().to_owned());
    write(&work, "target/debug/cache", "slow to build");
    assert!(trees.commit("cache").await.unwrap().is_empty);
    write(&work, "sly/.gitignore", "*\n");
    write(&work, "sly/payload", "hidden");
    assert!(trees.commit("sly").await.unwrap().is_empty);
    trees.roll_back(&base).await.unwrap();
    assert_eq!(read(&work, "target/debug/cache"), "slow to build");
    assert!(!work.join("sly").exists());
    let checkout = trees.checkout(&base).await.unwrap();
    assert!(!checkout.path().join("target").exists());
}

#[tokio::test]
async fn whatever_the_agent_does_to_history_our_commit_follows_the_last_good_one() {
    /// What it does, in its work tree. The result must be the same: `new` is added.
    type Mischief = fn(&Path);
    let cases: [(&str, Mischief); 10] = [
        ("nothing", |_| {}),
        ("commits itself", |work| {
            git(work, &["add", "."]);
            git(work, &["commit", "-qm", "mine"]);
        }),
        ("switches branches", |work| {
            git(work, &["checkout", "-qb", "elsewhere"]);
            git(work, &["add", "."]);
            git(work, &["commit", "-qm", "mine"]);
        }),
        ("begins a new history", |work| {
            git(work, &["checkout", "-q", "--orphan", "void"]);
            git(work, &["commit", "-qam", "void"]);
        }),
        ("moves our branch", |work| {
            git(work, &["commit", "-q", "--allow-empty", "-m", "empty"]);
            git(work, &["update-ref", &format!("refs/heads/{BRANCH}"), "HEAD"]);
        }),
        ("deletes our branch", |work| {
            git(work, &["checkout", "-q", "--detach"]);
            git(work, &["branch", "-D", BRANCH]);
        }),
        ("deletes .git", |work| fs::remove_dir_all(work.join(".git")).unwrap()),
        ("makes a repository of its own", |work| {
            fs::remove_dir_all(work.join(".git")).unwrap();
            git(work, &["init", "-q"]);
            git(work, &["add", "."]);
            git(work, &["commit", "-qm", "mine"]);
        }),
        ("ruins the books", |work| fs::write(work.join(".git/HEAD"), "nonsense").unwrap()),
        ("leaves a rebase half done", |work| {
            fs::create_dir(work.join(".git/rebase-merge")).unwrap();
            fs::write(work.join(".git/index.lock"), "").unwrap();
        }),
    ];
    for (name, mischief) in cases {
        let scene = Scene::new(With::Git);
        let mut trees = scene.open().await;
        let (work, base) = (trees.work().to_owned(), trees.head().to_owned());
        write(&work, "new", "new\n");
        mischief(&work);
        let commit = trees.commit("step").await.unwrap();
        assert_eq!(shown(&commit.changed), "+ new", "{name}");
        assert_eq!(git(&scene.project, &["rev-parse", &format!("{BRANCH}^")]), base, "{name}");
        assert_eq!(git(&scene.project, &["rev-parse", BRANCH]), commit.id, "{name}");
        let who = git(&scene.project, &["log", "-1", "--format=%an <%ae> %s", BRANCH]);
        assert!(who.ends_with("> step"), "{who}");
        assert_eq!(git(&work, &["status", "--porcelain"]), "", "{name}");
        assert_eq!(git(&work, &["rev-parse", "HEAD"]), commit.id, "{name}");
        assert_eq!(git(&scene.project, &["symbolic-ref", "HEAD"]), "refs/heads/main", "{name}");
        trees.roll_back(&base).await.unwrap();
        assert!(!work.join("new").exists(), "{name}");
    }
}

#[tokio::test]
async fn repositories_inside_are_plain_files() {
    let scene = Scene::new(With::Git);
    let mut trees = scene.open().await;
    let work = trees.work().to_owned();
    for (name, commits) in [("empty", false), ("full", true), ("full/inner", true)] {
        write(&work, &format!("{name}/file"), name);
        write(&work, &format!("{name}/.gitignore"), "built\n");
        write(&work, &format!("{name}/built"), "x");
        git(&work.join(name), &["init", "-q"]);
        if commits {
            git(&work.join(name), &["add", "file"]);
            git(&work.join(name), &["commit", "-qm", "mine"]);
        }
    }
    let commit = trees.commit("step").await.unwrap();
    let expected = "+ empty/.gitignore, + empty/file, + full/.gitignore, + full/file, + full/inner/.gitignore, \
                    + full/inner/file";
    assert_eq!(shown(&commit.changed), expected);
    assert_eq!(read(trees.checkout(&commit.id).await.unwrap().path(), "full/inner/file"), "full/inner");
    let base = trees.base().to_owned();
    trees.roll_back(&base).await.unwrap();
    assert!(!work.join("full").exists() && !work.join("empty").exists());
}

#[tokio::test]
async fn hooks_do_not_run() {
    let scene = Scene::new(With::Git);
    let hooks = scene.project.join(".git/hooks");
    fs::create_dir_all(&hooks).unwrap();
    for hook in
        ["post-checkout", "pre-commit", "post-commit", "post-merge", "reference-transaction", "post-index-change"]
    {
        fs::write(hooks.join(hook), format!("#!/bin/sh\ntouch {}\n", scene.project.join("hooked").display())).unwrap();
        fs::set_permissions(hooks.join(hook), fs::Permissions::from_mode(0o755)).unwrap();
    }
    let mut trees = scene.open().await;
    write(trees.work(), "new", "x");
    let commit = trees.commit("step").await.unwrap();
    trees.roll_back(&commit.id).await.unwrap();
    assert_eq!(trees.adopt().await.unwrap(), Adopted::FastForward { to: commit.id });
    assert!(scene.project.join("new").exists() && !scene.project.join("hooked").exists());
}

#[tokio::test]
async fn a_project_in_a_subfolder_works_in_that_folder_and_sees_the_rest() {
    let scene = Scene::new(With::Git);
    scene.user("apps/one/desk/plan.md", "plan");
    scene.user("apps/one/app.txt", "app");
    git(&scene.project, &["add", "."]);
    git(&scene.project, &["commit", "-qm", "apps"]);
    let project = scene.project.join("apps/one");
    let mut trees = Trees::open(&project, &scene.home, BRANCH, &["desk".into()]).await.unwrap();
    assert!(trees.work().ends_with("apps/one") && trees.work().join("app.txt").exists());
    write(trees.work(), "app.txt", "changed");
    write(trees.work(), "desk/plan.md", "tampered");
    write(trees.work(), "../../README.md", "changed");
    let commit = trees.commit("step").await.unwrap();
    assert_eq!(shown(&commit.changed), "~ ../../README.md, ~ app.txt", "aside is as it was");
    let contents = trees.contents(&commit.id, &["app.txt".into(), "./desk/plan.md".into()]).await.unwrap();
    assert_eq!(contents, [Some(b"changed".to_vec()), Some(b"plan".to_vec())]);
    let base = trees.base().to_owned();
    trees.roll_back(&base).await.unwrap();
    assert_eq!(read(trees.work(), "desk/plan.md"), "tampered", "aside is left alone");
    assert_eq!(read(trees.checkout(&commit.id).await.unwrap().path(), "app.txt"), "changed");
}

#[tokio::test]
async fn submodules_stay_what_they_were() {
    let scene = Scene::new(With::Git);
    let other = Scene::new(With::Git);
    let from = other.project.to_str().unwrap();
    git(&scene.project, &["-c", "protocol.file.allow=always", "submodule", "--quiet", "add", from, "vendor"]);
    git(&scene.project, &["commit", "-qm", "vendor"]);
    let mut trees = scene.open().await;
    let work = trees.work().to_owned();
    write(&work, "new", "x");
    // What looks into a submodule runs the filters that are configured there: outside of any sandbox.
    let mark = scene.home.join("escaped");
    git(&work, &["-c", "protocol.file.allow=always", "clone", "-q", from, "vendor"]);
    git(&work.join("vendor"), &["config", "filter.evil.clean", &format!("touch {}; cat", mark.display())]);
    write(&work, "vendor/.gitattributes", "* filter=evil\n");
    write(&work, "vendor/README.md", "y");
    let commit = trees.commit("step").await.unwrap();
    assert!(!mark.exists());
    assert_eq!(shown(&commit.changed), "+ new");
    trees.roll_back(&commit.id).await.unwrap();
    assert!(!mark.exists());
    assert_eq!(trees.adopt().await.unwrap(), Adopted::FastForward { to: commit.id });
}

#[tokio::test]
async fn a_checkout_is_clean_and_gone_afterwards() {
    for with in BOTH {
        let scene = Scene::new(with);
        let mut trees = scene.open().await;
        write(trees.work(), "src/lib.rs", "committed");
        let commit = trees.commit("step").await.unwrap();
        write(trees.work(), "src/lib.rs", "later");
        write(trees.work(), "stray", "x");
        let (one, two) = (trees.checkout(&commit.id).await.unwrap(), trees.checkout(trees.base()).await.unwrap());
        assert_ne!(one.path(), two.path());
        assert_eq!(read(one.path(), "src/lib.rs"), "committed");
        assert!(!two.path().join("src/lib.rs").exists() && !one.path().join("stray").exists());
        assert!(!one.path().join(".git").exists());
        write(one.path(), "built", "x");
        let (first, second) = (one.root().to_owned(), two.root().to_owned());
        one.close().await.unwrap();
        drop(two);
        assert!(!first.exists() && !second.exists(), "{with:?}");
        let contents = trees.contents(&commit.id, &["src/lib.rs".into(), "stray".into(), "src".into()]).await.unwrap();
        assert_eq!(contents, [Some(b"committed".to_vec()), None, None], "{with:?}");
        let outside = trees.contents(&commit.id, &["../home/x".into()]).await;
        assert!(matches!(outside, Err(TreeError::Outside { .. })), "{with:?}");
    }
}

#[tokio::test]
async fn a_hash_notices_everything_and_follows_nothing() {
    type TreeChange = fn(&Path);
    let scene = Scene::new(With::Nothing);
    let root = &scene.project;
    symlink("/", root.join("everything")).unwrap();
    let before = tree_hash(root).await.unwrap();
    assert_eq!(tree_hash(root).await.unwrap(), before);
    let changes: [(&str, TreeChange); 6] = [
        ("content", |root| fs::write(root.join("README.md"), "one\ntwo\nfour!\n").unwrap()),
        ("mode", |root| fs::set_permissions(root.join("README.md"), fs::Permissions::from_mode(0o600)).unwrap()),
        ("new file", |root| fs::write(root.join("new"), "").unwrap()),
        ("empty folder", |root| fs::create_dir(root.join("folder")).unwrap()),
        ("link", |root| {
            fs::remove_file(root.join("everything")).unwrap();
            symlink("/etc", root.join("everything")).unwrap();
        }),
        ("rename", |root| fs::rename(root.join("src/main.rs"), root.join("src/other.rs")).unwrap()),
    ];
    let mut last = before;
    for (name, change) in changes {
        change(root);
        let now = tree_hash(root).await.unwrap();
        assert_ne!(now, last, "{name}");
        last = now;
    }
}

#[tokio::test]
async fn links_lead_nowhere() {
    for with in BOTH {
        let scene = Scene::new(with);
        write(&scene.home, "../../secret/key", "secret");
        let secret = scene.home.join("../../secret").canonicalize().unwrap();
        let mut trees = scene.open().await;
        let (work, base) = (trees.work().to_owned(), trees.head().to_owned());
        fs::remove_dir_all(work.join("src")).unwrap();
        symlink(&secret, work.join("src")).unwrap();
        symlink(secret.join("key"), work.join("key")).unwrap();
        symlink("README.md", work.join("inside")).unwrap();
        assert_eq!(trees.record().await.unwrap().left_out, ["key", "src"], "{with:?}");
        let commit = trees.commit("step").await.unwrap();
        // What was in place of a link is gone in a copy; git goes on with what it knows.
        let expected = if with == With::Git { "+ inside" } else { "+ inside, - src/main.rs" };
        assert_eq!(shown(&commit.changed), expected, "{with:?}");
        let checkout = trees.checkout(&commit.id).await.unwrap();
        assert!(!checkout.path().join("src").is_symlink() && !checkout.path().join("key").is_symlink(), "{with:?}");
        assert!(matches!(read_inside(&work, "src/key", 100), Err(TreeError::Link { .. })), "{with:?}");
        let contents = trees.contents(&commit.id, &["key".into(), "src/key".into()]).await.unwrap();
        assert_eq!(contents, [None, None], "{with:?}");
        trees.roll_back(&base).await.unwrap();
        assert!(!work.join("src").is_symlink() && work.join("src/main.rs").exists(), "{with:?}");
        assert_eq!(fs::read_dir(&secret).unwrap().count(), 1, "{with:?}: nothing was written or removed there");
    }
}

#[tokio::test]
async fn a_new_leader_goes_on_where_the_old_one_was_killed() {
    for with in BOTH {
        let scene = Scene::new(with);
        let mut trees = scene.open().await;
        write(trees.work(), "one", "1");
        let first = trees.commit("one").await.unwrap();
        write(trees.work(), "two", "in the middle of it");
        std::mem::forget(trees.checkout(&first.id).await.unwrap()); // nobody cleaned up
        drop(trees);
        if with == With::Git {
            git(&scene.project, &["update-ref", &format!("refs/heads/{BRANCH}"), "main"]);
            fs::write(scene.project.join(format!(".git/refs/heads/{BRANCH}.lock")), "").unwrap();
            fs::write(scene.home.join("index"), "torn").unwrap();
        }
        let mut trees = scene.open().await;
        assert_eq!(trees.head(), first.id, "{with:?}");
        assert!(!scene.home.join("checks-1").exists());
        assert_eq!(read(trees.work(), "two"), "in the middle of it", "{with:?}");
        let second = trees.commit("two").await.unwrap();
        assert_eq!(shown(&second.changed), "+ two", "{with:?}");

        // The whole work tree is lost.
        fs::remove_dir_all(trees.root()).unwrap();
        drop(trees);
        let trees = scene.open().await;
        assert_eq!((read(trees.work(), "one"), trees.head()), ("1".into(), second.id.as_str()), "{with:?}");
    }
}

#[tokio::test]
async fn a_beginning_that_was_interrupted_is_begun_again() {
    for with in BOTH {
        let scene = Scene::new(with);
        let trees = scene.open().await;
        let head = trees.head().to_owned();
        fs::remove_file(trees.work().join("README.md")).unwrap();
        drop(trees);
        // As it was before the last step: the work tree is there in part.
        let state = read(&scene.home, "state.json");
        write(&scene.home, "state.json", &state.replace("\"is_ready\": true", "\"is_ready\": false"));
        let trees = scene.open().await;
        assert_eq!(trees.head(), head);
        assert!(trees.work().join("README.md").exists(), "{with:?}");
        if with == With::Git {
            assert_eq!(git(trees.work(), &["status", "--porcelain"]), "");
            assert_eq!(git(&scene.project, &["worktree", "list"]).lines().count(), 1);
        }
    }
}

#[tokio::test]
async fn a_branch_of_somebody_else_is_not_taken() {
    let scene = Scene::new(With::Git);
    git(&scene.project, &["branch", BRANCH]);
    let error = scene.try_open().await.unwrap_err();
    assert!(matches!(error, TreeError::BranchTaken { .. }), "{error}");
    assert_eq!(git(&scene.project, &["worktree", "list"]).lines().count(), 1);
}

#[tokio::test]
async fn a_repository_without_a_commit_is_worked_on_in_a_copy() {
    let scene = Scene::new(With::Nothing);
    git(&scene.project, &["init", "-q"]);
    let trees = scene.open().await;
    assert!(trees.missing().unwrap().starts_with("the repository has no commit yet"));
}

#[tokio::test]
async fn trees_inside_of_the_project_do_not_contain_themselves() {
    for with in BOTH {
        let scene = Scene::new(with);
        let home = scene.project.join(".tribunal/trees/7");
        let aside = [".tribunal".to_owned()];
        let mut trees = Trees::open(&scene.project, &home, BRANCH, &aside).await.unwrap();
        assert_eq!(trees.left_behind(), 0);
        assert!(!trees.work().join(".tribunal").exists());
        write(trees.work(), "new", "x");
        let commit = trees.commit("step").await.unwrap();
        assert_eq!(shown(&commit.changed), "+ new", "{with:?}");
        trees.adopt().await.unwrap();
        assert!(scene.project.join("new").exists(), "{with:?}");
        trees.remove(false).await.unwrap();
        assert!(!home.exists());
        if with == With::Git {
            assert_eq!(git(&scene.project, &["rev-parse", BRANCH]), commit.id, "the branch is kept");
            assert_eq!(git(&scene.project, &["worktree", "list"]).lines().count(), 1);
        }
    }
}

/// Git complains of a path that is left out and ignored as well, after it has added everything else.
#[tokio::test]
async fn what_is_aside_may_be_ignored_by_the_project_too() {
    for with in BOTH {
        let scene = Scene::new(with);
        scene.user(".gitignore", "desk/\n");
        if with == With::Git {
            git(&scene.project, &["add", ".gitignore"]);
            git(&scene.project, &["commit", "-qm", "ignore"]);
        }
        let mut trees = scene.open().await;
        write(trees.work(), "desk/memo.md", "aside");
        write(trees.work(), "new", "x");
        assert_eq!(shown(&trees.commit("step").await.unwrap().changed), "+ new", "{with:?}");
    }
}

#[tokio::test]
async fn many_files_are_no_trouble() {
    const FILES: usize = 2000;
    for with in BOTH {
        let scene = Scene::new(with);
        let mut trees = scene.open().await;
        let work = trees.work().to_owned();
        for number in 0..FILES {
            write(&work, &format!("many/{}/{number} \u{e4}\n.txt", number % 50), &number.to_string());
        }
        let commit = trees.commit("many").await.unwrap();
        assert_eq!(commit.changed.len(), FILES, "{with:?}");
        let checkout = trees.checkout(&commit.id).await.unwrap();
        assert_eq!(
            tree_hash(&checkout.path().join("many")).await.unwrap(),
            tree_hash(&work.join("many")).await.unwrap()
        );
        let base = trees.base().to_owned();
        trees.roll_back(&base).await.unwrap();
        assert!(!work.join("many").exists(), "{with:?}");
    }
}

#[cfg(target_os = "linux")]
#[tokio::test]
async fn an_agent_in_a_sandbox_can_use_git_but_not_change_the_repository() {
    use tribunal_engine::process::{self, Bounds, ChildExit};
    use tribunal_engine::sandbox::{Confinement, Mechanism, Sandbox};

    let scene = Scene::new(With::Git);
    let mut trees = scene.open().await;
    let sandbox = Sandbox::detect(None).await;
    if sandbox.mechanism() == Mechanism::Copy {
        return;
    }
    let tmp = scene.home.join("tmp");
    fs::create_dir(&tmp).unwrap();
    let before = scene.everything().await;
    let script = "git log -1 --format=%s && git status --porcelain && echo x > new && \
                  git add new && git commit -qm mine && git branch mine && ! touch ../index && \
                  ! git --git-dir=\"$(dirname \"$(head -1 .git/objects/info/alternates)\")\" branch mine";
    let command = process::ProcessCommand {
        program: "sh".into(),
        args: vec!["-c".into(), script.into()],
        env: vec![("PATH".into(), std::env::var_os("PATH").unwrap())],
        cwd: Some(trees.work().into()),
        stdin: Vec::new(),
    };
    let to = Confinement { writable: vec![trees.root()], tmp, ..Confinement::default() };
    let long = std::time::Duration::from_secs(60);
    let bounds = Bounds { idle: long, total: long, grace: long, stdout: 1 << 20, stderr_tail: 4096 };
    let never = tokio_util::sync::CancellationToken::new();
    let ended = process::run(sandbox.confine(command, &to).unwrap(), &bounds, &never, |_| {}).await.unwrap();
    assert_eq!(ended.exit, Some(ChildExit::Code(0)), "{}", ended.stderr_tail);
    assert_eq!(shown(&trees.commit("step").await.unwrap().changed), "+ new");
    assert_eq!(scene.everything().await, before);
}

/// Seats take their turns as tasks, which may move from thread to thread.
#[test]
fn everything_can_be_awaited_in_a_task() {
    fn is_send<T: Send>(_: impl FnOnce(&'static mut Trees) -> T) {}
    is_send(|trees| trees.commit(""));
    is_send(|trees| trees.roll_back(""));
    is_send(|trees| trees.checkout(""));
    is_send(|trees| trees.contents("", &[]));
    is_send(|trees| trees.adopt());
    is_send(|_| Trees::open(Path::new(""), Path::new(""), "", &[]));
    is_send(|_| tribunal_engine::sandbox::Sandbox::detect(None));
}
