#include "render/gl/room_to_draw.h"

#include "compute/core/buffer.h"
#include "compute/core/machine.h"
#include "compute/core/thread_error.h"
#include "render/base/error.h"

#include <fmt/format.h>

#include <latch>
#include <memory>
#include <sys/mman.h>
#include <system_error>
#include <thread>
#include <vector>

namespace systole {
namespace {

/// Limits of a process (ulimit -v) don't show in what the machine has.
bool canMap(std::size_t bytes) {
    void* const block = ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE,
                               MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    return block != MAP_FAILED && ::munmap(block, bytes) == 0;
}

/// All at the same time, as OpenGL in software has them.
bool canStartThreads(unsigned count) {
    std::latch end(1);
    std::vector<std::jthread> threads;
    // Whatever is thrown, they end before they are joined.
    const std::unique_ptr<std::latch, decltype([](std::latch* latch) { latch->count_down(); })>
        atEnd(&end);
    threads.reserve(count);
    try {
        while (threads.size() < count)
            threads.emplace_back([&end] { end.wait(); });
    } catch (const std::system_error&) {
        return false;
    }
    return true;
}

} // namespace

void requireRoomToDraw() {
    const std::size_t free = describeMachine().availableBytes;
    if (free < drawingBytes || !canMap(drawingBytes))
        throw RenderError(
            fmt::format("drawing takes up to {} of memory, and {}; close other programs",
                        bytesText(drawingBytes),
                        free < drawingBytes ? bytesText(free) + " are free"
                                            : "a limit of this process (ulimit -v) leaves less"));
    constexpr unsigned ownThreads = 2;
    if (!canStartThreads(std::thread::hardware_concurrency() + ownThreads))
        throw RenderError(noThreadText);
}

} // namespace systole
