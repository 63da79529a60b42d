// Two sides in figures and words: what panel, labels of the views and report say alike.
#pragma once

#include "app/live/session.h"
#include "render/scene.h"

#include <optional>
#include <string>
#include <vector>

namespace systole {

/// One side of the layout side by side as it stands.
struct SideFigures {
    const MotionChoice* choice = nullptr; ///< of the session
    Backend backend = Backend::Cpu;       ///< that estimated last; before that, the chosen one
    std::string where;                    ///< "1 thread", or the name of the CUDA device
    double lastSeconds = 0;               ///< of the last estimation; 0: none yet
    double meanSeconds = 0;               ///< over the last `averaged`
    int averaged = 0;
    double perSecond = 0; ///< estimations finished, lately
    int iterations = 0;   ///< of the last estimation's finest level
    std::uint64_t estimated = 0;
    std::string message;  ///< why the last estimation failed; empty: it didn't
    std::string fallback; ///< why it isn't made as it was asked for; empty: it is
};
SideFigures leftFigures(const Session& session);
SideFigures rightFigures(const Session& session);

/// Mean seconds of the right side over those of the left; nothing before both have estimated.
std::optional<double> timeRatio(const Session& session);

/// A parameter whose value differs, with both values as text; "-" where a method lacks it.
struct ParameterDifference {
    std::string id, left, right;
};
std::vector<ParameterDifference> differingParameters(const MotionChoice& left,
                                                     const MotionChoice& right);

/// "mean 0.01 mm, max 0.2 mm", and the same in voxels with the bounds of equality.
std::string differenceText(const FieldDifference& difference);
std::string boundsText(const FieldDifference& difference);
std::string positionText(Vec3 lpsMillimetres); ///< "(1.0, 2.0, 3.0) mm LPS"

/// Why nothing is estimated; empty when something is.
std::string whyIdle(const Session& session);

/// What the scene shows side by side, labels included.
SideBySide sidesOf(const Session& session);

/// Every figure, tab-separated: what, left, right.
std::string comparisonText(const Session& session);

} // namespace systole
