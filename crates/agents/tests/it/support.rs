//! A command line to ask, and its recorded output.

use std::path::{Path, PathBuf};
use tribunal_agents::{Activity, Adapter as _, AgentError, Answer, Cli, Environment, ProcessExit, TurnRequest, Vendor};
use tribunal_kernel::{LoopKind, Round, RunId, SeatName, TurnId};

pub(crate) fn cli(vendor: Vendor) -> Cli {
    Cli {
        vendor,
        name: "writer".into(),
        command: vec![],
        cwd: "/work".into(),
        env: vec![],
        base_url: None,
        api_key: None,
        state: "/work/.tribunal/agents/writer".into(),
    }
}

pub(crate) fn request(kind: LoopKind, task: &str, model: Option<&str>) -> TurnRequest {
    TurnRequest {
        place: String::new(),
        run: RunId(uuid::Uuid::nil()),
        r#loop: Some(kind.as_str()),
        works_on_files: kind.def().works_on_files.contains(&task),
        judges: kind.def().is_judging(task),
        round: Round(1),
        turn: TurnId(2),
        seat: SeatName::new("seat"),
        task: task.into(),
        model: model.map(str::to_owned),
        effort: None,
        prompt: "The prompt.".into(),
        stable: 0,
        attachments: Vec::new(),
        form: None,
        input: None,
        meter: tribunal_kernel::quote::TurnMeter::default(),
        is_resumed: false,
    }
}

/// What a vendor's command line printed in the case of this name.
pub(crate) fn recorded(vendor: Vendor, name: &str) -> Vec<u8> {
    std::fs::read(fixtures().join(vendor.program()).join(format!("{name}.ndjson"))).unwrap()
}

/// The names of all recorded cases.
pub(crate) fn cases(vendor: Vendor) -> Vec<String> {
    let files = std::fs::read_dir(fixtures().join(vendor.program())).unwrap();
    let names = files.map(|file| PathBuf::from(file.unwrap().file_name()));
    let names = names.filter(|name| name.extension().is_some_and(|ending| ending == "ndjson"));
    let mut names: Vec<String> = names.map(|name| name.file_stem().unwrap().to_string_lossy().into_owned()).collect();
    names.sort();
    names
}

/// What comes of an output that is cut into pieces of this size.
pub(crate) fn read(
    vendor: Vendor,
    output: &[u8],
    size: usize,
    exit: ProcessExit,
    stderr: &str,
) -> (Vec<Activity>, Result<Answer, AgentError>) {
    let mut reader = cli(vendor).reader(&Environment::default());
    let activities = output.chunks(size).flat_map(|piece| reader.push(piece)).collect();
    (activities, reader.finish(exit, stderr))
}

fn fixtures() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures")
}
