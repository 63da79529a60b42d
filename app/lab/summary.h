// What an answer of the laboratory says, in words: for the panel, its picture and its text.
#pragma once

#include "compute/lab/laboratory.h"

#include <string>
#include <vector>

namespace systole {

/// "wu" and its like as short names for legends: "Wu", "Hong & Kim", "ours".
const char* shortModelName(std::size_t model);

/// "32 to 1024 threads a block, side 200", what the question holds still.
std::string conditionsText(const lab::LabQuestion& question);

/// A few lines on a curve: the best measured, what each model would choose and what that costs, how
/// far each is off.
std::vector<std::string> summaryOf(const lab::LabAnswer& answer, const lab::LabCurve& curve);

/// Everything on one row, a line each: the tooltip of a point.
std::vector<std::string> figuresOf(const lab::LabAnswer& answer, const lab::LabCurve& curve,
                                   const lab::LabRow& row);

/// "256 threads", "side 96", "12 KB ballast".
std::string placeText(lab::LabAxis axis, double x);

} // namespace systole
