// Compares the fields of two results on its own thread: the newest requested pair first, finished
// comparisons cached for a looping sequence.
#pragma once

#include "compute/core/frame_result.h"
#include "compute/ops/field_difference.h"

#include <cstddef>
#include <functional>
#include <memory>
#include <string>

namespace systole {

struct FieldComparison {
    std::weak_ptr<const FrameResult> left, right; ///< the compared results, not kept alive
    std::shared_ptr<const Volume> millimeters;    ///< |left − right|; null if it failed
    FieldDifference difference;
    std::string failure; ///< one sentence; empty: success
};

/// True if both fields belong to one pair of frames.
bool comparable(const FrameResult& left, const FrameResult& right);

class FieldComparer {
public:
    /// `notify` is called on the comparing thread after each comparison; it must not block.
    FieldComparer(std::size_t cacheBytes, std::function<void()> notify);
    ~FieldComparer(); ///< cancels and joins

    /// Returns the finished comparison of these two; else null, and requests it: earlier requests
    /// that have not started are dropped. Both results need their field on the host. Never waits.
    std::shared_ptr<const FieldComparison> find(const std::shared_ptr<const FrameResult>& left,
                                                const std::shared_ptr<const FrameResult>& right);
    /// Forgets everything, for a new sequence.
    void clear();

private:
    struct Impl;
    std::unique_ptr<Impl> impl_;
};

} // namespace systole
