// Between RESP and Lua values, both ways, as Redis converts them.
#pragma once

#include <cstddef>
#include <cstdint>

#include "lua_host.h"

namespace millrace {

// Pushes the Lua value of one reply. False when the bytes are not one complete reply (a defect).
bool PushReply(lua_State* L, const uint8_t* reply, size_t length);

// Writes the value on the top to the wire, in the protocol of the client that waits; pops it.
void WireResult(lua_State* L, LuaHost* host);

// A view of the arguments of a command, itself a RESP array.
class ArgumentReader {
 public:
  ArgumentReader(const uint8_t* bytes, size_t length) : at_(bytes), end_(bytes + length) {}
  // Reads '*<count>'; negative when it is not there.
  int64_t Count() { return Header('*'); }
  bool Next(const char** bytes, size_t* length);

 private:
  int64_t Header(char type);
  const uint8_t* at_;
  const uint8_t* end_;
};

}  // namespace millrace
