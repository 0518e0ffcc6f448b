//! Accounts: what runs that share a limit hold of it.
//!
//! What counts is in the logs; an account is there so that two runs cannot both take what is left for one. It fails
//! closed: from an account that is not there, or cannot be read, nobody spends.

use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::fmt;
use tribunal_kernel::{Limits, RunId, Spend};
use uuid::Uuid;

use super::StoreReply;

/// The accounts of all runs. Every method refuses an account that is damaged, and all but [`Accounts::open`] one that is
/// not there: [`AccountClosed`](crate::StoreError::AccountClosed).
pub trait Accounts: Send + Sync {
    /// What a run's own account is called, also by runs of other projects that it starts.
    fn of(&self, run: RunId) -> AccountId;

    /// What a run spec calls an account: the same wherever the project is moved to, as far as the account moves with it.
    fn name_of(&self, account: &AccountId) -> String;

    /// The account that a run spec calls by this name.
    fn named(&self, name: &str) -> AccountId;

    /// Says what those who share the account may use together, and makes it if it is not there: one that got lost
    /// begins with `elsewhere`, what the log of its owner says that others hold.
    fn open<'a>(&'a self, account: &'a AccountId, limits: Limits, elsewhere: Spend) -> StoreReply<'a, ()>;

    /// What those who share it may use together.
    fn limits<'a>(&'a self, account: &'a AccountId) -> StoreReply<'a, Limits>;

    /// What all but `run` hold.
    fn others<'a>(&'a self, account: &'a AccountId, run: RunId) -> StoreReply<'a, Spend>;

    /// Before a call: writes down what `run` holds, but only if the others still hold what it has reckoned with. One
    /// step, however many try at once.
    fn hold<'a>(
        &'a self,
        account: &'a AccountId,
        run: RunId,
        others: Spend,
        held: Spend,
    ) -> StoreReply<'a, AccountHold>;

    /// After a call: writes down what `run` holds now.
    fn settle<'a>(&'a self, account: &'a AccountId, run: RunId, held: Spend) -> StoreReply<'a, ()>;
}

/// What an account is called. Opaque; a file backend's are paths, which is how old run specs have them.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct AccountId(pub String);

impl AccountId {
    /// The variable by which a run that is started from a turn finds the account.
    pub const VARIABLE: &'static str = "TRIBUNAL_ACCOUNT";
}

impl fmt::Display for AccountId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// What became of an attempt to hold something.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[must_use]
pub enum AccountHold {
    Held,
    /// The others hold something else than expected: this. Nothing was written down.
    Changed(Spend),
}

/// What an account says. Pure: a backend reads it, changes it and writes it, in one step.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct AccountBook {
    /// What all of them together may use.
    pub limits: Limits,
    held: BTreeMap<RunId, Spend>,
}

impl AccountBook {
    /// Whose line what others held is, when nobody knows any more who they were.
    const UNKNOWN: RunId = RunId(Uuid::nil());

    /// A new one, or one that is made again.
    pub fn new(limits: Limits, elsewhere: Spend) -> Self {
        let held = (elsewhere != Spend::default()).then_some((Self::UNKNOWN, elsewhere));
        Self { limits, held: held.into_iter().collect() }
    }

    /// Reads what [`AccountBook::to_bytes`] wrote. Anything else is refused, and why.
    pub fn read(bytes: &[u8]) -> Result<Self, String> {
        if bytes.is_empty() {
            return Err("it is empty".into());
        }
        serde_json::from_slice(bytes).map_err(|error| error.to_string())
    }

    pub fn to_bytes(&self) -> Vec<u8> {
        serde_json::to_vec(self).expect("an account is plain JSON")
    }

    /// What all but `run` hold.
    pub fn others(&self, run: RunId) -> Spend {
        let others = self.held.iter().filter(|(holder, _)| **holder != run);
        others.fold(Spend::default(), |sum, (_, held)| sum.plus(*held))
    }

    /// See [`Accounts::hold`].
    pub fn hold(&mut self, run: RunId, others: Spend, held: Spend) -> AccountHold {
        match self.others(run) {
            actual if actual == others => {
                self.settle(run, held);
                AccountHold::Held
            }
            actual => AccountHold::Changed(actual),
        }
    }

    /// See [`Accounts::settle`].
    pub fn settle(&mut self, run: RunId, held: Spend) {
        self.held.insert(run, held);
    }
}
