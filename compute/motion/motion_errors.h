// How far a motion may be wrong: draws of its error, which have the error's covariance, so that the
// standard error of whatever is computed from the motion is the spread of what it is with them.
#pragma once

#include "compute/core/frame_result.h"
#include "compute/core/motion_estimator.h"

#include <functional>
#include <string>

namespace systole {

/// Called with a draw of the error, voxels of the fixed grid; valid during the call.
using TakeDraw = std::function<void(FieldView<const float>)>;

/// Passes on draws of the error of `displacement`, an estimation from these frames, all on the host
/// and without masks. The n-th draw is the same bits whatever their number and that of the threads.
/// On the CPU. Throws ComputeError for sizes that don't match, and Cancelled within 0.2 s.
using DrawErrors = std::function<void(const MotionInput& input, FieldView<const float> displacement,
                                      int draws, const TakeDraw& take, const ExecContext& ctx)>;

/// Draws errors of a method with these parameters; empty: the method doesn't estimate its errors.
/// It accepts the motion of another method, too: the draws are then errors that this one would have
/// left.
DrawErrors errorsOf(const MotionMethod& method, const ParamSet& parameters);
/// The refusal of a method that has none, without a full stop.
std::string estimatesNoErrors(const MotionMethod& method);

/// Data of an estimation that a FrameResult keeps to draw its errors.
struct MotionErrors {
    DrawErrors draw;
    IntensityScale scale{};
    std::shared_ptr<const Volume> incompressibility{};
};

/// Draws from which a standard error is found.
inline constexpr int usualDraws = 8;

/// Standard error of each component, in voxels along the axes of the grid: root mean square of the
/// draws, also over a neighborhood (a Gaussian of 4 smallest spacings), since few draws alone say
/// little. No more than the longest displacement, or a smallest spacing: where the images tell
/// nothing the draws know no bound, but the motion has one.
VectorField standardError(const DrawErrors& errors, const MotionInput& input, const Geometry& grid,
                          FieldView<const float> displacement, int draws, const ExecContext& ctx);

/// The draws of a result with `errors`, its field on the host, in LPS mm.
void drawErrors(const FrameResult& result, int draws,
                const std::function<void(const MillimeterField&)>& take, const ExecContext& ctx);
/// Overload for a motion between two frames.
void drawErrors(const MotionErrors& errors, const Volume& fixed, const Volume& moving,
                const VectorField& field, int draws,
                const std::function<void(const MillimeterField&)>& take, const ExecContext& ctx);

/// The standard error of a result with `errors`, in mm along the axes of the grid.
MillimeterField standardErrorMillimeters(const FrameResult& result, const ExecContext& ctx);

/// Gives a result its standard error, if it has `errors`; its field is on the host.
void addStandardError(FrameResult& result, const ExecContext& ctx);

} // namespace systole
