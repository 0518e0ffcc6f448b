//! The lines before a body. Pure: bytes in, a head out.

use super::{HttpLimits, Malformed};

/// The request line and the headers.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Head {
    pub(crate) method: String,
    /// The target without what follows a `?`.
    pub(crate) path: String,
    /// What follows the `?`.
    pub(crate) query: String,
    /// Whether it is HTTP/1.0, which knows neither chunks nor connections that stay.
    pub(crate) is_old: bool,
    /// Names in lower case, in the order they came.
    pub(crate) headers: Vec<(String, String)>,
}

/// How the body is delimited.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Framing {
    Length(usize),
    Chunked,
}

impl Head {
    /// The head at the beginning of `bytes` and where it ends; nothing if it is not complete yet.
    pub(super) fn parse(bytes: &[u8], limits: &HttpLimits) -> Result<Option<(Self, usize)>, Malformed> {
        let too_long = Malformed::HeadTooLong(limits.head);
        // The end is looked for within the limit alone: what lies behind belongs to the body.
        let window = &bytes[..bytes.len().min(limits.head)];
        let Some(end) = window.windows(4).position(|four| four == b"\r\n\r\n") else {
            return if bytes.len() < limits.head { Ok(None) } else { Err(too_long) };
        };
        let text = std::str::from_utf8(&bytes[..end]).map_err(|_| Malformed::Header)?;
        let mut lines = text.split("\r\n");
        let mut head = Self::request_line(lines.next().unwrap_or_default())?;
        for line in lines {
            if head.headers.len() == limits.headers {
                return Err(too_long);
            }
            head.headers.push(header(line)?);
        }
        Ok(Some((head, end + 4)))
    }

    /// Stands for a request that could not be read: nothing follows the answer.
    pub(crate) fn last() -> Self {
        let nothing = String::new();
        Self { method: nothing.clone(), path: nothing.clone(), query: nothing, is_old: true, headers: Vec::new() }
    }

    /// The value of a header, by its name in lower case.
    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(key, _)| key == name).map(|(_, value)| value.as_str())
    }

    /// The value of a parameter of the query, as it is written.
    pub(crate) fn parameter(&self, name: &str) -> Option<&str> {
        self.query.split('&').find_map(|pair| pair.split_once('=').filter(|(key, _)| *key == name)).map(|(_, v)| v)
    }

    /// How the body is delimited. Two ways at once are refused: whoever stands between might choose the other.
    pub(super) fn framing(&self) -> Result<Framing, Malformed> {
        let all = |name: &str| -> Vec<&str> {
            self.headers.iter().filter(|(key, _)| key == name).map(|(_, value)| value.as_str()).collect()
        };
        match (all("transfer-encoding").as_slice(), all("content-length").as_slice()) {
            ([], []) => Ok(Framing::Length(0)),
            ([], [first, others @ ..]) if others.iter().all(|other| other == first) => {
                let is_number = !first.is_empty() && first.bytes().all(|byte| byte.is_ascii_digit());
                let length = first.parse().ok().filter(|_| is_number);
                length.map(Framing::Length).ok_or(Malformed::Length)
            }
            ([], _) => Err(Malformed::Length),
            ([one], []) if one.eq_ignore_ascii_case("chunked") => Ok(Framing::Chunked),
            _ => Err(Malformed::Framing),
        }
    }

    /// Whether the client waits for a word before it sends the body.
    pub(super) fn expects_continue(&self) -> bool {
        self.header("expect").is_some_and(|value| value.eq_ignore_ascii_case("100-continue"))
    }

    /// Whether the connection stays for another request.
    pub(crate) fn keeps_alive(&self) -> bool {
        let said = |word: &str| {
            let mut words = self.header("connection").unwrap_or_default().split(',');
            words.any(|said| said.trim().eq_ignore_ascii_case(word))
        };
        if self.is_old { said("keep-alive") } else { !said("close") }
    }

    fn request_line(line: &str) -> Result<Self, Malformed> {
        let mut words = line.split(' ');
        let (Some(method), Some(target), Some(version), None) =
            (words.next(), words.next(), words.next(), words.next())
        else {
            return Err(Malformed::RequestLine);
        };
        let is_old = match version {
            "HTTP/1.1" => false,
            "HTTP/1.0" => true,
            _ => return Err(Malformed::RequestLine),
        };
        let is_word = |word: &str| !word.is_empty() && word.bytes().all(|byte| byte.is_ascii_graphic());
        if !is_word(method) || !is_word(target) {
            return Err(Malformed::RequestLine);
        }
        let (path, query) = target.split_once('?').unwrap_or((target, ""));
        Ok(Self { method: method.into(), path: path.into(), query: query.into(), is_old, headers: Vec::new() })
    }
}

