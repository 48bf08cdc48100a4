#include "bus_error.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>

namespace millrace {
namespace {

// LMDB's roots: what it does with zeros there nobody checks.
constexpr uintptr_t kPagesNeverReplaced = 2;
constexpr size_t kReplacedMax = 256;

// A signal handler may use nothing that allocates or locks.
char said[4096];
size_t said_length = 0;

uintptr_t page_bytes = 4096;
std::atomic<uintptr_t> map_from{0};
std::atomic<uintptr_t> map_to{0};
std::atomic<int> map_fd{-1};
std::atomic<long> mortal_thread{0};
std::atomic<int64_t> faults{0};
// Addresses of pages of zeros; 0 is a free place.
std::atomic<uintptr_t> replaced[kReplacedMax];

bool Replace(uintptr_t address) {
  const uintptr_t from = map_from.load();
  if (from == 0 || address < from + kPagesNeverReplaced * page_bytes || address >= map_to.load()) return false;
  if (syscall(SYS_gettid) == mortal_thread.load()) return false;
  const uintptr_t page = address & ~(page_bytes - 1);
  faults.fetch_add(1);
  void* const zeros = mmap(reinterpret_cast<void*>(page), page_bytes, PROT_READ,
                           MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);
  if (zeros == MAP_FAILED) return false;
  for (auto& place : replaced) {
    uintptr_t free_place = 0;
    if (place.compare_exchange_strong(free_place, page)) return true;
  }
  return false;
}

void OnBusError(int, siginfo_t* info, void*) {
  const int error = errno;
  if (info->si_code > 0 && Replace(reinterpret_cast<uintptr_t>(info->si_addr))) {
    errno = error;
    return;
  }
  [[maybe_unused]] const ssize_t written = write(STDERR_FILENO, said, said_length);
  _exit(1);
}

struct Range {
  uintptr_t from = 0;
  uintptr_t to = 0;
};

// Where the process has mapped that file from its beginning.
Range MappingOf(const char* path) {
  Range range;
  const std::unique_ptr<char, decltype(&std::free)> real(realpath(path, nullptr), &std::free);
  const std::unique_ptr<FILE, decltype(&std::fclose)> maps(std::fopen("/proc/self/maps", "re"), &std::fclose);
  if (real == nullptr || maps == nullptr) return range;
  char* line = nullptr;
  size_t room = 0;
  while (range.from == 0 && getline(&line, &room, maps.get()) > 0) {
    line[std::strcspn(line, "\n")] = '\0';
    unsigned long from = 0;
    unsigned long to = 0;
    unsigned long offset = 0;
    int name_at = 0;
    if (std::sscanf(line, "%lx-%lx %*s %lx %*s %*s %n", &from, &to, &offset, &name_at) < 3 || name_at == 0) continue;
    if (offset == 0 && std::strcmp(line + name_at, real.get()) == 0) range = {from, to};
  }
  std::free(line);
  return range;
}

}  // namespace

int SayAtBusError(const uint8_t* words, size_t length) {
  said_length = std::min(length, sizeof(said));
  std::memcpy(said, words, said_length);
  struct sigaction action = {};
  action.sa_sigaction = OnBusError;
  action.sa_flags = SA_SIGINFO;
  return sigaction(SIGBUS, &action, nullptr) == 0 ? 0 : -errno;
}

int GuardMapped(const char* path) {
  UnguardMapped();
  page_bytes = static_cast<uintptr_t>(sysconf(_SC_PAGESIZE));
  const Range range = MappingOf(path);
  if (range.from == 0) return -ENOENT;
  const int fd = open(path, O_RDONLY | O_CLOEXEC);
  if (fd < 0) return -errno;
  map_fd.store(fd);
  map_to.store(range.to);
  map_from.store(range.from);
  return 0;
}

void UnguardMapped() {
  RestorePages();
  map_from.store(0);
  const int fd = map_fd.exchange(-1);
  if (fd >= 0) close(fd);
}

int64_t ReadFaults() { return faults.load(); }

int64_t RestorePages() {
  int64_t count = 0;
  for (auto& place : replaced) {
    const uintptr_t page = place.exchange(0);
    if (page == 0) continue;
    count++;
    mmap(reinterpret_cast<void*>(page), page_bytes, PROT_READ, MAP_SHARED | MAP_FIXED, map_fd.load(),
         static_cast<off_t>(page - map_from.load()));
  }
  return count;
}

void MakeThreadMortal() { mortal_thread.store(syscall(SYS_gettid)); }

}  // namespace millrace
