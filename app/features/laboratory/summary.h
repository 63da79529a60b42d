// A laboratory answer in words: for the panel, its picture and its text.
#pragma once

#include "compute/lab/laboratory.h"

#include <string>
#include <vector>

namespace systole {

/// Short names for legends: "Wu", "Hong & Kim", "ours".
const char* shortModelName(std::size_t model);

/// The values that the question keeps constant: "over side, 256 threads per block".
std::string conditionsText(const lab::LabQuestion& question);

/// A few lines on a curve: the best measured point, each model's choice and its cost, and the error
/// of each model.
std::vector<std::string> summaryOf(const lab::LabAnswer& answer, const lab::LabCurve& curve);

/// All figures of one row, one per line: the tooltip of a point.
std::vector<std::string> figuresOf(const lab::LabAnswer& answer, const lab::LabCurve& curve,
                                   const lab::LabRow& row);

/// "256 threads", "side 96", "12 KB padding".
std::string placeText(lab::LabAxis axis, double x);

} // namespace systole
