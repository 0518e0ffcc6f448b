//! A checkout on another disk than the repository.

use std::fs;
use std::os::unix::fs::MetadataExt;
use std::path::Path;

use tribunal_engine::tree::CommitReader;

use crate::scene::{Scene, With, git, read};

#[tokio::test]
async fn a_checkout_can_be_on_another_disk() {
    let other = Path::new("/dev/shm");
    let scene = Scene::new(With::Git);
    let device = |path: &Path| fs::metadata(path).map(|found| found.dev());
    let Ok(there) = device(other) else { return };
    if there == device(&scene.project).unwrap() {
        return;
    }
    // A name that means something where git reads a list of paths.
    let project = scene.project.with_file_name("a:\"b\\c\u{e4}");
    fs::rename(&scene.project, &project).unwrap();
    let Ok(folder) = tempfile::tempdir_in(other) else { return };
    let reader = CommitReader::of(&project).await.unwrap();
    let head = git(&project, &["rev-parse", "HEAD"]);
    let (checkout, notes) = reader.lay_out_apart(&head, folder.path().join("checkout")).await.unwrap();
    assert!(notes.is_empty(), "{notes:?}");
    assert_eq!(read(checkout.path(), "README.md"), "one\ntwo\nthree\n");
    let left = fs::read_dir(project.join(".git/objects/pack")).unwrap().count();
    assert_eq!(left, 0, "nothing is left in the user's repository");
}
