#include "compute/ops/jacobian.h"

#include "compute/core/error.h"
#include "compute/ops/fold_math.h"
#include "compute/ops/over_voxels.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <span>
#include <vector>

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
        {realParam("threshold", 0, -10, 10, "",
                   "A voxel counts as folded if its determinant is at most this.")});
    return table;
}

void addFigures(FrameResult& result, const ParamSet& parameters, const ExecContext& ctx) {
    if (!result.field)
        throw ComputeError("the Jacobian determinant needs the field on the host");
    const JacobianFigures figures =
        jacobianFigures(result.field->view(), parameters.real("threshold"), ctx);
    const auto voxels = static_cast<double>(result.field->geometry.voxels());
    result.figures.push_back(
        {"folded voxels", 100 * static_cast<double>(figures.folded) / voxels, "%"});
    result.figures.push_back({"smallest determinant", figures.smallest, ""});
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

/// jacobianDeterminant() of the voxels of a row, in a form that the compiler does several at once.
void determinantsOfRow(FieldView<const float> field, int y, int z, std::span<double> out) {
    const Neighbors alongY(y, field.size.y), alongZ(z, field.size.z);
    struct Rows {
        const float *here, *low[2], *high[2];
    } rows[3];
    for (int k = 0; k < 3; ++k) {
        const VolumeView<const float> w = field.componentView(k);
        rows[k] = {w.row(y, z),
                   {w.row(alongY.before, z), w.row(y, alongZ.before)},
                   {w.row(alongY.after, z), w.row(y, alongZ.after)}};
    }
    const auto [u, v, w] = rows;
    const double factorY = alongY.factor, factorZ = alongZ.factor;
    const auto difference = [](double factor, const float* low, const float* high, int x) {
        return factor * (static_cast<double>(high[x]) - static_cast<double>(low[x]));
    };
    const int last = field.size.x - 1;
    for (const int x : {0, last})
        out[static_cast<std::size_t>(x)] = jacobianDeterminant(field, x, y, z);
    double* const row = out.data();
    for (int x = 1; x < last; ++x) {
        const double ux = difference(0.5, u.here - 1, u.here + 1, x) + 1;
        const double uy = difference(factorY, u.low[0], u.high[0], x);
        const double uz = difference(factorZ, u.low[1], u.high[1], x);
        const double vx = difference(0.5, v.here - 1, v.here + 1, x);
        const double vy = difference(factorY, v.low[0], v.high[0], x) + 1;
        const double vz = difference(factorZ, v.low[1], v.high[1], x);
        const double wx = difference(0.5, w.here - 1, w.here + 1, x);
        const double wy = difference(factorY, w.low[0], w.high[0], x);
        const double wz = difference(factorZ, w.low[1], w.high[1], x) + 1;
        row[x] = ux * (vy * wz - vz * wy) - uy * (vx * wz - vz * wx) + uz * (vx * wy - vy * wx);
    }
}

} // namespace

JacobianFigures jacobianFigures(FieldView<const float> displacement, double threshold,
                                const ExecContext& ctx) {
    constexpr double none = std::numeric_limits<double>::infinity();
    struct Part : JacobianFigures {
        void operator+=(const Part& other) {
            folded += other.folded;
            smallest = std::min(smallest, other.smallest);
            largest = std::max(largest, other.largest);
        }
    };
    const Size3 size = displacement.size;
    return sumOverPlanes(size, ctx, Part{{0, none, -none}}, [&](Part& plane, int z) {
        ctx.throwIfCancelled();
        std::vector<double> row(static_cast<std::size_t>(size.x));
        for (int y = 0; y < size.y; ++y) {
            determinantsOfRow(displacement, y, z, row);
            for (const double value : row)
                plane += {{value <= threshold, value, value}};
        }
    });
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

FrameStage jacobianStage() {
    return {"jacobian", "Folding (Jacobian determinant)", &parameterTable(), true, addFigures};
}

} // namespace systole
