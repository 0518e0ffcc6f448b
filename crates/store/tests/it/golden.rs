//! The form of a line does not change: logs outlive programs.

use std::fs;
use std::path::Path;
use tribunal_kernel::{Digest, Entry, Event};
use tribunal_store::Backend;

use crate::support::Workspace;

const GOLDEN: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../testdata/log/review.ndjson");
/// The same run, as it was written while run specs had the first format.
const FORMAT_1: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../testdata/log/review.format-1.ndjson");

/// `TRIBUNAL_BLESS=1` writes the file anew; only for a new version of the format.
#[tokio::test]
async fn the_form_of_a_line_is_frozen() {
    let workspace = Workspace::with_events(7).await;
    let written = String::from_utf8(workspace.bytes()).unwrap();
    if std::env::var_os("TRIBUNAL_BLESS").is_some() {
        fs::write(GOLDEN, &written).unwrap();
    }
    let golden = fs::read_to_string(Path::new(GOLDEN)).unwrap();
    assert_eq!(written, golden);
}

#[tokio::test]
async fn an_old_log_is_read() {
    let workspace = Workspace::with_events(7).await;
    let mut written = workspace.store.logs().read(workspace.run).await.unwrap();
    workspace.overwrite(fs::read(GOLDEN).unwrap());
    assert_eq!(workspace.store.logs().read(workspace.run).await.unwrap(), written);
    workspace.overwrite(fs::read(FORMAT_1).unwrap());
    let Event::RunOpened { spec } = &mut written[0].event else { panic!("{:?}", written[0]) };
    spec.format = 1;
    assert_eq!(workspace.store.logs().read(workspace.run).await.unwrap(), written);
}

/// What the documentation tells an auditor, in a few lines without any code of ours but the hash.
#[test]
fn an_auditor_can_check_the_chain() {
    for file in [GOLDEN, FORMAT_1] {
        check_chain(&fs::read_to_string(file).unwrap());
    }
}

fn check_chain(log: &str) {
    let mut prev = "0".repeat(64);
    for (number, line) in (1..).zip(log.lines()) {
        let value: serde_json::Value = serde_json::from_str(line).unwrap();
        let hash = value["hash"].as_str().unwrap();
        let body = line.strip_suffix(&format!(",\"hash\":\"{hash}\"}}")).unwrap();
        assert_eq!(Digest::of(body).to_string(), hash);
        assert_eq!(value["prev"], prev);
        assert_eq!(value["seq"], number);
        let entry: Entry = serde_json::from_str(line).unwrap();
        assert_eq!(entry.seq.0, number);
        hash.clone_into(&mut prev);
    }
}
