//! What a session does when what it shares with others is not as it should be: nothing.

#![expect(clippy::unwrap_used, reason = "these are tests, helpers included")]

use std::sync::Arc;
use tribunal_agents::{Answer, Native, TurnRequest};
use tribunal_engine::projection::NoView;
use tribunal_engine::{DriveError, Session};
use tribunal_kernel::{Event, Limits, Spend, Usd};
use tribunal_store::backend::AccountId;
use tribunal_store::conformance::{AccountDamage, BRIEF, events, run_id};
use tribunal_store::{Backend, StoreError};
use tribunal_testkit::clock::SimClock;
use tribunal_testkit::disk::Disk;
use tribunal_testkit::script::{Scripted, seat_all};

/// A session that has not called anybody yet, and its account.
async fn session(disk: &Disk, number: u64) -> Session {
    let Some((_, Event::RunOpened { spec })) = events(run_id(number)).next() else { panic!("a run is opened first") };
    let limits = Limits { usd: Some(Usd(1000)), ..Limits::default() };
    let spec = tribunal_kernel::RunSpec { limits, ..*spec };
    Session::create(Arc::new(disk.clone()), Arc::new(SimClock::start()), spec, &[BRIEF.to_owned()]).await.unwrap()
}

async fn account(disk: &Disk) -> AccountId {
    let account = disk.accounts().of(run_id(1));
    let limits = Limits { usd: Some(Usd(1000)), ..Limits::default() };
    disk.accounts().open(&account, limits, Spend::default()).await.unwrap();
    account
}

/// Drives a session whose agents must not be called.
async fn drive_in_vain(mut session: Session) -> DriveError {
    let nobody: Arc<dyn Native> = Arc::new(Scripted(|request: TurnRequest| async move {
        assert_eq!(request.turn.0, 0, "nobody may be called");
        Ok(Answer::default())
    }));
    session.drive(&seat_all(&["writer", "critic"], &nobody), &mut NoView).await.unwrap_err()
}

#[tokio::test(start_paused = true)]
async fn nobody_is_called_when_the_shared_account_is_damaged() {
    for how in [AccountDamage::Empty, AccountDamage::Torn, AccountDamage::Replaced, AccountDamage::Gone] {
        let disk = Disk::default();
        let mut session = session(&disk, 1).await;
        let account = account(&disk).await;
        session.share(account.clone());
        disk.damage(&account, how);
        let error = drive_in_vain(session).await;
        assert!(matches!(error, DriveError::Store(StoreError::AccountClosed { .. })), "{how:?}: {error}");
        let begun = disk.entries(run_id(1)).iter().any(|entry| matches!(entry.event, Event::TurnStarted { .. }));
        assert!(!begun, "{how:?}: a call was begun");
    }
}

#[tokio::test(start_paused = true)]
async fn what_others_hold_counts_before_a_call_is_made() {
    let disk = Disk::default();
    let mut session = session(&disk, 1).await;
    let account = account(&disk).await;
    disk.accounts().settle(&account, run_id(2), Spend { tokens: 0, usd: Usd(1000) }).await.unwrap();
    session.share(account);
    let nobody: Arc<dyn Native> = Arc::new(Scripted(|_: TurnRequest| async move { Ok(Answer::default()) }));
    let end = session.drive(&seat_all(&["writer", "critic"], &nobody), &mut NoView).await.unwrap();
    assert_eq!(end.outcome.as_str(), "over_budget");
    let entries = disk.entries(run_id(1));
    assert!(entries.iter().any(|entry| matches!(entry.event, Event::SpentElsewhere { .. })));
    assert!(!entries.iter().any(|entry| matches!(entry.event, Event::TurnStarted { .. })), "nobody was called");
}

#[tokio::test(start_paused = true)]
async fn a_session_that_was_taken_over_calls_nobody_and_writes_nothing() {
    let disk = Disk::default();
    let session = session(&disk, 1).await;
    let lease = disk.leases().seize(run_id(1)).await.unwrap();
    let error = drive_in_vain(session).await;
    assert!(matches!(error, DriveError::Store(StoreError::Fenced { .. })), "{error}");
    let opened = disk.logs().open(lease).await.unwrap();
    assert_eq!(opened.entries.len(), 1, "nothing but its opening");
}
