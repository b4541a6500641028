/*
 * Loaded into a program with LD_PRELOAD: writes down every change it makes to files, and every fsync,
 * in one file that all processes append to. From that list disk.ts works out what a disk
 * would hold after a loss of power. It decides nothing itself, and every call still happens.
 *
 * A change is written down after it happened, an fsync before it happens: so a change counts as
 * synced only if it was complete when the fsync began, whichever processes made the two.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <limits.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

enum { LINK = 1, UNLINK, RENAME, WRITE, TRUNCATE, ALLOCATE, SYNC, UNKNOWN };

/* The shape of a record, as journal.ts reads it; `length` bytes follow. */
struct record {
  uint32_t op, length;
  uint64_t inode, parent, other, at, size;
};

static dev_t device;
static int journal = -1;
static struct stat journal_is;

__attribute__((constructor)) static void begin(void) {
  struct stat root;
  const char *folder = getenv("UNSYNCED_FOLDER");
  if (folder != NULL && stat(folder, &root) == 0) device = root.st_dev;
}

/* The program may close descriptors it does not know: the number is checked before each use. */
static int journal_fd(void) {
  struct stat now;
  if (journal >= 0 && fstat(journal, &now) == 0 && now.st_ino == journal_is.st_ino &&
      now.st_dev == journal_is.st_dev)
    return journal;
  const char *file = getenv("UNSYNCED_JOURNAL");
  if (device == 0 || file == NULL) return -1;
  int low = syscall(SYS_openat, AT_FDCWD, file, O_WRONLY | O_APPEND | O_CLOEXEC, 0);
  if (low < 0) abort();
  journal = fcntl(low, F_DUPFD_CLOEXEC, 900);
  if (journal < 0) journal = low;
  else syscall(SYS_close, low);
  fstat(journal, &journal_is);
  return journal;
}

static void note(struct record record, const struct iovec *parts, int count) {
  int saved = errno;
  int fd = journal_fd();
  if (fd >= 0) {
    struct iovec all[count + 1];
    size_t left = record.length, total = sizeof record + record.length;
    all[0] = (struct iovec){&record, sizeof record};
    for (int i = 0; i < count; i++) {
      size_t part = parts[i].iov_len < left ? parts[i].iov_len : left;
      all[i + 1] = (struct iovec){parts[i].iov_base, part};
      left -= part;
    }
    /* One call, so that records of several processes do not mix. */
    if (syscall(SYS_writev, fd, all, count + 1) != (ssize_t)total) abort();
  }
  errno = saved;
}

static void note_text(struct record record, const char *text) {
  struct iovec part = {(void *)text, strlen(text)};
  record.length = part.iov_len;
  note(record, &part, 1);
}

/* The inode of an open regular file on the watched disk, else 0. */
static uint64_t file_of(int fd) {
  struct stat now;
  if (device == 0 || fstat(fd, &now) != 0) return 0;
  return now.st_dev == device && S_ISREG(now.st_mode) ? now.st_ino : 0;
}

static uint64_t inode_at(int folder, const char *path, mode_t *mode) {
  struct stat now;
  if (device == 0 || fstatat(folder, path, &now, AT_SYMLINK_NOFOLLOW) != 0) return 0;
  if (mode != NULL) *mode = now.st_mode;
  return now.st_dev == device ? now.st_ino : 0;
}

/* Which folder a path leads into, and the name there. */
static uint64_t parent_of(int folder, const char *path, char name[NAME_MAX + 1]) {
  char one[PATH_MAX], two[PATH_MAX];
  struct stat now;
  if (device == 0 || strlen(path) >= PATH_MAX) return 0;
  strcpy(one, path);
  strcpy(two, path);
  snprintf(name, NAME_MAX + 1, "%s", basename(one));
  if (fstatat(folder, dirname(two), &now, 0) != 0 || now.st_dev != device) return 0;
  return now.st_ino;
}

static void unknown(uint64_t inode, const char *what) {
  note_text((struct record){.op = UNKNOWN, .inode = inode}, what);
}

