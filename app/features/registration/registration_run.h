// A registration of two images on its own thread: every iteration is reported and kept, it can be
// stopped without losing the best one, and any kept one can be looked at again.
#pragma once

#include "app/features/registration/iteration_store.h"
#include "app/features/registration/measures.h"
#include "app/task/backend.h"
#include "app/task/status_run.h"
#include "app/task/task.h"
#include "compute/motion/registration.h"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace systole {

/// The two images, on grids of their own.
struct RegistrationPair {
    std::shared_ptr<const Volume> fixed, moving;
};

/// A registration to run.
struct RegistrationTask {
    std::string name; ///< names images and method, for people
    /// Called on the run's thread, for example to read a file. Throws FileError, ComputeError.
    std::function<RegistrationPair(const ExecContext&)> open;
    RegistrationPlan plan; ///< plan without its `observe`
};

struct RegistrationStatus : RunStatus {
    double seconds = 0; ///< time of the estimation
    std::vector<RegistrationPoint> points;
    std::vector<int> kept; ///< numbers of the kept iterations, ascending
    int best = 0;          ///< number of the best iteration so far, or of the result; 0: none
    std::size_t keptBytes = 0;
    /// Result of the finished registration; null: it isn't finished.
    std::shared_ptr<const RegistrationResult> result;
    /// They follow the result; null where they were stopped.
    std::shared_ptr<const RegistrationMeasures> measures;
};

class RegistrationRun {
public:
    struct Options {
        int threads = 1;
        std::size_t keptBytes = std::size_t{1} << 29; ///< memory of the iterations
        /// Called on the run's thread after each iteration and at the end; must not block.
        std::function<void()> notify{};
        DeviceAccess devices{};
    };
    explicit RegistrationRun(Options options);

    /// Cancels an earlier run and forgets it; runs registerImages(), where the plan says, or on the
    /// CPU if the device fails: what was found until then stays until it finds its own first
    /// iteration. Returns at once.
    void start(RegistrationTask task);
    /// Ends the run within 0.2 s; what it has stays. Returns at once.
    void stop() { runs_.stop(); }

    RegistrationStatus status() const;
    /// The images as they are registered; null before they are open.
    RegistrationPair images() const;
    /// The kept iteration with this number, or the last one before it; null: there is none.
    std::shared_ptr<const RegistrationIterate> iterate(int number) const;

private:
    void estimate(const RegistrationTask& task, std::uint64_t run, const ExecContext& ctx);
    void keep(std::uint64_t run, std::shared_ptr<const RegistrationIterate> iterate);
    void keepResult(std::uint64_t run, const RegistrationPlan& plan,
                    const RegistrationResult& result);
    RegistrationPoint nextPoint(std::uint64_t run);

    const DeviceAccess devices_;
    bool begins_ = false; ///< the next iteration is the first; of the thread alone

    // Guarded by the lock of the runs.
    IterationStore store_;
    RegistrationPair images_;

    StatusRun<RegistrationTask, RegistrationStatus> runs_; ///< last: it uses all of the above
};

/// The task as command and window run it.
const Task& registrationTask();

} // namespace systole
