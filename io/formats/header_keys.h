// Keys in NRRD and MetaImage headers that other programs add to those of the format.
#pragma once

#include "compute/core/field_convention.h"
#include "io/base/stored_image.h"

#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace systole {

using HeaderKeys = std::map<std::string, std::string>;

/// The text of a key; empty: there is none.
std::string textOf(const HeaderKeys& keys, const std::string& key);

/// The seconds that Plus gives each frame (Seq_Frame0000_Timestamp), else the unfiltered ones.
/// Empty: the keys give none; NaN for a frame that has none.
std::vector<double> frameTimestamps(const HeaderKeys& keys, int frames);
/// Notes of what else Plus says of frames: those that it calls invalid, and that each has a place
/// of its own.
void noteFrameStates(const HeaderKeys& keys, StoredImage& image);

/// Slicer's segments.
struct StoredSegment {
    std::string name;
    std::string label; ///< the file's text, unchanged
    std::string layer;
};
std::vector<StoredSegment> segmentsIn(const HeaderKeys& keys);
/// "1 LV epi, 2 LV endo": labels with the names that a file gives them; empty: it gives none.
std::string segmentNames(const std::vector<StoredSegment>& segments);

/// Throws FileError where the keys say that a list of images is no course of time: layers of
/// segments, gradients of diffusion.
void requireFrames(const std::string& path, const HeaderKeys& keys);
/// "EchoTime" where an axis of frames is named after another quantity than time; else empty.
std::string otherQuantityThanTime(std::string_view name);

/// Adds the direction that Slicer's "displacement field type" gives a field: "resampling" leads
/// from fixed to moving, "modeling" back. Throws FileError for another word.
void addFieldDirection(const std::string& path, const HeaderKeys& keys, StatedConvention& stated);

} // namespace systole
