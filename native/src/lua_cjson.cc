#include "lua_cjson.h"

#include <cstdint>
#include <cstdio>

#include "lua_json.h"

namespace millrace {
namespace {

// Reads an optional integer argument into the setting and returns its value.
int IntegerOption(lua_State* L, int argument, int* setting, int min, int max) {
  if (!lua_isnil(L, argument)) {
    const lua_Integer value = luaL_checkinteger(L, argument);
    char text[64];
    snprintf(text, sizeof(text), "expected integer between %d and %d", min, max);
    luaL_argcheck(L, min <= value && value <= max, 1, text);
    *setting = static_cast<int>(value);
  }
  lua_pushinteger(L, *setting);
  return 1;
}

// Reads an optional boolean (or off, on, and the word, which counts as 2) into the setting and returns its value.
int ChoiceOption(lua_State* L, int argument, int* setting, const char* word) {
  if (!lua_isnil(L, argument)) {
    const char* const options[] = {"off", "on", word, nullptr};
    if (lua_isboolean(L, argument)) *setting = lua_toboolean(L, argument);
    else *setting = luaL_checkoption(L, argument, nullptr, options);
  }
  if (*setting == 2) lua_pushstring(L, word);
  else lua_pushboolean(L, *setting);
  return 1;
}

JsonConfig* Setting(lua_State* L, int arguments) {
  luaL_argcheck(L, lua_gettop(L) <= arguments, arguments + 1, "found too many arguments");
  lua_settop(L, arguments);
  return JsonConfigOf(L);
}

int SparseArray(lua_State* L) {
  JsonConfig* config = Setting(L, 3);
  ChoiceOption(L, 1, &config->sparse_convert, nullptr);
  IntegerOption(L, 2, &config->sparse_ratio, 0, INT32_MAX);
  IntegerOption(L, 3, &config->sparse_safe, 0, INT32_MAX);
  return 3;
}

int EncodeMaxDepth(lua_State* L) { return IntegerOption(L, 1, &Setting(L, 1)->encode_depth_max, 1, INT32_MAX); }
int DecodeMaxDepth(lua_State* L) { return IntegerOption(L, 1, &Setting(L, 1)->decode_depth_max, 1, INT32_MAX); }
int NumberPrecision(lua_State* L) { return IntegerOption(L, 1, &Setting(L, 1)->precision, 1, 14); }
int KeepBuffer(lua_State* L) { return ChoiceOption(L, 1, &Setting(L, 1)->keep_buffer, nullptr); }

int EncodeInvalidNumbers(lua_State* L) {
  return ChoiceOption(L, 1, &Setting(L, 1)->encode_invalid_numbers, "null");
}

int DecodeInvalidNumbers(lua_State* L) {
  return ChoiceOption(L, 1, &Setting(L, 1)->decode_invalid_numbers, nullptr);
}

int New(lua_State* L) {
  PushCjson(L);
  return 1;
}

}  // namespace

void PushCjson(lua_State* L) {
  constexpr luaL_Reg functions[] = {{"encode", EncodeJson},
                                    {"decode", DecodeJson},
                                    {"encode_sparse_array", SparseArray},
                                    {"encode_max_depth", EncodeMaxDepth},
                                    {"decode_max_depth", DecodeMaxDepth},
                                    {"encode_number_precision", NumberPrecision},
                                    {"encode_keep_buffer", KeepBuffer},
                                    {"encode_invalid_numbers", EncodeInvalidNumbers},
                                    {"decode_invalid_numbers", DecodeInvalidNumbers},
                                    {"new", New},
                                    {nullptr, nullptr}};
  lua_newtable(L);
  JsonConfig* config = static_cast<JsonConfig*>(lua_newuserdata(L, sizeof(JsonConfig)));
  *config = JsonConfig();
  for (const luaL_Reg* one = functions; one->name != nullptr; one++) {
    lua_pushvalue(L, -1);
    lua_pushcclosure(L, one->func, 1);
    lua_setfield(L, -3, one->name);
  }
  lua_pop(L, 1);
  lua_pushlightuserdata(L, nullptr);
  lua_setfield(L, -2, "null");
  lua_pushliteral(L, "cjson");
  lua_setfield(L, -2, "_NAME");
  lua_pushliteral(L, "2.1.0");
  lua_setfield(L, -2, "_VERSION");
}

}  // namespace millrace