static void note_link(int folder, const char *path) {
  int saved = errno;
  char name[NAME_MAX + 1];
  mode_t mode = 0;
  uint64_t inode = inode_at(folder, path, &mode), parent = parent_of(folder, path, name);
  if (inode != 0 && parent != 0 && !S_ISSOCK(mode))
    note_text((struct record){.op = LINK, .inode = inode, .parent = parent,
                              .size = S_ISDIR(mode) ? 1 : S_ISLNK(mode) ? 2 : 0}, name);
  errno = saved;
}

static void note_parts(int fd, const struct iovec *parts, int count, off_t at, ssize_t done) {
  int saved = errno;
  uint64_t inode = done > 0 ? file_of(fd) : 0;
  if (inode != 0) {
    if (at < 0) at = lseek(fd, 0, SEEK_CUR) - done;
    note((struct record){.op = WRITE, .inode = inode, .at = at, .length = done}, parts, count);
  }
  errno = saved;
}

/* What was written past our eyes is read back. */
static void note_written(int fd, off_t at, size_t size) {
  int saved = errno;
  uint64_t inode = file_of(fd);
  char *bytes = inode != 0 && size > 0 ? malloc(size) : NULL;
  char path[64];
  snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
  int again = bytes != NULL ? syscall(SYS_openat, AT_FDCWD, path, O_RDONLY | O_CLOEXEC, 0) : -1;
  if (again >= 0) {
    ssize_t got = pread(again, bytes, size, at);
    struct iovec part = {bytes, got > 0 ? got : 0};
    if (got > 0)
      note((struct record){.op = WRITE, .inode = inode, .at = at, .length = got}, &part, 1);
    syscall(SYS_close, again);
  } else if (bytes != NULL) unknown(inode, "a file that cannot be read back");
  free(bytes);
  errno = saved;
}

#define REAL(name) ({ \
    static __typeof__(&name) real; \
    if (real == NULL) real = (__typeof__(&name))dlsym(RTLD_NEXT, #name); \
    real; })

/* open */

static int opened(int fd, int folder, const char *path, int flags) {
  if (fd < 0 || (flags & O_ACCMODE) == O_RDONLY) return fd;
  int saved = errno;
  uint64_t inode = file_of(fd);
  if (inode != 0 && flags & O_CREAT) note_link(folder, path);
  if (inode != 0 && flags & O_TRUNC) note((struct record){.op = TRUNCATE, .inode = inode}, NULL, 0);
  if (inode != 0 && flags & (O_DSYNC | O_SYNC)) unknown(inode, "O_DSYNC");
  if (inode != 0 && (flags & O_TMPFILE) == O_TMPFILE) unknown(inode, "O_TMPFILE");
  errno = saved;
  return fd;
}

#define MODE(flags) ({ \
    mode_t mode = 0; \
    if ((flags) & (O_CREAT | __O_TMPFILE)) { \
      va_list rest; \
      va_start(rest, flags); \
      mode = va_arg(rest, mode_t); \
      va_end(rest); \
    } \
    mode; })

int open(const char *path, int flags, ...) {
  return opened(REAL(open)(path, flags, MODE(flags)), AT_FDCWD, path, flags);
}
int open64(const char *path, int flags, ...) {
  return opened(REAL(open64)(path, flags, MODE(flags)), AT_FDCWD, path, flags);
}
int openat(int folder, const char *path, int flags, ...) {
  return opened(REAL(openat)(folder, path, flags, MODE(flags)), folder, path, flags);
}
int openat64(int folder, const char *path, int flags, ...) {
  return opened(REAL(openat64)(folder, path, flags, MODE(flags)), folder, path, flags);
}
int __open_2(const char *path, int flags) { return open(path, flags); }
int __open64_2(const char *path, int flags) { return open64(path, flags); }
int creat(const char *path, mode_t mode) { return open(path, O_CREAT | O_WRONLY | O_TRUNC, mode); }
int creat64(const char *path, mode_t mode) { return creat(path, mode); }

/* write */

