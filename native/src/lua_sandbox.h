// What scripts see: the functions of Redis' Lua 5.1 and nothing else, behind tables that cannot be changed.
//
// LuaJIT has no read-only tables, so shared tables are seen through proxies: empty tables whose metatable reads from
// the real one and refuses writes. The functions that would get around that (rawset, next, table.insert, …) are ours.
#pragma once

#include <lua.hpp>

namespace millrace {

// Fills a fresh state. Raises Lua errors.
void OpenSandbox(lua_State* L);

// Replaces the table on the top by a proxy of it.
void Protect(lua_State* L);

// Compiles text as Lua 5.1 would read it; the function (or the message) is on the top. Returns 0 or a Lua error code.
int CompileText(lua_State* L, const char* source, size_t length, const char* chunk_name);

}  // namespace millrace
