#include "crc32c.h"

#include <array>
#include <cstring>

#if defined(__x86_64__)
#include <nmmintrin.h>
#endif

namespace millrace {
namespace {

constexpr uint32_t kPolynomial = 0x82f63b78;
using Tables = std::array<std::array<uint32_t, 256>, 8>;

Tables MakeTables() {
  Tables tables{};
  for (uint32_t byte = 0; byte < 256; byte++) {
    uint32_t crc = byte;
    for (int bit = 0; bit < 8; bit++) crc = (crc >> 1) ^ ((crc & 1) != 0 ? kPolynomial : 0);
    tables[0][byte] = crc;
  }
  for (size_t slice = 1; slice < tables.size(); slice++) {
    for (size_t byte = 0; byte < 256; byte++) {
      const uint32_t before = tables[slice - 1][byte];
      tables[slice][byte] = (before >> 8) ^ tables[0][before & 0xff];
    }
  }
  return tables;
}

// Eight bytes a step, each through its own table (slicing by eight).
uint32_t ByTable(uint32_t crc, const uint8_t* bytes, size_t length) {
  static const Tables tables = MakeTables();
  while (length >= 8) {
    const uint32_t low = crc ^ (uint32_t{bytes[0]} | uint32_t{bytes[1]} << 8 | uint32_t{bytes[2]} << 16 |
                                uint32_t{bytes[3]} << 24);
    crc = tables[7][low & 0xff] ^ tables[6][(low >> 8) & 0xff] ^ tables[5][(low >> 16) & 0xff] ^
          tables[4][low >> 24] ^ tables[3][bytes[4]] ^ tables[2][bytes[5]] ^ tables[1][bytes[6]] ^
          tables[0][bytes[7]];
    bytes += 8;
    length -= 8;
  }
  while (length-- > 0) crc = (crc >> 8) ^ tables[0][(crc ^ *bytes++) & 0xff];
  return crc;
}

#if defined(__x86_64__)
__attribute__((target("sse4.2"))) uint32_t ByInstruction(uint32_t crc, const uint8_t* bytes, size_t length) {
  uint64_t wide = crc;
  while (length >= 8) {
    uint64_t word;
    memcpy(&word, bytes, 8);
    wide = _mm_crc32_u64(wide, word);
    bytes += 8;
    length -= 8;
  }
  crc = static_cast<uint32_t>(wide);
  while (length-- > 0) crc = _mm_crc32_u8(crc, *bytes++);
  return crc;
}
#endif

}  // namespace

uint32_t Crc32c(uint32_t crc, const uint8_t* bytes, size_t length) {
#if defined(__x86_64__)
  static const bool has_instruction = __builtin_cpu_supports("sse4.2") != 0;
  if (has_instruction) return ~ByInstruction(~crc, bytes, length);
#endif
  return ~ByTable(~crc, bytes, length);
}

}  // namespace millrace
