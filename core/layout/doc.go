// Package layout turns a struct into JSON: its fields are described once, compiled to a program, and appended as often as a game likes, without
// allocation or reflection.
//
// # The types
//
//	type                 in the struct                   in the JSON
//	f32 f64              float, double                   a number: the shortest text that reads back the same, or rounded to decimals
//	i8 u8 i16 u16 i32    an integer                      an integer
//	u32 i64 u64
//	  with STRING        i64, u64                        a string of digits, for agents whose numbers are doubles (beyond 2^53 those are off)
//	bool8 bool32         C's bool; Win32's and C#'s      true unless 0
//	chars                char[count]                     a string, up to the NUL, or as long as the count field says
//	text                 an aicc_str                     a string of up to count bytes, gathered when the event is emitted
//	enum8 enum16 enum32  an unsigned integer i           the string names[i]
//	struct               another layout's struct         its object
//
// A count of n makes an array of n, packed or with a stride; a count_type and count_offset say where the struct has how many of them are used. Dots in
// names make objects: "position.x" and "position.y" are {"position":{"x":...,"y":...}}; they need not stand together. With OMIT_EMPTY a member whose value is 0,
// false, "" or [] is left out, a float when it is written as 0, an enum when it is 0. With KEY, which one integer, enum or text may have, the newest
// event of each value of that field is kept, where else the newest of all would be.
//
// # What to choose
//
// Positions, angles and speeds: f32 with 2 or 3 decimals. It says what an agent can use, and full floats have nine digits each. States: an enum with names, not a number; a model
// reads words. A name that is not given (length 0) is a value that is not used. Ids beyond 2^53: u64 with STRING. Names that never change: chars, which costs a copy of count bytes
// and no more; text when it is long, or seldom there: each costs a copy at emit. Lists: an array of structs with a count field.
// Something of its own for each character, but many of a sort: one event with a key, not many events.
//
// # What goes wrong
//
// When it is defined, a layout is refused with a Fault that names the field: no or a double name, a name that is both a value and an object ("a" and "a.b"), an unknown
// type, a field past the end or on another, a count field past the end, misaligned, or too small for the count, a key on a float, bool, struct or array, decimals outside 0 to 9, an enum without
// names, and what is too much: the constants here say how much is. An element is a layout that exists already, so none can contain itself.
//
// When it is written nothing fails: NaN, infinities and an enum's unknown values are null, bytes that are no UTF-8 are U+FFFD each, counts outside 0 to count and longer texts
// are held to count. Counts says how often. The schema does not allow these nulls: they are mistakes of the game, and a bridge that checks outputs says so.
//
// # Gathered structs
//
// What crosses from the engine's thread is the struct as it lies in memory, which must be little-endian, with its texts behind it. In C, of a struct of size bytes:
//
//	copy the struct
//	for each field of text, in the order of the program's ops, those of each used element of arrays of structs included:
//	  n = the text's length; above count, n = count less what is cut of a UTF-8 sequence there, and cut = 1<<31; a NULL pointer: n = 0
//	  in the copy, where the aicc_str is: offset (uint32, from the copy's start) of where the text will stand, 0 when n is 0; n | cut (uint32); zeros
//	  append the text's n bytes, nothing between them
//	the aicc_str of elements that are not used: zeros
//
// So no pointer crosses, and the data has at most MaxData bytes. A pair whose text is longer than count or not inside the data is an empty text, counted.
//
// # The split
//
// Layouts are checked and compiled here, once each, and their schemas made here. Events and results that are given as structs cross gathered and become JSON
// here, off the engine's thread. What an engine's thread itself does with a layout (gathering, aicc_write_struct, aicc_value_struct) it does in C, by the layout's
// program: Program says its form. Read is the model for the C that fills a struct, Append for the C that writes one.
package layout
