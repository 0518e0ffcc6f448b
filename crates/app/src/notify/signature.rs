//! Signatures: HMAC-SHA256 (RFC 2104), in hex.

use ring::hmac;
use tribunal_kernel::{Digest, Time};

/// The header with the moment at which a message was sent, in seconds since 1970.
pub const TIMESTAMP_HEADER: &str = "tribunal-timestamp";
/// The header with the signature: `sha256=` and the hex digits of the HMAC of the timestamp, a dot and the body.
pub const SIGNATURE_HEADER: &str = "tribunal-signature";

/// The signature of these bytes.
pub fn sign(key: &[u8], bytes: &[u8]) -> String {
    let tag = hmac::sign(&secret(key), bytes);
    Digest(tag.as_ref().try_into().expect("SHA-256 has 32 bytes")).to_string()
}

/// Whether a signature is that of these bytes. How long it takes tells nothing about it.
pub fn is_signed(key: &[u8], bytes: &[u8], signature: &str) -> bool {
    Digest::parse(signature).is_some_and(|given| hmac::verify(&secret(key), bytes, &given.0).is_ok())
}

/// What the headers of a message say: when, and its signature. A receiver refuses what is old, so nothing can be sent
/// again later.
pub fn headers(key: &[u8], now: Time, body: &[u8]) -> [(&'static str, String); 2] {
    let timestamp = (now.0 / 1000).to_string();
    let signed = [timestamp.as_bytes(), b".", body].concat();
    [(SIGNATURE_HEADER, format!("sha256={}", sign(key, &signed))), (TIMESTAMP_HEADER, timestamp)]
}

fn secret(key: &[u8]) -> hmac::Key {
    hmac::Key::new(hmac::HMAC_SHA256, key)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_is_the_hmac_that_everybody_else_computes() {
        // RFC 4231, test case 2.
        let tag = sign(b"Jefe", b"what do ya want for nothing?");
        assert_eq!(tag, "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843");
        assert!(is_signed(b"Jefe", b"what do ya want for nothing?", &tag));
        for (key, bytes, tag) in [
            (b"jefe", b"what do ya want for nothing?".as_slice(), tag.as_str()),
            (b"Jefe", b"what do ya want for something?", &tag),
            (b"Jefe", b"what do ya want for nothing?", &tag[1..]),
            (b"Jefe", b"what do ya want for nothing?", ""),
        ] {
            assert!(!is_signed(key, bytes, tag), "{tag}");
        }
    }
}
