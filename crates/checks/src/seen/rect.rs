//! A box on the page, in CSS pixels.

#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Rect {
    pub(crate) left: f64,
    pub(crate) top: f64,
    pub(crate) right: f64,
    pub(crate) bottom: f64,
}

/// A place on the page.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Point {
    pub(crate) x: f64,
    pub(crate) y: f64,
}

impl Point {
    pub(crate) fn distance(self, other: Self) -> f64 {
        (self.x - other.x).hypot(self.y - other.y)
    }
}

impl Rect {
    /// From left, top, width and height.
    pub(crate) fn read(numbers: &[f64]) -> Option<Self> {
        let [left, top, width, height] = *numbers else { return None };
        Some(Self { left, top, right: left + width, bottom: top + height })
    }

    pub(crate) fn width(self) -> f64 {
        self.right - self.left
    }

    pub(crate) fn height(self) -> f64 {
        self.bottom - self.top
    }

    pub(crate) fn is_empty(self) -> bool {
        self.width() <= 0.0 || self.height() <= 0.0
    }

    pub(crate) fn center(self) -> Point {
        Point { x: f64::midpoint(self.left, self.right), y: f64::midpoint(self.top, self.bottom) }
    }

    pub(crate) fn has(self, point: Point) -> bool {
        self.left <= point.x && point.x <= self.right && self.top <= point.y && point.y <= self.bottom
    }

    pub(crate) fn holds(self, other: Self) -> bool {
        self.left <= other.left && self.top <= other.top && other.right <= self.right && other.bottom <= self.bottom
    }

    pub(crate) fn meets(self, other: Self) -> bool {
        self.left < other.right && other.left < self.right && self.top < other.bottom && other.top < self.bottom
    }

    pub(crate) fn union(self, other: Self) -> Self {
        Self {
            left: self.left.min(other.left),
            top: self.top.min(other.top),
            right: self.right.max(other.right),
            bottom: self.bottom.max(other.bottom),
        }
    }

    /// What both have; empty where they do not meet.
    pub(crate) fn common(self, other: Self) -> Self {
        Self {
            left: self.left.max(other.left),
            top: self.top.max(other.top),
            right: self.right.min(other.right),
            bottom: self.bottom.min(other.bottom),
        }
    }

    pub(crate) fn grown(self, by: f64) -> Self {
        Self { left: self.left - by, top: self.top - by, right: self.right + by, bottom: self.bottom + by }
    }

    /// The point of the box that is nearest to another one.
    pub(crate) fn nearest(self, point: Point) -> Point {
        Point {
            x: point.x.clamp(self.left, self.right.max(self.left)),
            y: point.y.clamp(self.top, self.bottom.max(self.top)),
        }
    }

    /// What is left of the box beside `other`, in the largest boxes that fit there.
    pub(crate) fn without(self, other: Self) -> Vec<Self> {
        if !self.meets(other) {
            return vec![self];
        }
        [
            Self { bottom: other.top, ..self },
            Self { left: other.right, ..self },
            Self { top: other.bottom, ..self },
            Self { right: other.left, ..self },
        ]
        .into_iter()
        .filter(|rest| !rest.is_empty())
        .collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rect(left: f64, top: f64, right: f64, bottom: f64) -> Rect {
        Rect { left, top, right, bottom }
    }

    #[test]
    fn what_is_left_beside_another_box() {
        let all = rect(0.0, 0.0, 10.0, 10.0);
        for (name, other, want) in [
            ("nothing in common", rect(10.0, 0.0, 20.0, 10.0), vec![all]),
            ("covered", rect(-1.0, -1.0, 11.0, 11.0), vec![]),
            ("the lower half", rect(0.0, 5.0, 10.0, 10.0), vec![rect(0.0, 0.0, 10.0, 5.0)]),
            ("a corner", rect(5.0, 5.0, 15.0, 15.0), vec![rect(0.0, 0.0, 10.0, 5.0), rect(0.0, 0.0, 5.0, 10.0)]),
        ] {
            assert_eq!(all.without(other), want, "{name}");
        }
    }

    #[test]
    fn nearest_points_and_numbers() {
        let near = rect(0.0, 0.0, 10.0, 10.0).nearest(Point { x: 13.0, y: 14.0 });
        assert!((near.distance(Point { x: 13.0, y: 14.0 }) - 5.0).abs() < 1e-9);
        assert_eq!(Rect::read(&[1.0, 2.0, 3.0]), None);
        assert_eq!(Rect::read(&[1.0, 2.0, 3.0, 4.0]), Some(rect(1.0, 2.0, 4.0, 6.0)));
    }
}
