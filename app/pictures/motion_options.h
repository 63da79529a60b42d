// One side's estimation as requested on a command line.
#pragma once

#include "app/session/session.h"

#include <string>
#include <vector>

namespace systole {

struct MotionOptions {
    std::string backend{}, method{}, preset{}; ///< empty: unchanged
    std::vector<std::string> variants{};       ///< STAGE=NAME for the CUDA kernels
    std::vector<std::string> stages{};         ///< stages that follow, by their names
    std::vector<std::string> assignments{};    ///< NAME=VALUE for the parameters
    std::string reference{};                   ///< name for windowOf(); empty: unchanged
    int window = 0;                            ///< frames, by --window-frames; 0: unchanged

    bool any() const {
        return !backend.empty() || !method.empty() || !preset.empty() || !variants.empty() ||
               !assignments.empty() || !stages.empty() || !reference.empty() || window != 0;
    }
    /// Throws UsageError for unknown names, ComputeError for an unavailable backend. Options are
    /// named with the prefix.
    void apply(MotionChoice& choice, const std::string& prefix = "--") const;
};

/// Applies both sides. The right one starts from the left one, on another backend.
void applyMotionOptions(Session& session, const MotionOptions& left, const MotionOptions& right);

} // namespace systole
