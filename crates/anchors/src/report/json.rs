//! One object for all files.

use serde_json::json as object;

use super::LintedFile;

/// `{"valid": …, "passed": …, "files": [{"path": …, "valid": …, "violations": […], …}]}`, on one line.
pub fn json(checked: &[LintedFile]) -> String {
    let files: Vec<_> = checked
        .iter()
        .map(|(path, result)| {
            let mut file = object!({ "path": path });
            if let (Some(file), Ok(serde_json::Value::Object(fields))) =
                (file.as_object_mut(), serde_json::to_value(result))
            {
                file.extend(fields);
            }
            file
        })
        .collect();
    let valid = checked.iter().all(|(_, result)| result.valid);
    let passed = checked.iter().all(|(_, result)| result.is_passed());
    format!("{}\n", object!({ "valid": valid, "passed": passed, "files": files }))
}
