// One side's estimation as a command line asks for it.
#pragma once

#include "app/live/session.h"

#include <string>
#include <vector>

namespace systole {

struct MotionOptions {
    std::string backend{}, method{}, preset{}; ///< empty: as it is
    std::vector<std::string> variants{};       ///< STAGE=NAME of the CUDA kernels
    std::vector<std::string> assignments{};    ///< ID=VALUE of the parameters

    bool any() const {
        return !backend.empty() || !method.empty() || !preset.empty() || !variants.empty() ||
               !assignments.empty();
    }
    /// Throws UsageError for what there isn't, ComputeError for an unavailable backend.
    void apply(MotionChoice& choice) const;
};

/// Both sides. The right one starts from the left one, on another backend.
void applyMotionOptions(Session& session, const MotionOptions& left, const MotionOptions& right);

} // namespace systole
