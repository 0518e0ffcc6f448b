//! The use cases of Tribunal: typed requests in, results or [`AppError`]s out.
//!
//! Command line, server and Model Context Protocol are thin edges over this crate: they read a request, call it, and
//! show the result. Nobody else opens or drives a run. Nothing here prints; whoever looks on is a [`Console`].
//!
//! | to learn about | read |
//! |---|---|
//! | why something was not done, and how a program that ran it ends | [`error`], [`exit`] |
//! | the folder we are in: configuration, store, index | [`project`] |
//! | what comes from outside, and its limits | [`input`] |
//! | the settings of a judgement, which the change does not make | `found_settings` |
//! | starting: what is new, what goes on, what is decided and whether it still is | [`start`], [`opened`], [`newest`], [`loops`], [`stale`], [`allowance`], [`plan`] |
//! | driving runs to their end, here or in the background | [`drive`], [`pool`], [`resume`], [`watching`], [`seating`], [`signals`] |
//! | what a person does to a run | [`steer`], [`interrupt`], [`reanchor`], [`reopen`], [`rerun`], [`select`], [`fork`], [`adopt`] |
//! | people in seats, and what they decide | [`people`], [`answer`], [`decide`] |
//! | what a folder has for us | [`overview`] |
//! | what is shown of runs | [`status`], [`summary`], [`forecast`], [`diff`], [`export`], [`views`], [`reindex`], [`console`] |
//! | room that is made free | [`clean`] |
//! | whether runs are what they say, and how others can tell | [`verify`], [`proof`] |
//! | a desk's plans, campaigns and logs | [`desk`] |
//! | agents that say they are done | [`stop`] |
//! | questions, checks and fixes outside of a trial | [`check`], [`fix`], [`measuring`], [`eyes`], [`in_place`], [`ask`], [`consult`], `command_account` |
//! | how far agents can be used and trusted | [`doctor`], [`conformance`], [`grading`], [`controls`], [`control_set`] |
//! | a project's settings | [`settings`] |
//! | programs and accounts on this machine | [`programs`], [`logins`], [`seat_proposal`] |
//! | all of it for a process that goes on | [`service`] |

pub mod adopt;
pub mod allowance;
pub mod answer;
pub mod ask;
pub mod attachments;
pub mod check;
mod check_place;
pub mod clean;
mod command_account;
pub mod conformance;
pub mod console;
pub mod consult;
pub mod control_set;
pub mod controls;
pub mod decide;
pub mod desk;
pub mod diff;
pub mod doctor;
pub mod drive;
pub mod error;
pub mod exit;
pub mod export;
pub mod eyes;
pub mod fix;
pub mod forecast;
pub mod fork;
mod found_settings;
pub mod grading;
pub mod in_place;
pub mod input;
pub mod interrupt;
mod live;
pub mod logins;
pub mod loops;
pub mod measuring;
pub mod newest;
pub mod notify;
pub mod opened;
pub mod overview;
pub mod parked;
mod patch;
pub mod people;
mod place;
pub mod plan;
pub mod pool;
pub mod prices;
pub mod programs;
pub mod project;
pub mod proof;
pub mod reanchor;
pub mod reindex;
pub mod reopen;
pub mod rerun;
pub mod resume;
pub mod seat_proposal;
pub mod seating;
pub mod select;
pub mod service;
pub mod settings;
mod shared_files;
pub mod signals;
pub mod stale;
pub mod start;
pub mod status;
pub mod steer;
pub mod stop;
pub mod summary;
mod tell;
pub mod verify;
pub mod views;
pub mod vote;
pub mod watching;

pub use console::{Console, RunProgress};
pub use error::{AppError, ErrorKind};
pub use exit::Exit;
pub use project::{Project, ProjectAt};
pub use service::{App, AppService};
