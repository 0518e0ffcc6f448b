//! JSON, byte for byte as Python's `json.dumps(…, indent=2, sort_keys=True)` writes it, with a final newline.
//!
//! The tools that share these files write them that way; a file that both rewrite must not change from one to the
//! other.

use serde::de::DeserializeOwned;
use serde::ser::Error as _;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::Value;
use serde_json::ser::{Formatter, PrettyFormatter};
use serde_json::value::RawValue;
use std::io::{self, Read, Write};
use std::path::Path;

use super::WorkspaceError;
use crate::plain;

/// The largest file of a workspace that is read.
const MAX_BYTES: u64 = 64 << 20;

/// The file that holds `value`.
pub(super) fn to_bytes(value: &impl Serialize) -> Vec<u8> {
    let mut value = to_value(value);
    value.sort_all_objects();
    write(&value).expect("memory takes any JSON")
}

/// The file that holds `value`, whose keys are in order already. An error is one of the text in a [`RawJson`].
pub(super) fn write(value: &impl Serialize) -> Result<Vec<u8>, serde_json::Error> {
    let mut bytes = Vec::new();
    let mut serializer = serde_json::Serializer::with_formatter(&mut bytes, Python(PrettyFormatter::new()));
    value.serialize(&mut serializer)?;
    bytes.push(b'\n');
    Ok(bytes)
}

/// JSON that is passed on as it was found. It becomes values only while it is written: a workspace of many assets
/// would otherwise stand in memory as a whole each time that one of them changes.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct RawJson(Box<str>);

impl RawJson {
    /// What it holds.
    pub(super) fn read<T: DeserializeOwned>(&self) -> Result<T, serde_json::Error> {
        serde_json::from_str(&self.0)
    }

    pub(super) fn is_object(&self) -> bool {
        self.0.starts_with('{')
    }
}

impl From<Value> for RawJson {
    fn from(value: Value) -> Self {
        Self(value.to_string().into())
    }
}

impl<'de> Deserialize<'de> for RawJson {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Ok(Self(Box::<RawValue>::deserialize(deserializer)?.into()))
    }
}

impl Serialize for RawJson {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut value: Value = self.read().map_err(S::Error::custom)?;
        value.sort_all_objects();
        value.serialize(serializer)
    }
}

/// `value` as text, for blobs.
pub(super) fn to_text(value: &impl Serialize) -> String {
    String::from_utf8(to_bytes(value)).expect("escaped JSON is ASCII")
}

/// `value` as JSON.
pub(super) fn to_value(value: &impl Serialize) -> Value {
    serde_json::to_value(value).expect("our shapes are plain JSON")
}

/// The text in a file; `None` when there is no such file.
pub(super) fn read_text(path: &Path) -> Result<Option<String>, WorkspaceError> {
    let file = match plain::open(path) {
        Ok(file) => file,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(WorkspaceError::io("open", path)(error)),
    };
    let bytes = file.metadata().map_err(WorkspaceError::io("look at", path))?.len();
    if bytes > MAX_BYTES {
        return Err(WorkspaceError::TooLarge { path: path.to_owned(), bytes, limit: MAX_BYTES });
    }
    let mut text = String::new();
    match file.take(MAX_BYTES).read_to_string(&mut text) {
        Ok(_) => Ok(Some(text)),
        Err(error) if error.kind() == io::ErrorKind::InvalidData => {
            Err(WorkspaceError::damaged(path, "it is not UTF-8 text"))
        }
        Err(error) => Err(WorkspaceError::io("read", path)(error)),
    }
}

/// The JSON object in a file, and what it means; `None` when there is no such file.
pub(super) fn read<T: DeserializeOwned>(path: &Path) -> Result<Option<(T, Value)>, WorkspaceError> {
    let Some(text) = read_text(path)? else { return Ok(None) };
    let value: Value = serde_json::from_str(&text)
        .map_err(|error| WorkspaceError::damaged(path, format!("it is not valid JSON: {error}")))?;
    // Read from the text once more: that way an error knows its line.
    Ok(Some((shape(path, &value, || serde_json::from_str(&text))?, value)))
}

/// What an object in the file `path` means.
pub(super) fn part<T: DeserializeOwned>(path: &Path, value: &Value) -> Result<T, WorkspaceError> {
    shape(path, value, || T::deserialize(value))
}

fn shape<T>(
    path: &Path,
    value: &Value,
    read: impl FnOnce() -> Result<T, serde_json::Error>,
) -> Result<T, WorkspaceError> {
    // Our types would take a list for an object whose keys are left out.
    if !value.is_object() {
        return Err(WorkspaceError::damaged(path, "it has the wrong shape: an object is expected"));
    }
    read().map_err(|error| WorkspaceError::damaged(path, format!("it has the wrong shape: {error}")))
}

