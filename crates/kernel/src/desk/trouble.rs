//! Why a desk is blocked, and what a person can do.

/// What a reason means for whoever is called.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Advice {
    /// Whether the loop can go on once something was done.
    pub recoverable: bool,
    pub action: &'static str,
}

/// What to do about a reason.
pub fn advice(code: &str) -> Advice {
    let (recoverable, action) = match code {
        "stale_context" => (
            true,
            "look at the memory and the contract: the worker does nothing new; make the contract smaller or clearer",
        ),
        "repeated_error" => {
            (true, "read the error in the log; mend the environment or the plan, a stronger model did not help")
        }
        "repeated_failure" => {
            (true, "read the verdicts: the criteria may contradict each other or ask for too much at once")
        }
        "going_in_circles" => {
            (true, "say which of the two ways is meant: the worker goes back and forth between what was refused")
        }
        "worker_blocked" => (true, "the worker needs a decision: write it into the memory's next contract"),
        "verifier_blocked" => (true, "the verifier cannot judge: its summary says what is missing"),
        "checks_tampered" => {
            (false, "the worker changed what it is checked by; look at its commits before anything else")
        }
        "plan_unreadable" => (true, "mend the PRD or the test spec"),
        _ => (true, "read the report; then `tribunal desk clean` and run it again"),
    };
    Advice { recoverable, action }
}
