#include "bus_error.h"

#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

namespace millrace {
namespace {

// A signal handler may use nothing that allocates or locks.
char said[4096];
size_t said_length = 0;

void OnBusError(int) {
  [[maybe_unused]] const ssize_t written = write(STDERR_FILENO, said, said_length);
  _exit(1);
}

}  // namespace

int SayAtBusError(const uint8_t* words, size_t length) {
  said_length = std::min(length, sizeof(said));
  std::memcpy(said, words, said_length);
  struct sigaction action = {};
  action.sa_handler = OnBusError;
  return sigaction(SIGBUS, &action, nullptr) == 0 ? 0 : -errno;
}

}  // namespace millrace
