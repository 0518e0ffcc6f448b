package calc

import "testing"

func TestAdd(t *testing.T) {
	if Add(2, 3) != 5 {
		t.Fatal("2 + 3")
	}
}

func TestDivide(t *testing.T) {
	if got, err := Divide(7, 2); got != 3 || err != nil {
		t.Fatal(got, err)
	}
}

func TestDivideByZero(t *testing.T) {
	if _, err := Divide(1, 0); err == nil {
		t.Fatal("no error")
	}
}
