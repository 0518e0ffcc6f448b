//! The worker's repository is not the user's.

use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::Path;
use std::process::Command;

use tribunal_engine::tree::{Adopted, Trees};

use crate::scene::{BRANCH, Scene, With, git, read, shown, write};

/// In the worker's folder, with nothing of the test's own configuration.
fn sh(folder: &Path, script: &str) -> String {
    let home = folder.join("../no-home");
    let output = Command::new("sh")
        .args(["-ec", script])
        .current_dir(folder)
        .env_clear()
        .env("PATH", std::env::var_os("PATH").unwrap())
        .env("HOME", home)
        .output()
        .unwrap();
    let said = [output.stdout, output.stderr].concat();
    assert!(output.status.success(), "{script}: {}", String::from_utf8_lossy(&said));
    String::from_utf8_lossy(&said).trim_end().to_owned()
}

#[tokio::test]
async fn what_an_agent_does_with_git_stays_in_its_folder() {
    for script in [
        "git config core.hooksPath /tmp; git config core.fsmonitor 'touch /tmp/x'",
        "git config user.email evil@example.com; git config --unset core.bare",
        "git branch mine; git tag v9; git branch -f main HEAD",
        "git add new; git commit -qm mine; git stash list; echo y >> README.md; git stash -q",
        "git checkout -q main; git reset -q --hard; git commit -q --allow-empty -m mine",
        "git remote add origin /nowhere; git config branch.main.remote origin",
        "git gc -q --prune=now; git repack -adq; git prune --expire=now; git reflog expire --expire=now --all",
        "git pack-refs --all --prune; git update-ref -d refs/heads/main; git tag -d first",
        "mkdir -p .git/hooks .git/info; echo 'exit 1' > .git/hooks/pre-commit; chmod +x .git/hooks/pre-commit; \
         echo '* -text filter=evil' > .git/info/attributes; echo '*' > .git/info/exclude",
        "git worktree add -q ../other; git submodule -q init; git notes add -m note; git replace HEAD main || true",
        "rm -rf .git/objects; rm -rf .git",
        "git sparse-checkout set src; git update-index --assume-unchanged README.md",
    ] {
        let scene = Scene::new(With::Git);
        git(&scene.project, &["tag", "first"]);
        git(&scene.project, &["gc", "-q"]);
        let before = scene.everything().await;
        let mut trees = scene.open().await;
        let work = trees.work().to_owned();
        write(&work, "new", "new\n");
        sh(&work, script);
        write(&work, "new", "new\n");
        write(&work, "README.md", "one\ntwo\nthree\n");
        write(&work, "src/main.rs", "fn main() {}\n");
        write(&work, ".gitignore", "target/\n");
        let commit = trees.commit("step").await.unwrap();
        assert_eq!(shown(&commit.changed), "+ new", "{script}");
        assert_eq!(scene.everything().await, before, "{script}");
        assert_eq!(git(&scene.project, &["fsck", "--connectivity-only"]), "", "{script}");
        // And nothing of it is there for the next one.
        assert_eq!(
            sh(&work, "git status --porcelain; git stash list; git remote; git branch --list mine"),
            "",
            "{script}"
        );
        assert_eq!(
            sh(&work, "git rev-parse HEAD; git symbolic-ref HEAD"),
            format!("{}\nrefs/heads/{BRANCH}", commit.id)
        );
        assert_eq!(sh(&work, "git config core.hooksPath; git log --format=%s"), ".git/hooks\nstep\nfirst", "{script}");
    }
}

#[tokio::test]
async fn a_worker_can_use_git_with_what_the_user_set_up() {
    let scene = Scene::new(With::Git);
    for (key, value) in [
        ("user.name", "Ada \"A\" L"),
        ("user.email", "ada@example.com"),
        ("filter.up.clean", "tr a-z A-Z"),
        ("remote.origin.url", "/nowhere"),
    ] {
        git(&scene.project, &["config", key, value]);
    }
    fs::create_dir_all(scene.project.join(".git/info")).unwrap();
    scene.user(".git/info/attributes", "*.up filter=up\n");
    scene.user(".git/info/exclude", "*.log\n");
    git(&scene.project, &["tag", "v1"]);
    git(&scene.project, &["branch", "tribunal/another"]);
    let mut trees = scene.open().await;
    let work = trees.work().to_owned();
    write(&work, "a.up", "shout\n");
    write(&work, "noise.log", "x");
    write(&work, "desk/memo.md", "aside");
    assert_eq!(sh(&work, "git status --porcelain"), "?? a.up");
    assert_eq!(
        sh(&work, "git add -A; git commit -qm mine; git log -1 --format='%an %ae'"),
        "Ada \"A\" L ada@example.com"
    );
    assert_eq!(
        sh(&work, "git show HEAD:a.up; git describe --tags; git branch -a --format='%(refname)'; git remote"),
        format!("SHOUT\nv1-1-g{}\nrefs/heads/main\nrefs/heads/{BRANCH}", sh(&work, "git rev-parse --short HEAD"))
    );
    assert_eq!(sh(&work.join("src"), "git rev-parse --show-prefix"), "src/");
    let commit = trees.commit("step").await.unwrap();
    assert_eq!(shown(&commit.changed), "+ a.up");
    assert_eq!(git(&scene.project, &["show", &format!("{BRANCH}:a.up")]), "SHOUT");
    assert_eq!(sh(&work, "git status --porcelain"), "");
}

