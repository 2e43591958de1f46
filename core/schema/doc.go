// Package schema is a tool's JSON Schema: compiled once, then held against the
// raw bytes of inputs and outputs.
//
//	s, err := schema.Compile(text, schema.Options{Role: schema.Input})   // err is a *CompileError
//	var c schema.Checker                                                 // one goroutine at a time, reused
//	if s.Check(&c, raw) { use(c.Value) } else { answer(c.Message()) }
//
// Both dialects that tools are written in are here, 2020-12 (the default) and
// draft-07 (when $schema says so). One engine decides everything in one pass over the bytes, without
// decoding them and, on success, without allocating. Nothing is ever fetched.
//
// Check takes text that a jsonwire.Scanner has accepted. After it:
//
//	c.Value     the effective value: raw itself, or (role Input) with declared defaults filled in,
//	            undeclared members dropped, repaired
//	c.Faults    when it said no: up to 16, sorted by pointer, then keyword; c.More is how many beyond
//	c.Repaired  JSON Pointers of what was repaired
//
// What each rule is for stands in DESIGN 5.8 (strict), 5.15 (text), 5.16 (repair) and 5a.
package schema
