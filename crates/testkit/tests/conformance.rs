//! The simulated disk is a store like any other.

use tribunal_store::conformance;
use tribunal_testkit::disk::Disk;

#[tokio::test]
async fn the_disk_passes_the_suite() {
    conformance::all(async || Disk::default()).await;
}
