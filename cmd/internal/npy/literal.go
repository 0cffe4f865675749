package npy

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"
)

// The header of a .npy file is a literal of Python, as repr prints a dict. This
// reads what Python's ast.literal_eval does, of it: dicts, tuples, lists, strings
// of any quotes, integers, True, False and None. A literal becomes a Go value:
//
//	dict   dict
//	tuple  tuple
//	list   list
//	str    string, bytes too
//	int    number, the text, so that none is too large
//	bool   bool
//	None   nil
//
// Python 2 wrote integers with an L at the end, and NumPy still reads these.

type (
	dict   map[string]any
	tuple  []any
	list   []any
	number string
)

// The limits are far beyond what a dtype needs. They keep a damaged header from
// becoming much more memory than it has bytes.
const (
	maxDepth  = 32
	maxValues = 4096
)

// parseLiteral reads text, which is one literal and white space.
func parseLiteral(text string) (any, error) {
	p := parser{text: text}
	v, err := p.value(0)
	if err != nil {
		return nil, err
	}
	if p.space(); p.at < len(p.text) {
		return nil, p.unexpected("the end")
	}
	return v, nil
}

type parser struct {
	text   string
	at     int
	values int // that have begun
}

const whiteSpace = " \t\r\n\f\v"

func (p *parser) space() {
	p.at = len(p.text) - len(strings.TrimLeft(p.text[p.at:], whiteSpace))
}

// next tells whether s comes next, after white space, and skips it.
func (p *parser) next(s string) bool {
	p.space()
	if !strings.HasPrefix(p.text[p.at:], s) {
		return false
	}
	p.at += len(s)
	return true
}

// peek returns the next character, 0 at the end.
func (p *parser) peek() byte {
	if p.at == len(p.text) {
		return 0
	}
	return p.text[p.at]
}

func (p *parser) unexpected(want string) error {
	if p.at == len(p.text) {
		return fmt.Errorf("it ends where %s is expected", want)
	}
	return fmt.Errorf("at %.20q, where %s is expected", p.text[p.at:], want)
}

func (p *parser) value(depth int) (any, error) {
	if depth > maxDepth {
		return nil, fmt.Errorf("it is nested more than %d deep", maxDepth)
	}
	if p.values++; p.values > maxValues {
		return nil, fmt.Errorf("it has more than %d values", maxValues)
	}
	p.space()
	switch c := p.peek(); {
	case c == '{':
		return p.dict(depth)
	case c == '(':
		return p.tuple(depth)
	case c == '[':
		p.at++
		items, _, err := p.items("]", depth)
		return list(items), err
	case c == '+' || c == '-' || '0' <= c && c <= '9':
		return p.number()
	case c == '\'' || c == '"' || isLetter(c):
		return p.stringOrName()
	}
	return nil, p.unexpected("a value")
}

func isLetter(c byte) bool { return 'a' <= c|0x20 && c|0x20 <= 'z' || c == '_' }
func isDigit(c byte) bool  { return '0' <= c && c <= '9' }

func (p *parser) dict(depth int) (any, error) {
	p.at++
	d := make(dict)
	for !p.next("}") {
		k, err := p.value(depth + 1)
		if err != nil {
			return nil, err
		}
		key, ok := k.(string)
		if !ok {
			return nil, errors.New("a key is not a string")
		}
		if !p.next(":") {
			return nil, p.unexpected("a colon")
		}
		if d[key], err = p.value(depth + 1); err != nil { // as in Python, the last one counts
			return nil, err
		}
		if !p.next(",") {
			if p.next("}") {
				break
			}
			return nil, p.unexpected("a comma or }")
		}
	}
	return d, nil
}

// tuple reads a tuple, or a value in parentheses.
func (p *parser) tuple(depth int) (any, error) {
	p.at++
	items, comma, err := p.items(")", depth)
	if err == nil && len(items) == 1 && !comma {
		return items[0], nil
	}
	return tuple(items), err
}

// items reads values with commas between them, up to and with the end; comma
// tells whether there is one after the last value.
func (p *parser) items(end string, depth int) (items []any, comma bool, err error) {
	for !p.next(end) {
		v, err := p.value(depth + 1)
		if err != nil {
			return nil, false, err
		}
		items = append(items, v)
		if comma = p.next(","); !comma {
			if p.next(end) {
				break
			}
			return nil, false, p.unexpected("a comma or " + end)
		}
	}
	return items, comma, nil
}

