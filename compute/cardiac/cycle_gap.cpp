#include "compute/cardiac/cycle_gap.h"

#include "compute/core/points.h"
#include "compute/ops/sample_at.h"

namespace systole::cardiac {

Displacements followed(const TissueVoxels& tissue, const Displacements& begun,
                       std::span<const std::shared_ptr<const FrameResult>> steps) {
    Displacements all(tissue.count());
    for (std::size_t i = 0; i < all.size(); ++i) {
        const Vec3 from = tissue.position(i);
        Vec3 at = begun.empty() ? from : from + widened(begun[i]);
        for (const auto& step : steps) {
            const Geometry& grid = step->field->geometry;
            at = at + grid.voxelVectorToPhysical(
                          vectorAt(step->field->view(), grid.physicalToIndex(at)));
        }
        all[i] = narrowed(at - from);
    }
    return all;
}

void takeOff(const Displacements& gap, double part, Displacements& from) {
    for (std::size_t i = 0; i < from.size(); ++i)
        for (std::size_t k = 0; k < 3; ++k)
            from[i][k] -= static_cast<float>(part * static_cast<double>(gap[i][k]));
}

double meanLength(const Displacements& displacements) {
    double sum = 0;
    for (const auto& u : displacements)
        sum += length(widened(u));
    return sum / static_cast<double>(displacements.size());
}

} // namespace systole::cardiac
