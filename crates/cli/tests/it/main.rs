//! The command line from end to end: real processes, real files, agents that are shell scripts.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on fails")]

mod acp;
mod anchored;
mod budgets;
mod cases;
mod check;
mod check_formats;
mod check_place;
mod clis;
mod conformance;
mod crash;
mod decisions;
mod desk;
mod doctor;
mod errors;
mod eyes;
mod fix;
mod forger;
mod forks;
mod hostile;
mod house;
mod http;
mod human;
mod integrate;
mod joust;
mod judge;
mod judge_verifiers;
mod left_behind;
mod mcp;
mod notify;
mod parking;
mod parse;
mod people;
mod pipes;
mod proofs;
mod releases;
mod serve;
mod settings;
mod spending;
mod stale;
mod stop_hook;
mod stopped;
mod support;
mod theater;
mod worked_cases;
