// Text of a script as LuaJIT must see it to behave as Lua 5.1 does.
#pragma once

#include <cstddef>

#include <lua.hpp>

namespace millrace {

// Three differences are mended, on the same lines, so that line numbers stay:
// - In Lua 5.1 an unknown escape in a string ("\x", "\q") is the character itself; LuaJIT has \x, \u and \z or refuses.
// - LuaJIT's tail calls of C functions leave no trace of the caller, and an error in `return redis.call(…)` would not
//   know its line. Where one value is all that is wanted, the call is put into parentheses, which makes it ordinary.
// - LuaJIT has literals (1LL, 2i) of types that scripts must not have; they are made malformed.
// Returns `source` when there is nothing to mend; else the new text, kept alive by a userdata pushed on the stack.
const char* MendSource(lua_State* L, const char* source, size_t length, size_t* mended_length);

}  // namespace millrace
