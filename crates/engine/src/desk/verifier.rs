//! Where the verifier looks.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;
use tribunal_agents::{AgentError, Answer, TurnRequest};
use tribunal_kernel::desk::{
    Incident, InspectInput, InspectionAnswer, MarkedText, Receipts, VerdictFile, file_of, has_quotation, line_of_file,
    quotations,
};
use tribunal_kernel::evidence::TreeRole;
use tribunal_kernel::{Digest, TurnInput};

use super::folder::{DeskFolder, clear, clear_desk, of_tree, receipts, text, unavailable};
use crate::sandbox::Confinement;
use crate::tree::{CommitReader, hash_of_files, write_inside};
use crate::workplace::{Doing, PreparedPlace, Printed, SealedCheckout, Workplace};

/// What a program says when it may not write. Who is refused this often leaves no other trace.
const REFUSALS: [&str; 5] = ["Read-only file system", "read-only file system", "EROFS", "Permission denied", "EACCES"];

/// So many files are looked through for what a verdict quotes.
const MOST_FILES: usize = 2000;

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
            let root = campaign.options.checkouts.join(format!("verify-{}", request.turn));
            campaign.take_checkouts()?;
            // An attempt before may have left one.
            clear(&root).map_err(|error| unavailable(&error.to_string()))?;
            let (base, head) = (trees.base(), trees.head());
            let laid_out = trees.reader().lay_out_work(base, head, root.join("tree")).await;
            let checkout = laid_out.map_err(|error| of_tree(&error))?;
            let there = campaign.files.seen_from(checkout.path());
            // The folder around the desk is made by us, and stays when the desk is cleared away.
            let desk = there.path(there.root());
            let around = desk.parent().unwrap_or(&desk);
            let made = clear_desk(&there).and_then(|()| std::fs::create_dir_all(around));
            made.map_err(|error| unavailable(&error.to_string()))?;
            let before = hash_of_files(checkout.path()).await.map_err(|error| of_tree(&error))?;
            let there = campaign.lay_out(checkout.path()).map_err(|error| of_tree(&error))?;
            let told = [there.claim(), there.signal()];
            let told = told.into_iter().filter_map(|name| campaign.own(&name).map(|text| (name, text)));
            let seen = serde_json::to_string_pretty(seen).expect("receipts are plain JSON") + "\n";
            for (name, text) in told.chain([(receipts(&there), seen)]) {
                write_inside(there.base(), &name, text.as_bytes()).map_err(|error| of_tree(&error))?;
            }
            let [memos, _] = there.folders();
            let confinement = campaign.confinement(request, vec![there.path(&memos)])?;
            Ok(PreparedPlace {
                cwd: checkout.path().to_owned(),
                env: DeskFolder::variables(&there, checkout.root()),
                sandbox: campaign.sandbox.clone(),
                confinement: Confinement { network: campaign.options.verifier_network, ..confinement },
                sealed: Some(SealedCheckout { checkout, before }),
            })
        })
    }

    fn finish<'a>(&'a self, request: &'a TurnRequest, place: PreparedPlace, printed: Printed) -> Doing<'a, Answer> {
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
            // For people to read, until the next iteration begins. What counts of it is in the log.
            if let Some(verdict) = &verdict {
                let (base, name) = (self.0.files.base(), self.0.files.verdict());
                write_inside(base, &name, verdict.as_bytes()).map_err(|error| of_tree(&error))?;
            }
            clear_desk(&there).map_err(|error| unavailable(&error.to_string()))?;
            let (found, brought) = match verdict.as_deref() {
                Some(verdict) => self.found(request, &cwd, verdict).await?,
                None => Default::default(),
            };
            let after = hash_of_files(&cwd).await.map_err(|error| of_tree(&error))?;
            let report = |code: &str, detail: &str| Incident { code: code.into(), detail: detail.into() };
            if before != after {
                incidents
                    .push(report("verifier_wrote", "the checkout is not as it was; what was changed is discarded"));
            } else if let Some(line) = [&answer.text, &stderr_tail].into_iter().find_map(|said| refusal(said)) {
                incidents.push(report("verifier_write_attempt", &format!("a write was refused: {line}")));
            }
            let told = InspectionAnswer { printed: answer.text, verdict, incidents, found, brought };
            let text = serde_json::to_string(&told).expect("an answer is plain JSON");
            let answer = Answer { text, ..answer };
            checkout.close().await.map_err(|error| of_tree(&error))?;
            self.0.leave_checkouts();
            Ok(answer)
        })
    }
}

