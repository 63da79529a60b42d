#include "app/base/memory_reserve.h"

#include "io/base/partial_file.h"

#include <atomic>
#include <cstddef>
#include <cstdlib>
#include <exception>
#include <new>
#include <string_view>
#include <unistd.h>

namespace systole {
namespace {

/// Many times the memory needed to unwind the stack and to write a sentence.
constexpr std::size_t reserveBytes = std::size_t{4} << 20;
/// Larger requests may fail while there is enough memory to go on.
constexpr std::size_t smallRequest = std::size_t{64} << 10;
constexpr int exitCode = 1;
constexpr std::string_view sentence =
    "systole: out of memory: not even a little is left, so the program has ended; close other "
    "programs, or choose fewer frames or a smaller image\n";

/// The reserve of the whole process, since operator new and std::terminate have one handler per
/// process. Null: it has been freed.
std::atomic<void*>& reserve() {
    static std::atomic<void*> block = nullptr;
    return block;
}

[[noreturn]] void endWithoutMemory() {
    static std::atomic_flag said;
    while (said.test_and_set()) // another thread is about to end the process
        ::pause();
    // A failure can't be reported anywhere.
    (void)!::write(STDERR_FILENO, sentence.data(), sentence.size());
    endProcess(exitCode);
}

bool canAllocate(std::size_t bytes) {
    void* volatile block = std::malloc(bytes); // volatile, or the compiler may remove the pair
    std::free(block);
    return block != nullptr;
}

/// The handler that operator new calls before each retry.
void findMemory() {
    if (void* const kept = reserve().exchange(nullptr)) {
        std::free(kept);
        return;
    }
    void* const again = std::malloc(reserveBytes);
    if (!again && !canAllocate(smallRequest))
        endWithoutMemory();
    void* none = nullptr;
    if (!reserve().compare_exchange_strong(none, again))
        std::free(again);
    throw std::bad_alloc();
}

[[noreturn]] void endForWantOfMemory() {
    if (std::current_exception()) {
        try {
            throw;
        } catch (const std::bad_alloc&) {
            endWithoutMemory();
        } catch (...) { // a fault of the program, which a signal shows
        }
    }
    std::abort();
}

} // namespace

void keepMemoryReserve() {
    reserve() = std::malloc(reserveBytes);
    std::set_new_handler(findMemory);
    std::set_terminate(endForWantOfMemory);
}

} // namespace systole
