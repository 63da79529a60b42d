// What ran, how long it took and what it moved: one record that panels, laboratory and benchmark
// read alike.
#pragma once

#include "compute/core/kernel_cost.h"

#include <chrono>
#include <cstdint>
#include <deque>
#include <iosfwd>
#include <mutex>
#include <string>
#include <vector>

namespace systole {

/// One stretch of work. `stage` is one of frameStages() (motion_estimator.h), or empty for a span
/// inside a stage (a kernel), whose time is already part of its stage's.
struct ProfileSpan {
    std::string stage;
    std::string kernel; ///< what ran, with its variant: "jacobi/direct"
    double startSeconds = 0;
    double seconds = 0;
    double bytes = 0; ///< declared: read plus written, each array once
    double flops = 0;
    int launches = 1; ///< of a CUDA kernel that this span sums
    // Of one launch of the shape below. Time: the median of those that weren't cut short, as a
    // kernel is whose iteration has converged: of those that took half as long as the longest
    // tenth.
    double launchSeconds = 0, launchBytes = 0, launchFlops = 0;
    // Launch shape of a CUDA kernel, of its largest launch; zero for CPU work.
    int grid[3] = {0, 0, 0};
    int block[3] = {0, 0, 0};
    int registers = 0;
    int sharedBytes = 0; ///< static and dynamic
    int localBytes = 0;
    int activeBlocks = 0; ///< that a multiprocessor holds at once: the CUDA runtime's answer
    KernelCost cost{};    ///< declared, of one thread
};

struct FrameProfile {
    int frame = -1;
    std::vector<ProfileSpan> spans;

    double seconds(const std::string& stage) const;
    double bytes(const std::string& stage) const;
    double totalSeconds() const; ///< of the stages
    /// The stages that it has, each once, in the order of their first span.
    std::vector<std::string> stages() const;
};

/// Collects spans of the frame being worked on and keeps the last `capacity` frames. Thread-safe.
class KernelProfile {
public:
    explicit KernelProfile(std::size_t capacity = 240);

    void beginFrame(int frame);
    void add(ProfileSpan span);
    FrameProfile endFrame();

    std::vector<FrameProfile> frames() const;
    double now() const; ///< seconds since this profile was made

    void writeCsv(std::ostream& out) const;
    void writeChromeTrace(std::ostream& out) const; ///< for chrome://tracing or Perfetto

private:
    using Clock = std::chrono::steady_clock;
    mutable std::mutex mutex_;
    Clock::time_point origin_ = Clock::now();
    std::size_t capacity_;
    FrameProfile current_;
    std::deque<FrameProfile> history_;
};

/// Times its own life as one span; a null profile makes it do nothing.
class ScopedSpan {
public:
    ScopedSpan(KernelProfile* profile, const char* stage, const char* kernel, double bytes = 0,
               double flops = 0);
    ~ScopedSpan();
    ScopedSpan(const ScopedSpan&) = delete;
    ScopedSpan& operator=(const ScopedSpan&) = delete;

    /// For work whose amount is known only when it is done.
    void setWork(double bytes, double flops);

private:
    KernelProfile* profile_;
    ProfileSpan span_;
};

} // namespace systole
