//! The tool `start_run`: the configured trial, in the background of this process.

use serde_json::{Value, json};

use crate::args::Global;
use crate::bench::Bench;
use crate::failure::Failure;
use crate::petition::{Begun, Petition, begin};

pub(super) async fn start(global: &Global, bench: &Bench, petition: Petition) -> Result<Value, Failure> {
    let Begun { opened, settled } = begin(global, bench, petition).await?;
    let opened: Vec<Value> = opened.into_iter().map(|(_, object)| object).collect();
    let next = if opened.is_empty() {
        "Everything is decided: nothing was started, nobody was called."
    } else {
        "Call `wait` with the run's id."
    };
    Ok(json!({ "runs": opened, "settled": settled, "next": next }))
}
