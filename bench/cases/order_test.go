package cases

import "testing"

func TestTransposes(t *testing.T) {
	tests := []struct {
		c    string
		want bool
	}{
		{"8x9", false},
		{"1000x50x20x10/0,1,3", false},
		{"300x500@1,300", true},
		{"300x500/0@1,300", false},
		{"300x500/1@1,300", false},
		{"300x500@500,1", false},
		{"300x500@1000,2", false},
		{"2x2x2@1,2,4", true},
		{"5x6x7/0,2@1,35,5", false}, // two sequences: the columns of one, then of the other
		{"5x6x7/1,2@1,35,5", false}, // columns, in whatever order
		{"7x6x5/0,1@1,7,42", true},
		{"7x1x5@1,1,7", true},
		{"16x64x56x56/2,3@200704,1,3584,64", false},
		{"10x100x200/1,2@20000,1,100", true},
		{"100x100x64@64,6400,1", false}, // rows in another order
		{"100x100x2@2,200,1", true},     // pairs in another order
		{"100x4x8@32,8,1", false},
		{"100x200@0,1", false},
		{"200x100@1,0", true},
		{"1x1@3,5", false},
	}
	for _, test := range tests {
		c, err := Parse(test.c)
		if err != nil {
			t.Errorf("%s: %v", test.c, err)
		}
		if got := c.Transposes(); got != test.want {
			t.Errorf("%s: transposes %v, want %v", test.c, got, test.want)
		}
	}
}

// TestSuite checks which cases have the bars of views.
func TestSuite(t *testing.T) {
	tests := []struct{ list, want string }{
		{"8x9", ""}, {"8x9/1@9,1", Views}, {"middle", ""}, {"neighbours", ""}, {Views, Views},
	}
	for _, test := range tests {
		all, err := Select(test.list)
		if err != nil {
			t.Fatal(err)
		}
		for _, c := range all {
			if c.Suite != test.want {
				t.Errorf("%s: %s is of suite %q, want %q", test.list, c, c.Suite, test.want)
			}
		}
	}
}

func TestAdded(t *testing.T) {
	for text, want := range map[string]int{
		"8x9":                     72,
		"8x9/1@0,1":               9,
		"8x9/0@0,1":               72,
		"8x9@0,0":                 72,
		"2x8x4x5/3@40,5,0,1":      80,
		"10x10x3x3/2,3@12,1,12,1": 900,
	} {
		c, err := Parse(text)
		if err != nil {
			t.Fatal(err)
		}
		if got := c.Added(); got != want {
			t.Errorf("%s: %d elements are added, want %d", text, got, want)
		}
	}
}
