// What happens to a script that has run for too long: TypeScript is asked again and again whether it may go on, and
// once it may not, nothing in the script can hold up its end.
#pragma once

#include <lua.hpp>

namespace millrace {

// The hook of the watchdog.
void Interrupt(lua_State* L, lua_Debug*);

// Raises the error that ends a killed script; returns when the script was not killed.
void RaiseIfKilled(lua_State* L);

}  // namespace millrace
