//! Everything else that a backend has, without faults.

use std::fs;
use std::path::PathBuf;
use std::sync::Arc;
use tribunal_engine::{Clock as _, SystemClock};
use tribunal_kernel::grade::Grades;
use tribunal_kernel::judge::Stops;
use tribunal_kernel::watch::LiveFrame;
use tribunal_kernel::{Digest, Limits, Run, RunId, Spend, Time, TurnId};
use tribunal_store::StoreError;
use tribunal_store::backend::{
    AccountBook, AccountHold, AccountId, Accounts, GradeBook, Lists, Live, LiveListener, Questions, Queue, QueueTicket,
    Requests, RunRequest, Scratch, ScratchFolder, ServerAddress, ServerClaim, Servers, StopBook, StoreReply,
    TakenRequests, VoteKey, VoteLinks,
};
use tribunal_store::index::{ArtifactRow, FindingRow, Index, IndexError, ListedRun, RunFilter, SeatRow};

use super::{Disk, Platters, no_run, trouble};

impl Requests for Disk {
    fn put(&self, run: RunId, request: RunRequest) -> StoreReply<'_, ()> {
        self.now(|disk| {
            if !disk.logs.contains_key(&run) {
                return no_run(run);
            }
            disk.requests.entry(run).or_default().push_back(request);
            Ok(())
        })
    }

    fn take(&self, run: RunId) -> StoreReply<'_, TakenRequests> {
        self.now(|disk| {
            let requests = disk.requests.remove(&run).unwrap_or_default().into();
            Ok(TakenRequests { requests, refused: Vec::new() })
        })
    }
}

impl Questions for Disk {
    fn ask<'a>(&'a self, run: RunId, turn: TurnId, _: &'a str) -> StoreReply<'a, Time> {
        self.now(|disk| {
            let question = disk.questions.entry((run, turn)).or_default();
            Ok(*question.since.get_or_insert_with(|| SystemClock.now()))
        })
    }

    fn asked(&self, run: RunId, turn: TurnId) -> StoreReply<'_, Option<Time>> {
        self.now(|disk| Ok(disk.questions.get(&(run, turn)).and_then(|question| question.since)))
    }

    fn answer<'a>(&'a self, run: RunId, turn: TurnId, text: &'a str) -> StoreReply<'a, bool> {
        self.now(|disk| {
            let question = disk.questions.entry((run, turn)).or_default();
            let is_first = question.answer.is_none();
            question.answer.get_or_insert_with(|| text.to_owned());
            question.kept = None;
            Ok(is_first)
        })
    }

    fn find(&self, run: RunId, turn: TurnId) -> StoreReply<'_, Option<String>> {
        self.now(|disk| Ok(disk.questions.get(&(run, turn)).and_then(|question| question.answer.clone())))
    }

    fn keep<'a>(&'a self, run: RunId, turn: TurnId, text: &'a str) -> StoreReply<'a, ()> {
        self.now(|disk| {
            disk.questions.entry((run, turn)).or_default().kept = Some(text.to_owned());
            Ok(())
        })
    }

    fn kept(&self, run: RunId, turn: TurnId) -> StoreReply<'_, Option<String>> {
        self.now(|disk| Ok(disk.questions.get(&(run, turn)).and_then(|question| question.kept.clone())))
    }
}

impl Platters {
    fn account(&self, account: &AccountId) -> Result<AccountBook, StoreError> {
        let closed = |why: String| StoreError::AccountClosed { place: account.to_string(), why };
        let text = self.accounts.get(&account.0).ok_or_else(|| closed("it is not there".into()))?;
        AccountBook::read(text).map_err(closed)
    }

    fn keep_account(&mut self, account: &AccountId, book: &AccountBook) {
        self.accounts.insert(account.0.clone(), book.to_bytes());
    }
}

impl Accounts for Disk {
    fn of(&self, run: RunId) -> AccountId {
        AccountId(run.to_string())
    }

    fn name_of(&self, account: &AccountId) -> String {
        account.0.clone()
    }

    fn named(&self, name: &str) -> AccountId {
        AccountId(name.to_owned())
    }

    fn open<'a>(&'a self, account: &'a AccountId, limits: Limits, elsewhere: Spend) -> StoreReply<'a, ()> {
        self.now(|disk| {
            let mut book = if disk.accounts.contains_key(&account.0) {
                disk.account(account)?
            } else {
                AccountBook::new(limits.clone(), elsewhere)
            };
            book.limits = limits;
            disk.keep_account(account, &book);
            Ok(())
        })
    }