fn header(line: &str) -> Result<(String, String), Malformed> {
    let (name, value) = line.split_once(':').ok_or(Malformed::Header)?;
    let is_token = |byte: u8| byte.is_ascii_graphic() && !b"()<>@,;:\\\"/[]?={}".contains(&byte);
    let is_text = |c: char| c == '\t' || !c.is_control();
    if name.is_empty() || !name.bytes().all(is_token) || !value.chars().all(is_text) {
        return Err(Malformed::Header);
    }
    Ok((name.to_ascii_lowercase(), value.trim().to_owned()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(text: &str) -> Result<Option<(Head, usize)>, Malformed> {
        Head::parse(text.as_bytes(), &HttpLimits { head: 200, headers: 3, ..HttpLimits::default() })
    }

    #[test]
    fn a_head_is_read() {
        let text = "POST /v1/messages?beta=true&x=1 HTTP/1.1\r\nHost: a\r\nX-Api-Key:  secret \r\n\r\nbody";
        let (head, end) = parse(text).unwrap().unwrap();
        assert_eq!((head.method.as_str(), head.path.as_str()), ("POST", "/v1/messages"));
        assert_eq!((head.parameter("x"), head.parameter("y")), (Some("1"), None));
        assert_eq!(head.header("x-api-key"), Some("secret"));
        assert_eq!(&text[end..], "body");
        assert!(head.keeps_alive());
    }

    #[test]
    fn every_part_of_a_head_is_incomplete_and_not_wrong() {
        let text = "GET / HTTP/1.1\r\nA: b\r\n\r\n";
        for end in 0..text.len() {
            assert_eq!(parse(&text[..end]), Ok(None), "{end}");
        }
    }

    #[test]
    fn what_is_wrong_is_said() {
        let long = format!("GET /{} HTTP/1.1\r\n\r\n", "x".repeat(300));
        let rows: [(&str, &str, Malformed); 12] = [
            ("no version", "GET /\r\n\r\n", Malformed::RequestLine),
            ("another version", "GET / HTTP/2\r\n\r\n", Malformed::RequestLine),
            ("two spaces", "GET  / HTTP/1.1\r\n\r\n", Malformed::RequestLine),
            ("empty", "\r\n\r\n", Malformed::RequestLine),
            ("no colon", "GET / HTTP/1.1\r\nA\r\n\r\n", Malformed::Header),
            ("no name", "GET / HTTP/1.1\r\n: b\r\n\r\n", Malformed::Header),
            ("folded", "GET / HTTP/1.1\r\nA: b\r\n c\r\n\r\n", Malformed::Header),
            ("a space before the colon", "GET / HTTP/1.1\r\nA : b\r\n\r\n", Malformed::Header),
            ("a bare line feed", "GET / HTTP/1.1\r\nA: b\nC: d\r\n\r\n", Malformed::Header),
            ("a zero byte", "GET / HTTP/1.1\r\nA: \0\r\n\r\n", Malformed::Header),
            ("too many", "GET / HTTP/1.1\r\nA: 1\r\nA: 2\r\nA: 3\r\nA: 4\r\n\r\n", Malformed::HeadTooLong(200)),
            ("too long", &long, Malformed::HeadTooLong(200)),
        ];
        for (name, text, expected) in rows {
            assert_eq!(parse(text), Err(expected), "{name}");
        }
    }

    #[test]
    fn framing_is_one_thing_or_refused() {
        let rows: [(&str, &str, Result<Framing, Malformed>); 10] = [
            ("none", "", Ok(Framing::Length(0))),
            ("length", "Content-Length: 12\r\n", Ok(Framing::Length(12))),
            ("the same twice", "Content-Length: 12\r\nContent-Length: 12\r\n", Ok(Framing::Length(12))),
            ("two lengths", "Content-Length: 12\r\nContent-Length: 13\r\n", Err(Malformed::Length)),
            ("a sign", "Content-Length: +12\r\n", Err(Malformed::Length)),
            ("no number", "Content-Length: \r\n", Err(Malformed::Length)),
            ("too large a number", "Content-Length: 99999999999999999999\r\n", Err(Malformed::Length)),
            ("chunked", "Transfer-Encoding: Chunked\r\n", Ok(Framing::Chunked)),
            ("both", "Transfer-Encoding: chunked\r\nContent-Length: 1\r\n", Err(Malformed::Framing)),
            ("gzip", "Transfer-Encoding: gzip, chunked\r\n", Err(Malformed::Framing)),
        ];
        for (name, headers, expected) in rows {
            let (head, _) = parse(&format!("POST / HTTP/1.1\r\n{headers}\r\n")).unwrap().unwrap();
            assert_eq!(head.framing(), expected, "{name}");
        }
    }

    #[test]
    fn connections_stay_or_close() {
        for (version, header, expected) in [
            ("1.1", "", true),
            ("1.1", "Connection: close\r\n", false),
            ("1.1", "Connection: TE, Close\r\n", false),
            ("1.0", "", false),
            ("1.0", "Connection: Keep-Alive\r\n", true),
        ] {
            let (head, _) = parse(&format!("GET / HTTP/{version}\r\n{header}\r\n")).unwrap().unwrap();
            assert_eq!(head.keeps_alive(), expected, "{version} {header:?}");
        }
    }
}
