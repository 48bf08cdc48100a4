// CRC-32C (Castagnoli), as used by iSCSI and ext4: reflected polynomial 0x82f63b78, initial value and final xor all
// ones. Uses SSE4.2 where the processor has it, tables elsewhere.
#pragma once

#include <cstddef>
#include <cstdint>

namespace millrace {

// Continues from `crc`, the result for the bytes before; 0 to begin.
uint32_t Crc32c(uint32_t crc, const uint8_t* bytes, size_t length);

}  // namespace millrace
