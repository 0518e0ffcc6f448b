//! The document and the routes are one.

use crate::support::{Pen, Stage};

#[tokio::test(flavor = "multi_thread")]
async fn everything_that_is_described_is_answered() {
    let stage = Stage::open().await;
    let pen = Pen::open(&stage.layout(), 1).await;
    let document = tribunal_server::openapi();
    for (path, item) in document["paths"].as_object().unwrap() {
        let real = path
            .replace("{project}", "shop")
            .replace("{run}", &pen.run.to_string())
            .replace("{round}", "1")
            .replace("{digest}", &"0".repeat(64))
            .replace("{artifact}", "page");
        for method in item.as_object().unwrap().keys() {
            if path.ends_with("/events") {
                continue; // it does not end; `streams.rs` has it
            }
            let method = method.to_uppercase();
            let answer = stage.ask(&method, &real, &[("content-type", "application/json")], "{}").await;
            let nowhere = answer.status == 405 || answer.body.contains("no such address");
            assert!(!nowhere && answer.status != 0 && answer.status != 401, "{method} {real}: {answer:?}");
        }
    }
}

#[test]
fn every_reference_leads_somewhere() {
    let document = tribunal_server::openapi();
    let text = document.to_string();
    let schemas = document["components"]["schemas"].as_object().unwrap();
    for reference in text.split("\"$ref\":\"").skip(1) {
        let reference = reference.split('"').next().unwrap();
        let name = reference.strip_prefix("#/components/schemas/").unwrap_or_else(|| panic!("{reference}"));
        assert!(schemas.contains_key(name), "{name}");
    }
    let mut ids: Vec<&str> =
        text.split("\"operationId\":\"").skip(1).filter_map(|rest| rest.split('"').next()).collect();
    let count = ids.len();
    ids.sort_unstable();
    ids.dedup();
    assert_eq!(ids.len(), count, "every operation has a name of its own");
}
