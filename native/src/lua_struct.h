#pragma once

#include <lua.hpp>

namespace millrace {

// Pushes the table of the library `struct`.
void PushStruct(lua_State* L);

}  // namespace millrace
