//! `tribunal init`: a project to start from, which runs as it is.

mod found;
mod wish;

use serde_json::json;
use std::fs;
use std::io::Write as _;
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::Path;
use tribunal_anchors::{AnchorKind, choose};
use tribunal_app::seat_proposal::SeatProposal;
use tribunal_app::{AppError, Exit, logins};
use tribunal_kernel::desk::{VERIFIER, WORKER};

use super::print_json;
use crate::args::{Global, Init, InitLoop};
use wish::Wish;

const TOML: &str = include_str!("init/tribunal.toml");
const BRIEF: &str = include_str!("init/brief.md");
const CREATOR: &str = include_str!("init/creator.sh");
const REVIEWER: &str = include_str!("init/reviewer.sh");
const THEATER: &str = include_str!("init/theater.toml");
const JOUST: &str = include_str!("init/joust.toml");
const JOUSTER: &str = include_str!("init/joust.sh");
const DESK: &str = include_str!("init/desk.toml");
const PAGE: &str = include_str!("init/index.html");
const DESIGN: &str = include_str!("init/DESIGN.md");

pub(super) fn init(global: &Global, args: Init) -> Result<Exit, AppError> {
    let asset_fits = args.asset.starts_with(|first: char| first.is_ascii_lowercase())
        && args.asset.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_');
    if !asset_fits {
        return Err(AppError::invalid(
            format!("`{}` cannot be the name of an asset", args.asset),
            "use lower-case letters, digits and `_`, starting with a letter: `--asset title_detail`",
        ));
    }
    let dir = global.dir.clone().unwrap_or_default();
    let wish = Wish::of(&dir, args.about, args.brief)?;
    let folder = dir.join(wish.folder);
    let given = wish.brief.as_deref().unwrap_or_default();
    let brief = wish.brief.as_deref().map_or_else(|| BRIEF.to_owned(), |brief| format!("{}\n", brief.trim_end()));
    let kind = match (&args.anchor, args.kind) {
        (Some(_), InitLoop::Review | InitLoop::Theater | InitLoop::Desk) => {
            return Err(AppError::invalid("only a joust starts with an anchor", "add `--loop joust`"));
        }
        (Some(word), InitLoop::Joust) => AnchorKind::from_word(word).unwrap_or(AnchorKind::Invariants),
        (None, _) if given.is_empty() => AnchorKind::Invariants,
        (None, _) => choose(given).kind,
    };
    let usable = if args.examples { vec![] } else { logins::usable() };
    let (drafts, judges) = args.kind.seats();
    let proposal = SeatProposal::new(drafts, judges, &usable);
    let offers = found::offers(&proposal);
    let with_offers =
        |toml: &str| format!("{}{}{}", proposal.seated(toml), proposal.agents(), offers.as_deref().unwrap_or_default());
    let files = match args.kind {
        InitLoop::Review => vec![
            ("tribunal.toml", with_offers(&TOML.replace("{asset}", &args.asset)), 0o644),
            ("brief.md", brief, 0o644),
            ("agents/creator.sh", CREATOR.to_owned(), 0o755),
            ("agents/reviewer.sh", REVIEWER.to_owned(), 0o755),
        ],
        InitLoop::Joust => vec![
            ("tribunal.toml", with_offers(JOUST), 0o644),
            ("brief.md", brief, 0o644),
            ("anchor.toml", starter(kind).to_owned(), 0o644),
            ("agents/joust.sh", JOUSTER.to_owned(), 0o755),
        ],
        InitLoop::Theater => vec![
            ("tribunal.toml", with_offers(THEATER), 0o644),
            ("index.html", PAGE.to_owned(), 0o644),
            ("DESIGN.md", DESIGN.to_owned(), 0o644),
        ],
        InitLoop::Desk if proposal.is_empty() => {
            vec![("tribunal.toml", format!("{DESK}{EMPTY_DESK}{}", offers.as_deref().unwrap_or_default()), 0o644)]
        }
        InitLoop::Desk => vec![("tribunal.toml", with_offers(DESK), 0o644)],
    };
    if folder.join("tribunal.toml").exists() {
        return Err(AppError::invalid(
            format!("{} exists already", folder.join("tribunal.toml").display()),
            "edit it, or start in another folder: `tribunal init DIR`",
        ));
    }
    let mut written = Vec::new();
    for (name, text, mode) in &files {
        if create(&folder.join(name), text, *mode)? {
            written.push(*name);
        }
    }
    if global.json {
        print_json(&json!({ "dir": folder, "files": written }));
    } else {
        for name in &written {
            println!("{}", folder.join(name).display());
        }
        if let Some(told) = proposal.told() {
            eprintln!(
                "note: using {told}: installed and logged in on this machine; runs use their accounts (`--examples` uses the \
                 example agents instead)"
            );
        }
        if offers.is_some() {
            eprintln!("note: agents were found on this machine; tribunal.toml has them, commented out");
        }
        if args.kind == InitLoop::Joust && !given.is_empty() {
            let why = args.anchor.map_or_else(|| choose(given).why, |_| "it was asked for".into());
            eprintln!("note: anchor.toml is of kind `{}`: {why}", kind.as_str());
        }
        match args.kind {
            InitLoop::Desk if proposal.is_empty() => {
                eprintln!(
                    "note: no agent is installed and logged in here; the seats in tribunal.toml are commented out"
                );
                eprintln!("hint: seat two agents in tribunal.toml, then {}", args.kind.next());
            }
            InitLoop::Desk if !given.is_empty() => eprintln!("hint: `tribunal desk {given:?}`"),
            kind => eprintln!("hint: {}", kind.next()),
        }
    }
    Ok(Exit::Pass)
}

