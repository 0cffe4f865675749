package cases

import (
	"fmt"
	"strings"
)

// standard are the cases that every report has, by kind of reduction.
var standard = map[Kind]string{
	Full:    "16 100 1024 4096 65536 2^20 2^24 2^27",
	Rows:    "1000000x3/1 262144x16/1 65536x100/1 8192x768/1 1024x4096/1 64x1048576/1 32x64x56x56/2,3 128x12x128x128/3",
	Columns: "1048576x4/0 65536x100/0 8192x768/0 768x8192/0 4096x1024/0 16x1048576/0",
	Middle:  "8x512x768/1 32x64x56x56/1",
	Mixed:   "32x64x56x56/0,2,3",
}

// neighbours are like the standard cases, but none that anyone would tune for.
const neighbours = "17 99 1000 10007 " +
	"1000000x2/1 524288x5/1 524288x7/1 100000x33/1 65536x63/1 65536x65/1 32768x200/1 8192x1000/1 8191x769/1 " +
	"1048576x5/0 524288x7/0 32768x200/0 8192x1000/0 8191x769/0 767x8193/0 " +
	"7x513x769/1 33x63x57x55/0,2,3 8192x768/1@773,1 8192x768/0@773,1 8x512x768/1@400003,779,1"

// sweep are full sums of growing size.
const sweep = "2^5 2^6 2^7 2^8 2^9 2^10 2^11 2^12 2^13 2^14 2^15 2^16 2^17 2^18 2^19 2^20 2^21 2^22 2^23 2^24 2^25 2^26 2^27"

// Standard is the name of the group that Select expands to the standard cases.
const Standard = "standard"

// Groups lists the names that Select expands.
var Groups = []string{Standard, string(Full), string(Rows), string(Columns), string(Middle), string(Mixed), "neighbours", "sweep", Views}

// Select reads a list of cases and groups of cases, separated by spaces. A case
// that comes twice is kept once.
func Select(list string) ([]Case, error) {
	var all []Case
	seen := map[string]bool{}
	for _, word := range strings.Fields(list) {
		for _, text := range strings.Fields(expand(word)) {
			c, err := Parse(text)
			if err != nil {
				return nil, fmt.Errorf("%w (a case is shape/axes@strides, as 8192x768/1; groups are %s)", err, strings.Join(Groups, ", "))
			}
			if word == Views || word == text && len(c.Strides) > 0 {
				c.Suite = Views
			}
			if s := c.String(); !seen[s] {
				seen[s] = true
				all = append(all, c)
			}
		}
	}
	if len(all) == 0 {
		return nil, fmt.Errorf("no case chosen (groups are %s)", strings.Join(Groups, ", "))
	}
	return all, nil
}

// expand returns the cases of a group, or the word itself.
func expand(word string) string {
	switch word {
	case Standard:
		var words []string
		for _, k := range Kinds {
			words = append(words, standard[k])
		}
		return strings.Join(words, " ")
	case "neighbours":
		return neighbours
	case "sweep":
		return sweep
	case Views:
		return strings.Join(views, " ")
	}
	if group, ok := standard[Kind(word)]; ok {
		return group
	}
	return word
}
