//! DSSE: a payload, and who signed it.
//!
//! A proof is a bundle as in-toto has it: one envelope a line. A signature is one of OpenSSH's over the envelope's
//! pre-authentication encoding, so that `ssh-keygen -Y verify` can check it.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde::{Deserialize, Serialize};

use super::strict;

/// What a payload is, as in-toto has it.
pub const PAYLOAD_TYPE: &str = "application/vnd.in-toto+json";
/// What our signatures are for: one that was made for something else is worth nothing here.
pub const NAMESPACE: &str = "tribunal-proof";

/// The largest proof that is read.
pub(super) const MOST_BYTES: u64 = 256 << 20;
/// More than this is no proof of ours.
const MOST_ENVELOPES: usize = 16;
const MOST_SIGNATURES: usize = 16;
/// As OpenSSH breaks its lines.
const ARMOR_WIDTH: usize = 70;
const ARMOR_BEGIN: &str = "-----BEGIN SSH SIGNATURE-----";
const ARMOR_END: &str = "-----END SSH SIGNATURE-----";

/// A payload with signatures.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Envelope {
    pub payload: String,
    pub payload_type: String,
    pub signatures: Vec<EnvelopeSignature>,
}

/// One signature: base64 of what OpenSSH has between its lines.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct EnvelopeSignature {
    #[serde(default)]
    pub keyid: String,
    pub sig: String,
}

impl Envelope {
    /// A payload that nobody has signed yet.
    pub(super) fn new(payload: &[u8]) -> Self {
        Self { payload: STANDARD.encode(payload), payload_type: PAYLOAD_TYPE.to_owned(), signatures: Vec::new() }
    }

    /// The bytes that were signed.
    pub(super) fn payload(&self) -> Result<Vec<u8>, String> {
        STANDARD.decode(&self.payload).map_err(|error| format!("its payload is no base64: {error}"))
    }

    /// What a signature is made of: DSSE's pre-authentication encoding.
    pub(super) fn signed(&self) -> Result<Vec<u8>, String> {
        let payload = self.payload()?;
        let kind = &self.payload_type;
        let mut bytes = format!("DSSEv1 {} {kind} {} ", kind.len(), payload.len()).into_bytes();
        bytes.extend_from_slice(&payload);
        Ok(bytes)
    }
}

/// The envelopes of a proof.
pub(super) fn read_bundle(bytes: &[u8]) -> Result<Vec<Envelope>, String> {
    let text = str::from_utf8(bytes).map_err(|_| "it is no text".to_owned())?;
    let mut envelopes = Vec::new();
    for (number, line) in (1..).zip(text.lines()).filter(|(_, line)| !line.trim().is_empty()) {
        let envelope: Envelope =
            strict::read(line.as_bytes()).map_err(|error| format!("line {number} is no DSSE envelope: {error}"))?;
        if envelope.payload_type != PAYLOAD_TYPE {
            return Err(format!("line {number} is an envelope for something else: {}", envelope.payload_type));
        }
        if envelope.signatures.len() > MOST_SIGNATURES || envelopes.len() == MOST_ENVELOPES {
            return Err(format!("line {number}: more envelopes or signatures than a proof has"));
        }
        envelopes.push(envelope);
    }
    Ok(envelopes)
}

/// The envelopes, one a line.
pub(super) fn write_bundle(envelopes: &[Envelope]) -> String {
    let line = |envelope| serde_json::to_string(envelope).expect("an envelope is plain JSON") + "\n";
    envelopes.iter().map(line).collect()
}

/// A signature as OpenSSH writes it, in DSSE's form.
pub(super) fn bare(armored: &str) -> Option<String> {
    let inside = armored.trim().strip_prefix(ARMOR_BEGIN)?.strip_suffix(ARMOR_END)?;
    let bare: String = inside.split_whitespace().collect();
    STANDARD.decode(&bare).ok().map(|_| bare)
}

/// The same, the other way round. Gives nothing for what is no base64: it must not become another file.
pub(super) fn armored(bare: &str) -> Option<String> {
    STANDARD.decode(bare).ok()?;
    let lines: Vec<&str> =
        bare.as_bytes().chunks(ARMOR_WIDTH).map(|line| str::from_utf8(line).expect("base64 is ASCII")).collect();
    Some(format!("{ARMOR_BEGIN}\n{}\n{ARMOR_END}\n", lines.join("\n")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_signed_is_the_encoding_of_dsse() {
        // The example of the specification.
        let envelope = Envelope {
            payload: STANDARD.encode("hello world"),
            payload_type: "http://example.com/HelloWorld".to_owned(),
            signatures: Vec::new(),
        };
        assert_eq!(
            String::from_utf8(envelope.signed().unwrap()).unwrap(),
            "DSSEv1 29 http://example.com/HelloWorld 11 hello world"
        );
    }

    #[test]
    fn a_bundle_comes_back_and_nothing_else_is_taken_for_one() {
        let bundle = [Envelope::new(b"{}"), Envelope::new(b"{\"a\":1}")];
        assert_eq!(read_bundle(write_bundle(&bundle).as_bytes()).unwrap(), bundle);
        assert_eq!(read_bundle(b"").unwrap(), [], "whoever reads it says that there is nothing");
        for (what, text) in [
            ("not JSON", "hello".to_owned()),
            ("an unknown field", write_bundle(&bundle[..1]).replacen('{', "{\"x\":1,", 1)),
            ("a field twice", write_bundle(&bundle[..1]).replacen('{', "{\"payload\":\"\",", 1)),
            ("another payload type", write_bundle(&bundle[..1]).replace("in-toto", "other")),
            ("too many", write_bundle(&bundle[..1]).repeat(MOST_ENVELOPES + 1)),
        ] {
            assert!(read_bundle(text.as_bytes()).is_err(), "{what}");
        }
    }

    #[test]
    fn a_signature_keeps_its_bytes_in_both_forms() {
        let bare_form = STANDARD.encode([7u8; 150]);
        let text = armored(&bare_form).unwrap();
        assert!(text.lines().all(|line| line.len() <= ARMOR_WIDTH));
        assert_eq!(bare(&text).as_deref(), Some(&*bare_form));
        assert_eq!(armored("not base64!\n-----END"), None);
        assert_eq!(bare("-----BEGIN PGP SIGNATURE-----\nAAAA\n-----END PGP SIGNATURE-----"), None);
    }
}
