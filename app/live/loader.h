// Opens files on a thread of its own, so that the window stays alive meanwhile.
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
    IntensityScale scale; ///< 1st and 99th percentile
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
        double secondsLeft = -1; ///< below 0: not known yet
    };

    /// notify is called on the loading thread when there is an outcome or progress.
    explicit Loader(std::function<void()> notify);
    ~Loader(); ///< cancels and waits for the threads

    /// Gives up an earlier load.
    void start(std::vector<std::string> paths, OpenOptions options);
    /// The load ends without an outcome.
    void cancel();
    bool busy() const;
    Progress progress() const;
    /// What became of the load, once.
    std::optional<Outcome> take();

private:
    struct Load;
    std::function<void()> notify_;
    std::shared_ptr<Load> current_;
    std::vector<std::future<void>> threads_;
};

} // namespace systole
