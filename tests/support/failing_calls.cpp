// Loaded into a program before its libraries: one call of the system, or it and all later ones,
// fails. SYSTOLE_TEST_FAULT says which: "class=write;at=7;error=28", the seventh write, counted
// from main(). Further words: later=1 (all later ones fail, too), least=16384 (allocations of fewer
// bytes never fail), child=1 (a process that main() has forked is meant, not main() itself).
// error=0: a read or write is short. at=0: nothing fails. SYSTOLE_TEST_FAULT_REPORT names a file
// of 4096 bytes that gets the number of calls of each class, how many failed, and what the first of
// those was. tests/tools/torture.py is its user.
#include <atomic>
#include <cerrno>
#include <cstdarg>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <dirent.h>
#include <dlfcn.h>
#include <fcntl.h>
#include <pthread.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

// Nothing here may allocate, or be made by a constructor: the first calls come before those.
namespace {

enum Class {
    allocation,
    openFile,
    openSystemFile,
    writeFile,
    readFile,
    closeFile,
    synchronize,
    renameFile,
    makeFolder,
    startThread,
    mapMemory,
    statFile,
    removeFile,
    listFolder,
    startProcess,
    classes
};
constexpr const char* classNames[classes] = {"alloc", "open", "system", "write",   "read",
                                             "close", "sync", "rename", "mkdir",   "thread",
                                             "mmap",  "stat", "remove", "readdir", "fork"};

/// The report in the layout that torture.py reads.
struct Report {
    std::atomic<std::int64_t> calls[classes];
    std::atomic<std::int64_t> failed;
    char call[64];
    char path[1024];
};

Report ownReport;
Report* report = &ownReport;
bool armed = false;
int failingClass = classes;
std::int64_t failingAt = 0;
bool laterFail = false, inChild = false;
int failingError = EIO;
std::size_t minBytes = 0;
int (*programMain)(int, char**, char**) = nullptr;

template <typename Function>
Function* next(const char* name) {
    return reinterpret_cast<Function*>(::dlsym(RTLD_NEXT, name));
}
#define NEXT(name) static auto* const real = next<decltype(::name)>(#name)

/// Whether a path belongs to the system, to the program itself or to nothing on a disk.
bool isOfSystem(const char* path) {
    for (const char* start : {"/usr/", "/lib", "/proc/", "/sys/", "/etc/", "/dev/", "/var/",
                              "/run/", "/root/", "pipe:", "socket:", "anon_inode:"})
        if (std::strncmp(path, start, std::strlen(start)) == 0)
            return true;
    return false;
}

bool fails(Class of, const char* call, const char* path) {
    if (!armed)
        return false;
    const std::int64_t number = ++report->calls[of];
    if (of != failingClass || failingAt == 0 ||
        (laterFail ? number < failingAt : number != failingAt))
        return false;
    if (++report->failed == 1) {
        std::strncpy(report->call, call, sizeof report->call - 1);
        if (path)
            std::strncpy(report->path, path, sizeof report->path - 1);
    }
    errno = failingError;
    return true;
}

/// Whether a call on an open file fails; standard error never does: it shows the message.
bool failsOn(Class of, const char* call, int file) {
    if (!armed || file == STDERR_FILENO || file < 0)
        return false;
    char link[32], path[1024];
    std::snprintf(link, sizeof link, "/proc/self/fd/%d", file);
    const long length = ::syscall(SYS_readlink, link, path, sizeof path - 1);
    path[length > 0 ? length : 0] = '\0';
    return (file <= STDOUT_FILENO || !isOfSystem(path)) && fails(of, call, path);
}

bool failsToAllocate(const char* call, std::size_t bytes) {
    if (bytes < minBytes || !fails(allocation, call, nullptr))
        return false;
    errno = ENOMEM;
    return true;
}

bool failsToOpen(const char* call, const char* path) {
    return fails(isOfSystem(path) ? openSystemFile : openFile, call, path);
}

bool isShort() { return failingError == 0; }
std::size_t partOf(std::size_t bytes) { return bytes > 1 ? (bytes + 1) / 2 : bytes; }

long numberIn(const char* words, const char* name, long otherwise) {
    const char* const at = std::strstr(words, name);
    return at ? std::strtol(at + std::strlen(name), nullptr, 10) : otherwise;
}

void configure() {
    if (const char* const words = std::getenv("SYSTOLE_TEST_FAULT")) {
        const char* const named = std::strstr(words, "class=");
        for (int of = 0; named && of < classes; ++of) {
            const std::size_t length = std::strlen(classNames[of]);
            if (std::strncmp(named + 6, classNames[of], length) == 0 &&
                (named[6 + length] == ';' || named[6 + length] == '\0'))
                failingClass = of;
        }
        failingAt = numberIn(words, "at=", 0);
        failingError = static_cast<int>(numberIn(words, "error=", EIO));
        laterFail = numberIn(words, "later=", 0) != 0;
        inChild = numberIn(words, "child=", 0) != 0;
        minBytes = static_cast<std::size_t>(numberIn(words, "least=", 0));
    }
    if (const char* const path = std::getenv("SYSTOLE_TEST_FAULT_REPORT")) {
        const long file = ::syscall(SYS_openat, AT_FDCWD, path, O_RDWR, 0);
        const long mapped =
            ::syscall(SYS_mmap, nullptr, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
        ::syscall(SYS_close, file);
        if (mapped > 0)
            report = reinterpret_cast<Report*>(mapped);
    }
}

int countedMain(int argc, char** argv, char** environment) {
    ::unsetenv("LD_PRELOAD"); // programs that it starts are left alone
    armed = !inChild;
    return programMain(argc, argv, environment);
}

} // namespace

extern "C" {

void* __libc_malloc(std::size_t);
void* __libc_calloc(std::size_t, std::size_t);
void* __libc_realloc(void*, std::size_t);
void* __libc_memalign(std::size_t, std::size_t);

void* malloc(std::size_t bytes) noexcept {
    return failsToAllocate("malloc", bytes) ? nullptr : __libc_malloc(bytes);
}
void* calloc(std::size_t count, std::size_t bytes) noexcept {
    return failsToAllocate("calloc", count * bytes) ? nullptr : __libc_calloc(count, bytes);
}
void* realloc(void* block, std::size_t bytes) noexcept {
    return bytes > 0 && failsToAllocate("realloc", bytes) ? nullptr : __libc_realloc(block, bytes);
}
void* memalign(std::size_t alignment, std::size_t bytes) noexcept {
    return failsToAllocate("memalign", bytes) ? nullptr : __libc_memalign(alignment, bytes);
}
void* aligned_alloc(std::size_t alignment, std::size_t bytes) noexcept {
    return failsToAllocate("aligned_alloc", bytes) ? nullptr : __libc_memalign(alignment, bytes);
}
int posix_memalign(void** block, std::size_t alignment, std::size_t bytes) noexcept {
    void* const made =
        failsToAllocate("posix_memalign", bytes) ? nullptr : __libc_memalign(alignment, bytes);
    if (!made)
        return ENOMEM;
    *block = made;
    return 0;
}

#define OPENING(name, ...)                                                                         \
    NEXT(name);                                                                                    \
    va_list rest;                                                                                  \
    va_start(rest, flags);                                                                         \
    const mode_t mode = (flags & (O_CREAT | O_TMPFILE)) != 0 ? va_arg(rest, mode_t) : 0;           \
    va_end(rest);                                                                                  \
    return failsToOpen(#name, path) ? -1 : real(__VA_ARGS__, mode)

int open(const char* path, int flags, ...) { OPENING(open, path, flags); }
int open64(const char* path, int flags, ...) { OPENING(open64, path, flags); }
int openat(int folder, const char* path, int flags, ...) { OPENING(openat, folder, path, flags); }
int openat64(int folder, const char* path, int flags, ...) {
    OPENING(openat64, folder, path, flags);
}
FILE* fopen(const char* path, const char* mode) {
    NEXT(fopen);
    return failsToOpen("fopen", path) ? nullptr : real(path, mode);
}
FILE* fopen64(const char* path, const char* mode) {
    NEXT(fopen64);
    return failsToOpen("fopen64", path) ? nullptr : real(path, mode);
}

DIR* opendir(const char* path) {
    NEXT(opendir);
    return !isOfSystem(path) && fails(listFolder, "opendir", path) ? nullptr : real(path);
}
DIR* fdopendir(int file) {
    NEXT(fdopendir);
    return failsOn(listFolder, "fdopendir", file) ? nullptr : real(file);
}
dirent* readdir(DIR* folder) {
    NEXT(readdir);
    return failsOn(listFolder, "readdir", ::dirfd(folder)) ? nullptr : real(folder);
}

ssize_t write(int file, const void* bytes, std::size_t size) {
    NEXT(write);
    if (!failsOn(writeFile, "write", file))
        return real(file, bytes, size);
    return isShort() ? real(file, bytes, partOf(size)) : -1;
}
ssize_t writev(int file, const iovec* pieces, int count) {
    NEXT(writev);
    if (!failsOn(writeFile, "writev", file))
        return real(file, pieces, count);
    return isShort() ? real(file, pieces, 1) : -1;
}
std::size_t fwrite(const void* bytes, std::size_t size, std::size_t count, FILE* file) {
    NEXT(fwrite);
    const bool failed = failsOn(writeFile, "fwrite", ::fileno(file));
    // C's library goes on by itself where a write is short or interrupted.
    return failed && !isShort() && failingError != EINTR ? 0 : real(bytes, size, count, file);
}
ssize_t read(int file, void* bytes, std::size_t size) {
    NEXT(read);
    if (!failsOn(readFile, "read", file))
        return real(file, bytes, size);
    return isShort() ? real(file, bytes, partOf(size)) : -1;
}
ssize_t pread(int file, void* bytes, std::size_t size, off_t offset) {
    NEXT(pread);
    if (!failsOn(readFile, "pread", file))
        return real(file, bytes, size, offset);
    return isShort() ? real(file, bytes, partOf(size), offset) : -1;
}
ssize_t pread64(int file, void* bytes, std::size_t size, off64_t offset) {
    NEXT(pread64);
    if (!failsOn(readFile, "pread64", file))
        return real(file, bytes, size, offset);
    return isShort() ? real(file, bytes, partOf(size), offset) : -1;
}
std::size_t fread(void* bytes, std::size_t size, std::size_t count, FILE* file) {
    NEXT(fread);
    const bool failed = failsOn(readFile, "fread", ::fileno(file));
    return failed && !isShort() && failingError != EINTR ? 0 : real(bytes, size, count, file);
}

int close(int file) { // Linux closes it whatever it answers
    NEXT(close);
    const bool failed = file > STDERR_FILENO && failsOn(closeFile, "close", file);
    const int closed = real(file);
    if (failed)
        errno = failingError;
    return failed ? -1 : closed;
}
int fclose(FILE* file) {
    NEXT(fclose);
    const int number = ::fileno(file);
    const bool failed = number > STDERR_FILENO && failsOn(closeFile, "fclose", number);
    const int closed = real(file);
    if (failed)
        errno = failingError;
    return failed ? EOF : closed;
}

#define SIMPLE(returned, name, parameters, specifier, failed, answer, arguments)                   \
    returned name parameters specifier {                                                           \
        NEXT(name);                                                                                \
        return (failed) ? answer : real arguments;                                                 \
    }

SIMPLE(int, fsync, (int file), , failsOn(synchronize, "fsync", file), -1, (file))
SIMPLE(int, fdatasync, (int file), , failsOn(synchronize, "fdatasync", file), -1, (file))
SIMPLE(int, sync_file_range, (int file, off64_t from, off64_t bytes, unsigned flags), ,
       failsOn(synchronize, "sync_file_range", file), -1, (file, from, bytes, flags))
SIMPLE(int, syncfs, (int file), noexcept, failsOn(synchronize, "syncfs", file), -1, (file))
SIMPLE(int, rename, (const char* from, const char* to), noexcept, fails(renameFile, "rename", to),
       -1, (from, to))
SIMPLE(int, renameat, (int fromFolder, const char* from, int toFolder, const char* to), noexcept,
       fails(renameFile, "renameat", to), -1, (fromFolder, from, toFolder, to))
SIMPLE(int, renameat2,
       (int fromFolder, const char* from, int toFolder, const char* to, unsigned flags), noexcept,
       fails(renameFile, "renameat2", to), -1, (fromFolder, from, toFolder, to, flags))
SIMPLE(int, mkdir, (const char* path, mode_t mode), noexcept, fails(makeFolder, "mkdir", path), -1,
       (path, mode))
SIMPLE(int, unlink, (const char* path), noexcept, fails(removeFile, "unlink", path), -1, (path))
SIMPLE(int, remove, (const char* path), noexcept, fails(removeFile, "remove", path), -1, (path))
SIMPLE(int, rmdir, (const char* path), noexcept, fails(removeFile, "rmdir", path), -1, (path))
SIMPLE(int, stat, (const char* path, struct stat* status), noexcept,
       !isOfSystem(path) && fails(statFile, "stat", path), -1, (path, status))
SIMPLE(int, lstat, (const char* path, struct stat* status), noexcept,
       !isOfSystem(path) && fails(statFile, "lstat", path), -1, (path, status))
SIMPLE(int, fstat, (int file, struct stat* status), noexcept, failsOn(statFile, "fstat", file), -1,
       (file, status))

void* mmap(void* at, std::size_t bytes, int protection, int flags, int file,
           off_t offset) noexcept {
    if (fails(mapMemory, "mmap", nullptr))
        return MAP_FAILED;
    return reinterpret_cast<void*>(::syscall(SYS_mmap, at, bytes, protection, flags, file, offset));
}
void* mmap64(void* at, std::size_t bytes, int protection, int flags, int file,
             off64_t offset) noexcept {
    return mmap(at, bytes, protection, flags, file, offset);
}
int pthread_create(pthread_t* thread, const pthread_attr_t* attributes, void* (*body)(void*),
                   void* argument) noexcept {
    NEXT(pthread_create);
    return fails(startThread, "pthread_create", nullptr) ? EAGAIN
                                                         : real(thread, attributes, body, argument);
}
pid_t fork() noexcept {
    NEXT(fork);
    if (fails(startProcess, "fork", nullptr))
        return -1;
    const pid_t process = real();
    if (process == 0)
        armed = inChild;
    return process;
}

int __libc_start_main(int (*main)(int, char**, char**), int argc, char** argv,
                      int (*begin)(int, char**, char**), void (*end)(), void (*loaderEnd)(),
                      void* stack) {
    using Start = int(int (*)(int, char**, char**), int, char**, int (*)(int, char**, char**),
                      void (*)(), void (*)(), void*);
    programMain = main;
    configure();
    return next<Start>("__libc_start_main")(countedMain, argc, argv, begin, end, loaderEnd, stack);
}
}
