#include "app/base/made_apart.h"

#include "app/base/child.h"
#include "compute/core/buffer.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <fcntl.h>
#include <limits>
#include <malloc.h>
#include <new>
#include <poll.h>
#include <string_view>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>
#include <vector>

namespace systole {
namespace {

constexpr int noMemory = 3; ///< exit code of the copy
constexpr int maxMilliseconds = 120'000;

/// Half of it for libraries that are loaded and files that are mapped; the other half stays with
/// malloc, which then doesn't ask the system for more.
bool takeMemory(std::size_t bytes) {
    constexpr int largestThreshold = 32 << 20; // glibc takes no larger one
    constexpr std::size_t piece = largestThreshold / 2;
    ::mallopt(M_MMAP_THRESHOLD, largestThreshold);
    ::mallopt(M_TRIM_THRESHOLD, std::numeric_limits<int>::max());
    void* const mapped =
        ::mmap(nullptr, bytes / 2, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (mapped == MAP_FAILED)
        return false;
    std::vector<void*> pieces(bytes / 2 / piece);
    for (void*& each : pieces)
        each = std::malloc(piece);
    const bool all = std::ranges::find(pieces, nullptr) == pieces.end();
    for (void* each : pieces)
        std::free(each);
    ::munmap(mapped, bytes / 2);
    return all;
}

bool sendAll(int file, std::string_view bytes) {
    while (!bytes.empty()) {
        const ssize_t sent = ::write(file, bytes.data(), bytes.size());
        if (sent < 0 && errno != EINTR)
            return false;
        bytes.remove_prefix(static_cast<std::size_t>(std::max<ssize_t>(sent, 0)));
    }
    return true;
}

/// The copy's life. What this process is writing is not the copy's to remove.
[[noreturn]] void be(const std::function<std::string()>& work, std::size_t needBytes, int answer) {
    endWithParent();
    std::set_new_handler(nullptr);
    std::set_terminate([] { ::_exit(EXIT_FAILURE); });
    const rlimit none{};
    ::setrlimit(RLIMIT_CORE, &none);
    sigset_t signals;
    sigemptyset(&signals);
    ::pthread_sigmask(SIG_SETMASK, &signals, nullptr);
    if (const int nothing = ::open("/dev/null", O_WRONLY | O_CLOEXEC); nothing >= 0) {
        ::dup2(nothing, STDOUT_FILENO); // libraries speak in their own words
        ::dup2(nothing, STDERR_FILENO);
    }
    int code = EXIT_FAILURE;
    try {
        code = !takeMemory(needBytes)    ? noMemory
               : sendAll(answer, work()) ? EXIT_SUCCESS
                                         : EXIT_FAILURE;
    } catch (const std::bad_alloc&) {
        code = noMemory;
    } catch (...) { // told by the code
    }
    ::_exit(code);
}

/// Appends bytes until the other end is closed. False: that took longer than maxMilliseconds, or
/// reading failed.
bool receiveAll(int file, std::string& bytes) {
    const auto end = std::chrono::steady_clock::now() + std::chrono::milliseconds(maxMilliseconds);
    std::array<char, 1 << 16> part;
    for (;;) {
        const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(
            end - std::chrono::steady_clock::now());
        pollfd waiting{file, POLLIN, 0};
        const int ready = ::poll(&waiting, 1, static_cast<int>(std::max<long>(left.count(), 0)));
        if (ready == 0)
            return false;
        const ssize_t got = ready < 0 ? -1 : ::read(file, part.data(), part.size());
        if (got == 0)
            return true;
        if (got > 0)
            bytes.append(part.data(), static_cast<std::size_t>(got));
        else if (errno != EINTR)
            return false;
    }
}

std::string whyNot(int status, std::size_t needBytes) {
    if (WIFEXITED(status) && WEXITSTATUS(status) == noMemory)
        return fmt::format("it needs up to {} of memory", bytesText(needBytes));
    if (WIFSIGNALED(status))
        return fmt::format("the process that makes it was ended by signal {} ({}); memory may be "
                           "short",
                           WTERMSIG(status), ::strsignal(WTERMSIG(status)));
    return "the process that makes it failed; memory may be short";
}

} // namespace

MadeApart madeApart(const std::function<std::string()>& work, std::size_t needBytes) {
    std::array<int, 2> pipe{};
    if (::pipe2(pipe.data(), O_CLOEXEC) != 0)
        return {{}, fmt::format("no pipe can be opened: {}", std::strerror(errno))};
    const pid_t process = ::fork();
    if (process == 0)
        be(work, needBytes, pipe[1]);
    const int failure = errno;
    ::close(pipe[1]);
    MadeApart made;
    const bool whole = process > 0 && receiveAll(pipe[0], made.bytes);
    ::close(pipe[0]);
    if (process < 0)
        return {{}, fmt::format("no process can be started: {}", std::strerror(failure))};
    if (!whole)
        ::kill(process, SIGKILL);
    int status = 0;
    while (::waitpid(process, &status, 0) < 0 && errno == EINTR) {
    }
    if (!whole)
        return {{}, "the process that makes it took too long and was ended"};
    if (!WIFEXITED(status) || WEXITSTATUS(status) != EXIT_SUCCESS || made.bytes.empty())
        return {{}, whyNot(status, needBytes)};
    return made;
}

} // namespace systole
