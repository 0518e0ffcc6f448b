//! A shared account fails closed: whatever is wrong with it, nobody spends.

use std::fs;
use std::path::PathBuf;
use std::process::{Command, Stdio};
use tribunal_kernel::{Limits, Spend, Usd};
use tribunal_store::backend::AccountHold;
use tribunal_store::conformance::run_id;
use tribunal_store::{Account, StoreError};

const ACCOUNT: &str = "TRIBUNAL_TEST_ACCOUNT";
const NUMBER: &str = "TRIBUNAL_TEST_NUMBER";
/// What the processes of a test may hold together.
const LIMIT: u64 = 40;

fn usd(usd: u64) -> Spend {
    Spend { tokens: 0, usd: Usd(usd) }
}

fn opened(folder: &tempfile::TempDir) -> (Account, PathBuf) {
    let path = folder.path().join("run/account.json");
    let account = Account::at(&path);
    account.open(Limits { usd: Some(Usd(LIMIT)), ..Limits::default() }, Spend::default()).unwrap();
    (account, path)
}

/// Everything that could be asked of it is refused, and it is left as it is.
fn assert_closed(account: &Account, what: &str) {
    let open = || account.open(Limits::default(), Spend::default());
    for result in [
        account.limits().map(drop),
        account.others(run_id(1)).map(drop),
        account.hold(run_id(1), Spend::default(), usd(1)).map(drop),
        account.settle(run_id(1), usd(1)),
        open(),
    ] {
        match result {
            Err(error @ StoreError::AccountClosed { .. }) => {
                let message = error.to_string();
                assert!(message.contains("account.json"), "{what}: {message}");
                assert!(error.hint().unwrap().contains("tribunal resume"), "{what}: {message}");
            }
            other => panic!("{what}: expected AccountClosed, got {other:?}"),
        }
    }
}

#[test]
fn an_account_that_is_cut_short_anywhere_is_closed_and_stays_as_it_is() {
    let folder = tempfile::tempdir().unwrap();
    let (account, path) = opened(&folder);
    account.settle(run_id(2), usd(30)).unwrap();
    let whole = fs::read(&path).unwrap();
    for length in 0..whole.len() {
        fs::write(&path, &whole[..length]).unwrap();
        assert_closed(&account, &format!("cut at {length}"));
        assert_eq!(fs::read(&path).unwrap(), whole[..length], "never repaired");
    }
    fs::write(&path, whole).unwrap();
    assert_eq!(account.others(run_id(1)).unwrap(), usd(30), "who puts it back has it back");
}

#[test]
fn whatever_else_is_in_its_place_closes_it() {
    let folder = tempfile::tempdir().unwrap();
    let (account, path) = opened(&folder);
    for text in ["{}", "null", "[]", "{\"limits\":{}}", "{\"held\":{}}", "\0\0\0\0"] {
        fs::write(&path, text).unwrap();
        assert_closed(&account, text);
    }
    fs::remove_file(&path).unwrap();
    fs::create_dir(&path).unwrap();
    assert_closed(&account, "a folder");
}

#[test]
fn an_account_that_was_promised_and_is_not_there_is_closed_and_not_made() {
    let folder = tempfile::tempdir().unwrap();
    for path in [folder.path().join("account.json"), folder.path().join("gone/account.json")] {
        let account = Account::at(&path);
        assert!(matches!(account.limits(), Err(StoreError::AccountClosed { .. })));
        assert!(matches!(account.hold(run_id(1), usd(0), usd(1)), Err(StoreError::AccountClosed { .. })));
        assert!(matches!(account.settle(run_id(1), usd(1)), Err(StoreError::AccountClosed { .. })));
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 0, "nothing was made of it");
    }
}

#[test]
fn accounts_of_older_versions_are_read() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("account.json");
    let limits = serde_json::to_string(&Limits { usd: Some(Usd(LIMIT)), ..Limits::default() }).unwrap();
    let held = serde_json::to_string(&usd(7)).unwrap();
    fs::write(&path, format!("{{\"limits\":{limits},\"held\":{{\"{}\":{held}}}}}", run_id(2))).unwrap();
    let account = Account::at(&path);
    assert_eq!(account.limits().unwrap().usd, Some(Usd(LIMIT)));
    assert_eq!(account.others(run_id(1)).unwrap(), usd(7));
}

#[test]
fn processes_never_hold_more_together_than_there_is() {
    let folder = tempfile::tempdir().unwrap();
    let (account, path) = opened(&folder);
    let spending: Vec<_> = (1..=3)
        .map(|number| {
            Command::new(std::env::current_exe().unwrap())
                .args(["--exact", "account::spend_until_nothing_is_left"])
                .env(ACCOUNT, &path)
                .env(NUMBER, number.to_string())
                .stdout(Stdio::null())
                .spawn()
                .unwrap()
        })
        .collect();
    for mut child in spending {
        assert!(child.wait().unwrap().success());
    }
    assert_eq!(account.others(run_id(404)).unwrap(), usd(LIMIT), "all that there is, and no more");
}

/// The other processes of the test above: each takes one after the other.
#[test]
fn spend_until_nothing_is_left() {
    let Some(path) = std::env::var_os(ACCOUNT) else { return };
    let account = Account::at(PathBuf::from(path));
    let run = run_id(std::env::var(NUMBER).unwrap().parse().unwrap());
    let (mut others, mut held) = (Spend::default(), 0);
    while others.usd.0 + held < LIMIT {
        match account.hold(run, others, usd(held + 1)).unwrap() {
            AccountHold::Held => held += 1,
            AccountHold::Changed(now) => others = now,
        }
    }
}
