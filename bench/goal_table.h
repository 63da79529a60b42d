// The parts of the table of goals.
#pragma once

#include "bench/goals.h"

#include <vector>

namespace systole {

using Goals = std::vector<Goal>;

/// Largest median error that clg may have on a look of the family.
struct LookBar {
    const char* look;
    double error; ///< voxels
};
inline constexpr LookBar lookBars[] = {
    {"echo", 0.10}, {"hard", 0.30}, {"small", 0.12}, {"ct", 0.35}};

/// Real hearts, the left ventricle's measures, lungs, surfaces and matrices.
void addMeasureGoals(Goals& goals);

} // namespace systole
