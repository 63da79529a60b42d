#include "compute/ops/jacobian.h"

#include "compute/core/error.h"
#include "compute/ops/fold_math.h"
#include "compute/ops/over_voxels.h"
#include "compute/ops/row_determinants.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace systole {
namespace {

/// The two neighbors of a position along an axis, and the inverse of their distance.
struct Neighbors {
    Neighbors(int position, int count)
        : before(std::max(position - 1, 0))
        , after(std::min(position + 1, count - 1))
        , factor(after > before ? 1.0 / (after - before) : 0) {}
    double difference(float low, float high) const {
        return factor * (static_cast<double>(high) - static_cast<double>(low));
    }
    int before, after;
    double factor;
};

const ParamTable& parameterTable() {
    static const ParamTable table(
        {realParam(foldThreshold, 0, -10, 10, "",
                   "A voxel counts as folded if its determinant is at most this.")});
    return table;
}

JacobianFigures addFigures(FrameResult& result, const ParamSet& parameters,
                           const ExecContext& ctx) {
    if (!result.field)
        throw ComputeError("the Jacobian determinant needs the field on the host");
    const JacobianFigures figures =
        jacobianFigures(result.field->view(), parameters.real(foldThreshold), ctx);
    const auto voxels = static_cast<double>(result.field->geometry.voxels());
    result.figures.push_back(
        {"folded voxels", 100 * static_cast<double>(figures.folded) / voxels, "%"});
    result.figures.push_back({"smallest determinant", figures.smallest, ""});
    return figures;
}

Size3 cellsOf(Size3 size) {
    return {folds::cellsAlong(size.x), folds::cellsAlong(size.y), folds::cellsAlong(size.z)};
}

} // namespace

double jacobianDeterminant(FieldView<const float> field, int x, int y, int z) {
    const Neighbors alongX(x, field.size.x), alongY(y, field.size.y), alongZ(z, field.size.z);
    double m[3][3];
    for (int k = 0; k < 3; ++k) {
        const VolumeView<const float> w = field.componentView(k);
        m[k][0] = alongX.difference(w(alongX.before, y, z), w(alongX.after, y, z));
        m[k][1] = alongY.difference(w(x, alongY.before, z), w(x, alongY.after, z));
        m[k][2] = alongZ.difference(w(x, y, alongZ.before), w(x, y, alongZ.after));
        m[k][k] += 1;
    }
    return m[0][0] * (m[1][1] * m[2][2] - m[1][2] * m[2][1]) -
           m[0][1] * (m[1][0] * m[2][2] - m[1][2] * m[2][0]) +
           m[0][2] * (m[1][0] * m[2][1] - m[1][1] * m[2][0]);
}

namespace {

void addRow(FieldView<const float> field, int y, int z, double threshold,
            rows::DeterminantFigures& figures) {
    const Neighbors alongY(y, field.size.y), alongZ(z, field.size.z);
    rows::DisplacementRow row{{}, alongY.factor, alongZ.factor};
    for (int k = 0; k < 3; ++k) {
        const VolumeView<const float> w = field.componentView(k);
        row.of[k] = {w.row(y, z), w.row(alongY.before, z), w.row(alongY.after, z),
                     w.row(y, alongZ.before), w.row(y, alongZ.after)};
    }
    const auto addOne = [&](int x) { figures.add(jacobianDeterminant(field, x, y, z), threshold); };
    const int last = field.size.x - 1;
    addOne(0);
    for (int x = rows::addDeterminants(row, 1, last, threshold, figures); x <= last; ++x)
        addOne(x);
}

} // namespace

JacobianFigures jacobianFigures(FieldView<const float> displacement, double threshold,
                                const ExecContext& ctx) {
    struct Part : rows::DeterminantFigures {
        void operator+=(const Part& other) {
            folded += other.folded;
            smallest = std::min(smallest, other.smallest);
            largest = std::max(largest, other.largest);
        }
    };
    const Part all = sumOverPlanes(displacement.size, ctx, Part{}, [&](Part& plane, int z) {
        ctx.throwIfCancelled();
        for (int y = 0; y < displacement.size.y; ++y)
            addRow(displacement, y, z, threshold, plane);
    });
    return {all.folded, all.smallest + 0.0, all.largest + 0.0}; // a zero has one sign
}

std::size_t cellsThatMayFold(FieldView<const float> displacement, const ExecContext& ctx) {
    return sumOverVoxels(cellsOf(displacement.size), ctx, std::size_t{0},
                         [&](std::size_t& plane, int x, int y, int z) {
                             plane += folds::Cell(displacement, x, y, z).isAbove(0) ? 0u : 1u;
                         });
}

double percentThatMayFold(FieldView<const float> displacement, const ExecContext& ctx) {
    return 100 * static_cast<double>(cellsThatMayFold(displacement, ctx)) /
           static_cast<double>(cellsOf(displacement.size).voxels());
}

VolumeChange volumeChange(FieldView<const float> displacement, VolumeView<const float> mask,
                          const ExecContext& ctx) {
    struct Sums {
        double count = 0, value = 0, logarithm = 0, squared = 0;
        void operator+=(const Sums& other) {
            count += other.count;
            value += other.value;
            logarithm += other.logarithm;
            squared += other.squared;
        }
    };
    const auto add = [&](Sums& plane, int x, int y, int z) {
        if (!mask.empty() && !(mask(x, y, z) > 0))
            return;
        const double value = jacobianDeterminant(displacement, x, y, z);
        const double logarithm = std::log(value);
        if (value > 0)
            plane += {1, value, logarithm, logarithm * logarithm};
    };
    const Sums all = sumOverVoxels(displacement.size, ctx, Sums{}, add);
    const double mean = all.logarithm / all.count;
    return {static_cast<std::size_t>(all.count), all.value / all.count, mean,
            std::sqrt(std::max(0.0, all.squared / all.count - mean * mean))};
}

void jacobianMap(FieldView<const float> displacement, VolumeView<float> out,
                 const ExecContext& ctx) {
    overVoxels(displacement.size, ctx, [&](int x, int y, int z) {
        out(x, y, z) = static_cast<float>(jacobianDeterminant(displacement, x, y, z));
    });
}

FrameStage jacobianStage(std::function<void(const JacobianFigures&)> seen) {
    return {"jacobian", "Folding (Jacobian determinant)", &parameterTable(), true,
            [seen = std::move(seen)](FrameResult& result, const ParamSet& parameters,
                                     const ExecContext& ctx) {
                const JacobianFigures figures = addFigures(result, parameters, ctx);
                if (seen)
                    seen(figures);
            }};
}

} // namespace systole
