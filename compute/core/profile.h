// What ran, how long it took and what it moved: one record that panels, laboratory and benchmark
// read alike.
#pragma once

#include "compute/core/kernel_cost.h"

#include <chrono>
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

/// JSON in the Chrome trace event format, for chrome://tracing and Perfetto: stages on thread 1,
/// kernels on thread 2.
std::string chromeTrace(const std::vector<FrameProfile>& frames);

/// Collects the spans of the frame being worked on. Thread-safe.
class KernelProfile {
public:
    void beginFrame(int frame);
    void add(ProfileSpan span);
    FrameProfile endFrame(); ///< the frame's spans since beginFrame()

    double now() const; ///< seconds since this profile was made

private:
    std::mutex mutex_;
    std::chrono::steady_clock::time_point origin_ = std::chrono::steady_clock::now();
    FrameProfile current_;
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