ssize_t write(int fd, const void *bytes, size_t size) {
  ssize_t done = REAL(write)(fd, bytes, size);
  struct iovec part = {(void *)bytes, size};
  note_parts(fd, &part, 1, -1, done);
  return done;
}
ssize_t pwrite(int fd, const void *bytes, size_t size, off_t at) {
  ssize_t done = REAL(pwrite)(fd, bytes, size, at);
  struct iovec part = {(void *)bytes, size};
  note_parts(fd, &part, 1, at, done);
  return done;
}
ssize_t pwrite64(int fd, const void *bytes, size_t size, off_t at) {
  return pwrite(fd, bytes, size, at);
}
ssize_t writev(int fd, const struct iovec *parts, int count) {
  ssize_t done = REAL(writev)(fd, parts, count);
  note_parts(fd, parts, count, -1, done);
  return done;
}
ssize_t pwritev(int fd, const struct iovec *parts, int count, off_t at) {
  ssize_t done = REAL(pwritev)(fd, parts, count, at);
  note_parts(fd, parts, count, at, done);
  return done;
}
ssize_t pwritev64(int fd, const struct iovec *parts, int count, off_t at) {
  return pwritev(fd, parts, count, at);
}
ssize_t copy_file_range(int in, off64_t *from, int out, off64_t *to, size_t size, unsigned flags) {
  off64_t at = to != NULL ? *to : lseek(out, 0, SEEK_CUR);
  ssize_t done = REAL(copy_file_range)(in, from, out, to, size, flags);
  if (done > 0) note_written(out, at, done);
  return done;
}
ssize_t sendfile(int out, int in, off_t *from, size_t size) {
  off_t at = file_of(out) != 0 ? lseek(out, 0, SEEK_CUR) : 0;
  ssize_t done = REAL(sendfile)(out, in, from, size);
  if (done > 0) note_written(out, at, done);
  return done;
}
ssize_t sendfile64(int out, int in, off_t *from, size_t size) {
  return sendfile(out, in, from, size);
}

int ftruncate(int fd, off_t size) {
  int failed = REAL(ftruncate)(fd, size);
  uint64_t inode = failed ? 0 : file_of(fd);
  if (inode != 0) note((struct record){.op = TRUNCATE, .inode = inode, .size = size}, NULL, 0);
  return failed;
}
int ftruncate64(int fd, off_t size) { return ftruncate(fd, size); }
int truncate(const char *path, off_t size) {
  int failed = REAL(truncate)(path, size);
  uint64_t inode = failed ? 0 : inode_at(AT_FDCWD, path, NULL);
  if (inode != 0) note((struct record){.op = TRUNCATE, .inode = inode, .size = size}, NULL, 0);
  return failed;
}
int truncate64(const char *path, off_t size) { return truncate(path, size); }

static void allocated(int fd, off_t at, off_t size) {
  uint64_t inode = file_of(fd);
  if (inode != 0)
    note((struct record){.op = ALLOCATE, .inode = inode, .at = at, .size = size}, NULL, 0);
}
int posix_fallocate(int fd, off_t at, off_t size) {
  int failed = REAL(posix_fallocate)(fd, at, size);
  if (!failed) allocated(fd, at, size);
  return failed;
}
int posix_fallocate64(int fd, off_t at, off_t size) { return posix_fallocate(fd, at, size); }
int fallocate(int fd, int mode, off_t at, off_t size) {
  int failed = REAL(fallocate)(fd, mode, at, size);
  if (!failed && mode == 0) allocated(fd, at, size);
  else if (!failed && mode != FALLOC_FL_KEEP_SIZE && file_of(fd) != 0)
    unknown(file_of(fd), "fallocate");
  return failed;
}
int fallocate64(int fd, int mode, off_t at, off_t size) { return fallocate(fd, mode, at, size); }

/* The C library writes its own files without passing here: they are read back when they close. */

static void note_stream(FILE *file) {
  struct stat now;
  int fd = fileno(file);
  if (fd < 0 || file_of(fd) == 0 || (fcntl(fd, F_GETFL) & O_ACCMODE) == O_RDONLY) return;
  if (fstat(fd, &now) != 0) return;
  note((struct record){.op = TRUNCATE, .inode = now.st_ino, .size = now.st_size}, NULL, 0);
  note_written(fd, 0, now.st_size);
}
FILE *fopen(const char *path, const char *mode) {
  FILE *file = REAL(fopen)(path, mode);
  if (file != NULL && strpbrk(mode, "wa+") != NULL) {
    if (file_of(fileno(file)) != 0) note_link(AT_FDCWD, path);
    note_stream(file);
  }
  return file;
}
FILE *fopen64(const char *path, const char *mode) { return fopen(path, mode); }
int fflush(FILE *file) {
  int failed = REAL(fflush)(file);
  if (file != NULL) note_stream(file);
  return failed;
}
int fclose(FILE *file) {
  REAL(fflush)(file);
  note_stream(file);
  return REAL(fclose)(file);
}

