// Loaded into a program before its libraries: the file named by SYSTOLE_TEST_APPEARS is there just
// before another one gets its name.
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <dlfcn.h>
#include <fcntl.h>
#include <unistd.h>

namespace {

void appearBefore(const char* to) {
    const char* const name = std::getenv("SYSTOLE_TEST_APPEARS");
    if (!name || std::strcmp(name, to) != 0)
        return;
    const int file = ::open(name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    if (file < 0 || ::write(file, "mine", 4) != 4 || ::close(file) != 0)
        std::abort();
}

template <typename Function>
Function* next(const char* name) {
    return reinterpret_cast<Function*>(::dlsym(RTLD_NEXT, name));
}

} // namespace

extern "C" {

int rename(const char* from, const char* to) noexcept {
    appearBefore(to);
    return next<int(const char*, const char*)>("rename")(from, to);
}

int renameat2(int fromFolder, const char* from, int toFolder, const char* to,
              unsigned flags) noexcept {
    appearBefore(to);
    return next<int(int, const char*, int, const char*, unsigned)>("renameat2")(
        fromFolder, from, toFolder, to, flags);
}
}
