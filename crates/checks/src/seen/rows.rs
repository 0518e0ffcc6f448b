//! Boxes by the rows of the page that they are in, so that asking what is near does not ask everything.

use super::rect::Rect;

/// The height of a row.
const ROW: f64 = 128.0;
/// Boxes in more rows than this are asked everywhere.
const TALL: usize = 32;
/// A page may claim to be as high as it likes; browsers lay out no more than this.
const MAX_ROWS: usize = 1 << 18;

/// Numbers of boxes by row.
#[derive(Debug, Default)]
pub(crate) struct Rows {
    rows: Vec<Vec<usize>>,
    tall: Vec<usize>,
}

impl Rows {
    pub(crate) fn add(&mut self, number: usize, bounds: Rect) {
        let (first, last) = (row(bounds.top), row(bounds.bottom));
        if last - first > TALL {
            self.tall.push(number);
            return;
        }
        if self.rows.len() <= last {
            self.rows.resize_with(last + 1, Vec::new);
        }
        for row in &mut self.rows[first..=last] {
            row.push(number);
        }
    }

    /// Everything that may be at this height, in no order.
    pub(crate) fn at(&self, y: f64) -> impl Iterator<Item = usize> + '_ {
        self.rows.get(row(y)).map_or(&[][..], Vec::as_slice).iter().chain(&self.tall).copied()
    }

    /// Everything that may meet these bounds, each once and in order.
    pub(crate) fn near(&self, bounds: Rect) -> Vec<usize> {
        let last = (row(bounds.bottom) + 1).min(self.rows.len());
        let first = row(bounds.top).min(last);
        let mut near: Vec<usize> = self.rows[first..last].iter().flatten().chain(&self.tall).copied().collect();
        near.sort_unstable();
        near.dedup();
        near
    }
}

fn row(y: f64) -> usize {
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "clamped to the rows that there are")]
    let row = (y / ROW).clamp(0.0, MAX_ROWS as f64) as usize;
    row
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_near_is_found_once_and_what_is_far_is_not() {
        let at = |top: f64, height: f64| Rect { left: 0.0, top, right: 10.0, bottom: top + height };
        let mut rows = Rows::default();
        for (number, bounds) in
            [at(0.0, 300.0), at(-50.0, 20.0), at(5000.0, 10.0), at(0.0, 9000.0), at(1e12, 10.0), at(200.0, 1.0)]
                .into_iter()
                .enumerate()
        {
            rows.add(number, bounds);
        }
        assert_eq!(rows.near(at(0.0, 250.0)), [0, 1, 3, 5]);
        assert_eq!(rows.near(at(5005.0, 1.0)), [2, 3]);
        assert_eq!(rows.near(at(2e12, 1.0)), [3, 4], "beyond the last row everything is near");
        assert_eq!(rows.at(140.0).collect::<Vec<_>>(), [0, 5, 3]);
        assert_eq!(Rows::default().near(at(0.0, 10.0)), Vec::<usize>::new());
    }
}
