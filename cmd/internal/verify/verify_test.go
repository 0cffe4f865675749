package verify

import (
	"fmt"
	"math"
	"math/rand/v2"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/reducesum/reducesum"

	"github.com/reducesum/reducesum/cmd/internal/tensor"
)

func TestRun(t *testing.T) {
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	progress := 0
	got, err := Run(Config{Seed: seed, Round: -1, Progress: func(time.Duration) { progress++ }})
	if err != nil {
		t.Fatal(err)
	}
	if got.Rounds != Types || progress != Types {
		t.Errorf("%d rounds, %d steps of progress: want one for each of %d types", got.Rounds, progress, Types)
	}
	if got.Sums < Types*len(reducesum.Implementations()) {
		t.Errorf("only %d sums", got.Sums)
	}
}

// One round alone does what it did among the others.
func TestRunRound(t *testing.T) {
	all, err := Run(Config{Seed: 7, Round: -1})
	if err != nil {
		t.Fatal(err)
	}
	var sum Totals
	for i := range Types {
		one, err := Run(Config{Seed: 7, Round: i})
		if err != nil {
			t.Fatal(err)
		}
		sum.add(one)
	}
	if sum != all {
		t.Errorf("the rounds alone: %+v, together: %+v", sum, all)
	}
}

// A wrong bit in any result of any type is found, and described.
func TestRunFindsDifferences(t *testing.T) {
	description := regexp.MustCompile(`^(float|bfloat|int|uint)\d\d \[.*\] over axes \[.*\] of .* values, .*, \d+ workers, offset \d+, strides \[.*\]: .*; repeat it with: reducesum verify -seed 1 -round \d+$`)
	for i := range Types {
		_, err := Run(Config{Seed: 1, Round: i, tamper: spoilLast})
		if err == nil {
			t.Errorf("round %d: a spoilt result was not found", i)
		} else if !description.MatchString(err.Error()) {
			t.Errorf("round %d: %v", i, err)
		}
	}
}

// spoilLast flips a bit at the very end, which lies behind the destination.
func spoilLast(dst any) {
	switch x := dst.(type) {
	case []float32:
		flip(x, len(x)-1)
	case []float64:
		flip(x, len(x)-1)
	case []reducesum.Float16:
		flip(x, len(x)-1)
	case []reducesum.BFloat16:
		flip(x, len(x)-1)
	case []int32:
		flip(x, len(x)-1)
	case []int64:
		flip(x, len(x)-1)
	case []uint32:
		flip(x, len(x)-1)
	case []uint64:
		flip(x, len(x)-1)
	}
}

func flip[T reducesum.Element](x []T, i int) { x[i] = fromBits[T](bits(x[i]) ^ 1) }

func TestCheck(t *testing.T) {
	values := []float32{1, 2, 3, 4, 5, 6}
	s := sum[float32]{
		view: view[float32]{src: values}, shape: []int{2, 3}, op: reducesum.Op{Axes: []int{0}},
		impl: reducesum.Implementations()[0], workers: 2, dirty: 5,
	}
	for name, c := range map[string]struct {
		want   []float32
		tamper func(any)
		error  string // "" for none
	}{
		"right":           {[]float32{5, 7, 9}, nil, ""},
		"another sum":     {[]float32{5, 7, 8}, nil, "element 2 of the result is 9.0 (bits 0x41100000), of the generic one 8.0 (bits 0x41000000)"},
		"another length":  {[]float32{5, 7}, nil, "the plan has 3 results, the generic one 2"},
		"written before":  {[]float32{5, 7, 9}, func(dst any) { flip(dst.([]float32), 4) }, "wrote at index -1"},
		"written behind":  {[]float32{5, 7, 9}, func(dst any) { flip(dst.([]float32), 8) }, "wrote at index 3"},
		"one bit, inside": {[]float32{5, 7, 9}, func(dst any) { flip(dst.([]float32), 5) }, "element 0 of the result"},
	} {
		t.Run(name, func(t *testing.T) {
			err := s.check(c.want, c.tamper)
			if c.error == "" && err != nil {
				t.Error(err)
			}
			if c.error != "" && (err == nil || !strings.Contains(err.Error(), c.error)) {
				t.Errorf("error %v, want %q in it", err, c.error)
			}
		})
	}
}

func TestCheckShortcuts(t *testing.T) {
	values := []int32{1, 2, 3, 4, 5, 6, 7, 8}
	for _, c := range []struct {
		set         int
		right, want []int32
		error       string
	}{
		{0b111, []int32{36}, []int32{35}, "Sum: element 0"},
		{0b010, []int32{4, 6, 12, 14}, []int32{4, 6, 12, 15}, "SumBlocks: element 3"},
	} {
		if err := checkShortcuts(values, []int{2, 2, 2}, c.set, c.right); err != nil {
			t.Error(err)
		}
		if err := checkShortcuts(values, []int{2, 2, 2}, c.set, c.want); err == nil || !strings.Contains(err.Error(), c.error) {
			t.Errorf("error %v, want %q in it", err, c.error)
		}
	}
}