    fn limits<'a>(&'a self, account: &'a AccountId) -> StoreReply<'a, Limits> {
        self.now(|disk| Ok(disk.account(account)?.limits))
    }

    fn others<'a>(&'a self, account: &'a AccountId, run: RunId) -> StoreReply<'a, Spend> {
        self.now(|disk| Ok(disk.account(account)?.others(run)))
    }

    fn hold<'a>(
        &'a self,
        account: &'a AccountId,
        run: RunId,
        others: Spend,
        held: Spend,
    ) -> StoreReply<'a, AccountHold> {
        self.now(|disk| {
            let mut book = disk.account(account)?;
            let hold = book.hold(run, others, held);
            disk.keep_account(account, &book);
            Ok(hold)
        })
    }

    fn settle<'a>(&'a self, account: &'a AccountId, run: RunId, held: Spend) -> StoreReply<'a, ()> {
        self.now(|disk| {
            let mut book = disk.account(account)?;
            book.settle(run, held);
            disk.keep_account(account, &book);
            Ok(())
        })
    }
}

#[derive(Debug)]
struct DiskTicket {
    disk: Disk,
    number: u64,
}

impl Drop for DiskTicket {
    fn drop(&mut self) {
        self.disk.lock().tickets.0.retain(|number| *number != self.number);
    }
}

impl Queue for Disk {
    fn draw(&self) -> StoreReply<'_, Box<dyn QueueTicket>> {
        self.now(|disk| {
            disk.tickets.1 += 1;
            let number = disk.tickets.1;
            disk.tickets.0.push(number);
            Ok(Box::new(DiskTicket { disk: self.clone(), number }) as Box<dyn QueueTicket>)
        })
    }
}

impl QueueTicket for DiskTicket {
    fn ahead(&self) -> StoreReply<'_, usize> {
        self.disk.now(|disk| Ok(disk.tickets.0.iter().filter(|number| **number < self.number).count()))
    }
}

impl Disk {
    fn listed<'a, T: Send + 'a>(&self, work: impl FnOnce(&mut Index) -> Result<T, IndexError>) -> StoreReply<'a, T> {
        self.now(|disk| {
            let mut index = disk.lists.take().map_or_else(Index::in_memory, Ok)?;
            let result = work(&mut index);
            disk.lists = Some(index);
            Ok(result?)
        })
    }
}

impl Lists for Disk {
    fn update(&self, run: Arc<Run>) -> StoreReply<'_, ()> {
        self.listed(|index| index.update(&run))
    }

    fn rebuild(&self, runs: Vec<Arc<Run>>) -> StoreReply<'_, ()> {
        self.listed(|index| index.rebuild(runs.iter().map(Arc::as_ref)))
    }

    fn unknown(&self, runs: Vec<RunId>) -> StoreReply<'_, Vec<RunId>> {
        self.listed(|index| index.missing(runs))
    }

    fn runs(&self, filter: RunFilter) -> StoreReply<'_, Vec<ListedRun>> {
        self.listed(|index| index.runs(&filter))
    }

    fn findings(&self, run: RunId) -> StoreReply<'_, Vec<FindingRow>> {
        self.listed(|index| index.findings(run))
    }

    fn seats(&self, run: RunId) -> StoreReply<'_, Vec<SeatRow>> {
        self.listed(|index| index.seats(run))
    }

    fn artifact(&self, run: RunId) -> StoreReply<'_, Option<ArtifactRow>> {
        self.listed(|index| index.artifact(run))
    }
}

/// Somebody who listens, and how much they have heard.
#[derive(Debug)]
struct DiskListener {
    disk: Disk,
    run: RunId,
    heard: usize,
}

impl Live for Disk {
    fn tell(&self, run: RunId, frames: Vec<LiveFrame>) -> StoreReply<'_, ()> {
        self.now(|disk| {
            disk.live.entry(run).or_default().extend(frames);
            Ok(())
        })
    }

    fn end(&self, run: RunId) -> StoreReply<'_, ()> {
        self.now(|disk| {
            disk.live.remove(&run);
            Ok(())
        })
    }

    fn listen(&self, run: RunId) -> StoreReply<'_, Box<dyn LiveListener>> {
        let listener = DiskListener { disk: self.clone(), run, heard: 0 };
        self.now(|_| Ok(Box::new(listener) as Box<dyn LiveListener>))
    }
}

