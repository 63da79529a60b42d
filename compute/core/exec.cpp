#include "compute/core/exec.h"

#include "compute/core/chunk_sums.h"
#include "compute/core/enum_text.h"
#include "compute/core/error.h"
#include "compute/core/thread_error.h"

#include <tbb/parallel_for.h>
#include <tbb/task_arena.h>

#include <algorithm>
#include <stdexcept>
#include <string_view>
#include <thread>

namespace systole {

const char* name(Backend backend) { return enumText(backend, {"cpu-reference", "cpu", "cuda"}); }

struct ThreadTeam::Impl {
    explicit Impl(int threads) : arena(threads) {}
    tbb::task_arena arena;
};

ThreadTeam::ThreadTeam(int threads)
    : impl_(std::make_unique<Impl>(
          threads > 0 ? threads
                      : std::max(1, static_cast<int>(std::thread::hardware_concurrency())))) {}

ThreadTeam::~ThreadTeam() = default;

int ThreadTeam::threads() const { return impl_->arena.max_concurrency(); }

void ThreadTeam::run(int chunks, const std::function<void(int)>& body) {
    if (threads() == 1 || chunks == 1) {
        for (int chunk = 0; chunk < chunks; ++chunk)
            body(chunk);
        return;
    }
    try {
        impl_->arena.execute([&] {
            tbb::parallel_for(tbb::blocked_range<int>(0, chunks, 1),
                              [&](const tbb::blocked_range<int>& range) {
                                  for (int chunk = range.begin(); chunk < range.end(); ++chunk)
                                      body(chunk);
                              });
        });
    } catch (const std::runtime_error& error) {
        // oneTBB has no type of its own for this: its text names the system's function.
        if (std::string_view(error.what()).starts_with("pthread_create"))
            throw ComputeError(noThreadText);
        throw;
    }
}

void ExecContext::throwIfCancelled() const {
    if (cancel.cancelled())
        throw Cancelled();
}

void parallelFor(const ExecContext& ctx, int count, int chunk,
                 const std::function<void(int, int)>& body) {
    const int chunks = (count + chunk - 1) / chunk;
    ctx.threads->run(chunks, [&](int c) { body(c * chunk, std::min(count, (c + 1) * chunk)); });
}

double parallelSum(const ExecContext& ctx, int count, int chunk,
                   const std::function<double(int, int)>& body) {
    return sumOfChunks(ctx, count, chunk, body);
}

double parallelMax(const ExecContext& ctx, int count, int chunk,
                   const std::function<double(int, int)>& body) {
    double maximum = 0;
    for (const double value : perChunk(ctx, count, chunk, body))
        maximum = std::max(maximum, value);
    return maximum;
}

} // namespace systole
