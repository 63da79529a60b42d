#include "app/features/motion/motion_summary.h"

#include <fmt/format.h>

namespace systole {

void printFolds(const MotionRecord& record) {
    const FieldRecord* lowest = nullptr;
    bool folds = false;
    for (const FieldRecord& field : record.fields) {
        if (field.voxels == 0) // not estimated
            continue;
        if (!lowest || field.jacobian.smallest < lowest->jacobian.smallest)
            lowest = &field;
        if (field.jacobian.folded == 0)
            continue;
        folds = true;
        fmt::print(
            "frame {} to {}: {:.2g} % of the voxels fold, lowest Jacobian determinant {:.3g}\n",
            field.fixed, field.moving, foldedPercent(field), field.jacobian.smallest);
    }
    if (lowest && !folds)
        fmt::print("no voxel folds; the lowest Jacobian determinant is {:.3g}, in the motion of "
                   "frame {} to {}\n",
                   lowest->jacobian.smallest, lowest->fixed, lowest->moving);
}

void printErrors(const MotionRecord& record, const char* where) {
    Vec3 sum;
    int pairs = 0;
    for (const FieldRecord& field : record.fields)
        if (field.standardError) {
            sum = sum + *field.standardError;
            ++pairs;
        }
    if (pairs == 0)
        return;
    const Vec3 mean = (1.0 / pairs) * sum;
    fmt::print("standard error, median of the {}{}: {:.2f} and {:.2f} mm in the slices (x, y), "
               "{:.2f} mm through them (z)\n",
               where, pairs == 1 ? "" : fmt::format(" (mean of {} pairs)", pairs), mean.x, mean.y,
               mean.z);
}

void printCycle(const MotionRecord& record) {
    const auto print = [](const char* points, const LengthStatistics& rest) {
        fmt::print("after the cycle, {} are {:.3f} mm from their start on average; 95 % of them at "
                   "most {:.3f} mm\n",
                   points, rest.mean, rest.percentile95);
    };
    if (record.cycleResidual)
        print("points", *record.cycleResidual);
    if (record.cycleResidualOfTissue)
        print("points of the tissue", *record.cycleResidualOfTissue);
}

} // namespace systole
