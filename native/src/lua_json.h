// The two halves of cjson, and the settings they share. Used by: lua_cjson.
#pragma once

#include <lua.hpp>

namespace millrace {

struct JsonConfig {
  int sparse_convert = 0;
  int sparse_ratio = 2;
  int sparse_safe = 10;
  int encode_depth_max = 1000;
  int decode_depth_max = 1000;
  int precision = 14;
  // 0 refuses NaN and infinities, 1 writes them, 2 writes null.
  int encode_invalid_numbers = 0;
  int decode_invalid_numbers = 1;
  int keep_buffer = 1;
};

// cjson.encode and cjson.decode; upvalue 1 is a userdata that holds the JsonConfig.
int EncodeJson(lua_State* L);
int DecodeJson(lua_State* L);

inline JsonConfig* JsonConfigOf(lua_State* L) {
  return static_cast<JsonConfig*>(lua_touserdata(L, lua_upvalueindex(1)));
}

}  // namespace millrace
