//! The form of a line does not change: logs outlive programs.

use std::fs;
use std::path::Path;
use tribunal_kernel::{Digest, Entry};
use tribunal_store::Backend;

use crate::support::Workspace;

const GOLDEN: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../testdata/log/review.ndjson");

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
    let written = workspace.store.logs().read(workspace.run).await.unwrap();
    workspace.overwrite(fs::read(GOLDEN).unwrap());
    assert_eq!(workspace.store.logs().read(workspace.run).await.unwrap(), written);
}

/// What the documentation tells an auditor, in a few lines without any code of ours but the hash.
#[test]
fn an_auditor_can_check_the_chain() {
    let mut prev = "0".repeat(64);
    for (number, line) in (1..).zip(fs::read_to_string(GOLDEN).unwrap().lines()) {
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
