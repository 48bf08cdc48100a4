#pragma once

#include <lua.hpp>

namespace millrace {

// Pushes the table of the library `cjson`.
void PushCjson(lua_State* L);

}  // namespace millrace
