//! The simulated disk is a backend like any other.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};
use tribunal_store::Backend;
use tribunal_store::backend::{AccountId, StoreReply};
use tribunal_store::conformance::{self, AccountDamage, Harness};
use tribunal_testkit::disk::Disk;

#[derive(Default)]
struct Disks(Mutex<BTreeMap<u32, Disk>>);

impl Disks {
    fn disk(&self, number: u32) -> Disk {
        self.0.lock().expect("nobody panics while looking for a disk").entry(number).or_default().clone()
    }
}

impl Harness for Disks {
    fn open(&self, number: u32) -> StoreReply<'_, Arc<dyn Backend>> {
        let backend: Arc<dyn Backend> = Arc::new(self.disk(number));
        Box::pin(std::future::ready(Ok(backend)))
    }

    fn damage<'a>(&'a self, number: u32, account: &'a AccountId, how: AccountDamage) -> StoreReply<'a, ()> {
        self.disk(number).damage(account, how);
        Box::pin(std::future::ready(Ok(())))
    }
}

#[tokio::test]
async fn the_disk_passes_the_suite() {
    conformance::all(&Disks::default()).await;
}
