//! What a command line writes down of a session, beside what it prints.

use serde_json::Value;
use std::fs;
use std::io::{BufRead as _, BufReader, Read as _};
use std::path::{Path, PathBuf};
use tribunal_kernel::Usage;

use super::Vendor;
use super::told::{number, text};
use crate::Environment;

/// No more of a file is read.
const MAX_BYTES: u64 = 64 << 20;

/// Where sessions are written down.
#[derive(Debug, Clone)]
pub(super) struct Records {
    folder: PathBuf,
}

impl Records {
    /// Copilot says nothing of tokens on stdout; its own record of the session does.
    pub(super) fn of(vendor: Vendor, environment: &Environment) -> Option<Self> {
        let homes = (vendor == Vendor::Copilot).then(|| vendor.homes(|name| environment.get(name).map(str::to_owned)));
        homes?.into_iter().next().map(|home| Self { folder: home.path.join("session-state") })
    }

    /// What a session took, by its record, if there is one.
    pub(super) fn spent(&self, session: &str) -> Option<Usage> {
        // It names a folder, and must not name another one.
        let is_plain = |letter: char| letter.is_ascii_alphanumeric() || letter == '-';
        if session.is_empty() || !session.chars().all(is_plain) {
            return None;
        }
        let path = self.folder.join(session).join("events.jsonl");
        // A pipe in its place would hold us for ever.
        if !fs::symlink_metadata(&path).is_ok_and(|data| data.is_file()) {
            return None;
        }
        read(&path)
    }
}

fn read(path: &Path) -> Option<Usage> {
    let lines = BufReader::new(fs::File::open(path).ok()?.take(MAX_BYTES)).split(b'\n');
    let mut sum = Usage::default();
    for line in lines.map_while(Result::ok) {
        let event: Value = serde_json::from_slice(&line).unwrap_or_default();
        if text(&event["type"]) != "session.usage_record" {
            continue;
        }
        let used = &event["data"]["usage"];
        sum = sum.plus(Usage {
            input_tokens: number(&used["inputTokens"]),
            output_tokens: number(&used["outputTokens"]),
            cached_tokens: number(&used["cacheReadTokens"]),
            cache_write_tokens: number(&used["cacheWriteTokens"]),
            ..Usage::default()
        });
    }
    Some(sum).filter(Usage::is_reported)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn records(home: &Path) -> Records {
        let variables = [("COPILOT_HOME".to_owned(), home.to_string_lossy().into_owned())];
        Records::of(Vendor::Copilot, &Environment::new(variables)).unwrap()
    }

    fn write(home: &Path, session: &str, text: &str) {
        let folder = home.join("session-state").join(session);
        fs::create_dir_all(&folder).unwrap();
        fs::write(folder.join("events.jsonl"), text).unwrap();
    }

    /// As Copilot 1.0.102 writes it, without the rest.
    const RECORD: &str = r#"{"type":"session.start","data":{}}
{"type":"session.usage_record","data":{"usage":{"model":"gpt-5","inputTokens":12221,"outputTokens":2,"cacheReadTokens":1024,"cacheWriteTokens":0,"cost":0.0}}}
not JSON
{"type":"session.usage_record","data":{"usage":{"inputTokens":100,"outputTokens":"many","cacheReadTokens":-1}}}
{"type":"session.shutdown","data":{"lastCallInputTokens":12221}}
"#;

    #[test]
    fn requests_of_a_session_are_added_up() {
        let home = tempfile::tempdir().unwrap();
        write(home.path(), "b84b09c4-23fa", RECORD);
        let usage = records(home.path()).spent("b84b09c4-23fa").unwrap();
        assert_eq!((usage.input_tokens, usage.output_tokens, usage.cached_tokens), (12_321, 2, 1024));
    }

    #[test]
    fn no_record_is_no_report() {
        let home = tempfile::tempdir().unwrap();
        let records = records(home.path());
        assert_eq!(records.spent("gone"), None);
        write(home.path(), "empty", "");
        assert_eq!(records.spent("empty"), None);
        write(home.path(), "silent", "{\"type\":\"session.usage_record\",\"data\":{}}\n");
        assert_eq!(records.spent("silent"), None, "0 is no report");
        for name in ["", "..", "../elsewhere", "a/b"] {
            assert_eq!(records.spent(name), None, "{name:?}");
        }
        assert!(Records::of(Vendor::Codex, &Environment::default()).is_none(), "others print it");
        assert!(Records::of(Vendor::Copilot, &Environment::default()).is_none(), "without a home there is none");
    }

    #[cfg(unix)]
    #[test]
    fn a_pipe_is_no_record() {
        let home = tempfile::tempdir().unwrap();
        let folder = home.path().join("session-state/s");
        fs::create_dir_all(&folder).unwrap();
        let made = std::process::Command::new("mkfifo").arg(folder.join("events.jsonl")).status();
        assert!(made.unwrap().success());
        assert_eq!(records(home.path()).spent("s"), None);
    }
}