/// Submodules that an agent filled do not make git fail in the next turn.
#[tokio::test]
async fn submodules_of_the_agent_do_no_harm() {
    let (scene, other) = (Scene::new(With::Git), Scene::new(With::Git));
    let from = other.project.to_str().unwrap();
    git(&scene.project, &["-c", "protocol.file.allow=always", "submodule", "--quiet", "add", from, "vendor"]);
    git(&scene.project, &["commit", "-qm", "vendor"]);
    let mut trees = scene.open().await;
    let work = trees.work().to_owned();
    sh(&work, "git -c protocol.file.allow=always submodule --quiet update --init");
    write(&work, "new", "x");
    let commit = trees.commit("step").await.unwrap();
    assert_eq!(shown(&commit.changed), "+ new");
    assert_eq!(sh(&work, "git status --porcelain; git -C vendor log --format=%s"), "first");
}

#[tokio::test]
async fn every_kind_of_repository_can_be_borrowed_from() {
    let origin = Scene::new(With::Git);
    for number in 0..3 {
        origin.user("README.md", &format!("{number}\n"));
        git(&origin.project, &["commit", "-qam", "more"]);
    }
    git(&origin.project, &["config", "uploadpack.allowFilter", "true"]);
    let url = format!("file://{}", origin.project.display());
    let from = origin.project.to_str().unwrap();
    let kinds: [(&str, &[&str]); 5] = [
        ("a clone", &["clone", "-q", from, "."]),
        ("a clone that borrows itself", &["clone", "-q", "--shared", from, "."]),
        ("a shallow clone", &["clone", "-q", "--depth=1", &url, "."]),
        ("a partial clone", &["clone", "-q", "--filter=blob:none", &url, "."]),
        ("a linked work tree", &["-C", from, "worktree", "add", "-q", "-b", "linked"]),
    ];
    for (name, args) in kinds {
        let scene = Scene::new(With::Nothing);
        fs::remove_dir_all(&scene.project).unwrap();
        fs::create_dir(&scene.project).unwrap();
        let place = scene.project.to_str().unwrap();
        let place = (name == "a linked work tree").then_some(place);
        git(&scene.project, &args.iter().copied().chain(place).collect::<Vec<_>>());
        let count = git(&scene.project, &["log", "--format=%s"]).lines().count();
        let mut trees = scene.open().await;
        let work = trees.work().to_owned();
        write(&work, "new", "x");
        assert_eq!(
            sh(&work, "git status --porcelain; git log --format=%s | wc -l"),
            format!("?? new\n{count}"),
            "{name}"
        );
        sh(&work, "git add new; git commit -qm mine; git diff HEAD^ --stat");
        let commit = trees.commit("step").await.unwrap();
        assert_eq!(shown(&commit.changed), "+ new", "{name}");
        assert_eq!(trees.adopt().await.unwrap(), Adopted::FastForward { to: commit.id }, "{name}");
        assert_eq!(read(&scene.project, "new"), "x", "{name}");
    }
    let long = Scene::new(With::Nothing);
    git(&long.project, &["init", "-q", "-b", "main", "--object-format=sha256"]);
    git(&long.project, &["add", "."]);
    git(&long.project, &["commit", "-qm", "first"]);
    let trees = long.open().await;
    assert_eq!(sh(trees.work(), "git status --porcelain; git log --format=%s"), "first");
}

