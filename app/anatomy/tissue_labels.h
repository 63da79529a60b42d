// The tissue whose volume is preserved, from a label map: its label and its weight.
#pragma once

#include "compute/core/exec.h"
#include "compute/core/volume.h"

#include <cstdint>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <vector>

namespace systole {

/// A weight on volume preservation, and the label that it was made from.
struct TissueWeight {
    std::shared_ptr<const Volume> weight;
    int label = 0;
    std::vector<std::string> notes; ///< notes on the label map's grid
};

/// The labels of a map but 0. Throws FileError, naming the file, if it has none.
std::set<int> labelsIn(std::span<const float> values, const std::string& file);

/// A label map, and its label of tissue.
struct TissueLabels {
    Volume map;
    int label = 0;
    std::vector<std::string> notes; ///< notes on its grid

    /// 1 in the voxels of the label, else 0; x fastest.
    std::vector<std::uint8_t> voxels() const;
};

/// Reads a label map of one frame. With `geometry` on that grid, see labelsOnGrid(), whose notes
/// are added. Throws FileError that names the file.
Volume readLabels(const std::string& file, const Geometry* geometry,
                  std::vector<std::string>& notes, const ExecContext& ctx);

/// Reads the label map `file`, one frame with voxels of the grid `geometry`. Without `label` the
/// file must say which it is: a record of `systole phantom` beside it names its wall, files named
/// as in the ACDC data have the myocardium as 2, and a map of a single label besides 0 has no
/// other. Throws FileError with one sentence for anything else, and for a label that the map
/// doesn't have; `option` names the label in it.
TissueLabels readTissueLabels(const std::string& file, std::optional<int> label,
                              const Geometry& geometry, const char* option, const ExecContext& ctx);

/// The weight of that label, for --tissue-label: 1 in its voxels, soft at their edge (softMask).
TissueWeight readTissue(const std::string& file, std::optional<int> label, const Geometry& geometry,
                        const ExecContext& ctx);

} // namespace systole
