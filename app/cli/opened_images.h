// Images that commands of one process draw, each opened and looked through once.
#pragma once

#include "app/base/file_hash.h"
#include "compute/core/motion_estimator.h"
#include "compute/core/sequence.h"

#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace systole {

class Command;

struct OpenedImage {
    std::string stamp; ///< names, places, sizes and dates of its files when it was opened
    Sequence sequence;
    std::optional<IntensityScale> scale{}; ///< scale of gray values; nothing: not known yet
    double range = 0;                      ///< motionRange() of the sequence, mm; 0: not known yet
    FileHash hash;
};

/// A cache of opened images, used by one thread only.
class OpenedImages {
public:
    /// The cached image if the files haven't changed since; else opens them. Large images aren't
    /// cached. Throws FileError.
    std::shared_ptr<OpenedImage> open(const std::vector<std::string>& files,
                                      double frameTimeMilliseconds);

private:
    std::deque<std::shared_ptr<OpenedImage>> last_; ///< the latest first
};

/// 'systole snapshot' that finds its image opened where a command before has drawn it. `images`
/// outlives it.
std::unique_ptr<Command> makeSharedSnapshotCommand(OpenedImages& images);

} // namespace systole