/// What an earlier release began goes on, and leaves no link behind.
#[tokio::test]
async fn a_linked_work_tree_of_an_earlier_release_is_taken_over() {
    let scene = Scene::new(With::Git);
    let before = scene.everything().await;
    let trees = scene.open().await;
    let head = trees.head().to_owned();
    let root = trees.root();
    drop(trees);
    // As it was left: in the middle of a worker's turn.
    fs::remove_dir_all(&root).unwrap();
    git(&scene.project, &["worktree", "add", "-q", "--detach", root.to_str().unwrap(), BRANCH]);
    let admin = scene.project.join(".git/worktrees/work");
    assert!(admin.is_dir());
    let state = read(&scene.home, "state.json");
    write(&scene.home, "state.json", &state.replace("\"admin\": null", &format!("\"admin\": \"{}\"", admin.display())));
    write(&root, "new", "half done");
    let mut trees = scene.open().await;
    assert_eq!((trees.head(), read(trees.work(), "new").as_str()), (head.as_str(), "half done"));
    assert!(root.join(".git").is_dir() && !scene.project.join(".git/worktrees").exists());
    assert_eq!(scene.everything().await, before);
    let commit = trees.commit("step").await.unwrap();
    assert_eq!(shown(&commit.changed), "+ new");
    assert_eq!(trees.adopt().await.unwrap(), Adopted::FastForward { to: commit.id });
}

/// Links that git ignores stay from turn to turn, but for those through which the user's own files would be written.
#[tokio::test]
async fn nobody_is_led_into_the_users_checkout() {
    let scene = Scene::new(With::Git);
    scene.user("target/built", "mine");
    let mut trees = scene.open().await;
    let (work, base) = (trees.work().to_owned(), trees.head().to_owned());
    symlink(scene.project.join("target"), work.join("target")).unwrap();
    write(&work, "src/.gitignore", "env\n");
    let commit = trees.commit("step").await.unwrap();
    assert_eq!(shown(&commit.changed), "+ src/.gitignore", "a link that is ignored is not recorded");
    symlink("/usr/bin/env", work.join("src/env")).unwrap();
    trees.roll_back(&commit.id).await.unwrap();
    assert!(!work.join("target").is_symlink(), "it led into the user's");
    assert!(work.join("src/env").is_symlink(), "it did not");
    assert_eq!(read(&scene.project, "target/built"), "mine");

    // The whole work tree is a link to the user's checkout.
    fs::rename(trees.root(), scene.home.join("aside")).unwrap();
    symlink(&scene.project, trees.root()).unwrap();
    let before = scene.everything().await;
    assert!(trees.record().await.is_err(), "that is nobody's work");
    trees.roll_back(&base).await.unwrap();
    assert!(!trees.root().is_symlink() && work.join("README.md").exists());
    fs::remove_dir_all(trees.root()).unwrap();
    symlink(&scene.project, trees.root()).unwrap();
    let trees = scene.open().await;
    assert!(!trees.root().is_symlink());
    assert_eq!(scene.everything().await, before);
}

/// A link that the user had is the user's, as long as it stays what it was.
#[tokio::test]
async fn links_of_the_user_stay() {
    for with in crate::scene::BOTH {
        let scene = Scene::new(with);
        symlink("/srv/data", scene.project.join("data")).unwrap();
        if with == With::Git {
            git(&scene.project, &["add", "."]);
            git(&scene.project, &["commit", "-qm", "data"]);
        }
        let mut trees = scene.open().await;
        let work = trees.work().to_owned();
        write(&work, "new", "x");
        let recorded = trees.record().await.unwrap();
        assert!(recorded.left_out.is_empty(), "{with:?}: {:?}", recorded.left_out);
        assert_eq!(shown(&trees.commit("step").await.unwrap().changed), "+ new", "{with:?}");
        fs::remove_file(work.join("data")).unwrap();
        symlink("/srv/other", work.join("data")).unwrap();
        assert_eq!(trees.record().await.unwrap().left_out, ["data"], "{with:?}");
        fs::remove_file(work.join("data")).unwrap();
        symlink("src", work.join("data")).unwrap();
        assert_eq!(shown(&trees.commit("inside").await.unwrap().changed), "~ data", "{with:?}");
    }
}

/// As a worker finds it, and as a second one does: no file is taken for a changed one.
#[tokio::test]
async fn modes_and_times_do_not_make_a_tree_look_changed() {
    let scene = Scene::new(With::Git);
    let mut trees = scene.open().await;
    let work = trees.work().to_owned();
    assert_eq!(fs::metadata(work.join("run.sh")).unwrap().permissions().mode() & 0o111, 0o111);
    assert_eq!(sh(&work, "git diff-files --name-only"), "", "the index knows the files");
    let base = trees.base().to_owned();
    write(&work, "src/main.rs", "changed\n");
    trees.commit("step").await.unwrap();
    assert_eq!(sh(&work, "git diff-files --name-only"), "");
    trees.roll_back(&base).await.unwrap();
    assert_eq!(sh(&work, "git diff-files --name-only"), "");
    drop(trees);
    let trees = Trees::open(&scene.project, &scene.home, BRANCH, &["desk".into()]).await.unwrap();
    assert_eq!(sh(trees.work(), "git diff-files --name-only"), "");
}
