package cases

import (
	"slices"
	"strings"
	"testing"
)

func TestParse(t *testing.T) {
	tests := []struct {
		in, out                  string
		elements, reach, results int
		kind                     Kind
		row                      int
	}{
		{"16", "16", 16, 16, 1, Full, 16},
		{"2^20", "1048576", 1 << 20, 1 << 20, 1, Full, 1 << 20},
		{"8192x768/1", "8192x768/1", 8192 * 768, 8192 * 768, 8192, Rows, 768},
		{"8192x768/-1", "8192x768/1", 8192 * 768, 8192 * 768, 8192, Rows, 768},
		{"8x2^3/0", "8x8/0", 64, 64, 8, Columns, 1},
		{"8x512x768/1", "8x512x768/1", 8 * 512 * 768, 8 * 512 * 768, 8 * 768, Middle, 1},
		{"2x3x4x5/2,3", "2x3x4x5/2,3", 120, 120, 6, Rows, 20},
		{"2x3x4x5/3,2,-1", "2x3x4x5/2,3", 120, 120, 6, Rows, 20},
		{"2x3x4x5/0,2,3", "2x3x4x5/0,2,3", 120, 120, 3, Mixed, 20},
		{"2x3x4x5", "2x3x4x5", 120, 120, 1, Full, 120},
		{"2x3/0,1", "2x3/0,1", 6, 6, 1, Full, 6},
		{"1x5x1x3/0,1", "1x5x1x3/0,1", 15, 15, 3, Columns, 1},
		{"1x1/0", "1x1/0", 1, 1, 1, Full, 1},
		{"4x3/1@10,1", "4x3/1@10,1", 12, 33, 4, Rows, 3},
		{"4x3@0,2", "4x3@0,2", 12, 5, 1, Full, 12},
	}
	for _, test := range tests {
		c, err := Parse(test.in)
		if err != nil {
			t.Errorf("Parse(%q): %v", test.in, err)
			continue
		}
		if c.String() != test.out {
			t.Errorf("Parse(%q) is %s, want %s", test.in, c, test.out)
		}
		if c.Elements() != test.elements || c.Reach() != test.reach || c.Results() != test.results {
			t.Errorf("%s: %d elements, reach %d, %d results, want %d, %d, %d", test.in,
				c.Elements(), c.Reach(), c.Results(), test.elements, test.reach, test.results)
		}
		if c.Kind() != test.kind || c.RowLength() != test.row {
			t.Errorf("%s: kind %s, rows of %d, want %s, %d", test.in, c.Kind(), c.RowLength(), test.kind, test.row)
		}
	}
}

func TestParseErrors(t *testing.T) {
	tests := []struct{ in, names string }{
		{"", `""`},
		{"8x", `""`},
		{"rows2", `"rows2"`},
		{"8x-3/1", "-3"},
		{"8x3/2", "axis 2"},
		{"8x3/-3", "axis -3"},
		{"8x3/a", `"a"`},
		{"8x0/1", "0"},
		{"2^41", `"2^41"`},
		{"2^-1", `"2^-1"`},
		{"8x3/1@4", "[4]"},
		{"8x3/1@4,-1", "-1"},
		{"9999999999x9999999999x9999999999", "9999999999"},
	}
	for _, test := range tests {
		if c, err := Parse(test.in); err == nil || !strings.Contains(err.Error(), test.names) {
			t.Errorf("Parse(%q) is %v, error %v; want an error that names %s", test.in, c, err, test.names)
		}
	}
}

func TestSelect(t *testing.T) {
	tests := []struct {
		list string
		want []string
	}{
		{"16 8x3/1", []string{"16", "8x3/1"}},
		{"16 2^4 16", []string{"16"}},
		{"columns 4x4/0", []string{"1048576x4/0", "65536x100/0", "8192x768/0", "768x8192/0", "4096x1024/0", "16x1048576/0", "4x4/0"}},
		{"middle", []string{"8x512x768/1", "32x64x56x56/1"}},
	}
	for _, test := range tests {
		all, err := Select(test.list)
		if err != nil {
			t.Errorf("Select(%q): %v", test.list, err)
		}
		var got []string
		for _, c := range all {
			got = append(got, c.String())
		}
		if !slices.Equal(got, test.want) {
			t.Errorf("Select(%q) is %v, want %v", test.list, got, test.want)
		}
	}
	for _, list := range []string{"", "  ", "nothing", "16 8x3/5"} {
		if all, err := Select(list); err == nil {
			t.Errorf("Select(%q) is %v, want an error", list, all)
		}
	}
}

// TestGroups checks that the cases of each group parse, and that those named by a
// kind of reduction are of it.
func TestGroups(t *testing.T) {
	for _, group := range Groups {
		all, err := Select(group)
		if err != nil {
			t.Errorf("%s: %v", group, err)
		}
		for _, c := range all {
			if _, isKind := standard[Kind(group)]; isKind && c.Kind() != Kind(group) {
				t.Errorf("%s is among %s, but its kind is %s", c, group, c.Kind())
			}
		}
	}
}
