#include "app/fields/field_sanity.h"

#include "compute/core/error.h"
#include "compute/core/points.h"
#include "compute/ops/invert_field.h"
#include "compute/ops/jacobian.h"
#include "io/base/text.h"

#include <fmt/format.h>

#include <utility>

namespace systole {
namespace {

/// Fraction of voxels in which an inverse must be found: a field that folds more leads nowhere
/// back.
constexpr double minInverted = 0.9;

bool anyArrives(const MillimeterField& field, const Geometry& moving) {
    const Size3 size = field.geometry.size(), there = moving.size();
    const float* vector = field.vectors.data();
    for (int z = 0; z < size.z; ++z)
        for (int y = 0; y < size.y; ++y)
            for (int x = 0; x < size.x; ++x, vector += 3) {
                const Vec3 index = moving.physicalToIndex(centerOfVoxel(field.geometry, x, y, z) +
                                                          Vec3{vector[0], vector[1], vector[2]});
                bool inside = true;
                for (int axis = 0; axis < 3; ++axis)
                    inside &= index[axis] >= -0.5 && index[axis] <= there[axis] - 0.5;
                if (inside)
                    return true;
            }
    return false;
}

constexpr const char* whatHelps =
    "; its numbers may be positions, in another frame or unit, or lead the other way";

} // namespace

double foldedFraction(FieldView<const float> displacement, const ExecContext& ctx) {
    // A limit above 0: for positions read as displacements, rounding decides the sign.
    constexpr double flat = 1e-3;
    return static_cast<double>(jacobianFigures(displacement, flat, ctx).folded) /
           static_cast<double>(displacement.size.voxels());
}

void requireMotion(const std::string& path, const MillimeterField& field, const Geometry& moving,
                   const ExecContext& ctx) {
    const double folded = foldedFraction(toVoxels(field, *ctx.pool).view(), ctx);
    if (folded > maxFolded)
        throw fileError(path, fmt::format("is no motion as it is read: the displacements fold "
                                          "space in {:.0f} % of the voxels{}",
                                          100 * folded, whatHelps));
    if (!anyArrives(field, moving))
        throw fileError(
            path, fmt::format("is no motion as it is read: not one voxel arrives inside the moving "
                              "image{}",
                              whatHelps));
}

MillimeterField invertedField(const std::string& path, const MillimeterField& backward,
                              const Geometry& fixed, const ExecContext& ctx) {
    try {
        InverseField inverse = invertField(toVoxels(backward, *ctx.pool), fixed, {}, ctx);
        const InverseReport& report = inverse.report;
        const auto inside = static_cast<double>(report.inside);
        if (static_cast<double>(report.converged) < minInverted * inside || report.inside == 0)
            throw fileError(
                path, fmt::format("leads from the moving to the fixed image, but can be inverted "
                                  "in only {} of {} voxels",
                                  report.converged, fixed.voxels()));
        return std::move(inverse.field);
    } catch (const ComputeError& error) {
        throw fileError(path, error.what());
    }
}

} // namespace systole
