//! What every backend must do, as tests that run against any of them.
//!
//! A backend's own tests call [`all`] with a [`Harness`] that makes empty places; each case gets one of its own.
//! A case that fails panics and says what was expected. They run on any tokio runtime.

mod accounts;
mod blobs;
mod events;
mod followers;
mod leases;
mod lists;
mod live;
mod logs;
mod project;
mod questions;
mod requests;
mod writers;

use std::sync::Arc;

use crate::backend::{AccountId, Backend, StoreReply};
pub use accounts::*;
pub use blobs::*;
pub use events::{BEGINNING, BRIEF, events, run_id, texts};
pub use followers::*;
pub use leases::*;
pub use lists::*;
pub use live::*;
pub use logs::*;
pub use project::*;
pub use questions::*;
pub use requests::*;
pub use writers::*;

/// How the suite gets at a backend.
pub trait Harness: Sync {
    /// The backend over place `number`: empty at first, and what is there after that. Opening a place again is what
    /// another process does, or the same one after a restart.
    fn open(&self, number: u32) -> StoreReply<'_, Arc<dyn Backend>>;

    /// Does to an account of that place what crashes and careless people do.
    fn damage<'a>(&'a self, number: u32, account: &'a AccountId, how: AccountDamage) -> StoreReply<'a, ()>;
}

/// Runs every case against a place of its own.
pub async fn all(harness: &dyn Harness) {
    let mut number = 0;
    macro_rules! check {
        ($($case:ident),* $(,)?) => {$({
            number += 1;
            $case(harness.open(number).await.expect("an empty place")).await;
        })*};
    }
    check!(
        what_is_appended_is_read_back,
        a_log_goes_on_after_it_was_reopened,
        an_empty_log_is_a_log,
        an_empty_batch_changes_nothing,
        batches_keep_their_order,
        any_text_comes_back_as_it_was,
        large_events_come_back_as_they_were,
        a_missing_run_is_named,
        runs_are_listed_in_order,
        the_first_event_is_read_alone_and_all_of_them_as_auditors_want_them,
        reading_does_not_wait_for_the_writer,
        an_outdated_writer_is_refused,
        a_second_writer_is_told_who_holds_the_run,
        a_run_is_created_once,
        many_runs_append_at_once,
        an_append_that_nobody_waits_for_leaves_a_good_log,
        a_lease_has_one_holder_and_tokens_grow,
        an_old_holder_writes_nothing_after_its_lease_was_seized,
        an_old_lease_opens_nothing,
        a_run_that_is_not_there_has_no_lease,
        followers_from_every_place_miss_nothing,
        a_follower_waits_for_what_is_not_there_yet,
        a_follower_keeps_to_its_bound,
        a_follower_that_nobody_waited_for_misses_nothing,
        heads_say_what_has_grown,
        requests_are_taken_once_and_in_order,
        no_request_is_lost_or_doubled_whoever_takes,
        a_run_that_is_not_there_is_asked_nothing,
        the_first_answer_counts,
        what_did_not_fit_is_kept_until_there_is_an_answer,
        nobody_spends_from_an_account_that_was_not_opened,
        what_is_held_is_held_in_one_step,
        many_runs_never_hold_more_than_there_is,
        opening_an_account_again_keeps_what_is_held,
        an_account_is_found_by_the_name_in_a_spec,
        blobs_come_back_as_they_were,
        storing_a_blob_twice_changes_nothing,
        a_missing_blob_is_named,
        many_blobs_are_stored_at_once,
        what_is_cited_and_missing_is_found_by_verifying,
        runs_are_found_again_newest_first,
        late_updates_change_nothing,
        rebuilt_lists_hold_what_they_were_given,
        what_turns_say_is_heard_while_they_say_it,
        tickets_are_served_in_order,
        nobody_loses_a_change_of_the_grades,
        nobody_loses_a_stop,
        one_server_at_a_time_and_its_address_stays,
        a_link_that_votes_is_used_once,
        a_scratch_folder_is_empty_when_it_is_wanted_empty,
    );
    macro_rules! check_again {
        ($($case:ident),* $(,)?) => {$({
            number += 1;
            $case(harness, number).await;
        })*};
    }
    check_again!(
        writers_of_two_processes_take_turns,
        one_opens_runs_at_a_time,
        a_question_keeps_its_time_over_restarts,
        an_empty_account_is_closed,
        a_torn_account_is_closed,
        an_account_with_something_else_in_its_place_is_closed,
        an_account_that_got_lost_begins_with_what_the_log_knows,
        a_project_keeps_its_id,
        stops_are_there_after_a_restart,
        links_keep_their_key_and_what_was_used_stays_used,
    );
}
