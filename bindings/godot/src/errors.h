// errors.h: script errors, as the engine tells them. A method that is declared to return a Dictionary, or nothing, does so when it meets a script
// error too, with an empty one, and nothing tells that from a good end but the error itself. Engines before 4.5 have no way to hear of it.
#pragma once

#include "bind.h"

namespace errors {

void listen();
void unlisten();
// How many there were on this thread.
uint64_t count();
// Was there one in a function of this name, later than `since` on this thread, and in this frame?
bool met(const std::string &function, uint64_t since);

} // namespace errors
