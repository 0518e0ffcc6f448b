//! The panel's wire protocol: a push parser and a writer. No IO, no clock, nothing but bytes in and facts out.
//!
//! ```
//! use tribunal_wire::{Fact, Parser, ParserSettings, StreamEnd, WireEvent};
//!
//! let stream = br#"Sure, here we go:
//! <CRITIQUE_RUN version="1"><ROUND n="1">
//!   <PANELIST role="designer"><ARTIFACT mime="text/html"><![CDATA[<h1>Hi</h1>]]></ARTIFACT></PANELIST>
//!   <PANELIST role="critic" score="6.4"><MUST_FIX>Say more.</MUST_FIX></PANELIST>
//! </ROUND></CRITIQUE_RUN>"#;
//!
//! let mut parser = Parser::new(ParserSettings::default());
//! let mut demands = Vec::new();
//! for chunk in stream.chunks(7) {
//!     parser.push(chunk, &mut |event: WireEvent<'_>| {
//!         if let Fact::MustFixDemanded { role, text, .. } = event.fact {
//!             demands.push(format!("{role}: {text} (byte {})", event.position));
//!         }
//!     })?;
//! }
//! assert_eq!(parser.finish()?, StreamEnd::RunEnded);
//! assert_eq!(demands, ["critic: Say more. (byte 197)"]);
//! # Ok::<(), tribunal_wire::Error>(())
//! ```
//!
//! # What a reader may rely on
//! - Every cutting of a stream into chunks gives the same events, warnings, positions and error; only the pieces of an
//!   artifact are cut as the stream was, and joined they are the same, too.
//! - A fact is reported with the push that completes it; an artifact's bytes with the push that brings them.
//! - Nothing consumed is read again: time is linear in the input ([`Parser::work`]). Nothing is kept that is skipped or
//!   can be passed on: what is kept is at most the block cap ([`Parser::buffered`]).
//! - The parser reports what the stream *says*. Composites, missing roles, weak debates and every decision are the
//!   scoreboard's; the facts it needs for them are all here, each with its position.
//! - What the model puts into an artifact is never protocol, and only the designer's `PANELIST` and `SHIP` have one.
//!
//! Deliberately absent: a document tree, namespaces, any notion of XML beyond what models write, and repairs that would
//! have to guess what a judge meant.
//!
//! # Where things are
//! | file | noun |
//! |---|---|
//! | `parser`, `prologue`, `v1` | the stream, what precedes the run, the grammar of version 1 |
//! | `lexer`, `whole`, `body`, `closer`, `token`, `tag`, `attributes`, `key` | from bytes to tags and text; an artifact's inside |
//! | `class`, `ansi`, `entity`, `number`, `text`, `utf8` | what models and terminals do to characters and numbers |
//! | `event`, `warning`, `error`, `settings` | what goes out, what comes in |
//! | `writer`, `record`, `transcript` | the way back; whole parses for tests and tools |

mod ansi;
mod attributes;
mod body;
mod class;
mod closer;
mod entity;
mod error;
mod event;
mod input;
mod key;
mod lexer;
mod number;
mod parser;
mod prologue;
mod record;
mod settings;
mod tag;
mod text;
mod token;
mod transcript;
mod utf8;
mod v1;
mod warning;
mod whole;
mod writer;

pub use error::{Error, Malformed};
pub use event::{ClaimedDecision, Fact, ShipStatus, Source, WireEvent};
pub use number::ScaledScore;
pub use parser::{Parser, StreamEnd};
pub use record::StreamRecord;
pub use settings::{DESIGNER, ParserSettings};
pub use text::says_nothing;
pub use utf8::Utf8Pieces;
pub use warning::{ClaimedSetting, Warning};
pub use writer::{Writer, write};
