#include "lua_cjson.h"
namespace millrace {
void PushCjson(lua_State* L) { lua_newtable(L); }
}
