// What is doubtful about the labels of a sequence: made here alone, for every place that shows them
// or what follows from them, as an ejection fraction.
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
    /// A run over the frames begins with this one; what was said of an earlier run is forgotten.
    void begin(int firstFrame);
    /// The run has found a frame's chamber, ml. `doubt` of it, one sentence without its full stop,
    /// empty: none; it holds as long as the chamber has about that volume.
    void found(int frame, double milliliters, std::string doubt);
    /// A frame's labels enclose so many ml; what is said below follows from what was said last.
    void count(int frame, double chamber, double wall);
    /// count() of the frames whose labels have changed.
    void follow(const LabelHistory& labels);

    /// The frame that the others were found from; none: each is its own.
    std::optional<int> origin() const;
    /// Of the chambers as they were found, one sentence; empty: none.
    std::string ofFinding() const;
    /// One sentence each, the same first.
    std::vector<std::string> all() const;

private:
    struct Frame {
        double found = 0; ///< ml of the chamber that the run found; 0: it hasn't
        std::string doubt;
        std::uint64_t revision = 0;   ///< of the labels that were counted
        double chamber = 0, wall = 0; ///< ml
    };
    Frame& at(int frame);
    std::string ofFrame(std::size_t i) const;
    std::string ofOrigin() const;

    int first_ = 0;
    std::vector<Frame> frames_;
};

} // namespace systole
