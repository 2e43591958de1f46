// no_throw.cpp: where the standard library would throw, this extension ends the process: it is compiled without exceptions, and nothing in it asks for
// what these are about. Defined here they keep the library's own out of the binary, and with them a newer glibc than libaicc itself needs.
#if defined(__linux__)
#include <cstdlib>

namespace std {
[[noreturn]] void __throw_length_error(const char *) { abort(); }
[[noreturn]] void __throw_logic_error(const char *) { abort(); }
[[noreturn]] void __throw_out_of_range(const char *) { abort(); }
[[noreturn]] void __throw_out_of_range_fmt(const char *, ...) { abort(); }
[[noreturn]] void __throw_bad_function_call() { abort(); }
[[noreturn]] void __throw_system_error(int) { abort(); }
[[noreturn]] void __throw_bad_alloc() { abort(); }
[[noreturn]] void __throw_bad_array_new_length() { abort(); }
} // namespace std
#endif
