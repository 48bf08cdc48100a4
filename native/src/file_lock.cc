#include "file_lock.h"

#include <sys/file.h>

#include <cerrno>

namespace millrace {

int LockFile(int fd) {
  while (flock(fd, LOCK_EX | LOCK_NB) != 0) {
    if (errno != EINTR) return -errno;
  }
  return 0;
}

}  // namespace millrace
