#pragma once

#include <lua.hpp>

namespace millrace {

// Pushes the table of the library `cmsgpack`.
void PushCmsgpack(lua_State* L);

}  // namespace millrace
