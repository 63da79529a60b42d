// Output of systole motion about the fields that it wrote.
#pragma once

#include "app/features/motion/motion_record.h"

namespace systole {

/// A line for each pair that folds; if none does, the lowest determinant of all.
void printFolds(const MotionRecord& record);
/// The standard errors along the axes of the grid, mean of the pairs; `where` they are the median.
/// Nothing if none are known.
void printErrors(const MotionRecord& record, const char* where);
void printCycle(const MotionRecord& record);

} // namespace systole