// number reads an integer.
func (p *parser) number() (any, error) {
	start := p.at
	for p.peek() == '+' || p.peek() == '-' {
		p.at++
	}
	for isDigit(p.peek()) || isLetter(p.peek()) || p.peek() == '.' {
		p.at++
	}
	return number(strings.TrimSuffix(p.text[start:p.at], "L")), nil
}

// stringOrName reads a name, or strings, which are one if they stand side by side.
func (p *parser) stringOrName() (any, error) {
	var s strings.Builder
	for first := true; ; first = false {
		start := p.at
		for isLetter(p.peek()) || isDigit(p.peek()) {
			p.at++
		}
		word := p.text[start:p.at]
		isString := p.peek() == '\'' || p.peek() == '"'
		switch {
		case !isString && !first:
			p.at = start
			return s.String(), nil
		case !isString:
			p.at = start
			return p.name(word)
		}
		raw, ok := prefixes[strings.ToLower(word)]
		if !ok {
			p.at = start
			return nil, p.unexpected("a string")
		}
		part, err := p.quoted(raw)
		if err != nil {
			return nil, err
		}
		s.Write(part)
		p.space()
	}
}

// prefixes are those of strings, and whether they leave escapes alone.
var prefixes = map[string]bool{"": false, "u": false, "b": false, "r": true, "br": true, "rb": true}

// name reads one of the names that are values.
func (p *parser) name(word string) (any, error) {
	values := map[string]any{"True": true, "False": false, "None": nil}
	v, ok := values[word]
	if !ok {
		return nil, p.unexpected("a value")
	}
	p.at += len(word)
	return v, nil
}

// quoted reads a string from its first quote on.
func (p *parser) quoted(raw bool) ([]byte, error) {
	quote := p.text[p.at : p.at+1]
	if three := strings.Repeat(quote, 3); strings.HasPrefix(p.text[p.at:], three) {
		quote = three
	}
	p.at += len(quote)
	var s []byte
	for {
		switch {
		case strings.HasPrefix(p.text[p.at:], quote):
			p.at += len(quote)
			return s, nil
		case p.at == len(p.text), len(quote) == 1 && p.peek() == '\n':
			return nil, errors.New("a string does not end")
		case p.peek() == '\\':
			var err error
			if s, err = p.escape(s, raw); err != nil {
				return nil, err
			}
		default:
			s = append(s, p.peek())
			p.at++
		}
	}
}

// escape reads a backslash and what belongs to it.
func (p *parser) escape(s []byte, raw bool) ([]byte, error) {
	rest := p.text[p.at:]
	if len(rest) < 2 {
		return nil, errors.New("a string does not end")
	}
	c := rest[1]
	if raw {
		p.at += 2
		return append(s, '\\', c), nil
	}
	digits := map[byte]int{'x': 2, 'u': 4, 'U': 8}[c]
	switch {
	case digits > 0:
		if len(rest) < 2+digits {
			return nil, errors.New("a string does not end")
		}
		v, err := strconv.ParseUint(rest[2:2+digits], 16, 32)
		if err != nil || v > utf8.MaxRune {
			return nil, fmt.Errorf("%.10q is no character", rest[:2+digits])
		}
		p.at += 2 + digits
		return utf8.AppendRune(s, rune(v)), nil
	case c == '\n':
		p.at += 2
		return s, nil
	}
	if at := strings.IndexByte(`\'"abfnrtv`, c); at >= 0 {
		p.at += 2
		return append(s, "\\'\"\a\b\f\n\r\t\v"[at]), nil
	}
	return nil, fmt.Errorf("a string has the escape %.2q, which is not read", rest)
}

// int returns the value of an integer as Python writes it: decimal without
// leading zeros, or with one of the prefixes 0x, 0o, 0b; underscores may part digits.
func (n number) int() (int, error) {
	digits := strings.TrimLeft(string(n), "+-")
	if !strings.ContainsAny(digits, "xXoObB") {
		if plain := strings.ReplaceAll(digits, "_", ""); plain != "" && strings.Trim(plain, "0") == "" {
			return 0, nil
		}
		if strings.HasPrefix(digits, "0") {
			return 0, fmt.Errorf("%s is no integer of Python's", n)
		}
	}
	v, err := strconv.ParseInt(strings.TrimPrefix(string(n), "+"), 0, strconv.IntSize)
	if errors.Is(err, strconv.ErrRange) {
		return 0, fmt.Errorf("%s is larger than an int", n)
	}
	if err != nil {
		return 0, fmt.Errorf("%s is no integer", n)
	}
	return int(v), nil
}