/// Python's habits where they differ from those of `serde_json`.
struct Python(PrettyFormatter<'static>);

impl Formatter for Python {
    fn write_string_fragment<W: ?Sized + Write>(&mut self, writer: &mut W, fragment: &str) -> io::Result<()> {
        let mut rest = fragment;
        while let Some(at) = rest.find(|c: char| !(' '..='~').contains(&c)) {
            let (plain, tail) = rest.split_at(at);
            writer.write_all(plain.as_bytes())?;
            let c = tail.chars().next().expect("`find` found it");
            for unit in c.encode_utf16(&mut [0; 2]) {
                write!(writer, "\\u{unit:04x}")?;
            }
            rest = &tail[c.len_utf8()..];
        }
        writer.write_all(rest.as_bytes())
    }

    fn write_f64<W: ?Sized + Write>(&mut self, writer: &mut W, value: f64) -> io::Result<()> {
        let scientific = format!("{value:e}");
        let (digits, exponent) = scientific.split_once('e').expect("`{:e}` writes an exponent");
        let exponent: i32 = exponent.parse().map_err(io::Error::other)?;
        if value == 0.0 || (-4..16).contains(&exponent) {
            let point = if value.fract() == 0.0 { ".0" } else { "" };
            write!(writer, "{value}{point}")
        } else {
            let sign = if exponent < 0 { '-' } else { '+' };
            write!(writer, "{digits}e{sign}{:02}", exponent.abs())
        }
    }

    // The rest is what `PrettyFormatter` does.
    fn begin_array<W: ?Sized + Write>(&mut self, writer: &mut W) -> io::Result<()> {
        self.0.begin_array(writer)
    }

    fn end_array<W: ?Sized + Write>(&mut self, writer: &mut W) -> io::Result<()> {
        self.0.end_array(writer)
    }

    fn begin_array_value<W: ?Sized + Write>(&mut self, writer: &mut W, first: bool) -> io::Result<()> {
        self.0.begin_array_value(writer, first)
    }

    fn end_array_value<W: ?Sized + Write>(&mut self, writer: &mut W) -> io::Result<()> {
        self.0.end_array_value(writer)
    }

    fn begin_object<W: ?Sized + Write>(&mut self, writer: &mut W) -> io::Result<()> {
        self.0.begin_object(writer)
    }

    fn end_object<W: ?Sized + Write>(&mut self, writer: &mut W) -> io::Result<()> {
        self.0.end_object(writer)
    }

    fn begin_object_key<W: ?Sized + Write>(&mut self, writer: &mut W, first: bool) -> io::Result<()> {
        self.0.begin_object_key(writer, first)
    }

    fn begin_object_value<W: ?Sized + Write>(&mut self, writer: &mut W) -> io::Result<()> {
        self.0.begin_object_value(writer)
    }

    fn end_object_value<W: ?Sized + Write>(&mut self, writer: &mut W) -> io::Result<()> {
        self.0.end_object_value(writer)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;
    use std::path::PathBuf;
    use std::process::Command;

    fn testdata(name: &str) -> PathBuf {
        Path::new(env!("CARGO_MANIFEST_DIR")).join("../../testdata/review/json").join(name)
    }

    #[test]
    fn the_output_is_the_one_of_python() {
        let value: Value = serde_json::from_slice(&fs::read(testdata("input.json")).unwrap()).unwrap();
        assert_eq!(to_text(&value), fs::read_to_string(testdata("expected.json")).unwrap());
    }

    /// The expectation is checked in, so that the test above needs no Python; here it is made anew.
    #[test]
    fn the_expectation_is_what_python_gives() {
        let script = "import json, sys; sys.stdout.write(json.dumps(json.load(open(sys.argv[1])), indent=2, sort_keys=True) + '\\n')";
        let Ok(output) = Command::new("python3").args(["-c", script]).arg(testdata("input.json")).output() else {
            return;
        };
        assert!(output.status.success());
        assert_eq!(String::from_utf8(output.stdout).unwrap(), fs::read_to_string(testdata("expected.json")).unwrap());
    }

    /// Times of chapters are such numbers; a state that is merged and written back must not move them.
    #[test]
    fn a_number_is_the_same_after_reading_it() {
        for text in ["3934.9130960052726", "436.06545204604083"] {
            let value: Value = serde_json::from_str(text).unwrap();
            assert_eq!(to_text(&value).trim(), text);
        }
    }

    proptest::proptest! {
        #[test]
        fn any_text_survives_and_is_plain_ascii(text in "\\PC*|[\\x00-\\x7f\u{80}-\u{ff}\u{1f600}]*") {
            let written = to_text(&text);
            proptest::prop_assert!(written.is_ascii());
            proptest::prop_assert_eq!(serde_json::from_str::<String>(&written).unwrap(), text);
        }

        #[test]
        fn any_number_survives(number in proptest::num::f64::NORMAL) {
            let written = to_text(&number);
            proptest::prop_assert_eq!(written.trim().parse::<f64>().unwrap().to_bits(), number.to_bits());
        }
    }
}
