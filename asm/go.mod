module github.com/reducesum/reducesum/asm

go 1.26.0
