// Compares the fields of two results on a thread of its own: the newest wanted pair first, finished
// comparisons kept for a sequence that loops.
#pragma once

#include "compute/core/frame_result.h"
#include "compute/ops/field_difference.h"

#include <cstddef>
#include <functional>
#include <memory>
#include <string>

namespace systole {

struct FieldComparison {
    std::weak_ptr<const FrameResult> left, right; ///< what was compared, not kept alive
    std::shared_ptr<const Volume> millimetres;    ///< |left − right|; null when it failed
    FieldDifference difference;
    std::string failure; ///< one sentence; empty: all went well
};

/// Both fields belong to one pair of frames.
bool comparable(const FrameResult& left, const FrameResult& right);

class FieldComparer {
public:
    /// `notify` is called on the comparing thread after each comparison; it must not wait.
    FieldComparer(std::size_t cacheBytes, std::function<void()> notify);
    ~FieldComparer(); ///< cancels and joins

    /// The finished comparison of these two, else null, and then it is made soon: what was asked
    /// for earlier and not begun gives way. Both have their field on the host. Never waits.
    std::shared_ptr<const FieldComparison> find(const std::shared_ptr<const FrameResult>& left,
                                                const std::shared_ptr<const FrameResult>& right);
    /// Forgets everything, as for a new sequence.
    void clear();

private:
    struct Impl;
    std::unique_ptr<Impl> impl_;
};

} // namespace systole