impl VerifierPlace {
    /// What a verdict quotes and is really there: in what the work changed, in the checks' own files, in their output. And,
    /// if the work added anything, what of it was not there before.
    async fn found(&self, request: &TurnRequest, cwd: &Path, verdict: &str) -> Result<Quoted, AgentError> {
        let Ok(file) = VerdictFile::read(verdict) else { return Ok(Quoted::default()) };
        let Some(TurnInput::Inspect(InspectInput { receipts })) = &request.input else { return Ok(Quoted::default()) };
        let mut wanted: Vec<String> =
            file.criteria_results.iter().flat_map(|result| quotations(&result.evidence)).collect();
        let (reader, base, head) = {
            let trees = self.0.trees.lock().await;
            (trees.reader(), trees.base().to_owned(), trees.head().to_owned())
        };
        let changes = reader.changes(&base, &head).await.map_err(|error| of_tree(&error))?;
        let mut paths: Vec<String> = changes.into_iter().map(|change| change.path).take(MOST_FILES).collect();
        let marked = added(&reader, &base, cwd, &paths, &wanted).await?;
        if paths.is_empty() {
            // Work that was right from the beginning is shown by whatever is there.
            paths = reader.paths(&head).await.map_err(|error| of_tree(&error))?;
        }
        paths.extend(receipts.files.keys().map(|name| file_of(name).to_owned()));
        paths.truncate(MOST_FILES);
        let seen = receipts.evidence.iter().map(|evidence| evidence.side_by_side());
        let told = receipts.receipts.iter().map(|receipt| receipt.tail.clone()).chain(seen);
        let files = paths.iter().filter_map(|path| text(cwd, path).ok().flatten());
        let texts: Vec<String> = told.chain(files).collect();
        wanted.retain(|quotation| {
            let is_line = line_of_file(quotation).is_some_and(|(path, line)| {
                text(cwd, path).ok().flatten().is_some_and(|text| text.lines().count() >= line)
            });
            is_line || texts.iter().any(|text| has_quotation(text, quotation))
        });
        let brought = marked.map(|files| {
            let outputs = printed(receipts);
            let is_brought = |quotation: &&String| {
                let named = line_of_file(quotation).and_then(|(path, line)| Some((files.get(plain(path))?, line)));
                named.is_some_and(|(file, line)| file.has_line(line))
                    || files.values().chain(&outputs).any(|text| text.has(quotation))
            };
            wanted.iter().filter(is_brought).cloned().collect()
        });
        Ok((wanted, brought))
    }
}

/// What is quoted and there, and what of it the work brought, if it added anything.
type Quoted = (Vec<String>, Option<Vec<String>>);

/// The changed files that something is quoted from, with the lines that the work added; nothing if it added none anywhere.
async fn added(
    reader: &CommitReader,
    base: &str,
    cwd: &Path,
    paths: &[String],
    wanted: &[String],
) -> Result<Option<BTreeMap<String, MarkedText>>, AgentError> {
    let mut files = BTreeMap::new();
    let mut has_added = false;
    for path in paths {
        let Some(now) = text(cwd, path).ok().flatten() else { continue };
        let is_quoted = |quotation: &String| {
            line_of_file(quotation).is_some_and(|(named, _)| plain(named) == path) || has_quotation(&now, quotation)
        };
        if has_added && !wanted.iter().any(is_quoted) {
            continue;
        }
        let before = reader.contents(base, std::slice::from_ref(path)).await.map_err(|error| of_tree(&error))?;
        let before = before.into_iter().next().flatten().map(|bytes| String::from_utf8_lossy(&bytes).into_owned());
        let file = MarkedText::added(before.as_deref(), &now);
        has_added |= !file.is_empty();
        files.insert(path.clone(), file);
    }
    Ok(has_added.then_some(files))
}

/// What the checks printed and did not print at the base. Of output that is not known as a whole there, nobody can say that.
fn printed(receipts: &Receipts) -> Vec<MarkedText> {
    let Some(evidence) = &receipts.evidence else { return Vec::new() };
    let with_base = |receipt: &tribunal_kernel::desk::Receipt| {
        let base = evidence.of(&receipt.check)?.on(TreeRole::Base)?;
        (Digest::of(&base.tail) == base.output).then(|| MarkedText::printed(&base.tail, &receipt.tail))
    };
    receipts.receipts.iter().filter_map(with_base).collect()
}

/// A path without what says that it begins here.
fn plain(path: &str) -> &str {
    path.trim_start_matches("./")
}

/// The line in which a program says that it may not write.
fn refusal(said: &str) -> Option<&str> {
    said.lines().find(|line| REFUSALS.iter().any(|word| line.contains(word))).map(str::trim)
}
