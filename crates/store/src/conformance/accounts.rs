//! What runs that share a limit hold of it.

use std::sync::Arc;
use tokio::task::JoinSet;
use tribunal_kernel::{Limits, RunId, Spend, Usd};

use super::{Harness, run_id};
use crate::StoreError;
use crate::backend::{AccountHold, AccountId, Backend};

/// What crashes and careless people do to an account.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AccountDamage {
    /// Nothing is in it.
    Empty,
    /// The end is missing.
    Torn,
    /// Something else is in its place: a folder, another value.
    Replaced,
    /// It is not there.
    Gone,
}

fn spend(usd: u64) -> Spend {
    Spend { tokens: usd * 10, usd: Usd(usd) }
}

fn limits(usd: u64) -> Limits {
    Limits { usd: Some(Usd(usd)), ..Limits::default() }
}

async fn opened(store: &Arc<dyn Backend>) -> AccountId {
    drop(store.logs().create(run_id(1)).await.expect("create"));
    let account = store.accounts().of(run_id(1));
    store.accounts().open(&account, limits(100), Spend::default()).await.expect("open");
    account
}

/// Whoever asks is told that the account is closed, and what to do.
async fn assert_closed(store: &Arc<dyn Backend>, account: &AccountId) {
    let accounts = store.accounts();
    let run = run_id(2);
    for (what, result) in [
        ("limits", accounts.limits(account).await.map(drop)),
        ("others", accounts.others(account, run).await.map(drop)),
        ("hold", accounts.hold(account, run, Spend::default(), spend(1)).await.map(drop)),
        ("settle", accounts.settle(account, run, spend(1)).await),
    ] {
        match result {
            Err(error @ StoreError::AccountClosed { .. }) => assert!(error.hint().is_some(), "{what}: {error}"),
            other => panic!("{what}: expected AccountClosed, got {other:?}"),
        }
    }
}

pub async fn nobody_spends_from_an_account_that_was_not_opened(store: Arc<dyn Backend>) {
    drop(store.logs().create(run_id(1)).await.expect("create"));
    let account = store.accounts().of(run_id(1));
    assert_closed(&store, &account).await;
    assert_closed(&store, &account).await;
    store.accounts().open(&account, limits(100), Spend::default()).await.expect("asking did not make it");
    assert_eq!(store.accounts().limits(&account).await.expect("limits"), limits(100));
    assert_eq!(store.accounts().others(&account, run_id(2)).await.expect("others"), Spend::default());
}

pub async fn an_account_is_found_by_the_name_in_a_spec(store: Arc<dyn Backend>) {
    let account = opened(&store).await;
    let name = store.accounts().name_of(&account);
    assert_eq!(store.accounts().name_of(&store.accounts().named(&name)), name);
    store.accounts().limits(&store.accounts().named(&name)).await.expect("it is the same account");
}

pub async fn what_is_held_is_held_in_one_step(store: Arc<dyn Backend>) {
    let account = opened(&store).await;
    let accounts = store.accounts();
    let hold = async |run: RunId, others: u64, held: u64| {
        accounts.hold(&account, run, spend(others), spend(held)).await.expect("hold")
    };
    let (first, second) = (run_id(1), run_id(2));
    assert_eq!(hold(first, 0, 60).await, AccountHold::Held);
    assert_eq!(hold(second, 0, 60).await, AccountHold::Changed(spend(60)), "it reckoned with less");
    assert_eq!(accounts.others(&account, first).await.expect("others"), spend(0), "so nothing was written down");
    assert_eq!(hold(second, 60, 40).await, AccountHold::Held);
    assert_eq!(hold(first, 0, 70).await, AccountHold::Changed(spend(40)));
    accounts.settle(&account, first, spend(20)).await.expect("settle");
    assert_eq!(accounts.others(&account, second).await.expect("others"), spend(20));
    assert_eq!(accounts.others(&account, run_id(3)).await.expect("others"), spend(60));
}

pub async fn many_runs_never_hold_more_than_there_is(store: Arc<dyn Backend>) {
    const LIMIT: u64 = 10;
    let account = opened(&store).await;
    let mut tasks = JoinSet::new();
    for number in 0..2 * LIMIT {
        let (store, account) = (store.clone(), account.clone());
        tasks.spawn(async move {
            let (run, mut others) = (run_id(number), Spend::default());
            loop {
                if others.usd.0 + 1 > LIMIT {
                    return false;
                }
                match store.accounts().hold(&account, run, others, spend(1)).await.expect("hold") {
                    AccountHold::Held => return true,
                    AccountHold::Changed(now) => others = now,
                }
            }
        });
    }
    let held = tasks.join_all().await.into_iter().filter(|held| *held).count();
    assert_eq!(held as u64, LIMIT, "all that there is, and no more");
    let all = store.accounts().others(&account, run_id(404)).await.expect("others");
    assert_eq!(all, spend(LIMIT));
}

pub async fn opening_an_account_again_keeps_what_is_held(store: Arc<dyn Backend>) {
    let account = opened(&store).await;
    store.accounts().settle(&account, run_id(2), spend(30)).await.expect("settle");
    store.accounts().open(&account, limits(200), spend(70)).await.expect("open");
    assert_eq!(store.accounts().limits(&account).await.expect("limits"), limits(200));
    assert_eq!(store.accounts().others(&account, run_id(1)).await.expect("others"), spend(30), "it was not lost");
}

async fn is_closed_by(harness: &dyn Harness, number: u32, how: AccountDamage) {
    let store = harness.open(number).await.expect("open");
    let account = opened(&store).await;
    store.accounts().settle(&account, run_id(2), spend(99)).await.expect("settle");
    harness.damage(number, &account, how).await.expect("damage");
    for store in [store, harness.open(number).await.expect("open again")] {
        assert_closed(&store, &account).await;
        // Nor does its owner make a new one of it: nobody knows what the others hold.
        let opened = store.accounts().open(&account, limits(100), Spend::default()).await;
        assert!(matches!(opened, Err(StoreError::AccountClosed { .. })), "{opened:?}");
        assert_closed(&store, &account).await;
    }
}

pub async fn an_empty_account_is_closed(harness: &dyn Harness, number: u32) {
    is_closed_by(harness, number, AccountDamage::Empty).await;
}

pub async fn a_torn_account_is_closed(harness: &dyn Harness, number: u32) {
    is_closed_by(harness, number, AccountDamage::Torn).await;
}

pub async fn an_account_with_something_else_in_its_place_is_closed(harness: &dyn Harness, number: u32) {
    is_closed_by(harness, number, AccountDamage::Replaced).await;
}

pub async fn an_account_that_got_lost_begins_with_what_the_log_knows(harness: &dyn Harness, number: u32) {
    let store = harness.open(number).await.expect("open");
    let account = opened(&store).await;
    store.accounts().settle(&account, run_id(2), spend(99)).await.expect("settle");
    harness.damage(number, &account, AccountDamage::Gone).await.expect("damage");
    assert_closed(&store, &account).await;
    store.accounts().open(&account, limits(100), spend(99)).await.expect("open");
    assert_eq!(store.accounts().others(&account, run_id(1)).await.expect("others"), spend(99));
    let hold = store.accounts().hold(&account, run_id(1), Spend::default(), spend(50)).await.expect("hold");
    assert_eq!(hold, AccountHold::Changed(spend(99)), "what was spent stays spent");
}
