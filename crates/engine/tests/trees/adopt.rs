//! Work that is taken over into the user's checkout.

use std::fs;

use tribunal_engine::tree::{Adopted, TreeError};

use crate::scene::{BOTH, BRANCH, Scene, With, git, read, write};

#[tokio::test]
async fn work_is_adopted_when_nothing_is_in_the_way() {
    for with in BOTH {
        let scene = Scene::new(with);
        let mut trees = scene.open().await;
        write(trees.work(), "src/lib.rs", "new");
        write(trees.work(), "a/b/c", "deep");
        fs::remove_file(trees.work().join("README.md")).unwrap();
        let commit = trees.commit("step").await.unwrap();
        scene.user("notes.txt", "the user's, not committed");
        let adopted = trees.adopt().await.unwrap();
        match with {
            With::Git => assert_eq!(adopted, Adopted::FastForward { to: commit.id }),
            With::Nothing => assert_eq!(adopted, Adopted::Copied { files: 3 }),
        }
        assert_eq!((read(&scene.project, "src/lib.rs"), read(&scene.project, "a/b/c")), ("new".into(), "deep".into()));
        assert!(!scene.project.join("README.md").exists());
        assert_eq!(read(&scene.project, "notes.txt"), "the user's, not committed");
        assert_eq!(trees.adopt().await.unwrap(), Adopted::Nothing, "{with:?}");
    }
}

#[tokio::test]
async fn work_is_merged_with_what_the_user_did_meanwhile() {
    let scene = Scene::new(With::Git);
    let mut trees = scene.open().await;
    write(trees.work(), "README.md", "ONE\ntwo\nthree\n");
    trees.commit("step").await.unwrap();
    scene.user("README.md", "one\ntwo\nthree\nfour\nfive\nsix\n");
    scene.user("src/main.rs", "fn main() { user() }\n");
    git(&scene.project, &["commit", "-qam", "meanwhile"]);
    scene.user("README.md", "one\ntwo\nthree\nfour\nfive\nsix\n");
    let Adopted::Merged { to } = trees.adopt().await.unwrap() else { panic!("not merged") };
    assert_eq!(git(&scene.project, &["rev-parse", "HEAD"]), to);
    assert_eq!(read(&scene.project, "README.md"), "ONE\ntwo\nthree\nfour\nfive\nsix\n");
    assert_eq!(git(&scene.project, &["log", "-1", "--format=%s"]), format!("Merge branch '{BRANCH}'"));
    assert_eq!(git(&scene.project, &["status", "--porcelain"]), "");
}

#[tokio::test]
async fn what_the_user_changed_is_not_overwritten() {
    for with in BOTH {
        for (name, path) in [("changed", "README.md"), ("added", "src/lib.rs"), ("removed", "src/main.rs")] {
            let scene = Scene::new(with);
            let mut trees = scene.open().await;
            write(trees.work(), path, "the agent's");
            write(trees.work(), "innocent", "x");
            trees.commit("step").await.unwrap();
            if name == "removed" && with == With::Nothing {
                fs::remove_file(scene.project.join(path)).unwrap();
            } else {
                scene.user(path, "the user's");
            }
            let before = scene.everything().await;
            let error = trees.adopt().await.unwrap_err();
            let (TreeError::Dirty { files } | TreeError::InTheWay { files }) = &error else {
                panic!("{name} {with:?}: {error}")
            };
            assert_eq!(matches!(error, TreeError::InTheWay { .. }), name == "added", "{name} {with:?}");
            assert_eq!(files, &[path], "{name} {with:?}");
            assert_eq!(scene.everything().await, before, "{name} {with:?}");
        }
    }
}

#[tokio::test]
async fn a_conflict_is_named_and_nothing_is_touched() {
    let scene = Scene::new(With::Git);
    let mut trees = scene.open().await;
    write(trees.work(), "README.md", "the agent's\n");
    trees.commit("step").await.unwrap();
    scene.user("README.md", "the user's\n");
    git(&scene.project, &["commit", "-qam", "meanwhile"]);
    let before = scene.everything().await;
    let error = trees.adopt().await.unwrap_err();
    assert_eq!(error.to_string(), "both sides changed the same lines: README.md");
    git(&scene.project, &["checkout", "-q", "--detach"]);
    assert!(matches!(trees.adopt().await, Err(TreeError::NoBranch)));
    git(&scene.project, &["checkout", "-q", "main"]);
    assert_eq!(scene.everything().await, before);
}
