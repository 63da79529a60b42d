// Other programs for the same task, when they are installed: run on the same pictures, measured by
// the same ground truth.
#pragma once

#include "compute/core/volume.h"

#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace systole {

struct PeerJob {
    std::string folder; ///< folder of the peer's files; has fixed.mha and moving.mha
    int threads = 1;
    Geometry grid; ///< grid of both images
};

struct Peer {
    std::string name;
    std::string program; ///< looked for on PATH
    /// Runs it; returns the path of an ITK displacement field in LPS mm on the fixed grid, or
    /// nothing when the program failed.
    std::function<std::optional<std::string>(const PeerJob&)> run;
};

const std::vector<Peer>& peers();
bool onPath(const std::string& program);

/// Figures of other programs measured on another machine with the same kind of phantom (its 128³
/// echo, hard, small and CT pictures, mean endpoint error in the wall in voxels; NaN: not
/// measured).
struct RecordedPeer {
    const char* name;
    double seconds;
    double echo, hard, small, ct;
};
const std::vector<RecordedPeer>& recordedPeers();

} // namespace systole
