// The `redis` table of scripts, and the one that library code sees while its functions are declared.
#pragma once

#include <lua.hpp>

namespace millrace {

// Pushes the table of functions for running scripts.
void PushRedisApi(lua_State* L);

// Pushes a fresh environment for a library's code: while it is loaded it sees redis.register_function and redis.log
// only, afterwards (ShowGlobals) everything that scripts see.
void PushLibraryEnvironment(lua_State* L);
void ShowGlobals(lua_State* L, int environment);

// Pushes {err = 'ERR <text>'}.
void PushError(lua_State* L, const char* text);

// Message handler of every run: turns whatever was raised into a table with err, source and line.
int ErrorHandler(lua_State* L);

}  // namespace millrace
