package cases

// shortRow is the number of neighbours in memory below which it takes shuffles of
// elements, not copies of rows, to bring them into another order.
const shortRow = 16

// Transposes reports whether elements have to be transposed to be summed in
// order: the axis with the least stride is reduced, but is not, or hardly, the
// innermost of the neighbouring axes that are summed in one sequence with it.
func (c Case) Transposes() bool {
	if len(c.Strides) == 0 {
		return false
	}
	least := -1
	for i, n := range c.Shape {
		if n > 1 && c.Strides[i] > 0 && (least < 0 || c.Strides[i] <= c.Strides[least]) {
			least = i
		}
	}
	if least < 0 || !c.Reduces(least) {
		return false
	}
	group := c.sequence(least)
	if group[len(group)-1] != least {
		return true
	}
	row := c.Shape[least]
	for k := len(group) - 2; k >= 0; k-- {
		outer, inner := group[k], group[k+1]
		switch {
		case c.Strides[outer] == c.Strides[inner]*c.Shape[inner]:
			row *= c.Shape[outer]
		case c.Strides[outer] < c.Strides[inner] && row < shortRow:
			return true
		}
	}
	return false
}

// sequence returns the axes that are summed in one sequence with a reduced one,
// outermost first.
func (c Case) sequence(axis int) []int {
	var group []int
	for i, n := range c.Shape {
		switch {
		case n == 1:
		case c.Reduces(i):
			group = append(group, i)
		case i > axis:
			return group
		default:
			group = nil
		}
	}
	return group
}
