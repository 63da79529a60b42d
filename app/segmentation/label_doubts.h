// What is doubtful about the labels of a sequence: made here alone, for every place that shows them
// or what follows from them, as an ejection fraction.
#pragma once

#include "app/segmentation/label_history.h"

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace systole {

class LabelDoubts {
public:
    /// A run over the frames begins with this one; what was said of an earlier run is forgotten.
    void begin(int firstFrame);
    /// A frame's labels are those that the run has found. `doubt` of them, one sentence without its
    /// full stop, empty: none; it holds until the labels change.
    void found(const LabelHistory& labels, int frame, std::string doubt);

    /// The frame that the others were found from, while at least one other has labels of that run.
    std::optional<int> origin(const LabelHistory& labels) const;
    /// Of the labels as they were found, one sentence; empty: none.
    std::string ofFinding(const LabelHistory& labels) const;
    /// One sentence each, the same first. Frames whose labels have changed are counted again.
    std::vector<std::string> all(const LabelHistory& labels);

private:
    struct Frame {
        std::shared_ptr<const LabelMap> found; ///< by the run; null: nothing
        std::string doubt;
        std::uint64_t revision = 0;   ///< of the labels that were counted
        double chamber = 0, wall = 0; ///< ml
    };
    bool isAsFound(const LabelHistory& labels, int frame) const;
    void count(const LabelHistory& labels);
    std::string ofOrigin(const LabelHistory& labels) const;

    int first_ = 0;
    std::vector<Frame> frames_;
};

} // namespace systole
