//go:build !linux && !darwin

package cpu

// systemName returns nothing: there is no way to ask.
func systemName() string { return "" }
