//! Tickets: leave to look at one draft, and at the pictures, fonts and style sheets of the project beside it.
//!
//! A draft is shown in a frame that belongs to nobody, so its pictures are asked for without a cookie. What lets them in
//! stands in their address: the run, the round and a moment, signed. It reads and never changes anything, and is good for
//! a few minutes.

use std::time::Duration;
use tribunal_app::notify::signature::{is_signed, sign};
use tribunal_kernel::RunId;

use super::token::Token;

/// Where drafts are shown.
pub(crate) const PREVIEW_PATH: &str = "/preview";
/// Long enough to load a page, and everything that scrolls into sight.
const LIFE: Duration = Duration::from_secs(15 * 60);

/// What a ticket is for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Ticket {
    pub(crate) run: RunId,
    /// A number, or `shipped`.
    pub(crate) round: String,
}

impl Ticket {
    /// As it stands in an address.
    pub(crate) fn issue(&self, token: &Token, now: Duration) -> String {
        let Self { run, round } = self;
        let until = (now + LIFE).as_secs();
        let plain = format!("{run}.{round}.{until}");
        let signature = sign(token.as_str().as_bytes(), signed(&plain).as_bytes());
        format!("{plain}.{signature}")
    }

    /// What it was issued for, if it was, and not too long ago.
    pub(crate) fn read(text: &str, token: &Token, now: Duration) -> Option<Self> {
        let (plain, signature) = text.rsplit_once('.')?;
        if !is_signed(token.as_str().as_bytes(), signed(plain).as_bytes(), signature) {
            return None;
        }
        let mut parts = plain.splitn(3, '.');
        let (run, round, until) = (RunId(parts.next()?.parse().ok()?), parts.next()?.to_owned(), parts.next()?);
        (now.as_secs() < until.parse().ok()?).then_some(Self { run, round })
    }
}

/// No session and no link that votes is signed like this.
fn signed(plain: &str) -> String {
    format!("preview\n{plain}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_ticket_is_good_for_one_draft_and_a_while() {
        let token = Token::new("abcdefghijklmnopqrstuvwxyz").unwrap();
        let now = Duration::from_secs(1_800_000_000);
        let ticket = Ticket { run: RunId(uuid::Uuid::from_u128(7)), round: "2".into() };
        let text = ticket.issue(&token, now);
        let read = |text: &str, now| Ticket::read(text, &token, now);
        assert_eq!(read(&text, (now + LIFE).saturating_sub(Duration::from_secs(1))), Some(ticket));
        assert_eq!(read(&text, now + LIFE), None, "it is over");
        assert_eq!(read(&text.replacen(".2.", ".1.", 1), now), None, "another round");
        let until = (now + LIFE).as_secs();
        assert_eq!(read(&text.replacen(&until.to_string(), &(until + 1).to_string(), 1), now), None, "longer");
        assert_eq!(read("", now), None);
        let other = Token::new("another-token-of-enough-letters").unwrap();
        assert_eq!(Ticket::read(&text, &other, now), None, "of another server");
    }
}
