// In which order the members of a table are written out: cjson's objects, cmsgpack's and RESP's maps. LuaJIT's own
// order changes with each start of a server; this one does not, and it is the order of Lua 5.1 where that does not
// depend on how the table came about: numbers of the array part, then places in a hash table of the smallest size.
#pragma once

#include <cstddef>

#include <lua.hpp>

namespace millrace {

// The keys of one table, at most one of these at work per table.
class MemberOrder {
 public:
  // For the table on the top. Pushes one value, which must stay where it is while members are read. May raise.
  explicit MemberOrder(lua_State* L);
  size_t Count() const { return count_; }
  // Pushes the key of member `i` and its value.
  void Push(lua_State* L, size_t i) const;

 private:
  struct Key;
  void Collect(lua_State* L);
  void Arrange();
  static bool Before(const Key& a, const Key& b);

  int table_;
  size_t count_ = 0;
  Key* keys_ = nullptr;
  // Positions in keys_, in the order found.
  size_t* order_ = nullptr;
};

}  // namespace millrace
