//! Sizes as people read them.

/// `812 B`, `1.2 KB`, `3.4 GB`: in thousands, as disks are sold and `ls --si` counts.
pub(crate) fn size(bytes: u64) -> String {
    const UNITS: [&str; 5] = ["B", "KB", "MB", "GB", "TB"];
    let mut rest = bytes as f64;
    let mut unit = 0;
    // What would be rounded to 1000 is one of the next unit.
    while rest >= 999.95 && unit + 1 < UNITS.len() {
        rest /= 1000.0;
        unit += 1;
    }
    if unit == 0 { format!("{bytes} B") } else { format!("{rest:.1} {}", UNITS[unit]) }
}

#[cfg(test)]
mod tests {
    use super::size;

    #[test]
    fn sizes_are_told_in_the_unit_that_fits() {
        let table = [
            (0, "0 B"),
            (812, "812 B"),
            (999, "999 B"),
            (1000, "1.0 KB"),
            (999_949, "999.9 KB"),
            (999_951, "1.0 MB"),
            (1_234_567, "1.2 MB"),
            (3_400_000_000, "3.4 GB"),
            (5_000_000_000_000_000, "5000.0 TB"),
        ];
        for (bytes, told) in table {
            assert_eq!(size(bytes), told);
        }
    }
}
