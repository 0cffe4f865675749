package cpu

import "golang.org/x/sys/unix"

// systemName asks the kernel.
func systemName() string {
	name, err := unix.Sysctl("machdep.cpu.brand_string")
	if err != nil {
		return ""
	}
	return name
}
