#include "app/registration/iterate.h"

#include "compute/ops/bspline_field.h"
#include "compute/ops/resample.h"

#include <algorithm>
#include <array>
#include <cstddef>

namespace systole {
namespace {

/// Levels halve their axes, or leave them: the factor that makes `full` voxels `coarse` ones.
int factorOf(int full, int coarse) {
    int factor = 1;
    while ((full + factor - 1) / factor > coarse)
        factor *= 2;
    return factor;
}

void toFullGrid(FieldView<const float> level, FieldView<float> full, const ExecContext& ctx) {
    std::array<int, 3> factor;
    for (int axis = 0; axis < 3; ++axis)
        factor[static_cast<std::size_t>(axis)] = factorOf(full.size[axis], level.size[axis]);
    upsampleField(level, factor, full, ctx);
}

} // namespace

std::shared_ptr<const RegistrationIterate> kept(const IterationState& state, int number,
                                                BufferPool& pool) {
    auto iterate = std::make_shared<RegistrationIterate>();
    iterate->number = number;
    iterate->level = state.level;
    iterate->iteration = state.iteration;
    iterate->energy = state.energy;
    iterate->isSpline = !state.controlPoints.empty();
    const FieldView<const float> from =
        iterate->isSpline ? state.controlPoints.values : state.field;
    iterate->size = from.size;
    if (iterate->isSpline)
        iterate->grid = state.controlPoints.grid;
    iterate->values = pool.acquire<float>(3 * from.size.voxels(), "iterations of a registration");
    copy(from, {iterate->values.data(), from.size});
    iterate->bending = bendingOf(iterate->view());
    return iterate;
}

double bendingOf(FieldView<const float> field) {
    const Size3 size = field.size;
    double sum = 0;
    for (int component = 0; component < 3; ++component) {
        const VolumeView<const float> values = field.componentView(component);
        const std::ptrdiff_t strides[] = {1, size.x, static_cast<std::ptrdiff_t>(size.x) * size.y};
        for (int axis = 0; axis < 3; ++axis) {
            const std::ptrdiff_t step = strides[axis];
            Size3 inner = size;
            int* const extents[] = {&inner.x, &inner.y, &inner.z};
            *extents[axis] = std::max(0, *extents[axis] - 2);
            for (int z = 0; z < inner.z; ++z)
                for (int y = 0; y < inner.y; ++y) {
                    const float* row = values.row(y, z) + step;
                    for (int x = 0; x < inner.x; ++x) {
                        const float second = row[x - step] - 2 * row[x] + row[x + step];
                        sum += static_cast<double>(second * second);
                    }
                }
        }
    }
    return sum / static_cast<double>(std::max<std::size_t>(1, size.voxels()));
}

std::shared_ptr<const VectorField> denseField(const RegistrationIterate& iterate,
                                              const Geometry& fixed, const ExecContext& ctx) {
    auto field = std::make_shared<VectorField>(fixed, *ctx.pool, "motion of a registration");
    if (!iterate.isSpline) {
        toFullGrid(iterate.view(), field->view(), ctx);
        return field;
    }
    const ControlPointsView<const float> points{iterate.view(), iterate.grid};
    const Size3 level = iterate.grid.image;
    if (level == fixed.size()) {
        bsplineField(points, field->view(), ctx);
        return field;
    }
    Buffer<float> coarse =
        ctx.pool->acquire<float>(3 * level.voxels(), "motion of a registration's level");
    const FieldView<float> coarseField(coarse.data(), level);
    bsplineField(points, coarseField, ctx);
    toFullGrid(coarseField, field->view(), ctx);
    return field;
}

} // namespace systole
