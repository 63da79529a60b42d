// Where volume is preserved, from a label map: the label of tissue and its weight.
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
};

/// The labels of a map but 0. Throws FileError, naming the file, if it has none.
std::set<int> labelsIn(std::span<const float> values, const std::string& file);

/// A label map, and its label of tissue.
struct TissueLabels {
    Volume map;
    int label = 0;

    /// 1 in the voxels of the label, else 0; x fastest.
    std::vector<std::uint8_t> voxels() const;
};

/// Throws FileError that names the file unless all values are labels: whole numbers from 0 to
/// 65535. `hint` follows the sentence.
void requireLabels(std::span<const float> values, const std::string& file, const char* hint = "");

/// Reads a label map. Throws FileError that names the file unless it is one frame of labels, with
/// `geometry` on that grid.
Volume readLabels(const std::string& file, const Geometry* geometry, const ExecContext& ctx);

/// Reads the label map `file`, one frame on the grid `geometry`. Without `label` the file must say
/// which it is: a record of `systole phantom` beside it names its wall, files named as in the ACDC
/// data have the myocardium as 2, and a map of a single label besides 0 has no other. Throws
/// FileError with one sentence for anything else, and for a label that the map doesn't have;
/// `option` names the label in it.
TissueLabels readTissueLabels(const std::string& file, std::optional<int> label,
                              const Geometry& geometry, const char* option, const ExecContext& ctx);

/// The weight of that label, for --tissue-label: 1 in its voxels, soft at their edge (softMask).
TissueWeight readTissue(const std::string& file, std::optional<int> label, const Geometry& geometry,
                        const ExecContext& ctx);

} // namespace systole
