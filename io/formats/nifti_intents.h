// Names by which NIfTI files of vectors say what they hold (intent_name).
#pragma once

namespace systole {

/// NiftyReg's transformations; intent_p1 says which kind.
inline constexpr const char* niftyRegIntentName = "NREG_TRANS";
/// Our grids of control points of a cubic B-spline.
inline constexpr const char* splineIntentName = "CUBIC_SPLINE";

} // namespace systole