/* What is not here makes nothing durable: sync_file_range, msync, syncfs, close. */

static void note_sync(int fd) {
  struct stat now;
  if (device != 0 && fstat(fd, &now) == 0 && now.st_dev == device)
    note((struct record){.op = SYNC, .inode = now.st_ino}, NULL, 0);
}
int fsync(int fd) {
  note_sync(fd);
  return REAL(fsync)(fd);
}
int fdatasync(int fd) {
  note_sync(fd);
  return REAL(fdatasync)(fd);
}

void *mmap(void *where, size_t size, int access, int flags, int fd, off_t at) {
  if (fd >= 0 && access & PROT_WRITE && flags & MAP_SHARED && file_of(fd) != 0)
    unknown(file_of(fd), "mmap");
  return (void *)syscall(SYS_mmap, where, size, access, flags, fd, at);
}
void *mmap64(void *where, size_t size, int access, int flags, int fd, off_t at) {
  return mmap(where, size, access, flags, fd, at);
}

/* names */

int renameat2(int from, const char *old, int to, const char *new, unsigned flags) {
  char name[NAME_MAX + 1], both[2 * NAME_MAX + 3];
  mode_t mode;
  uint64_t inode = inode_at(from, old, &mode), parent = parent_of(from, old, name);
  int failed = syscall(SYS_renameat2, from, old, to, new, flags);
  if (failed || inode == 0 || parent == 0) return failed;
  int saved = errno;
  int length = snprintf(both, sizeof both, "%s/", name);
  uint64_t other = parent_of(to, new, name);
  snprintf(both + length, sizeof both - length, "%s", name);
  if (flags & ~RENAME_NOREPLACE) unknown(inode, "renameat2");
  note_text((struct record){.op = RENAME, .inode = inode, .parent = parent, .other = other}, both);
  errno = saved;
  return failed;
}
int renameat(int from, const char *old, int to, const char *new) {
  return renameat2(from, old, to, new, 0);
}
int rename(const char *old, const char *new) {
  return renameat2(AT_FDCWD, old, AT_FDCWD, new, 0);
}
int unlinkat(int folder, const char *path, int flags) {
  char name[NAME_MAX + 1];
  uint64_t inode = inode_at(folder, path, NULL), parent = parent_of(folder, path, name);
  int failed = REAL(unlinkat)(folder, path, flags);
  if (!failed && inode != 0 && parent != 0)
    note_text((struct record){.op = UNLINK, .inode = inode, .parent = parent}, name);
  return failed;
}
int unlink(const char *path) { return unlinkat(AT_FDCWD, path, 0); }
int rmdir(const char *path) { return unlinkat(AT_FDCWD, path, AT_REMOVEDIR); }
int remove(const char *path) {
  mode_t mode = 0;
  inode_at(AT_FDCWD, path, &mode);
  return unlinkat(AT_FDCWD, path, S_ISDIR(mode) ? AT_REMOVEDIR : 0);
}
int linkat(int from, const char *old, int to, const char *new, int flags) {
  int failed = REAL(linkat)(from, old, to, new, flags);
  if (!failed) note_link(to, new);
  return failed;
}
int link(const char *old, const char *new) { return linkat(AT_FDCWD, old, AT_FDCWD, new, 0); }
int symlinkat(const char *target, int folder, const char *path) {
  int failed = REAL(symlinkat)(target, folder, path);
  if (!failed) note_link(folder, path);
  return failed;
}
int symlink(const char *target, const char *path) { return symlinkat(target, AT_FDCWD, path); }
int mkdirat(int folder, const char *path, mode_t mode) {
  int failed = REAL(mkdirat)(folder, path, mode);
  if (!failed) note_link(folder, path);
  return failed;
}
int mkdir(const char *path, mode_t mode) { return mkdirat(AT_FDCWD, path, mode); }
