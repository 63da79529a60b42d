// Registrations of a frame with itself under fresh noise, repeated: what each method seems to find
// so far, and its map of log |J|.
#pragma once

#include "app/features/bias/null_registration.h"
#include "app/task/backend.h"
#include "app/task/status_run.h"
#include "app/task/task.h"
#include "compute/core/params.h"
#include "compute/core/triangle_mesh.h"

#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <string>
#include <vector>

namespace systole {

/// Noise, repetitions, whether demons take part, seed.
const ParamTable& biasTable();

struct BiasTask {
    std::string name; ///< names the image, for people
    std::shared_ptr<const Volume> image;
    IntensityScale scale;
    std::vector<std::string> methods;    ///< names of motion methods
    Backend backend = Backend::Cpu;      ///< backend that BiasRun prefers
    double noiseShare = usualNoiseShare; ///< standard deviation, as a share of the gray range
    int repetitions = 8;                 ///< number, 1 or more
    /// Seed of the first repetition; the next ones have seed + 1, seed + 2, ...
    std::uint64_t seed = 1;

    /// Sets the values of biasTable().
    void set(const ParamSet& parameters);
};

/// The methods that show the effect of what they penalize: "clg", "ffd", "unbiased".
const std::vector<std::string>& usualBiasMethods();

/// One method over the repetitions so far.
struct BiasColumn {
    std::string method;
    NullSeries series;
    double seconds = 0; ///< time of the last registration
    /// Mean of log |J| that it finds where the image has really grown, at the end; NaN: not yet.
    double growth = std::numeric_limits<double>::quiet_NaN();
    /// log |J| per voxel, in the last repetition and on average over all so far; null: there was
    /// none. A voxel with |J| below minDeterminant counts as that.
    std::shared_ptr<const Volume> last, mean;
};
inline constexpr float minDeterminant = 1e-3f;

struct BiasStatus : RunStatus {
    Backend backend = Backend::Cpu;
    double noiseShare = 0;
    int repetitions = 0;             ///< number requested
    double trueGrowth = 0;           ///< KnownGrowth::logarithm; 0: not known yet
    std::string phase;               ///< phase under way: "repetition 2 of 8, ffd"
    double fraction = 0;             ///< progress, 0 to 1
    std::vector<BiasColumn> columns; ///< one per method of the task
    /// tissueOf() the image, for a BiasRun; null: not made.
    std::shared_ptr<const TriangleMesh> tissue;
};

/// Surface of the image, smoothed by one voxel, at Otsu's threshold: it shows the place of a map in
/// the body. Open at the grid's edge.
TriangleMesh tissueOf(const Volume& image, const ExecContext& ctx);

/// The status of a task that hasn't begun.
BiasStatus statusOf(const BiasTask& task);

/// Repeats the registrations, then finds a known growth once with each method; `changed` gets
/// phase, fraction, columns, backend and note before and after each. A repetition during which the
/// device fails is done again on the CPU; those before stay. Throws what a MotionEstimator throws,
/// and Cancelled.
void repeatBias(const BiasTask& task, DevicePolicy& device, const ExecContext& ctx,
                const std::function<void(const BiasStatus&)>& changed);

/// Runs repeatBias() on a thread of its own.
class BiasRun {
public:
    struct Options {
        int threads = 1;
        /// Called on the run's thread when the status changed; must not block.
        std::function<void()> notify{};
        DeviceAccess devices{};
    };
    explicit BiasRun(Options options);

    /// Cancels an earlier run and forgets it. Returns at once.
    void start(BiasTask task) {
        BiasStatus status = statusOf(task);
        run_.start(std::move(task), std::move(status), [] {});
    }
    /// Ends the run within 0.2 s; the repetitions that it has stay. Returns at once.
    void stop() { run_.stop(); }
    BiasStatus status() const { return run_.status(); }

private:
    StatusRun<BiasTask, BiasStatus> run_;
};

/// One or two sentences: what the repetitions show, from their figures alone.
std::string biasHeadline(const BiasStatus& status);

/// The task as command and window run it.
const Task& biasTask();

} // namespace systole
