package buffer

import (
	"bufio"
	"os"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"
)

// adviseHuge asks for huge pages. A kernel without them refuses, and the buffer
// has small pages: Huge tells.
func adviseHuge(m []byte) { _ = unix.Madvise(m, unix.MADV_HUGEPAGE) }

// Huge returns how many bytes of the process's memory are in huge pages. Pages
// count once they have been written to.
func Huge() int {
	f, err := os.Open("/proc/self/smaps_rollup")
	if err != nil {
		return 0
	}
	defer f.Close()
	for s := bufio.NewScanner(f); s.Scan(); {
		fields := strings.Fields(s.Text())
		if len(fields) == 3 && fields[0] == "AnonHugePages:" {
			kib, _ := strconv.Atoi(fields[1]) // 0 when the kernel writes something else
			return kib << 10
		}
	}
	return 0
}
