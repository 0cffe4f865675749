// Package onnxpb holds the Go types of ONNX's protobuf messages, as far as a
// ReduceSum needs them; see onnx.proto.
//
// They are generated from a schema of our own because no kept Go library
// exports them without a tensor library in tow.
package onnxpb

// Regenerating takes protoc (Debian: protobuf-compiler); its Go plugin is a
// tool of this module.
//
//go:generate sh -c "protoc --plugin=protoc-gen-go=$(go tool -n protoc-gen-go) --go_out=. --go_opt=paths=source_relative onnx.proto"
