package cpu

import (
	"os"
	"strings"
)

// systemName asks the kernel: arm64 has no instruction that tells a name.
func systemName() string {
	text, err := os.ReadFile("/proc/cpuinfo")
	if err != nil {
		return ""
	}
	return armName(string(text))
}

// armParts are CPU parts of implementer 0x41, Arm, as in Linux's
// arch/arm64/include/asm/cputype.h.
var armParts = map[string]string{
	"0xd08": "Cortex-A72", "0xd0b": "Cortex-A76", "0xd0c": "Neoverse N1", "0xd40": "Neoverse V1",
	"0xd49": "Neoverse N2", "0xd4f": "Neoverse V2", "0xd84": "Neoverse V3", "0xd8e": "Neoverse N3",
}

// armName reads the name of the first core in the text of /proc/cpuinfo.
func armName(cpuinfo string) string {
	implementer, part := "", ""
	for line := range strings.Lines(cpuinfo) {
		key, value, _ := strings.Cut(line, ":")
		value = strings.TrimSpace(value)
		switch strings.TrimSpace(key) {
		case "model name", "Model":
			return value
		case "CPU implementer":
			implementer = value
		case "CPU part":
			part = value
		}
		if implementer != "" && part != "" {
			break
		}
	}
	switch name := armParts[part]; {
	case implementer == "":
		return ""
	case implementer == "0x41" && name != "":
		return "Arm " + name
	}
	return "Arm implementer " + implementer + " part " + part
}
