#include "lua_source.h"

#include <cstring>
#include <new>

namespace millrace {
namespace {

constexpr int kBlocksMax = 250;

enum class Word { kOther, kOpen, kFunction, kEnd, kUntil, kElse, kElseIf, kReturn };

// A return statement that has not ended.
struct Return {
  bool open = false;
  bool comma = false;
  // How far the expression began as one that gives one value: 1 `redis`, 2 `redis .`, 3 `redis . call`, 4 with the
  // bracket open, 5 closed.
  int known = 0;
  // Tokens seen, and whether the first call's bracket closed with the last of them.
  int tokens = 0;
  bool closed = false;
  bool last_closes = false;
  int brackets = 0;
  // Where the blank behind the word lies in the output.
  size_t blank = 0;
};

struct Block {
  bool function = false;
  int brackets = 0;
  Return statement;
};

bool IsNameStart(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || (c & 0x80) != 0; }
bool IsDigit(char c) { return c >= '0' && c <= '9'; }
bool IsBlank(char c) { return c == ' ' || (c >= '\t' && c <= '\r'); }

class Mender {
 public:
  Mender(const char* source, size_t length, char* out) : source_(source), length_(length), out_(out) {}

  bool changed() const { return changed_; }

  size_t Run() {
    while (at_ < length_) Step();
    if (depth_ >= 0) Close(used_);
    return used_;
  }

 private:
  const char* source_;
  size_t length_;
  char* out_;
  size_t at_ = 0;
  size_t used_ = 0;
  // Where the last token ended in the output.
  size_t token_end_ = 0;
  bool changed_ = false;
  Block blocks_[kBlocksMax];
  // Index of the innermost block; -1 once the nesting was too deep or made no sense: returns are left alone then.
  int depth_ = 0;

  char Peek(size_t ahead) const { return at_ + ahead < length_ ? source_[at_ + ahead] : '\0'; }
  void Copy(size_t count) {
    memcpy(out_ + used_, source_ + at_, count);
    used_ += count;
    at_ += count;
  }

  void Step() {
    const char c = source_[at_];
    if (IsBlank(c)) return Copy(1);
    if (c == '-' && Peek(1) == '-') return Comment();
    if (IsNameStart(c)) return Name();
    if (IsDigit(c)) return Number();
    if (c == '"' || c == '\'') {
      String(c);
      return Token(0, nullptr, 0);
    }
    const size_t level = c == '[' ? LongBracket(at_) : 0;
    if (level > 0) {
      Copy(LongEnd(level) - at_);
      return Token(0, nullptr, 0);
    }
    if (c == ';' && depth_ >= 0 && blocks_[depth_].statement.open && blocks_[depth_].brackets == 0) Close(used_);
    Copy(1);
    Token(c, nullptr, 0);
  }

  // 0 when there is no long bracket at `at`, else its level plus one.
  size_t LongBracket(size_t at) const {
    size_t end = at + 1;
    while (end < length_ && source_[end] == '=') end++;
    return end < length_ && source_[end] == '[' ? end - at : 0;
  }

  size_t LongEnd(size_t level) const {
    for (size_t i = at_ + level + 1; i < length_; i++) {
      if (source_[i] != ']' || i + level >= length_ || source_[i + level] != ']') continue;
      size_t equals = 1;
      while (equals < level && source_[i + equals] == '=') equals++;
      if (equals == level) return i + level + 1;
    }
    return length_;
  }

  void Comment() {
    if (Peek(2) == '[') {
      const size_t level = LongBracket(at_ + 2);
      if (level > 0) {
        Copy(2);
        return Copy(LongEnd(level) - at_);
      }
    }
    size_t end = at_;
    while (end < length_ && source_[end] != '\n') end++;
    Copy(end - at_);
  }

  void Number() {
    size_t end = at_;
    while (end < length_ && (IsNameStart(source_[end]) || IsDigit(source_[end]) || source_[end] == '.')) end++;
    const char last = source_[end - 1];
    Copy(end - at_);
    // LuaJIT's 64-bit and imaginary numbers would bring its foreign function library in. With a letter more they are
    // malformed, as they are in Lua 5.1.
    if (last == 'l' || last == 'L' || last == 'i' || last == 'I') {
      out_[used_++] = 'x';
      changed_ = true;
    }
    Token(0, nullptr, 0);
  }

  void String(char quote) {
    Copy(1);
    while (at_ < length_ && source_[at_] != '\n') {
      const char c = source_[at_];
      if (c == '\\' && at_ + 1 < length_) {
        const char next = source_[at_ + 1];
        if (IsDigit(next) || strchr("abfnrtv\\\"'\n\r", next) != nullptr) {
          Copy(2);
          continue;
        }
        at_++;
        changed_ = true;
        Copy(1);
        continue;
      }
      Copy(1);
      if (c == quote) return;
    }
  }

  static Word WordOf(const char* name, size_t length) {
    static const struct {
      const char* name;
      Word word;
    } words[] = {
        {"do", Word::kOpen},     {"then", Word::kOpen},   {"repeat", Word::kOpen},
        {"end", Word::kEnd},     {"until", Word::kUntil}, {"function", Word::kFunction},
        {"else", Word::kElse},   {"elseif", Word::kElseIf}, {"return", Word::kReturn},
    };
    for (const auto& word : words) {
      if (strlen(word.name) == length && memcmp(word.name, name, length) == 0) return word.word;
    }
    return Word::kOther;
  }

