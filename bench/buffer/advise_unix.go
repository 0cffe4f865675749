//go:build unix && !linux

package buffer

// adviseHuge does nothing: the system chooses the page size itself.
func adviseHuge([]byte) {}
