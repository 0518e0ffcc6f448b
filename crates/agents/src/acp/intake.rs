//! The lines of a program, without those that are no messages.

use serde::de::IgnoredAny;
use std::sync::atomic::{AtomicUsize, Ordering};
use tokio::io::{AsyncBufReadExt as _, AsyncRead, AsyncWrite, AsyncWriteExt as _, BufReader};

/// Passes on every line that is a JSON object and counts the others. Programs print banners, warnings and traces where
/// messages belong; answering each with an error, as the protocol would have it, helps nobody.
///
/// Ends with its input. How long a line may be is bounded by what a turn may print.
pub(super) async fn pass_on(
    from: impl AsyncRead + Unpin,
    mut to: impl AsyncWrite + Unpin,
    strange: &AtomicUsize,
) -> std::io::Result<()> {
    let mut from = BufReader::new(from);
    let mut line = Vec::new();
    while from.read_until(b'\n', &mut line).await? > 0 {
        let text = line.trim_ascii();
        if is_object(text) {
            to.write_all(text).await?;
            to.write_all(b"\n").await?;
        } else if !text.is_empty() {
            strange.fetch_add(1, Ordering::Relaxed);
        }
        line.clear();
    }
    to.shutdown().await
}

fn is_object(text: &[u8]) -> bool {
    text.first() == Some(&b'{') && serde_json::from_slice::<IgnoredAny>(text).is_ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn only_objects_pass() {
        let input = b"Welcome!\n{\"a\": 1}\r\n\n  {\"b\": 2}  \n{broken\n[1]\n{\"last\": 3}";
        let (mut passed, strange) = (Vec::new(), AtomicUsize::new(0));
        pass_on(input.as_slice(), &mut passed, &strange).await.unwrap();
        assert_eq!(String::from_utf8(passed).unwrap(), "{\"a\": 1}\n{\"b\": 2}\n{\"last\": 3}\n");
        assert_eq!(strange.into_inner(), 3, "a banner, a broken line, a list");
    }
}
