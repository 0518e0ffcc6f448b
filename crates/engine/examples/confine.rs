//! The launcher of the sandbox on its own, for tests: `confine confine --write PATH … -- PROGRAM ARGS`.

use std::process::ExitCode;

fn main() -> ExitCode {
    let error = tribunal_engine::sandbox::enter_and_exec(std::env::args_os().skip(2));
    #[expect(clippy::print_stderr, reason = "there is nobody else to say it")]
    {
        eprintln!("confine: {error}");
    }
    ExitCode::from(126)
}