  void Name() {
    size_t end = at_;
    while (end < length_ && (IsNameStart(source_[end]) || IsDigit(source_[end]))) end++;
    const char* name = source_ + at_;
    const size_t length = end - at_;
    const Word word = WordOf(name, length);
    if (depth_ >= 0 && (word == Word::kEnd || word == Word::kUntil || word == Word::kElse || word == Word::kElseIf)) {
      Close(used_);
    }
    Copy(length);
    if (depth_ < 0) return;
    switch (word) {
      case Word::kOpen:
        return Enter(false);
      case Word::kFunction:
        Token(0, nullptr, 0);
        return Enter(true);
      case Word::kEnd:
      case Word::kUntil:
      case Word::kElseIf:
        return Leave();
      case Word::kElse:
        token_end_ = used_;
        return;
      case Word::kReturn:
        return BeginReturn();
      default:
        return Token(0, name, length);
    }
  }

  void Enter(bool function) {
    token_end_ = used_;
    if (++depth_ >= kBlocksMax) {
      depth_ = -1;
      return;
    }
    blocks_[depth_] = Block();
    blocks_[depth_].function = function;
  }

  void Leave() {
    // Zero becomes -1: more ends than beginnings, which the compiler will say better.
    depth_--;
    if (depth_ >= 0) Token(0, nullptr, 0);
  }

  void BeginReturn() {
    token_end_ = used_;
    Return& statement = blocks_[depth_].statement;
    statement = Return();
    // A blank behind the word becomes the bracket; where there is none, nothing is mended.
    if (at_ < length_ && (source_[at_] == ' ' || source_[at_] == '\t')) {
      statement.open = true;
      statement.blank = used_;
    }
  }

  // A token of the innermost block was copied: `c` for punctuation, a name, or neither.
  void Token(char c, const char* name, size_t length) {
    token_end_ = used_;
    if (depth_ < 0) return;
    Block& block = blocks_[depth_];
    Return& statement = block.statement;
    if (!statement.open) return;
    statement.tokens++;
    statement.last_closes = false;
    const bool opens = c == '(' || c == '[' || c == '{';
    if (opens) {
      if (statement.brackets == 0 && c == '(' && statement.known >= 3) statement.known = 4;
      statement.brackets++;
      return;
    }
    if (c == ')' || c == ']' || c == '}') {
      statement.brackets--;
      if (statement.brackets == 0 && c != ']') {
        statement.last_closes = true;
        statement.closed = statement.known == 4;
        if (statement.closed) statement.known = 5;
      }
      return;
    }
    if (statement.brackets > 0) return;
    if (c == ',') statement.comma = true;
    if (c == 0 && name == nullptr) statement.last_closes = statement.tokens > 1;
    Recognise(statement, c, name, length);
  }

  // `words` with blanks between them.
  static bool IsOneOf(const char* name, size_t length, const char* words) {
    if (name == nullptr) return false;
    for (const char* word = words; *word != '\0'; word += *word == ' ') {
      const size_t size = strcspn(word, " ");
      if (size == length && memcmp(name, word, length) == 0) return true;
      word += size;
    }
    return false;
  }

  static void Recognise(Return& statement, char c, const char* name, size_t length) {
    if (statement.known == 5) {
      statement.closed = false;
      return;
    }
    if (statement.tokens == 1) {
      if (IsOneOf(name, length, "redis cjson math bit string struct cmsgpack table")) statement.known = 1;
      else if (IsOneOf(name, length, "error tonumber tostring type rawget setmetatable")) statement.known = 3;
    } else if (statement.tokens == 2 && statement.known == 1 && c == '.') {
      statement.known = 2;
    } else if (statement.tokens == 3 && statement.known == 2 && name != nullptr) {
      // Those that may give another number of values than one.
      const bool several = IsOneOf(name, length, "modf frexp find match gmatch gfind gsub byte unpack unpack_one "
                                                 "unpack_limit remove insert foreach foreachi sort log setresp");
      statement.known = several ? 0 : 3;
    } else {
      statement.known = 0;
    }
  }

  bool InMainChunk() const {
    for (int i = 0; i <= depth_; i++) if (blocks_[i].function) return false;
    return true;
  }

  // The return statement of the innermost block ends; its closer is about to be copied at `at`.
  void Close(size_t at) {
    Return& statement = blocks_[depth_].statement;
    if (!statement.open) return;
    statement.open = false;
    if (statement.comma || statement.brackets != 0 || !statement.last_closes) return;
    // Of the main chunk's results only the first counts, so any call may be put into brackets there.
    if (!statement.closed && !InMainChunk()) return;
    memmove(out_ + token_end_ + 1, out_ + token_end_, at - token_end_);
    out_[token_end_] = ')';
    out_[statement.blank] = '(';
    used_++;
    changed_ = true;
  }
};

}  // namespace

const char* MendSource(lua_State* L, const char* source, size_t length, size_t* mended_length) {
  // Each `return` takes seven characters and can gain one; so can a number of two.
  char* out = static_cast<char*>(lua_newuserdata(L, length + length / 2 + 16 + sizeof(Mender)));
  char* text = out + sizeof(Mender);
  Mender* mender = new (out) Mender(source, length, text);
  *mended_length = mender->Run();
  if (mender->changed()) return text;
  lua_pop(L, 1);
  *mended_length = length;
  return source;
}

}  // namespace millrace