/// An anchor of this kind to begin with.
fn starter(kind: AnchorKind) -> &'static str {
    match kind {
        AnchorKind::Invariants => include_str!("init/anchors/invariants.toml"),
        AnchorKind::Acceptance => include_str!("init/anchors/acceptance.toml"),
        AnchorKind::Exemplars => include_str!("init/anchors/exemplars.toml"),
        AnchorKind::Assertions => include_str!("init/anchors/assertions.toml"),
        AnchorKind::Rubric => include_str!("init/anchors/rubric.toml"),
        AnchorKind::Goal => include_str!("init/anchors/goal.toml"),
    }
}

/// Who would sit at a desk if somebody were there.
const EMPTY_DESK: &str = "\n# [seats.worker]\n# agent = \"claude\"\n\n# [seats.verifier]\n# agent = \"codex\"       # another model than the worker, if you have one\n";

impl InitLoop {
    /// Who drafts and who judges. Seats of a theater that measure are left to the house.
    fn seats(self) -> (&'static str, &'static str) {
        match self {
            Self::Review => ("creator", "reviewer"),
            Self::Joust => ("main", "skeptic"),
            Self::Theater => ("designer", "critic"),
            Self::Desk => (WORKER, VERIFIER),
        }
    }

    /// What to do next.
    fn next(self) -> &'static str {
        match self {
            Self::Joust => {
                "write what you want into brief.md and the rules for it into anchor.toml, then `tribunal run`"
            }
            Self::Review => {
                "write what you want into brief.md, put your agents into tribunal.toml, then `tribunal run`"
            }
            Self::Theater => "replace index.html with your own page, then `tribunal run`",
            Self::Desk => "`tribunal desk \"what you want done\"`",
        }
    }
}

/// Creates a file. One that is there is the user's, and stays.
fn create(path: &Path, text: &str, mode: u32) -> Result<bool, AppError> {
    let failed = |error| AppError::environment(format!("cannot write {}: {error}", path.display()), None);
    if let Some(folder) = path.parent() {
        fs::create_dir_all(folder).map_err(failed)?;
    }
    match fs::OpenOptions::new().write(true).create_new(true).mode(mode).open(path) {
        Ok(mut file) => file.write_all(text.as_bytes()).map_err(failed).map(|()| true),
        Err(error) if error.kind() == std::io::ErrorKind::AlreadyExists => {
            eprintln!("note: {} already exists and is not changed", path.display());
            Ok(false)
        }
        Err(error) => Err(failed(error)),
    }
}
