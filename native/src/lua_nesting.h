// Functions of scripts that call Lua again from C: pcall, gsub with a function, coroutines and the like. LuaJIT lets
// them nest until the C stack ends, and the process with it. Here they nest as deep as in Lua 5.1, and never deeper
// than the stack that JavaScript leaves free: a script must be able to call commands, and be killed, wherever it is.
#pragma once

#include <lua.hpp>

namespace millrace {

// A run begins in the calling C function.
void BeginNesting(lua_State* L);

// One call deeper, or an error. What catches an error restores the depth, so nobody needs to leave when one is raised.
void Enter(lua_State* L);
void Leave(lua_State* L);

// pcall and xpcall. They do not catch the end of a killed script.
int ProtectedCallOfScript(lua_State* L);
int HandledCallOfScript(lua_State* L);

int CreateCoroutine(lua_State* L);
int ResumeCoroutine(lua_State* L);
int WrapCoroutine(lua_State* L);

// What gsub (r) or sort (f, t) may call instead of what it was given.
int Bound(lua_State* L);

// Upvalue: the function to call one deeper.
int CallDeeper(lua_State* L);

}  // namespace millrace
