use std::fs;
use std::sync::Arc;
use tribunal_store::backend::{AccountId, StoreReply};
use tribunal_store::conformance::{self, AccountDamage, Harness};
use tribunal_store::{Backend, FileBackend};

/// Places side by side in a temporary folder.
struct Folders(tempfile::TempDir);

impl Harness for Folders {
    fn open(&self, number: u32) -> StoreReply<'_, Arc<dyn Backend>> {
        let backend: Arc<dyn Backend> = Arc::new(FileBackend::new(self.0.path().join(number.to_string())));
        Box::pin(std::future::ready(Ok(backend)))
    }

    fn damage<'a>(&'a self, _: u32, account: &'a AccountId, how: AccountDamage) -> StoreReply<'a, ()> {
        let bytes = fs::read(&account.0).unwrap();
        match how {
            AccountDamage::Empty => fs::write(&account.0, "").unwrap(),
            AccountDamage::Torn => fs::write(&account.0, &bytes[..bytes.len() - 1]).unwrap(),
            AccountDamage::Replaced => {
                fs::remove_file(&account.0).unwrap();
                fs::create_dir(&account.0).unwrap();
            }
            AccountDamage::Gone => fs::remove_file(&account.0).unwrap(),
        }
        Box::pin(std::future::ready(Ok(())))
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn the_file_backend_conforms() {
    conformance::all(&Folders(tempfile::tempdir().unwrap())).await;
}

#[tokio::test]
async fn it_conforms_on_one_thread() {
    conformance::all(&Folders(tempfile::tempdir().unwrap())).await;
}
