#include "app/features/registration/iterate.h"

#include "app/features/registration/level_factor.h"
#include "compute/ops/decimation.h"
#include "compute/ops/two_grids.h"

#include <algorithm>
#include <array>

namespace systole {
namespace {

/// Voxels from one control point of an affine map to the next: few points, and what the kernels of
/// the device take.
constexpr int affineTile = 64;

/// The grid of a level's control points over the whole image: the same points, more voxels apart.
ControlGrid onFullGrid(const ControlGrid& level, Size3 image, const std::array<int, 3>& factor) {
    const auto marginOf = [&](int axis) {
        const int by = factor[static_cast<std::size_t>(axis)];
        return by * level.margin[axis] - decimationShiftInHalves(image[axis], by);
    };
    return {image,
            {level.tile.x * factor[0], level.tile.y * factor[1], level.tile.z * factor[2]},
            {marginOf(0), marginOf(1), marginOf(2)}};
}

std::shared_ptr<RegistrationIterate> iterateOf(const RegistrationPoint& point, Size3 size,
                                               BufferPool& pool) {
    auto iterate = std::make_shared<RegistrationIterate>();
    iterate->point = point;
    iterate->size = size;
    iterate->values = pool.acquire<float>(3 * size.voxels(), "iterations of a registration");
    return iterate;
}

std::shared_ptr<RegistrationIterate> splineOf(const RegistrationPoint& point,
                                              const ControlGrid& grid, BufferPool& pool) {
    auto iterate = iterateOf(point, grid.points(), pool);
    iterate->isSpline = true;
    iterate->grid = grid;
    return iterate;
}

} // namespace

std::shared_ptr<const RegistrationIterate> keptAffine(const AffineMap& map,
                                                      const RegistrationPoint& point,
                                                      const Geometry& fixed, BufferPool& pool) {
    const Size3 size = fixed.size();
    const ControlGrid grid{
        size,
        {std::min(size.x, affineTile), std::min(size.y, affineTile), std::min(size.z, affineTile)}};
    auto iterate = splineOf(point, grid, pool);
    const FieldView<float> values(iterate->values.data(), iterate->size);
    std::fill_n(values.u, 3 * values.size.voxels(), 0.0f);
    addAffine(map, fixed, {values, grid});
    return iterate;
}

std::shared_ptr<const RegistrationIterate>
keptField(FieldView<const float> field, const RegistrationPoint& point, BufferPool& pool) {
    auto iterate = iterateOf(point, field.size, pool);
    copy(field, {iterate->values.data(), field.size});
    return iterate;
}

std::shared_ptr<const RegistrationIterate> kept(const RegistrationState& state,
                                                const RegistrationPoint& point,
                                                const Geometry& fixed, BufferPool& pool) {
    if (!state.method)
        return keptAffine(*state.affine, point, fixed, pool);
    const ControlPointsView<const float> spline = state.method->controlPoints;
    if (spline.empty()) {
        auto iterate = iterateOf(point, state.method->field.size, pool);
        copy(state.method->field, {iterate->values.data(), iterate->size});
        if (state.affine && state.affineFollows)
            iterate->following = *state.affine;
        return iterate;
    }
    const std::array<int, 3> factor = levelFactors(fixed.size(), spline.grid.image);
    auto iterate = splineOf(point, onFullGrid(spline.grid, fixed.size(), factor), pool);
    const FieldView<float> values(iterate->values.data(), iterate->size);
    for (int axis = 0; axis < 3; ++axis) {
        const auto by = static_cast<float>(factor[static_cast<std::size_t>(axis)]);
        const float* const from = spline.values.component(axis);
        std::transform(from, from + values.size.voxels(), values.component(axis),
                       [by](float value) { return by * value; });
    }
    if (state.affine)
        addAffine(*state.affine, fixed, {values, iterate->grid});
    return iterate;
}

} // namespace systole
