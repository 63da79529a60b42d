// Registrations of a frame with itself, noise aside, repeated on a thread of their own: what each
// method seems to find so far, and its map of log |J|.
#pragma once

#include "app/bias/null_registration.h"

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace systole {

struct BiasTask {
    std::string name; ///< of the image, for people
    std::shared_ptr<const Volume> image;
    IntensityScale scale;
    std::vector<std::string> methods; ///< names of motion methods
    Backend backend = Backend::Cpu;
    double noiseShare = usualNoiseShare; ///< of the gray range
    int repetitions = 8;                 ///< at least 1
    std::uint64_t seed = 1;              ///< of the first repetition; then + 1, + 2, ...
};

/// The methods that show the effect of what they penalize: "clg", "ffd", "unbiased".
const std::vector<std::string>& usualBiasMethods();

/// One method over the repetitions so far.
struct BiasColumn {
    std::string method;
    NullSeries series;
    double seconds = 0; ///< of the last registration
    /// log |J| per voxel, in the last repetition and on average over all so far; null: there was
    /// none. A voxel with |J| below leastDeterminant counts as that.
    std::shared_ptr<const Volume> last, mean;
};
inline constexpr float leastDeterminant = 1e-3f;

struct BiasStatus {
    std::uint64_t run = 0; ///< counts start(); 0: there was none
    std::string name;      ///< BiasTask::name
    Backend backend = Backend::Cpu;
    double noiseShare = 0;
    int repetitions = 0; ///< wanted
    bool running = false;
    bool stopped = false;            ///< by stop(), before the last repetition
    std::string failure;             ///< one sentence; empty: none
    std::string phase;               ///< what is under way: "repetition 2 of 8, ffd"
    double fraction = 0;             ///< done, 0 to 1
    std::vector<BiasColumn> columns; ///< one per method of the task
};

class BiasRun {
public:
    struct Options {
        int threads = 1;
        /// Called on the run's thread when the status changed; must not block.
        std::function<void()> notify{};
    };
    explicit BiasRun(Options options);
    ~BiasRun(); ///< cancels and joins

    /// Cancels an earlier run and forgets it. Returns at once.
    void start(BiasTask task);
    /// Ends the run within 0.2 s; the repetitions that it has stay. Returns at once.
    void stop();
    BiasStatus status() const;

private:
    struct Impl;
    std::unique_ptr<Impl> impl_;
};

/// One or two sentences: what the repetitions show, from their figures alone.
std::string biasHeadline(const BiasStatus& status);

} // namespace systole
