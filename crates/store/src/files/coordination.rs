//! What processes tell each other through files: requests, questions, accounts, the queue, the server's address, and what turns in flight say.

use std::path::Path;
use std::sync::Arc;
use tribunal_kernel::watch::LiveFrame;
use tribunal_kernel::{Limits, RunId, Spend, Time, TurnId};

use super::FileBackend;
use crate::backend::{
    AccountHold, AccountId, Accounts, Live, LiveListener, Questions, Queue, QueueTicket, Requests, RunRequest,
    ServerAddress, ServerClaim, Servers, StoreReply, TakenRequests,
};
use crate::live_file::{self, LiveReader};
use crate::queue::Ticket;
use crate::server_file::{self, ServerFile};
use crate::{Account, StoreError, answers, dir, inbox};

impl Requests for FileBackend {
    fn put(&self, run: RunId, request: RunRequest) -> StoreReply<'_, ()> {
        self.blocking(move |layout| inbox::send(layout, run, &request))
    }

    fn take(&self, run: RunId) -> StoreReply<'_, TakenRequests> {
        self.blocking(move |layout| inbox::take(layout, run))
    }
}

impl Questions for FileBackend {
    fn ask<'a>(&'a self, run: RunId, turn: TurnId, prompt: &'a str) -> StoreReply<'a, Time> {
        let prompt = prompt.to_owned();
        self.blocking(move |layout| answers::ask(layout, run, turn, &prompt))
    }

    fn asked(&self, run: RunId, turn: TurnId) -> StoreReply<'_, Option<Time>> {
        self.blocking(move |layout| answers::asked(layout, run, turn))
    }

    fn answer<'a>(&'a self, run: RunId, turn: TurnId, text: &'a str) -> StoreReply<'a, bool> {
        let text = text.to_owned();
        self.blocking(move |layout| answers::give(layout, run, turn, &text))
    }

    fn find(&self, run: RunId, turn: TurnId) -> StoreReply<'_, Option<String>> {
        self.blocking(move |layout| answers::find(layout, run, turn))
    }

    fn keep<'a>(&'a self, run: RunId, turn: TurnId, text: &'a str) -> StoreReply<'a, ()> {
        let text = text.to_owned();
        self.blocking(move |layout| answers::keep(layout, run, turn, &text))
    }

    fn kept(&self, run: RunId, turn: TurnId) -> StoreReply<'_, Option<String>> {
        self.blocking(move |layout| answers::kept(layout, run, turn))
    }
}

impl Accounts for FileBackend {
    fn of(&self, run: RunId) -> AccountId {
        Account::of(&self.layout, run).id()
    }

    fn name_of(&self, account: &AccountId) -> String {
        let path = Path::new(&account.0);
        dir::relative(self.layout.root(), &path.canonicalize().unwrap_or_else(|_| path.to_owned()))
    }

    fn named(&self, name: &str) -> AccountId {
        Account::at(self.layout.root().join(name)).id()
    }

    fn open<'a>(&'a self, account: &'a AccountId, limits: Limits, elsewhere: Spend) -> StoreReply<'a, ()> {
        self.at(account, move |account| account.open(limits, elsewhere))
    }

    fn limits<'a>(&'a self, account: &'a AccountId) -> StoreReply<'a, Limits> {
        self.at(account, Account::limits)
    }

    fn others<'a>(&'a self, account: &'a AccountId, run: RunId) -> StoreReply<'a, Spend> {
        self.at(account, move |account| account.others(run))
    }

    fn hold<'a>(
        &'a self,
        account: &'a AccountId,
        run: RunId,
        others: Spend,
        held: Spend,
    ) -> StoreReply<'a, AccountHold> {
        self.at(account, move |account| account.hold(run, others, held))
    }

    fn settle<'a>(&'a self, account: &'a AccountId, run: RunId, held: Spend) -> StoreReply<'a, ()> {
        self.at(account, move |account| account.settle(run, held))
    }
}

impl FileBackend {
    /// An account may belong to a run of another project: its name is a path.
    fn at<'a, T: Send + 'static>(
        &self,
        account: &AccountId,
        work: impl FnOnce(&Account) -> Result<T, StoreError> + Send + 'static,
    ) -> StoreReply<'a, T> {
        let account = Account::at(&account.0);
        self.blocking(move |_| work(&account))
    }
}

#[derive(Debug)]
struct FileListener(LiveReader);

impl Live for FileBackend {
    fn tell(&self, run: RunId, frames: Vec<LiveFrame>) -> StoreReply<'_, ()> {
        self.blocking(move |layout| live_file::tell(layout, run, &frames))
    }

    fn end(&self, run: RunId) -> StoreReply<'_, ()> {
        self.blocking(move |layout| live_file::end(layout, run))
    }

    fn listen(&self, run: RunId) -> StoreReply<'_, Box<dyn LiveListener>> {
        let listener: Box<dyn LiveListener> = Box::new(FileListener(LiveReader::new(&self.layout, run)));
        Box::pin(std::future::ready(Ok(listener)))
    }
}

impl LiveListener for FileListener {
    fn next(&mut self) -> StoreReply<'_, Vec<LiveFrame>> {
        // A look at a small file that was just written: not worth a thread.
        Box::pin(std::future::ready(Ok(self.0.more())))
    }
}

/// A ticket, shared with the thread that looks at the others.
#[derive(Debug)]
struct FileTicket {
    backend: FileBackend,
    ticket: Arc<Ticket>,
}

impl Queue for FileBackend {
    fn draw(&self) -> StoreReply<'_, Box<dyn QueueTicket>> {
        let backend = self.clone();
        self.blocking(move |layout| {
            let ticket = Arc::new(Ticket::draw(layout)?);
            Ok(Box::new(FileTicket { backend, ticket }) as Box<dyn QueueTicket>)
        })
    }
}

impl QueueTicket for FileTicket {
    fn ahead(&self) -> StoreReply<'_, usize> {
        let ticket = self.ticket.clone();
        self.backend.blocking(move |_| ticket.ahead())
    }
}

/// The server's file and where it lies.
#[derive(Debug)]
struct FileClaim {
    backend: FileBackend,
    file: ServerFile,
}

impl Servers for FileBackend {
    fn claim(&self) -> StoreReply<'_, Option<Box<dyn ServerClaim>>> {
        let backend = self.clone();
        self.blocking(move |layout| {
            let file = ServerFile::take(layout)?;
            Ok(file.map(|file| Box::new(FileClaim { backend, file }) as Box<dyn ServerClaim>))
        })
    }

    fn find(&self) -> StoreReply<'_, Option<ServerAddress>> {
        self.blocking(server_file::find)
    }
}

impl ServerClaim for FileClaim {
    fn before(&self) -> &ServerAddress {
        &self.file.before
    }

    fn publish<'a>(&'a mut self, address: &'a ServerAddress) -> StoreReply<'a, ()> {
        // A line of text, once in the life of a server: not worth a thread.
        let published = self.file.publish(address).map_err(StoreError::io("write", self.backend.layout.server()));
        Box::pin(std::future::ready(published))
    }
}