impl LiveListener for DiskListener {
    fn next(&mut self) -> StoreReply<'_, Vec<LiveFrame>> {
        let told = self.disk.lock().live.get(&self.run).cloned().unwrap_or_default();
        let from = self.heard.min(told.len());
        self.heard = told.len();
        Box::pin(std::future::ready(Ok(told[from..].to_vec())))
    }
}

impl StopBook for Disk {
    fn read(&self) -> StoreReply<'_, Stops> {
        self.now(|disk| Ok(disk.stops.clone()))
    }

    fn change<'a>(&'a self, mut change: Box<dyn FnMut(&mut Stops) + Send + 'a>) -> StoreReply<'a, ()> {
        self.now(|disk| {
            change(&mut disk.stops);
            Ok(())
        })
    }

    fn set_aside(&self) -> StoreReply<'_, Option<String>> {
        self.now(|_| Ok(None))
    }
}

impl VoteLinks for Disk {
    fn key(&self) -> StoreReply<'_, VoteKey> {
        self.now(|_| Ok(VoteKey([7; 32])))
    }

    fn is_used(&self, link: Digest) -> StoreReply<'_, bool> {
        self.now(|disk| Ok(disk.used_links.contains(&link)))
    }

    fn take(&self, link: Digest) -> StoreReply<'_, bool> {
        self.now(|disk| Ok(disk.used_links.insert(link)))
    }

    fn give_back(&self, link: Digest) -> StoreReply<'_, ()> {
        self.now(|disk| {
            disk.used_links.remove(&link);
            Ok(())
        })
    }
}

impl GradeBook for Disk {
    fn read(&self) -> StoreReply<'_, Grades> {
        self.now(|disk| Ok(disk.grades.clone()))
    }

    fn change<'a>(&'a self, mut change: Box<dyn FnMut(&mut Grades) + Send + 'a>) -> StoreReply<'a, ()> {
        self.now(|disk| {
            change(&mut disk.grades);
            Ok(())
        })
    }
}

#[derive(Debug)]
struct DiskClaim {
    disk: Disk,
    before: ServerAddress,
}

impl Drop for DiskClaim {
    fn drop(&mut self) {
        self.disk.lock().server.1 = false;
    }
}

impl Servers for Disk {
    fn claim(&self) -> StoreReply<'_, Option<Box<dyn ServerClaim>>> {
        self.now(|disk| {
            if std::mem::replace(&mut disk.server.1, true) {
                return Ok(None);
            }
            let claim = DiskClaim { disk: self.clone(), before: disk.server.0.clone() };
            Ok(Some(Box::new(claim) as Box<dyn ServerClaim>))
        })
    }

    fn find(&self) -> StoreReply<'_, Option<ServerAddress>> {
        self.now(|disk| {
            let (address, is_claimed) = &disk.server;
            Ok(Some(address.clone()).filter(|found| *is_claimed && !found.address.is_empty()))
        })
    }
}

impl ServerClaim for DiskClaim {
    fn before(&self) -> &ServerAddress {
        &self.before
    }

    fn publish<'a>(&'a mut self, address: &'a ServerAddress) -> StoreReply<'a, ()> {
        self.disk.now(|disk| {
            disk.server.0 = address.clone();
            Ok(())
        })
    }
}

impl Scratch for Disk {
    fn path(&self, folder: &ScratchFolder) -> PathBuf {
        let plain = |c: char| if c.is_ascii_alphanumeric() { c } else { '_' };
        let name: String = format!("{folder:?}").chars().map(plain).collect();
        let mut platters = self.lock();
        let scratch = platters.scratch.get_or_insert_with(|| tempfile::tempdir().expect("a temporary folder"));
        scratch.path().join(name)
    }

    fn emptied<'a>(&'a self, folder: &'a ScratchFolder) -> StoreReply<'a, PathBuf> {
        let path = self.path(folder);
        let emptied = fs::remove_dir_all(&path).or_else(|error| match error.kind() {
            std::io::ErrorKind::NotFound => Ok(()),
            _ => Err(error),
        });
        let made = emptied.and_then(|()| fs::create_dir_all(&path));
        let result = made.map(|()| path).map_err(|error| trouble(&error.to_string(), error.kind()));
        Box::pin(std::future::ready(result))
    }
}
