//! The kernel as its callers see it: whole runs, played without an engine.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on fails")]
#![expect(clippy::disallowed_methods, reason = "the frozen examples are files")]

mod anchored;
mod audit;
mod ballots;
mod circles;
mod controls;
mod desk;
mod events;
mod forecast;
mod inputs;
mod joust;
mod judge;
mod parking;
mod persons;
mod quotes;
mod rates;
mod readers;
mod recorded_answers;
mod recounts;
mod replay;
mod review;
mod scoreboard;
mod streams;
mod support;
mod theater;
mod watch;
mod worked_cases;
