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
    IntensityScale scale;        ///< 1st and 99th percentile
    bool motionMeasured = false; ///< the next two are final; until then no motion is shown
    double motionRange = 0;      ///< mm, see compute/motion/motion_range.h; 0: unknown
    double motionRangeSinceFirst = 0;
    std::vector<std::string> paths;
};

/// The ranges of OpenedSequence, which are known later than the rest.
struct MotionRanges {
    double neighbors = 0, sinceFirst = 0;
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

    struct Load;
    /// A load under way that nobody follows yet; cancelled if nobody comes to.
    struct Begun {
        std::shared_ptr<Load> load;
        std::future<void> thread;
        std::future<void> header; ///< read; get() throws what openSequence() throws

        Begun() = default;
        Begun(Begun&&) = default;
        ~Begun();
    };
    static Begun begin(std::vector<std::string> paths, OpenOptions options);

    /// `notify` is called on the loading thread when there is an outcome or progress.
    explicit Loader(std::function<void()> notify);
    ~Loader(); ///< cancels and waits for the threads

    /// Cancels an earlier load, and follows this one.
    void start(Begun begun);
    /// Ends the load without an outcome.
    void cancel();
    bool busy() const;
    Progress progress() const;
    /// Returns the outcome of the load, once; without the ranges of motion.
    std::optional<Outcome> take();
    /// Returns the ranges of motion of the sequence that was taken last, once.
    std::optional<MotionRanges> takeRanges();

private:
    std::function<void()> notify_;
    std::shared_ptr<Load> current_;
    std::shared_ptr<Load> ranging_; ///< load whose ranges aren't known yet
    std::vector<std::future<void>> threads_;
};

} // namespace systole
