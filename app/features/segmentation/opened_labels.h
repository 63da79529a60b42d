// Labels of a file, of this program or another one, brought onto the frames of a sequence, to be
// corrected or compared with.
#pragma once

#include "app/anatomy/label_history.h"
#include "compute/core/exec.h"
#include "compute/core/geometry.h"
#include "compute/surface/segment.h"

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace systole {

/// Numbers of chamber and wall in a file; 0: none.
struct ChamberNumbers {
    int chamber = 0, wall = 0;
    bool operator==(const ChamberNumbers&) const = default;
};

struct OpenedLabels {
    std::string path;
    std::vector<int> numbers{}; ///< numbers of the labels in the file, ascending, without 0
    /// Labels of a frame of the sequence on its grid: 0, or 1 + the place in `numbers`.
    struct Frame {
        int frame = 0;
        std::shared_ptr<const LabelMap> places;
    };
    std::vector<Frame> frames{}; ///< ascending; those without labels are left out
    /// Decisions made while reading, a sentence each: the frame, another grid.
    std::vector<std::string> notes{};
    /// Chamber and wall, as a record beside the file says, or as their neighborhood shows.
    std::optional<ChamberNumbers> found{};
    /// Points from which the labels of `pointsFrame` were found, by the record.
    std::optional<VentriclePoints> points{};
    int pointsFrame = 0;
};

/// Largest number of different labels.
inline constexpr std::size_t maxLabelNumbers = 200;

/// The sequence that gets the labels.
struct LabelTarget {
    Geometry grid;
    int frames = 1; ///< number of frames in the sequence
    /// Frame of a map that has only one, unless its record or its name (…_frameNN_gt) names
    /// another.
    int frame = 0;
};

/// Reads a label map of one frame, or of every frame. One on another grid is brought onto that of
/// the sequence by its nearest voxels. Throws FileError: no labels, other values than labels, more
/// than maxLabelNumbers of them, another number of frames, no voxel that both grids share.
OpenedLabels readOpenedLabels(const std::string& path, const LabelTarget& target,
                              const ExecContext& ctx);

/// The numbers of labels in this program: 1 chamber, 2 wall, then the others as they come.
/// `numbersOf(...)[label]` is that of the file; [0] is 0. A role that the file lacks gets a number
/// that it doesn't have.
std::vector<int> numbersOf(const OpenedLabels& opened, const ChamberNumbers& roles);

/// The labels of a frame with those numbers.
LabelMap labelsOf(const OpenedLabels::Frame& frame, const OpenedLabels& opened,
                  const ChamberNumbers& roles);

} // namespace systole
