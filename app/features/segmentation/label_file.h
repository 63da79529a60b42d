// A segmentation as a label map on disk, in the form that `systole segment` writes.
#pragma once

#include "app/anatomy/label_history.h"
#include "compute/core/sequence.h"

#include <memory>
#include <string>
#include <vector>

namespace systole {

/// The labels of a sequence as they are now; may be written on another thread.
struct LabelFile {
    Geometry grid;
    double frameSeconds = 0; ///< 0: unknown
    /// One: a 3D label map. More: one of 4D; null: a frame without labels, which is 0 throughout.
    std::vector<std::shared_ptr<const LabelMap>> frames{};
    /// Value in the file for each label, 0 to 65535, [0] for none; empty: the label itself, as for
    /// labels beyond the list. 16 bits per voxel if a value is above 255.
    std::vector<int> numbers{};
    int numberOf(std::uint8_t label) const {
        return label < numbers.size() ? numbers[label] : label;
    }
};

/// One frame if only one has labels, else all frames.
LabelFile labelFileOf(const LabelHistory& labels, const Sequence& sequence);

/// True if the name is that of a format for label maps: .nii.gz or .nii; for one frame also .mha,
/// .nrrd.
bool isLabelMapName(const std::string& path, bool oneFrame);

/// Throws FileError: a name that doesn't end with .nii.gz or .nii (one frame: also .mha, .nrrd),
/// one of `inputs`, no labels at all, or a file that can't be written. Replaces a file of that
/// name; written under a temporary name first.
void writeLabelFile(const std::string& path, const LabelFile& file,
                    const std::vector<std::string>& inputs);

} // namespace systole
