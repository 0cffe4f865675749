package tensor

import (
	"math"
	"strconv"
	"strings"

	"github.com/x448/float16"

	"github.com/reducesum/reducesum"
)

// Number formats x as a decimal that T rounds back to x, in NumPy's notation:
// floats have a point or an exponent, which begins at 1e16 and below 1e-4; nan,
// inf and -inf. The decimal is the shortest one, except that whole numbers
// below 1e16 have all their digits: the shortest float16 for 8192 would be 8190.
func Number[T reducesum.Element](x T) string {
	switch x := any(x).(type) {
	case int32:
		return strconv.FormatInt(int64(x), 10)
	case int64:
		return strconv.FormatInt(x, 10)
	case uint32:
		return strconv.FormatUint(uint64(x), 10)
	case uint64:
		return strconv.FormatUint(x, 10)
	case float64:
		return decimal(x, strconv.FormatFloat(x, 'e', -1, 64))
	case float32:
		return decimal(float64(x), strconv.FormatFloat(float64(x), 'e', -1, 32))
	case reducesum.Float16:
		return short(x.Float32(), func(y float32) float32 { return float16.Fromfloat32(y).Float32() })
	case reducesum.BFloat16:
		return short(x.Float32(), func(y float32) float32 { return reducesum.BFloat16FromFloat32(y).Float32() })
	}
	panic("unreachable: all of reducesum.Element is above")
}

// short formats x, a value of a 16-bit type, for which strconv has no shortest
// decimal. round rounds to that type. Five digits tell any two values apart:
// float16 has 11 bits of significand, bfloat16 has 8.
func short(x float32, round func(float32) float32) string {
	for digits := range 4 {
		s := strconv.FormatFloat(float64(x), 'e', digits, 32)
		if y, err := strconv.ParseFloat(s, 32); err == nil && round(float32(y)) == x {
			return decimal(float64(x), s)
		}
	}
	return decimal(float64(x), strconv.FormatFloat(float64(x), 'e', 4, 32))
}

// decimal rewrites s, the value x in the form d.ddde±dd, in NumPy's notation.
func decimal(x float64, s string) string {
	switch {
	case math.IsNaN(x):
		return "nan"
	case math.IsInf(x, 1):
		return "inf"
	case math.IsInf(x, -1):
		return "-inf"
	case math.Abs(x) < 1e16 && x == math.Trunc(x):
		return strconv.FormatFloat(x, 'f', 1, 64)
	}
	mantissa, exponent, _ := strings.Cut(s, "e")
	exp, _ := strconv.Atoi(exponent)
	if exp < -4 || exp >= 16 {
		return s
	}
	sign := ""
	if strings.HasPrefix(mantissa, "-") {
		sign, mantissa = "-", mantissa[1:]
	}
	digits := strings.Replace(mantissa, ".", "", 1)
	if exp < 0 {
		return sign + "0." + strings.Repeat("0", -exp-1) + digits
	}
	if n := exp + 1 - len(digits); n > 0 {
		digits += strings.Repeat("0", n)
	}
	fraction := digits[exp+1:]
	if fraction == "" {
		fraction = "0"
	}
	return sign + digits[:exp+1] + "." + fraction
}