func TestEqual(t *testing.T) {
	nan, otherNaN := math.Float32frombits(0x7fc00000), math.Float32frombits(0xff800001)
	for _, c := range []struct {
		name string
		got  bool
		want bool
	}{
		{"zeros of two signs", equal(0, float32(math.Copysign(0, -1))), false},
		{"two NaNs, float32", equal(nan, otherNaN), true},
		{"NaN and inf, float32", equal(nan, float32(math.Inf(1))), false},
		{"two NaNs, float64", equal(math.NaN(), math.Float64frombits(0xfff0000000000001)), true},
		{"two NaNs, float16", equal(reducesum.Float16(0x7e00), reducesum.Float16(0xfc01)), true},
		{"NaN and inf, float16", equal(reducesum.Float16(0x7e00), reducesum.Float16(0x7c00)), false},
		{"two NaNs, bfloat16", equal(reducesum.BFloat16(0x7fc0), reducesum.BFloat16(0xff81)), true},
		{"NaN and inf, bfloat16", equal(reducesum.BFloat16(0x7fc0), reducesum.BFloat16(0x7f80)), false},
		{"integers with a NaN's bits", equal(uint32(0x7fc00000), uint32(0x7fc00001)), false},
	} {
		if c.got != c.want {
			t.Errorf("%s: equal is %t", c.name, c.got)
		}
	}
}

// The draws reach what they are there for.
func TestDraws(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	seen := make(map[string]bool)
	for range 3000 {
		shape := drawShape(r)
		n := product(shape)
		seen[fmt.Sprint("rank ", len(shape))] = true
		seen["empty"] = seen["empty"] || n == 0
		seen["more than 2^15 elements"] = seen["more than 2^15 elements"] || n > 1<<15
		if n > 1<<20 {
			t.Fatalf("shape %v has %d elements", shape, n)
		}
		if len(shape) > 0 {
			last := shape[len(shape)-1]
			seen["row of one"] = seen["row of one"] || last == 1 && n > 1
			seen["row of more than a block"] = seen["row of more than a block"] || last > 1024
			seen["column of more than a block"] = seen["column of more than a block"] || shape[0] > 1024 && last > 1
		}
		seen[fmt.Sprint("workers ", drawWorkers(r))] = true
	}
	want := []string{"rank 0", "rank 1", "rank 2", "rank 3", "rank 4", "rank 5", "rank 6", "empty", "more than 2^15 elements",
		"row of one", "row of more than a block", "column of more than a block", "workers 1", "workers 2", "workers 16"}
	for _, w := range want {
		if !seen[w] {
			t.Errorf("no %s in 3000 draws", w)
		}
	}
}

func TestDrawOp(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	const rank = 3
	for set := range 1 << rank {
		for range 100 {
			op := drawOp(r, rank, set)
			got := 0
			for _, a := range op.Axes {
				got |= 1 << ((a + rank) % rank)
			}
			if len(op.Axes) == 0 && !op.NoopWithEmptyAxes {
				got = 1<<rank - 1
			}
			if got != set {
				t.Fatalf("%+v stands for the axes %03b, want %03b", op, got, set)
			}
		}
	}
}

func TestDrawView(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	shape := []int{3, 4, 5}
	values := make([]int64, 60)
	for i := range values {
		values[i] = int64(i)
	}
	strided := 0
	for range 200 {
		v := drawView(r, shape, values)
		if v.strides != nil {
			strided++
		}
		x := tensor.Of[int64]{Data: v.src, Dims: shape, Strides: v.strides}
		same, err := x.ReduceSum(reducesum.Op{NoopWithEmptyAxes: true}, nil)
		if err != nil {
			t.Fatal(err)
		}
		if err := compare(same.(tensor.Of[int64]).Data, values); err != nil {
			t.Fatalf("strides %v: %v", v.strides, err)
		}
	}
	if strided == 0 || strided == 200 {
		t.Errorf("%d of 200 views have strides", strided)
	}
}

func TestSources(t *testing.T) {
	t.Run("float32", testSources[float32])
	t.Run("float64", testSources[float64])
	t.Run("float16", testSources[reducesum.Float16])
	t.Run("bfloat16", testSources[reducesum.BFloat16])
	t.Run("int32", testSources[int32])
	t.Run("int64", testSources[int64])
	t.Run("uint32", testSources[uint32])
	t.Run("uint64", testSources[uint64])
}

// testSources draws from every source, and looks at what comes.
func testSources[T reducesum.Element](t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	seen := make(map[string]bool)
	infBits := bits(fromFloat[T](math.Inf(1)))
	for _, s := range sources[T]() {
		for range 1000 {
			x := s.draw(r)
			if b := bits(x); fromBits[T](b) != x && !isNaN(x) {
				t.Fatalf("%s: bits %#x do not come back", s.name, b)
			}
			if !isFloat[T]() {
				seen["highest bit"] = seen["highest bit"] || bits(x)>>(bitSize[T]()-1) == 1
				continue
			}
			switch magnitude := bits(x) &^ (1 << (bitSize[T]() - 1)); {
			case isNaN(x):
				seen["nan"] = true
			case magnitude == infBits:
				seen["inf"] = true
			case magnitude == 0 && bits(x) != 0:
				seen["-0"] = true
			case magnitude == 1:
				seen["smallest"] = true
			case magnitude == infBits-1:
				seen["largest"] = true
			}
			if unwanted := s.name == "finite" || s.name == "sparse"; unwanted && (isNaN(x) || bits(x)&infBits == infBits) {
				t.Fatalf("%s: %s", s.name, tensor.Number(x))
			}
		}
	}
	want := []string{"nan", "inf", "-0", "smallest", "largest"}
	if !isFloat[T]() {
		want = []string{"highest bit"}
	}
	for _, w := range want {
		if !seen[w] {
			t.Errorf("no %s", w)
		}
	}
}
