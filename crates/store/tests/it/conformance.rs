use std::sync::atomic::{AtomicU32, Ordering};
use tribunal_store::{FileStore, conformance};

#[tokio::test(flavor = "multi_thread")]
async fn the_file_store_conforms() {
    conforms().await;
}

#[tokio::test]
async fn it_conforms_on_one_thread() {
    conforms().await;
}

async fn conforms() {
    let folder = tempfile::tempdir().unwrap();
    let number = AtomicU32::new(0);
    let empty = async || FileStore::new(folder.path().join(number.fetch_add(1, Ordering::Relaxed).to_string()));
    conformance::all(empty).await;
}
