// Figures and texts of two sides, shared by the panel, the labels of the views and the report.
#pragma once

#include "app/session/paired_times.h"
#include "app/session/session.h"
#include "render/scene/scene.h"

#include <optional>
#include <string>
#include <vector>

namespace systole {

/// The current state of one side of the layout side by side.
struct SideFigures {
    const MotionChoice* choice = nullptr; ///< owned by the session
    Backend backend = Backend::Cpu; ///< backend of the last estimation; before that, the chosen one
    std::string where;              ///< "1 thread", or the name of the CUDA device
    double lastSeconds = 0;         ///< time of the last estimation; 0: none yet
    double perSecond = 0;           ///< rate of finished estimations, recently
    int iterations = 0;             ///< iterations on the finest level of the last estimation
    std::uint64_t estimated = 0;
    std::string message;  ///< failure of the last estimation; empty: it succeeded
    std::string fallback; ///< reason why it isn't as requested; empty: it is
};
SideFigures leftFigures(const Session& session);
SideFigures rightFigures(const Session& session);

/// Times of the pairs that both sides have estimated: nothing else compares.
PairedTimes pairedTimes(const Session& session);
/// True if the sides compute one after the other, each with all threads: both on the CPU, from
/// frame to frame.
bool takesTurns(const MotionChoice& left, const MotionChoice& right);

/// A parameter whose value differs, with both values as text; "-" where a method lacks it.
struct ParameterDifference {
    std::string id, left, right;
};
std::vector<ParameterDifference> differingParameters(const MotionChoice& left,
                                                     const MotionChoice& right);

/// True if the sides differ by their backends at most: then their fields should be equal.
bool sameSettings(const MotionChoice& left, const MotionChoice& right);

/// True if nothing but rounding makes the shown difference (below roundingVoxels,
/// render/display_scale.h), and rounding differences aren't requested.
bool onlyRounding(const Session& session);
/// Formats "0.012 mm". Unless `exact`, what is below half a micrometer is "0 mm".
std::string differenceLengthText(double millimeters, bool exact);
/// Formats "mean 0.01 mm, max 0.2 mm", and the same in voxels with the bounds of equality, which
/// only fields of the same settings have.
std::string differenceText(const FieldDifference& difference, bool exact);
std::string boundsText(const FieldDifference& difference);
std::string positionText(Vec3 lpsMillimeters); ///< "(1.0, 2.0, 3.0) mm LPS"

/// The reason why nothing is estimated; empty: something is.
std::string whyIdle(const Session& session);

/// True if a side has no motion in the frame shown and gets none: nothing compares there.
bool lacksMotion(const Session& session);

/// The scene's content for side by side, labels included.
SideBySide sidesOf(const Session& session);

/// All figures, tab-separated: name, left, right.
std::string comparisonText(const Session& session);

} // namespace systole
