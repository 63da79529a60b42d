// Doubts about the labels of a sequence: the only source for all places that show the labels or
// results from them, such as an ejection fraction.
#pragma once

#include "app/anatomy/label_history.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace systole {

class LabelDoubts {
public:
    /// A run over the frames begins with this one; found volumes of an earlier run are forgotten.
    void begin(int firstFrame);
    /// The run has found a frame's chamber, ml. `doubt` of it, one sentence without its full stop,
    /// empty: none; it holds as long as the chamber has about that volume.
    void found(int frame, double milliliters, std::string doubt);
    /// Volumes, ml, that a frame's labels enclose now; the sentences below use the last ones.
    void count(int frame, double chamber, double wall);
    /// count() of the frames whose labels have changed.
    void follow(const LabelHistory& labels);

    /// The frame that the others were found from; none: each is its own.
    std::optional<int> origin() const;
    /// One sentence on the chambers as they were found; empty: none.
    std::string ofFinding() const;
    /// All doubts, a sentence each; ofFinding() is the first.
    std::vector<std::string> all() const;

private:
    struct Frame {
        double found = 0; ///< ml of the chamber that the run found; 0: it hasn't
        std::string doubt;
        std::uint64_t revision = 0;   ///< revision of the counted labels
        double chamber = 0, wall = 0; ///< ml
    };
    Frame& at(int frame);
    std::string ofFrame(std::size_t i) const;
    std::string ofOrigin() const;

    int first_ = 0;
    std::vector<Frame> frames_;
};

} // namespace systole
