//! Sizes: `"8MiB"`, `"64KiB"`, or a bare number of bytes.

use crate::value::digits;

pub(crate) const KIB: u64 = 1 << 10;
pub(crate) const GIB: u64 = 1 << 30;

/// Binary units first, so that a size is shown in them.
const UNITS: [(&str, u64); 7] =
    [("GiB", GIB), ("MiB", 1 << 20), ("KiB", KIB), ("GB", 1_000_000_000), ("MB", 1_000_000), ("KB", 1_000), ("B", 1)];

/// The largest binary unit that divides the size without a rest: `8MiB`, `1025B`.
pub fn show(bytes: u64) -> String {
    let binary = UNITS.iter().find(|(name, scale)| name.ends_with("iB") && bytes != 0 && bytes.is_multiple_of(*scale));
    let (name, scale) = binary.copied().unwrap_or(("B", 1));
    format!("{}{name}", bytes / scale)
}

/// Reads a size, however large; the range is the caller's to check.
pub(crate) fn parse(text: &str) -> Option<u64> {
    let unit_at = text.find(|c: char| c.is_ascii_alphabetic()).unwrap_or(text.len());
    let (number, unit) = text.split_at(unit_at);
    let scale = match unit {
        "" => 1,
        _ => UNITS.iter().find(|(name, _)| name.eq_ignore_ascii_case(unit))?.1,
    };
    digits(number.trim_end())?.checked_mul(scale)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_are_read() {
        for (text, expected) in [
            ("0", Some(0)),
            ("1024", Some(1024)),
            ("1_024", Some(1024)),
            ("512B", Some(512)),
            ("64KiB", Some(65_536)),
            ("64kib", Some(65_536)),
            ("8MiB", Some(8_388_608)),
            ("8 MiB", Some(8_388_608)),
            ("1GiB", Some(1_073_741_824)),
            ("8MB", Some(8_000_000)),
            ("2kB", Some(2_000)),
            // refused
            ("", None),
            ("MiB", None),
            ("8M", None),
            ("8 Mi B", None),
            ("1.5MiB", None),
            ("-1", None),
            ("8MiB ", None),
            ("99999999999GiB", None),
        ] {
            assert_eq!(parse(text), expected, "{text:?}");
        }
    }

    #[test]
    fn what_is_shown_reads_back() {
        for (bytes, shown) in [
            (0, "0B"),
            (1, "1B"),
            (1025, "1025B"),
            (1536, "1536B"),
            (65_536, "64KiB"),
            (8_388_608, "8MiB"),
            (GIB, "1GiB"),
        ] {
            assert_eq!(show(bytes), shown);
            assert_eq!(parse(shown), Some(bytes));
        }
    }
}
