//! Answers as they go over the wire: packed for whoever can unpack them, where it is worth it.

use axum::body::{Body, Bytes, HttpBody as _};
use axum::extract::Request;
use axum::http::{HeaderMap, HeaderValue, header};
use axum::middleware::Next;
use axum::response::Response;
use flate2::Compression;
use flate2::write::GzEncoder;
use futures_util::{Stream, StreamExt as _, stream};
use std::io::Write as _;

/// Less than this fits into one packet anyway.
const LEAST: u64 = 1024;
/// What is text. Event streams are none of it: what is said there is wanted at once.
const TEXTS: [&str; 5] =
    ["application/json", "application/x-ndjson", "application/openmetrics-text", "text/html", "text/plain"];

pub(crate) async fn pack(request: Request, next: Next) -> Response {
    let can_unpack = takes_gzip(request.headers());
    let response = next.run(request).await;
    if !can_unpack || !is_worth_it(&response) {
        return response;
    }
    let (mut parts, body) = response.into_parts();
    parts.headers.remove(header::CONTENT_LENGTH);
    parts.headers.insert(header::CONTENT_ENCODING, HeaderValue::from_static("gzip"));
    parts.headers.append(header::VARY, HeaderValue::from_static("accept-encoding"));
    Response::from_parts(parts, Body::from_stream(packed(body)))
}

/// Whether a reader said that it can unpack gzip. One that says how little it likes it (`;q=0`) gets it plain.
pub(crate) fn takes_gzip(headers: &HeaderMap) -> bool {
    let lines = headers.get_all(header::ACCEPT_ENCODING).iter().filter_map(|line| line.to_str().ok());
    lines.flat_map(|line| line.split(',')).any(|coding| {
        let (name, weight) = coding.split_once(';').unwrap_or((coding, ""));
        name.trim().eq_ignore_ascii_case("gzip") && !matches!(weight.trim(), "q=0" | "q=0.0" | "q=0.00" | "q=0.000")
    })
}

fn is_worth_it(response: &Response) -> bool {
    let kind = response.headers().get(header::CONTENT_TYPE).and_then(|kind| kind.to_str().ok()).unwrap_or_default();
    let is_long = response.body().size_hint().exact().is_none_or(|length| LEAST <= length);
    is_long
        && TEXTS.iter().any(|text| kind.starts_with(text))
        && !response.headers().contains_key(header::CONTENT_ENCODING)
}

/// Piece by piece: a long run is in memory at no time.
fn packed(body: Body) -> impl Stream<Item = Result<Bytes, axum::Error>> {
    let packer = Some((body.into_data_stream(), GzEncoder::new(Vec::new(), Compression::fast())));
    stream::unfold(packer, |packer| async move {
        let (mut pieces, mut gzip) = packer?;
        while let Some(piece) = pieces.next().await {
            let taken = match piece {
                Ok(piece) => gzip.write_all(&piece).map_err(axum::Error::new),
                Err(error) => Err(error),
            };
            if let Err(error) = taken {
                return Some((Err(error), None));
            }
            let ready = std::mem::take(gzip.get_mut());
            if !ready.is_empty() {
                return Some((Ok(Bytes::from(ready)), Some((pieces, gzip))));
            }
        }
        Some((gzip.finish().map(Bytes::from).map_err(axum::Error::new), None))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn gzip_is_for_those_who_ask_for_it() {
        for (said, expected) in [
            ("gzip, deflate, br, zstd", true),
            ("br, GZIP;q=0.5", true),
            ("gzip;q=0, identity", false),
            ("br", false),
            ("", false),
        ] {
            let headers = [(header::ACCEPT_ENCODING, said.parse().unwrap())].into_iter().collect();
            assert_eq!(takes_gzip(&headers), expected, "{said}");
        }
        assert!(!takes_gzip(&HeaderMap::new()));
    }

    #[tokio::test]
    async fn what_is_packed_piece_by_piece_is_the_same_when_it_is_unpacked() {
        let pieces: Vec<String> = (0..500).map(|n| format!("{{\"seq\":{n}}}\n").repeat(40)).collect();
        let whole = pieces.concat();
        let body = Body::from_stream(stream::iter(pieces.into_iter().map(Ok::<_, std::convert::Infallible>)));
        let packed: Vec<Bytes> = packed(body).map(Result::unwrap).collect().await;
        let packed = packed.concat();
        assert!(packed.len() * 5 < whole.len());
        let mut text = String::new();
        std::io::Read::read_to_string(&mut flate2::read::GzDecoder::new(&packed[..]), &mut text).unwrap();
        assert_eq!(text, whole);
    }
}
