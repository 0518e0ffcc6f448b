use calc::{add, divide};

#[test]
fn adds() {
    assert_eq!(add(2, 3), 5);
}

#[test]
fn divides() {
    assert_eq!(divide(7, 2), Some(3));
}

#[test]
fn refuses_zero() {
    assert_eq!(divide(1, 0), None);
}
