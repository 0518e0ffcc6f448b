//! Lines of a log, held against what would be written for them.
//!
//! A field that nobody knows and a key that is there twice are passed over when an event is read, and a person who reads the
//! line believes them. Nobody of ours wrote them.

use serde_json::Value;
use tribunal_kernel::Entry;
use tribunal_kernel::audit::difference;

use crate::proof::strict;

/// What comes before the event in a line, and how much behind it: the form of a line is fixed, and was checked.
const BEFORE: &[u8] = b"\",\"event\":";
const BEHIND: usize = b",\"hash\":\"\"}".len() + 64;

/// The events of a log that nobody of ours would have written like that, each in a sentence.
pub(crate) fn unwritten(log: &[u8], entries: &[Entry]) -> Vec<String> {
    let lines = log.split(|byte| *byte == b'\n');
    let odd = |(line, entry): (&[u8], &Entry)| {
        let why = odd(event_of(line)?, entry)?;
        Some(format!("event {} ({}) is not as it would be written: {why}", entry.seq, entry.event.name()))
    };
    lines.zip(entries).filter_map(odd).collect()
}

fn event_of(line: &[u8]) -> Option<&[u8]> {
    let from = line.windows(BEFORE.len()).position(|part| part == BEFORE)? + BEFORE.len();
    line.get(from..line.len().checked_sub(BEHIND)?)
}

/// What is odd about an event. In which order its keys stand says nothing.
fn odd(event: &[u8], entry: &Entry) -> Option<String> {
    let own = serde_json::to_vec(&entry.event).ok()?;
    if own == event {
        return None;
    }
    let (was, own) = match (strict::read::<Value>(event), serde_json::from_slice::<Value>(&own)) {
        (Ok(was), Ok(own)) => (was, own),
        (Err(error), _) | (_, Err(error)) => return Some(error.to_string()),
    };
    (was != own).then(|| difference(&was, &own).replacen("follows", "is written there", 1))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn what_is_passed_over_when_an_event_is_read_is_found() {
        let event = r#"{"type":"round_opened","data":{"round":1}}"#;
        let rows = [
            (event, None),
            (r#"{"data":{"round":1},"type":"round_opened"}"#, None),
            (
                r#"{"type":"round_opened","data":{"round":1,"note":"approved"}}"#,
                Some("the log says note is `\"approved\"`, but nothing is written there"),
            ),
            (r#"{"type":"round_opened","data":{"round":2,"round":1}}"#, Some("the key `round` is there twice")),
        ];
        for (text, why) in rows {
            let entry = json!({ "seq": 1, "time": "2026-11-20T00:00:00.000Z", "event": serde_json::from_str::<Value>(event).unwrap() });
            let entry: Entry = serde_json::from_value(entry).unwrap();
            let hash = "a".repeat(64);
            let line = format!(
                "{{\"seq\":1,\"time\":\"2026-11-20T00:00:00.000Z\",\"prev\":\"{hash}\",\"event\":{text},\"hash\":\"{hash}\"}}\n"
            );
            let odd = unwritten(line.as_bytes(), &[entry]);
            match why {
                None => assert!(odd.is_empty(), "{text}: {odd:?}"),
                Some(why) => assert!(odd.len() == 1 && odd[0].contains(why), "{text}: {odd:?}"),
            }
        }
    }
}
