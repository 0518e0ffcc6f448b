// Package calc is a calculator.
package calc

// Add returns the sum.
func Add(a, b int) int { return a + b }
