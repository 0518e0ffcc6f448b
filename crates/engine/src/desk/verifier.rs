//! Where the verifier looks.

use std::sync::Arc;
use tribunal_agents::{Answer, TurnRequest};
use tribunal_kernel::TurnInput;
use tribunal_kernel::desk::{Incident, InspectInput, InspectionAnswer};

use super::folder::{DeskFolder, clear, of_tree, receipts, text, unavailable};
use crate::tree::{tree_hash, write_inside};
use crate::workplace::{Doing, PreparedPlace, Printed, SealedCheckout, Workplace};

/// What a program says when it may not write. Who is refused this often leaves no other trace.
const REFUSALS: [&str; 5] = ["Read-only file system", "read-only file system", "EROFS", "Permission denied", "EACCES"];

/// A clean checkout of the work that can be read, with one folder for the verdict.
#[derive(Debug)]
pub struct VerifierPlace(pub Arc<DeskFolder>);

impl Workplace for VerifierPlace {
    fn prepare<'a>(&'a self, request: &'a TurnRequest) -> Doing<'a, PreparedPlace> {
        Box::pin(async move {
            let campaign = &self.0;
            let Some(TurnInput::Inspect(InspectInput { receipts: seen })) = &request.input else {
                return Err(unavailable("the verifier has nothing to look at: no checks were run"));
            };
            let trees = campaign.trees.lock().await;
            let checkout = trees.checkout(trees.head()).await.map_err(|error| of_tree(&error))?;
            let there = campaign.files.seen_from(checkout.path());
            // The folder around the desk is made by us, and stays when the desk is cleared away.
            let desk = there.path(there.root());
            let around = desk.parent().unwrap_or(&desk);
            let made = clear(&desk).and_then(|()| std::fs::create_dir_all(around));
            made.map_err(|error| unavailable(&error.to_string()))?;
            let before = tree_hash(checkout.path()).await.map_err(|error| of_tree(&error))?;
            let there = campaign.lay_out(checkout.path()).map_err(|error| of_tree(&error))?;
            let claim = campaign.own(&there.claim()).map(|text| (there.claim(), text));
            let seen = serde_json::to_string_pretty(seen).expect("receipts are plain JSON") + "\n";
            for (name, text) in claim.into_iter().chain([(receipts(&there), seen)]) {
                write_inside(there.base(), &name, text.as_bytes()).map_err(|error| of_tree(&error))?;
            }
            let [memos, _] = there.folders();
            let confinement = campaign.confinement(request, vec![there.path(&memos)])?;
            Ok(PreparedPlace {
                cwd: checkout.path().to_owned(),
                env: DeskFolder::variables(&there),
                sandbox: campaign.sandbox.clone(),
                confinement,
                sealed: Some(SealedCheckout { checkout, before }),
            })
        })
    }

    fn finish<'a>(&'a self, _: &'a TurnRequest, place: PreparedPlace, printed: Printed) -> Doing<'a, Answer> {
        Box::pin(async move {
            let PreparedPlace { cwd, sealed, .. } = place;
            let Some(SealedCheckout { checkout, before }) = sealed else {
                return Err(unavailable("the verifier was not in a checkout of its own"));
            };
            let Printed { answer, stderr_tail } = printed;
            let there = self.0.files.seen_from(&cwd);
            let mut incidents = Vec::new();
            let verdict = text(there.base(), &there.verdict()).unwrap_or_else(|incident| {
                incidents.push(incident);
                None
            });
            clear(&there.path(there.root())).map_err(|error| unavailable(&error.to_string()))?;
            let after = tree_hash(&cwd).await.map_err(|error| of_tree(&error))?;
            let report = |code: &str, detail: &str| Incident { code: code.into(), detail: detail.into() };
            if before != after {
                incidents
                    .push(report("verifier_wrote", "the checkout is not as it was; what was changed is discarded"));
            } else if let Some(line) = [&answer.text, &stderr_tail].into_iter().find_map(|said| refusal(said)) {
                incidents.push(report("verifier_write_attempt", &format!("a write was refused: {line}")));
            }
            let text = serde_json::to_string(&InspectionAnswer { printed: answer.text, verdict, incidents });
            let answer = Answer { text: text.expect("an answer is plain JSON"), ..answer };
            checkout.close().await.map_err(|error| of_tree(&error))?;
            Ok(answer)
        })
    }
}

/// The line in which a program says that it may not write.
fn refusal(said: &str) -> Option<&str> {
    said.lines().find(|line| REFUSALS.iter().any(|word| line.contains(word))).map(str::trim)
}
