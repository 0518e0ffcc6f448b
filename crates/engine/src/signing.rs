//! SSH signatures, by the `ssh-keygen` that made the user's keys.
//!
//! A library of our own could read keys and verify a few kinds of signatures, at the price of some forty crates and an RSA
//! with an open advisory. `ssh-keygen` knows agents, passphrases, hardware keys, certificates and everything that can be
//! said in a file of allowed signers, and it is what git uses for the same purpose.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::time::Duration;

use tokio_util::sync::CancellationToken;

use crate::process::{self, Bounds, ChildExit};
use crate::temporary::{FolderUse, TemporaryFolder};

const PROGRAM: &str = "ssh-keygen";
/// Long enough to touch a hardware key.
const BOUNDS: Bounds = Bounds {
    idle: Duration::from_secs(60),
    total: Duration::from_secs(60),
    grace: Duration::from_secs(2),
    stdout: 1 << 20,
    stderr_tail: 16 << 10,
};
const INHERITED: [&str; 3] = ["PATH", "HOME", "SSH_AUTH_SOCK"];
/// Nobody is asked for a passphrase: a process that is not in the foreground would be stopped by the terminal.
const FIXED: [(&str, &str); 3] = [("SSH_ASKPASS", "/bin/false"), ("SSH_ASKPASS_REQUIRE", "force"), ("LC_ALL", "C")];
/// A key that so many people share is nobody's.
const MOST_PRINCIPALS: usize = 16;

/// What a signature is worth.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SignatureState {
    /// One of the allowed signers made it.
    Allowed { who: String, key: String },
    /// It fits what was signed, but nobody who is allowed made it, or nobody said who is.
    Unknown { key: String, why: String },
    /// It does not fit what was signed.
    Broken { why: String },
}

/// Why nothing could be signed or looked at.
#[derive(Debug, thiserror::Error)]
pub enum SigningError {
    #[error("cannot run ssh-keygen: {source}")]
    NoProgram { source: process::SpawnError },
    #[error("ssh-keygen cannot sign with {}: {told}", key.display())]
    Refused { key: PathBuf, told: String },
    #[error("ssh-keygen did not end")]
    Endless,
    #[error("cannot write a temporary file: {0}")]
    Scratch(std::io::Error),
}

impl SigningError {
    /// What the user can do.
    pub fn hint(&self) -> &'static str {
        match self {
            Self::NoProgram { .. } => "install OpenSSH 8.2 or later",
            Self::Refused { .. } => {
                "name a private key, or a public key whose private half is in ssh-agent; a key with a passphrase has to be in the agent (`ssh-add`)"
            }
            Self::Endless => "if the key is on a device, touch it when it blinks",
            Self::Scratch(_) => "is the disk full?",
        }
    }
}

/// Who may sign, and which keys may not any more, as OpenSSH has such lists.
#[derive(Debug, Clone, Copy, Default)]
pub struct SignerLists<'l> {
    /// Without it nobody is known.
    pub allowed: Option<&'l Path>,
    pub revoked: Option<&'l Path>,
}

/// Whether a name in such a list is a pattern: whoever it fits is nobody in particular.
pub fn is_pattern(name: &str) -> bool {
    name.contains(['*', '?'])
}

struct SshSaid {
    is_good: bool,
    stdout: Vec<u8>,
    stderr: String,
}

/// Signs a message; `namespace` says what for, so that the signature is worth nothing elsewhere. Gives the signature in
/// OpenSSH's armor.
pub async fn ssh_sign(key: &Path, namespace: &str, message: &[u8]) -> Result<String, SigningError> {
    let args = ["-Y".into(), "sign".into(), "-n".into(), namespace.into(), "-f".into(), key.as_os_str().to_owned()];
    let said = call(args.to_vec(), message).await?;
    let text = String::from_utf8_lossy(&said.stdout).into_owned();
    if said.is_good && text.contains("SSH SIGNATURE") {
        return Ok(text);
    }
    Err(SigningError::Refused { key: key.to_owned(), told: last_line(&said.stderr) })
}

