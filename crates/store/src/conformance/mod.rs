//! What every backend must do, as tests that run against any of them.
//!
//! A backend's own tests call [`all`] with a function that makes an empty store; each case gets one of its own.
//! A case that fails panics and says what was expected. They run on any tokio runtime.

mod blobs;
mod events;
mod logs;
mod writers;

use crate::Store;
pub use blobs::*;
pub use events::{BEGINNING, BRIEF, events, run_id, texts};
pub use logs::*;
pub use writers::*;

/// Runs every case against a store of its own.
pub async fn all<S: Store>(empty: impl AsyncFn() -> S) {
    what_is_appended_is_read_back(empty().await).await;
    a_log_goes_on_after_it_was_reopened(empty().await).await;
    an_empty_log_is_a_log(empty().await).await;
    an_empty_batch_changes_nothing(empty().await).await;
    batches_keep_their_order(empty().await).await;
    any_text_comes_back_as_it_was(empty().await).await;
    large_events_come_back_as_they_were(empty().await).await;
    a_missing_run_is_named(empty().await).await;
    runs_are_listed_in_order(empty().await).await;
    reading_does_not_wait_for_the_writer(empty().await).await;

    an_outdated_writer_is_refused(empty().await).await;
    a_second_writer_is_told_who_holds_the_run(empty().await).await;
    a_run_is_created_once(empty().await).await;
    many_runs_append_at_once(empty().await).await;
    an_append_that_nobody_waits_for_leaves_a_good_log(empty().await).await;

    blobs_come_back_as_they_were(empty().await).await;
    storing_a_blob_twice_changes_nothing(empty().await).await;
    a_missing_blob_is_named(empty().await).await;
    many_blobs_are_stored_at_once(empty().await).await;
}
