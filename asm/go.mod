module github.com/reducesum/reducesum/asm

go 1.26.0

require (
	golang.org/x/mod v0.42.0 // indirect
	golang.org/x/sync v0.24.0 // indirect
	golang.org/x/tools v0.52.0 // indirect
)

require (
	github.com/mmcloughlin/avo v0.6.0
	github.com/reducesum/reducesum v0.0.0
	golang.org/x/arch v0.31.0
)

replace github.com/reducesum/reducesum => ../
