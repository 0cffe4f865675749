package report

import (
	"fmt"
	"math/bits"
	"strconv"
	"strings"
)

// caseText is a case in words: [8192, 768] over 1.
func caseText(r Row) string {
	shape, axes, strides := pieces(r.Case)
	if axes == "" && strides == "" && !strings.Contains(shape, "x") {
		return "full " + power(shape)
	}
	text := list(shape, "x")
	switch n := strings.Count(axes, ","); {
	case axes == "":
	case n == 0:
		text += " over " + axes
	default:
		text += " over (" + strings.ReplaceAll(axes, ",", ", ") + ")"
	}
	if strides != "" {
		text += ", strides " + list(strides, ",")
	}
	return text
}

// shortCase is a case without the middle of a long shape and its strides.
func shortCase(c string) string {
	shape, axes, strides := pieces(c)
	text := strings.Join(shorten(shape, "x"), "x")
	if axes != "" {
		text += "/" + axes
	}
	if strides != "" {
		text += "@" + strings.Join(shorten(strides, ","), ",")
	}
	return text
}

// pieces takes a case, shape/axes@strides, apart.
func pieces(c string) (shape, axes, strides string) {
	c, strides, _ = strings.Cut(c, "@")
	shape, axes, _ = strings.Cut(c, "/")
	return shape, axes, strides
}

// list writes the numbers of text as [1, 2, 3].
func list(text, sep string) string { return "[" + strings.Join(shorten(text, sep), ", ") + "]" }

// manyAxes is the number of axes of which a report shows the first and the last.
const manyAxes = 9

// shorten returns the numbers of text, of many the first ones and the last.
func shorten(text, sep string) []string {
	words := strings.Split(text, sep)
	if len(words) < manyAxes {
		return words
	}
	return append(words[:3:3], "...", words[len(words)-1])
}

// power writes a large power of two as one.
func power(number string) string {
	n, err := strconv.Atoi(number)
	if err != nil || n <= 1<<16 || n&(n-1) != 0 {
		return number
	}
	return fmt.Sprintf("2^%d", bits.TrailingZeros(uint(n)))
}
