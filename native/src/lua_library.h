// Functions of Lua's libraries that LuaJIT has otherwise than Lua 5.1, or than Redis.
#pragma once

#include <lua.hpp>

namespace millrace {

// string.format
int Format(lua_State* L);

// math.random and math.randomseed: the generator of Redis, so that a seed gives the same numbers.
int Random(lua_State* L);
int RandomSeed(lua_State* L);
// Begins the sequence somewhere.
void SeedRandom(lua_State* L);

// bit.tohex; upvalue: bit.tobit.
int ToHex(lua_State* L);

}  // namespace millrace
