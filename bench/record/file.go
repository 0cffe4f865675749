package record

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
)

// An envelope is a line of a file: a run, or one of its lines.
type envelope struct {
	Run  *Run  `json:"run,omitempty"`
	Line *Line `json:"line,omitempty"`
}

// A Report is a run with its lines.
type Report struct {
	Run   Run
	Lines []Line
}

// WriteRun writes a run as a line of JSON.
func WriteRun(w io.Writer, r Run) error { return json.NewEncoder(w).Encode(envelope{Run: &r}) }

// WriteLine writes a line as a line of JSON.
func WriteLine(w io.Writer, l Line) error { return json.NewEncoder(w).Encode(envelope{Line: &l}) }

// Write writes a report, a line of JSON for each of its parts.
func (r *Report) Write(w io.Writer) error {
	if err := WriteRun(w, r.Run); err != nil {
		return err
	}
	for _, l := range r.Lines {
		if err := WriteLine(w, l); err != nil {
			return err
		}
	}
	return nil
}

// Read reads what Write has written.
func Read(r io.Reader) (*Report, error) {
	var report *Report
	for d := json.NewDecoder(r); ; {
		var e envelope
		err := d.Decode(&e)
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return nil, err
		}
		switch {
		case e.Run != nil && report == nil:
			report = &Report{Run: *e.Run}
		case e.Line != nil && report != nil:
			report.Lines = append(report.Lines, *e.Line)
		default:
			return nil, errors.New("not a report: it has to begin with a run, and go on with lines")
		}
	}
	if report == nil {
		return nil, errors.New("not a report: it is empty")
	}
	return report, nil
}

// ReadFile reads the report in a file.
func ReadFile(name string) (*Report, error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	report, err := Read(f)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return report, nil
}
