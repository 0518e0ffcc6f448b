//! The pixels of a page, as the browser sends them.

use png::{ColorType, Decoder, Transformations};
use std::io::Cursor;
use tribunal_checks::seen::Picture;

/// Reads a picture in PNG that is written in letters.
pub(super) fn read(letters: &str) -> Result<Picture, String> {
    let bytes = bytes(letters).ok_or("its letters are none of base64")?;
    let mut decoder = Decoder::new(Cursor::new(bytes));
    decoder.set_transformations(Transformations::normalize_to_color8());
    let mut reader = decoder.read_info().map_err(|error| error.to_string())?;
    let size = reader.output_buffer_size().ok_or("it is too large")?;
    let mut raw = vec![0; size];
    let frame = reader.next_frame(&mut raw).map_err(|error| error.to_string())?;
    raw.truncate(frame.buffer_size());
    let pixels = match frame.color_type {
        ColorType::Rgb => raw,
        ColorType::Rgba => raw.chunks_exact(4).flat_map(|pixel| [pixel[0], pixel[1], pixel[2]]).collect(),
        other => return Err(format!("its pixels are {other:?}")),
    };
    Picture::new(frame.width, frame.height, pixels).ok_or_else(|| "it has too few pixels".to_owned())
}

/// The usual alphabet, with padding.
fn bytes(letters: &str) -> Option<Vec<u8>> {
    let value = |letter: u8| match letter {
        b'A'..=b'Z' => Some(letter - b'A'),
        b'a'..=b'z' => Some(letter - b'a' + 26),
        b'0'..=b'9' => Some(letter - b'0' + 52),
        b'+' => Some(62),
        b'/' => Some(63),
        _ => None,
    };
    let mut out = Vec::with_capacity(letters.len() / 4 * 3);
    for group in letters.trim_end_matches('=').as_bytes().chunks(4) {
        let mut bits = 0_u32;
        for letter in group {
            bits = bits << 6 | u32::from(value(*letter)?);
        }
        bits <<= 6 * (4 - group.len());
        let whole = bits.to_be_bytes();
        out.extend_from_slice(&whole[1..group.len()]);
    }
    Some(out)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn letters_become_bytes() {
        for (letters, want) in [("", Some("")), ("Zg==", Some("f")), ("Zm8=", Some("fo")), ("Zm9vYmFy", Some("foobar"))]
        {
            assert_eq!(bytes(letters).as_deref(), want.map(str::as_bytes), "{letters}");
        }
        assert_eq!(bytes("Zm9!"), None);
    }

    #[test]
    fn what_is_no_picture_is_refused() {
        for letters in ["", "Zm9v", "!"] {
            assert!(read(letters).is_err(), "{letters}");
        }
    }

    #[test]
    fn a_picture_has_its_pixels() {
        // Two pixels: red, and white.
        let picture =
            "iVBORw0KGgoAAAANSUhEUgAAAAIAAAABCAIAAAB7QOjdAAAAD0lEQVR4nGP4z8Dw//9/AAv7A/3dF29HAAAAAElFTkSuQmCC";
        let read = read(picture).unwrap();
        assert_eq!((read.width(), read.height()), (2, 1));
        assert_eq!(read.pixel(0, 0), Some([255, 0, 0]));
        assert_eq!(read.pixel(1, 0), Some([255, 255, 255]));
        assert_eq!(read.pixel(2, 0), None);
    }
}
