// One conversation with another server, done before the call returns: connect, send, read as many reply lines as are
// owed. For MIGRATE, which is atomic because nothing else happens meanwhile.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

namespace millrace {

enum class ExchangeStage { kConnecting = 1, kWriting = 2, kReading = 3, kDone = 4 };

// Sends `request` and reads until `lines` lines have come, each step within `timeout_ms`. Appends what came to `reply`
// and returns where it ended: kDone, or the step that failed or took too long.
ExchangeStage Exchange(const std::string& host, int port, int timeout_ms, const uint8_t* request, size_t length,
                       size_t lines, std::string* reply);

}  // namespace millrace
