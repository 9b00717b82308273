// A file system for SQLite (sqlite.org/vfs.html) in which chosen operations fail. Preloaded into the
// server, with FAULTS_FILE naming a file of three 64-bit numbers.
#include <fcntl.h>
#include <sqlite3.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

typedef struct {
  /// Operations until one fails: 1 for the next; none from 0 on.
  atomic_llong left;
  /// Whether all operations after it fail too.
  atomic_llong lasts;
  /// How many have failed.
  atomic_llong failed;
} faults;

typedef struct {
  sqlite3_file file;
  sqlite3_file *real;
} wrapped;

static faults *control;
static sqlite3_vfs *real_vfs;

static int fails(void) {
  if (control == NULL) return 0;
  int is_it = atomic_fetch_sub(&control->left, 1) == 1;
  int is_after = atomic_load(&control->lasts) && atomic_load(&control->failed) > 0;
  if (is_it || is_after) atomic_fetch_add(&control->failed, 1);
  return is_it || is_after;
}

static sqlite3_file *real(sqlite3_file *file) { return ((wrapped *)file)->real; }

#define PASS(call, ...) return real(f)->pMethods->call(real(f), ##__VA_ARGS__)
#define PASS_OR_FAIL(code, call, ...) if (fails()) return code; PASS(call, ##__VA_ARGS__)

static int f_close(sqlite3_file *f) {
  int code = real(f)->pMethods ? real(f)->pMethods->xClose(real(f)) : SQLITE_OK;
  free(real(f));
  return code;
}
static int f_read(sqlite3_file *f, void *to, int n, sqlite3_int64 at) {
  PASS_OR_FAIL(SQLITE_IOERR_READ, xRead, to, n, at);
}
static int f_write(sqlite3_file *f, const void *from, int n, sqlite3_int64 at) {
  if (fails()) {
    // Half of it is written, as on a disk that becomes full.
    real(f)->pMethods->xWrite(real(f), from, n / 2, at);
    return n % 3 ? SQLITE_IOERR_WRITE : SQLITE_FULL;
  }
  PASS(xWrite, from, n, at);
}
static int f_truncate(sqlite3_file *f, sqlite3_int64 n) {
  PASS_OR_FAIL(SQLITE_IOERR_TRUNCATE, xTruncate, n);
}
static int f_sync(sqlite3_file *f, int flags) { PASS_OR_FAIL(SQLITE_IOERR_FSYNC, xSync, flags); }
static int f_size(sqlite3_file *f, sqlite3_int64 *n) {
  PASS_OR_FAIL(SQLITE_IOERR_FSTAT, xFileSize, n);
}
static int f_lock(sqlite3_file *f, int kind) { PASS_OR_FAIL(SQLITE_IOERR_LOCK, xLock, kind); }
static int f_unlock(sqlite3_file *f, int kind) { PASS(xUnlock, kind); }
static int f_reserved(sqlite3_file *f, int *is) { PASS(xCheckReservedLock, is); }
static int f_control(sqlite3_file *f, int op, void *argument) { PASS(xFileControl, op, argument); }
static int f_sector(sqlite3_file *f) { PASS(xSectorSize); }
static int f_traits(sqlite3_file *f) { PASS(xDeviceCharacteristics); }
static int f_map(sqlite3_file *f, int region, int bytes, int extend, void volatile **to) {
  PASS_OR_FAIL(SQLITE_IOERR_SHMMAP, xShmMap, region, bytes, extend, to);
}
static int f_shm_lock(sqlite3_file *f, int offset, int n, int flags) {
  // A lock that cannot be released would be held for ever.
  if (!(flags & SQLITE_SHM_UNLOCK) && fails()) return SQLITE_IOERR_SHMLOCK;
  PASS(xShmLock, offset, n, flags);
}
static void f_barrier(sqlite3_file *f) { PASS(xShmBarrier); }
static int f_unmap(sqlite3_file *f, int delete) { PASS(xShmUnmap, delete); }

static const sqlite3_io_methods methods = {
  2, f_close, f_read, f_write, f_truncate, f_sync, f_size, f_lock, f_unlock, f_reserved, f_control,
  f_sector, f_traits, f_map, f_shm_lock, f_barrier, f_unmap, NULL, NULL,
};

static int v_open(sqlite3_vfs *v, const char *name, sqlite3_file *f, int flags, int *opened) {
  wrapped *file = (wrapped *)f;
  file->file.pMethods = NULL;
  if (fails()) return SQLITE_CANTOPEN;
  file->real = calloc(1, (size_t)real_vfs->szOsFile);
  if (file->real == NULL) return SQLITE_NOMEM;
  int code = real_vfs->xOpen(real_vfs, name, file->real, flags, opened);
  if (code == SQLITE_OK) {
    file->file.pMethods = &methods;
  } else {
    free(file->real);
  }
  return code;
}
static int v_delete(sqlite3_vfs *v, const char *name, int sync) {
  return fails() ? SQLITE_IOERR_DELETE : real_vfs->xDelete(real_vfs, name, sync);
}
static int v_access(sqlite3_vfs *v, const char *name, int flags, int *result) {
  return fails() ? SQLITE_IOERR_ACCESS : real_vfs->xAccess(real_vfs, name, flags, result);
}

__attribute__((constructor)) static void install(void) {
  static sqlite3_vfs vfs;
  const char *path = getenv("FAULTS_FILE");
  int file = path == NULL ? -1 : open(path, O_RDWR | O_CLOEXEC);
  if (file < 0) return;
  void *memory = mmap(NULL, sizeof *control, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  close(file);
  real_vfs = sqlite3_vfs_find(NULL);
  if (memory == MAP_FAILED || real_vfs == NULL) return;
  vfs = *real_vfs;
  vfs.zName = "faulty";
  vfs.szOsFile = sizeof(wrapped);
  vfs.xOpen = v_open;
  vfs.xDelete = v_delete;
  vfs.xAccess = v_access;
  if (sqlite3_vfs_register(&vfs, 1) == SQLITE_OK) control = memory;
}
