// The record beside a label map, labels.json beside labels.nii.gz: which number is what, and the
// points that it was found from. `systole segment` and the Segment panel write it.
#pragma once

#include "app/anatomy/label_history.h"
#include "app/base/json_file.h"
#include "compute/surface/segment.h"

#include <optional>
#include <string>
#include <vector>

namespace systole {

struct LabelRecord {
    int chamber = 0, wall = 0; ///< numbers in the label map; 0: not named
    std::optional<VentriclePoints> points{};
    std::optional<int> pointsFrame{}; ///< frame of the image in which they lie; none: not named
    std::vector<int> frames{}; ///< frames of the image that the map has labels of; empty: not named
};

/// "labels.json" of "labels.nii.gz"
std::string labelRecordPath(const std::string& labelMap);

/// The record of a label map; none: there is no file, or it isn't the record of this map. Throws
/// FileError where its points are in another frame or unit.
std::optional<LabelRecord> readLabelRecord(const std::string& labelMap);

/// The parts that every record of a label map has, by which readLabelRecord() knows it.
Json labelsInRecord(const std::string& labelMap, int chamber, int wall);
Json pointsInRecord(const VentriclePoints& points);

/// Writes the record of a saved label map. A file of that name which isn't a record of this map is
/// another program's, and stays: false. `frames`: those of the image with their volumes.
struct RecordedFrame {
    int frame = 0;
    double chamberMilliliters = 0, wallMilliliters = 0;
};
bool writeLabelRecord(const std::string& labelMap, const LabelRecord& record,
                      const std::vector<RecordedFrame>& frames, const std::string& image);

} // namespace systole
