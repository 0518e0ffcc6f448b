//! What the engine does with real programs.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on fails")]
#![expect(clippy::print_stderr, reason = "a runner that is not installed is said, not hidden")]

mod evidence;
