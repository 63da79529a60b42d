// Opens files on its own thread, so that the window stays responsive.
#pragma once

#include "compute/core/exec.h"
#include "compute/core/sequence.h"
#include "compute/motion/sequence_driver.h"
#include "io/source.h"

#include <functional>
#include <future>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

namespace systole {

struct OpenedSequence {
    Sequence sequence;
    IntensityScale scale;   ///< 1st and 99th percentile
    double motionRange = 0; ///< mm, see compute/motion/motion_range.h; 0: unknown
    double motionRangeSinceFirst = 0;
    std::vector<std::string> paths;
};

class Loader {
public:
    struct Outcome {
        std::shared_ptr<const OpenedSequence> opened; ///< null: it failed, see error
        std::string error;                            ///< one sentence
    };
    struct Progress {
        std::string phase;
        double fraction = 0;
        double secondsLeft = -1; ///< negative: unknown yet
    };

    /// `notify` is called on the loading thread when there is an outcome or progress.
    explicit Loader(std::function<void()> notify);
    ~Loader(); ///< cancels and waits for the threads

    /// Cancels an earlier load.
    void start(std::vector<std::string> paths, OpenOptions options);
    /// Ends the load without an outcome.
    void cancel();
    bool busy() const;
    Progress progress() const;
    /// Returns the outcome of the load, once.
    std::optional<Outcome> take();

private:
    struct Load;
    std::function<void()> notify_;
    std::shared_ptr<Load> current_;
    std::vector<std::future<void>> threads_;
};

} // namespace systole
