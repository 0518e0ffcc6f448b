//! Repeating a measurement until one number can stand for it.

use anyhow::Result;

/// The median of `times` measurements, after one that does not count.
pub(super) fn median_of(times: usize, mut measure: impl FnMut() -> Result<f64>) -> Result<f64> {
    measure()?;
    Ok(median((0..times).map(|_| measure()).collect::<Result<_>>()?))
}

/// The median; 0 of nothing.
pub(super) fn median(mut values: Vec<f64>) -> f64 {
    values.sort_unstable_by(f64::total_cmp);
    let middle = values.len() / 2;
    match values.as_slice() {
        [] => 0.0,
        values if values.len() % 2 == 1 => values[middle],
        values => f64::midpoint(values[middle - 1], values[middle]),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    #[expect(clippy::float_cmp, reason = "exact halves")]
    fn the_median_is_the_middle() {
        assert_eq!(median(vec![]), 0.0);
        assert_eq!(median(vec![3.0, 1.0, 2.0]), 2.0);
        assert_eq!(median(vec![4.0, 1.0, 2.0, 3.0]), 2.5);
    }

    #[test]
    #[expect(clippy::float_cmp, reason = "whole numbers")]
    fn the_first_measurement_does_not_count() {
        let mut results = [100.0, 1.0, 2.0, 3.0].into_iter();
        assert_eq!(median_of(3, || Ok(results.next().unwrap())).unwrap(), 2.0);
    }
}
