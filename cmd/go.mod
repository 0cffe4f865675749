module github.com/reducesum/reducesum/cmd

go 1.26.0
