package cpu

import "testing"

func TestArmName(t *testing.T) {
	tests := []struct{ cpuinfo, want string }{
		{"processor\t: 0\nCPU implementer\t: 0x41\nCPU architecture: 8\nCPU part\t: 0xd0c\n\nprocessor\t: 1\n", "Arm Neoverse N1"},
		{"CPU implementer\t: 0x41\nCPU part\t: 0xfff\n", "Arm implementer 0x41 part 0xfff"},
		{"CPU implementer\t: 0x61\nCPU part\t: 0xd0c\n", "Arm implementer 0x61 part 0xd0c"},
		{"model name\t: Some Core\n", "Some Core"},
		{"", ""},
	}
	for _, test := range tests {
		if got := armName(test.cpuinfo); got != test.want {
			t.Errorf("armName(%q) is %q, want %q", test.cpuinfo, got, test.want)
		}
	}
}
