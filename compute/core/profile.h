// Profile of a frame: what ran, for how long, and its memory traffic. Shared by panels, laboratory
// and benchmarks.
#pragma once

#include "compute/core/kernel_cost.h"

#include <memory>
#include <string>
#include <vector>

namespace systole {

/// One interval of work. `stage` is one of frameStages() (motion_estimator.h), or empty for a span
/// inside a stage (a kernel), whose time is already included in its stage.
struct ProfileSpan {
    std::string stage;
    std::string kernel; ///< name with variant: "jacobi/direct"
    double startSeconds = 0;
    double seconds = 0;
    double bytes = 0; ///< declared: read plus written, each array once
    double flops = 0;
    int launches = 1; ///< number of CUDA launches summed in this span
    // One launch of the shape below. Time: the median of the launches that weren't cut short by
    // convergence, i.e. that took at least half as long as the longest tenth.
    double launchSeconds = 0, launchBytes = 0, launchFlops = 0;
    // Launch shape of a CUDA kernel (largest launch); zero for CPU work.
    int grid[3] = {0, 0, 0};
    int block[3] = {0, 0, 0};
    int registers = 0;
    int sharedBytes = 0; ///< static and dynamic
    int localBytes = 0;
    int activeBlocks = 0; ///< resident blocks per multiprocessor, from the CUDA runtime
    KernelCost cost{};    ///< declared, per thread
};

struct FrameProfile {
    int frame = -1;
    std::vector<ProfileSpan> spans;

    double seconds(const std::string& stage) const;
    double bytes(const std::string& stage) const;
    double totalSeconds() const; ///< sum over all stages
    /// The stages of the spans, each once, in the order of their first span.
    std::vector<std::string> stages() const;
};

/// JSON in the Chrome trace event format, for chrome://tracing and Perfetto: stages on thread 1,
/// kernels on thread 2.
std::string chromeTrace(const std::vector<FrameProfile>& frames);

/// Collects the spans of the frame being worked on. Thread-safe.
class KernelProfile {
public:
    KernelProfile();
    ~KernelProfile();
    KernelProfile(const KernelProfile&) = delete;
    KernelProfile& operator=(const KernelProfile&) = delete;

    void beginFrame(int frame);
    void add(ProfileSpan span);
    FrameProfile endFrame(); ///< the frame's spans since beginFrame()

    double now() const; ///< seconds since this profile was made

private:
    struct Impl; // clock and lock: every CUDA source reads this header, once per architecture
    std::unique_ptr<Impl> impl_;
};

/// Times its own lifetime as one span; does nothing with a null profile.
class ScopedSpan {
public:
    ScopedSpan(KernelProfile* profile, const char* stage, const char* kernel, double bytes = 0,
               double flops = 0);
    ~ScopedSpan();
    ScopedSpan(const ScopedSpan&) = delete;
    ScopedSpan& operator=(const ScopedSpan&) = delete;

    /// Sets the work of the span when its amount is known only at the end.
    void setWork(double bytes, double flops);

private:
    KernelProfile* profile_;
    ProfileSpan span_;
};

} // namespace systole