/// Looks at a signature in OpenSSH's armor.
pub async fn ssh_verify(
    signature: &str,
    namespace: &str,
    message: &[u8],
    signers: SignerLists<'_>,
) -> Result<SignatureState, SigningError> {
    let folder = TemporaryFolder::make(FolderUse::Signing).map_err(SigningError::Scratch)?;
    let file = folder.path().join("signature");
    std::fs::write(&file, signature).map_err(SigningError::Scratch)?;
    let with_file = |what: &str, rest: &[OsString]| -> Vec<OsString> {
        let mut args: Vec<OsString> = vec!["-Y".into(), what.into(), "-s".into(), file.clone().into()];
        args.extend_from_slice(rest);
        args
    };
    let namespaced: Vec<OsString> = vec!["-n".into(), namespace.into()];
    let fits = call(with_file("check-novalidate", &namespaced), message).await?;
    if !fits.is_good {
        return Ok(SignatureState::Broken { why: last_line(&fits.stderr) });
    }
    let key = key_of(&fits.stdout);
    let Some(allowed) = signers.allowed else {
        return Ok(SignatureState::Unknown { key, why: "nobody said who may sign".to_owned() });
    };
    let list: Vec<OsString> = vec!["-f".into(), allowed.as_os_str().to_owned()];
    let found = call(with_file("find-principals", &list), &[]).await?;
    let names = String::from_utf8_lossy(&found.stdout).into_owned();
    let mut why = match refusal(&found.stderr, allowed) {
        Some(why) => format!("{} has this key, but {why}", allowed.display()),
        None => format!("{} does not have this key", allowed.display()),
    };
    // A name that is not meant is none; somebody's own name says more than a pattern.
    let named = names.lines().map(str::trim).filter(|who| !who.is_empty() && !who.starts_with('!'));
    let mut named: Vec<&str> = named.take(MOST_PRINCIPALS).collect();
    named.sort_by_key(|who| is_pattern(who));
    for who in named {
        let identity: Vec<OsString> = vec!["-I".into(), who.into()];
        let rest = [namespaced.clone(), list.clone(), identity].concat();
        let said = call(with_file("verify", &rest), message).await?;
        if !said.is_good {
            let told = refusal(&said.stderr, allowed).unwrap_or_else(|| last_line(&said.stderr));
            why = format!("{} does not let {who} sign this: {told}", allowed.display());
            continue;
        }
        let Some(revoked) = signers.revoked else {
            return Ok(SignatureState::Allowed { who: who.to_owned(), key });
        };
        let without: Vec<OsString> = vec!["-r".into(), revoked.as_os_str().to_owned()];
        if call(with_file("verify", &[rest, without].concat()), message).await?.is_good {
            return Ok(SignatureState::Allowed { who: who.to_owned(), key });
        }
        why = format!("{} revokes this key, or is no list of keys", revoked.display());
    }
    Ok(SignatureState::Unknown { key, why })
}

/// Why a key that is in the list does not count, where ssh-keygen says so: `FILE:LINE: why`.
fn refusal(stderr: &str, list: &Path) -> Option<String> {
    let place = format!("{}:", list.display());
    let mut told = stderr.lines().filter_map(|line| line.trim().strip_prefix(&place));
    let of_key = |line: &&str| line.contains(": key ");
    told.rfind(of_key).map(|line| format!("line {line}"))
}

async fn call(args: Vec<OsString>, stdin: &[u8]) -> Result<SshSaid, SigningError> {
    let inherited = INHERITED.iter().filter_map(|key| Some(((*key).into(), std::env::var_os(key)?)));
    let fixed = FIXED.iter().map(|(key, value)| ((*key).into(), (*value).into()));
    let command = process::ProcessCommand {
        program: PROGRAM.into(),
        args,
        env: inherited.chain(fixed).collect(),
        cwd: None,
        stdin: stdin.to_vec(),
    };
    let (mut stdout, never) = (Vec::new(), CancellationToken::new());
    let ended = process::run(command, &BOUNDS, &never, |piece| stdout.extend_from_slice(piece)).await;
    let ended = ended.map_err(|source| SigningError::NoProgram { source })?;
    match ended.exit {
        Some(ChildExit::Code(code)) => Ok(SshSaid { is_good: code == 0, stdout, stderr: ended.stderr_tail }),
        Some(ChildExit::Signal(_)) | None => Err(SigningError::Endless),
    }
}

/// The fingerprint in `Good "…" signature with ED25519 key SHA256:…`.
fn key_of(stdout: &[u8]) -> String {
    let text = String::from_utf8_lossy(stdout);
    text.split_whitespace().find(|word| word.starts_with("SHA256:")).unwrap_or("a key without a fingerprint").to_owned()
}

fn last_line(text: &str) -> String {
    text.trim().lines().last().unwrap_or("it does not say why").trim().to_owned()
}
