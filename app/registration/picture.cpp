#include "app/registration/picture.h"

#include "app/registration/two_grids.h"
#include "compute/ops/jacobian.h"
#include "compute/ops/over_voxels.h"

#include <algorithm>
#include <cmath>

namespace systole {
namespace {

constexpr int squares = 8;         ///< of the checkerboard along the longest axis
constexpr int planes = 16;         ///< of the deformed grid along the longest axis
constexpr double thickness = 0.5;  ///< half the thickness of a plane, voxels
constexpr double leastSpacing = 4; ///< of squares and planes, voxels
/// Brightness of a plane, as a part of the gray range: where planes cross they add up, so that a
/// slice along a plane still shows the others.
constexpr float planeBrightness = 0.35f;

/// Voxels from one square, or plane, to the next: cubes in space, as many along the longest axis.
Vec3 spacingOf(const Geometry& grid, int count) {
    double longest = 0;
    for (int axis = 0; axis < 3; ++axis)
        longest = std::max(longest, grid.size()[axis] * grid.spacing()[axis]);
    Vec3 voxels;
    for (int axis = 0; axis < 3; ++axis)
        voxels[axis] = std::max(leastSpacing, longest / count / grid.spacing()[axis]);
    return voxels;
}

float clampTo(const IntensityScale& scale, float value) {
    return std::clamp(value, scale.low, scale.high);
}

template <typename Value>
std::shared_ptr<const Volume> make(const RegisteredImages& images, const ExecContext& ctx,
                                   const Value& value) {
    auto volume =
        std::make_shared<Volume>(images.fixed->geometry, *ctx.pool, "picture of a registration");
    const VolumeView<float> out = volume->view();
    overVoxels(out.size, ctx,
               [&](int x, int y, int z) { out(x, y, z) = value(x, y, z, out.offset(x, y, z)); });
    return volume;
}

std::shared_ptr<const Volume> difference(const RegisteredImages& images, const ExecContext& ctx) {
    const float *fixed = images.fixed->voxels.data(), *warped = images.warped->voxels.data();
    const float middle = 0.5f * (images.scale.low + images.scale.high);
    return make(images, ctx, [&](int, int, int, std::size_t i) {
        return clampTo(images.scale, middle + 0.5f * (fixed[i] - warped[i]));
    });
}

std::shared_ptr<const Volume> checkerboard(const RegisteredImages& images, const ExecContext& ctx) {
    const float *fixed = images.fixed->voxels.data(), *warped = images.warped->voxels.data();
    const Vec3 side = spacingOf(images.fixed->geometry, squares);
    return make(images, ctx, [&](int x, int y, int z, std::size_t i) {
        const int square = static_cast<int>(x / side.x) + static_cast<int>(y / side.y) +
                           static_cast<int>(z / side.z);
        return square % 2 == 0 ? fixed[i] : warped[i];
    });
}

/// 1 on a plane of the regular grid, fading over its thickness.
float onPlane(double position, double spacing) {
    const double distance = std::abs(position - spacing * std::round(position / spacing));
    return static_cast<float>(std::clamp(1.5 - distance / thickness, 0.0, 1.0));
}

/// A voxel shows the plane that its tissue lies on in the moving image.
std::shared_ptr<const Volume> deformedGrid(const RegisteredImages& images, const ExecContext& ctx) {
    const float* const warped = images.warped->voxels.data();
    const FieldView<const float> d = images.field ? images.field->view() : FieldView<const float>();
    const Vec3 apart = spacingOf(images.fixed->geometry, planes);
    const Size3 size = images.fixed->geometry.size();
    return make(images, ctx, [&](int x, int y, int z, std::size_t i) {
        const int at[3] = {x, y, z};
        float line = 0;
        for (int axis = 0; axis < 3; ++axis) {
            const double shift = d.empty() ? 0.0 : static_cast<double>(d.component(axis)[i]);
            if (size[axis] > 1)
                line += planeBrightness * onPlane(at[axis] + shift, apart[axis]);
        }
        const float value = clampTo(images.scale, warped[i]);
        return clampTo(images.scale, value + line * (images.scale.high - images.scale.low));
    });
}

std::shared_ptr<const Volume> jacobian(const RegisteredImages& images, const ExecContext& ctx) {
    auto volume =
        std::make_shared<Volume>(images.fixed->geometry, *ctx.pool, "picture of a registration");
    const std::span<float> values = volume->view().span();
    if (images.field)
        jacobianMap(images.field->view(), volume->view(), ctx);
    else
        std::fill(values.begin(), values.end(), 1.0f);
    const float range = images.scale.high - images.scale.low;
    for (float& value : values)
        value = clampTo(images.scale, images.scale.low + 0.5f * range * value);
    return volume;
}

} // namespace

const char* name(RegistrationView view) {
    switch (view) {
    case RegistrationView::Fixed:
        return "fixed";
    case RegistrationView::Warped:
        return "warped";
    case RegistrationView::Difference:
        return "difference";
    case RegistrationView::Checkerboard:
        return "checkerboard";
    case RegistrationView::Flicker:
        return "flicker";
    case RegistrationView::Grid:
        return "deformed grid";
    case RegistrationView::Jacobian:
        return "|J|";
    }
    return "";
}

std::shared_ptr<const Volume> draw(RegistrationView view, const RegisteredImages& images,
                                   const ExecContext& ctx) {
    switch (view) {
    case RegistrationView::Fixed:
        return images.fixed;
    case RegistrationView::Warped:
    case RegistrationView::Flicker:
        return images.warped;
    case RegistrationView::Difference:
        return difference(images, ctx);
    case RegistrationView::Checkerboard:
        return checkerboard(images, ctx);
    case RegistrationView::Grid:
        return deformedGrid(images, ctx);
    case RegistrationView::Jacobian:
        return jacobian(images, ctx);
    }
    return images.fixed;
}

} // namespace systole
