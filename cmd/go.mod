module github.com/reducesum/reducesum/cmd

go 1.26.0

require (
	codeberg.org/sbinet/npyio v0.14.0
	github.com/klauspost/cpuid/v2 v2.4.2
	github.com/reducesum/reducesum v0.1.0
	github.com/schollz/progressbar/v3 v3.19.1
	github.com/x448/float16 v0.8.4
	golang.org/x/term v0.48.0
	google.golang.org/protobuf v1.36.12
)

require (
	github.com/mitchellh/colorstring v0.0.0-20190213212951-d06e56a500db // indirect
	github.com/nlpodyssey/gopickle v0.3.0 // indirect
	github.com/rivo/uniseg v0.4.7 // indirect
	golang.org/x/sys v0.50.0 // indirect
	golang.org/x/text v0.34.0 // indirect
	gonum.org/v1/gonum v0.17.0 // indirect
)

tool google.golang.org/protobuf/cmd/protoc-gen-go
