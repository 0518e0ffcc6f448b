//! Which bytes stop which scan, as one table: most of the stream is bytes that stop none.

/// Stripped wherever it stands, outside artifacts.
pub(crate) const CONTROL: u8 = 1;
/// White space.
pub(crate) const SPACE: u8 = 1 << 1;
/// May be in a name.
pub(crate) const NAME: u8 = 1 << 2;
/// Ends a run of plain text in an attribute's value.
pub(crate) const VALUE: u8 = 1 << 3;

const TABLE: [u8; 256] = table();

/// Whether the byte is in one of the classes.
pub(crate) fn is(byte: u8, classes: u8) -> bool {
    TABLE[byte as usize] & classes != 0
}

/// Control characters other than tab and line ends.
pub(crate) const fn is_control(byte: u8) -> bool {
    matches!(byte, 0..=0x08 | 0x0b | 0x0c | 0x0e..=0x1f | 0x7f)
}

/// Bytes before the first of these classes.
pub(crate) fn run(bytes: &[u8], classes: u8) -> usize {
    bytes.iter().position(|&byte| is(byte, classes)).unwrap_or(bytes.len())
}

/// Bytes before the first that is not of these classes.
pub(crate) fn span(bytes: &[u8], classes: u8) -> usize {
    bytes.iter().position(|&byte| !is(byte, classes)).unwrap_or(bytes.len())
}

/// Whether every byte is a printable ASCII character, which leaves nothing to repair or drop.
pub(crate) fn is_plain(bytes: &[u8]) -> bool {
    const HIGH: u64 = 0x8080_8080_8080_8080;
    let (words, rest) = bytes.as_chunks::<8>();
    // The high bit of a byte ends up set if the byte is below 0x20, is 0x7f, or had it set already.
    let odd = words.iter().map(|word| u64::from_le_bytes(*word)).fold(0, |odd, word| {
        let low = word & !HIGH;
        let below = !(low + 0x6060_6060_6060_6060);
        odd | word | below | (low + 0x0101_0101_0101_0101)
    });
    odd & HIGH == 0 && rest.iter().all(|byte| matches!(byte, 0x20..0x7f))
}

const fn table() -> [u8; 256] {
    let mut table = [0; 256];
    let mut byte = 0_u8;
    loop {
        let mut classes = 0;
        if is_control(byte) {
            classes |= CONTROL;
        }
        if byte.is_ascii_whitespace() && !is_control(byte) {
            classes |= SPACE;
        }
        if byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-' | b'.' | b':') {
            classes |= NAME;
        }
        if is_control(byte) || matches!(byte, b'"' | b'\'' | b'&') {
            classes |= VALUE;
        }
        table[byte as usize] = classes;
        if byte == u8::MAX {
            return table;
        }
        byte += 1;
    }
}
