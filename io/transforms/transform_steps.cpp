#include "io/transforms/transform_steps.h"

#include "compute/core/error.h"
#include "io/base/bounds.h"
#include "io/base/messages.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

namespace systole::transforms {
namespace {

Vec3 moved(const std::vector<TransformStep>& steps, Vec3 point) {
    for (const TransformStep& step : steps)
        point = step.affine ? (*step.affine)(point) : step.move(point);
    return point;
}

} // namespace

Geometry gridOf(const std::string& path, std::span<const double> size,
                std::span<const double> origin, std::span<const double> spacing,
                std::span<const double> direction) {
    constexpr double maxVoxels = 1 << 20;
    Matrix3 axes{};
    for (std::size_t axis = 0; axis < 3; ++axis) {
        if (!(size[axis] >= 1 && size[axis] <= maxVoxels) || size[axis] != std::floor(size[axis]))
            throw fileError(path, "its grid has {:g} points along an axis", size[axis]);
        requireWithin(coordinateBounds, path, origin[axis], "the origin of its grid");
        requireWithin(spacingBounds, path, spacing[axis], "the spacing of its grid");
        for (std::size_t column = 0; column < 3; ++column)
            axes[axis][column] = direction[3 * axis + column];
    }
    try {
        return {{static_cast<int>(size[0]), static_cast<int>(size[1]), static_cast<int>(size[2])},
                {spacing[0], spacing[1], spacing[2]},
                {origin[0], origin[1], origin[2]},
                axes};
    } catch (const ComputeError& error) {
        throw fileError(path, "its grid: {}", error.what());
    }
}

std::vector<double> parametersIn(const std::string& path, std::string_view text) {
    std::vector<double> numbers;
    for (std::string_view word = nextWord(text); !word.empty(); word = nextWord(text)) {
        const auto number = parseReal(word);
        if (!number)
            throw fileError(path, "the parameter {} is no number", inQuotes(word));
        numbers.push_back(requireWithin(coordinateBounds, path, *number, "a parameter"));
    }
    return numbers;
}

std::vector<TransformStep> inOrder(const std::string& path, bool composite,
                                   std::vector<TransformStep> listed) {
    if (listed.empty() || (!composite && listed.size() > 1))
        throw fileError(path, "holds {} transforms; one is expected, or a composite",
                        listed.size());
    std::ranges::reverse(listed);
    return listed;
}

StoredTransform storedSteps(const std::string& path, const std::vector<TransformStep>& steps,
                            const std::optional<Geometry>& grid, BufferPool& pool,
                            std::string description) {
    if (steps.empty())
        throw fileError(path, "holds no transform");
    if (std::ranges::all_of(steps,
                            [](const TransformStep& step) { return step.affine.has_value(); })) {
        AffineMap map;
        for (const TransformStep& step : steps)
            map = compose(*step.affine, map);
        return {checkedMap(path, map), {}, false, false, std::move(description)};
    }
    std::optional<Geometry> own = grid;
    for (auto step = steps.rbegin(); step != steps.rend() && !own; ++step)
        own = step->grid;
    if (!own)
        throw fileError(path, "names no grid for its displacements");
    MillimeterField field{*own, pool.acquire<float>(3 * own->voxels(), "displacement")};
    const Size3 size = own->size();
    float* out = field.vectors.data();
    for (int z = 0; z < size.z; ++z)
        for (int y = 0; y < size.y; ++y)
            for (int x = 0; x < size.x; ++x) {
                const Vec3 point = own->indexToPhysical(
                    {static_cast<double>(x), static_cast<double>(y), static_cast<double>(z)});
                const Vec3 displacement = moved(steps, point) - point;
                for (int axis = 0; axis < 3; ++axis)
                    *out++ = static_cast<float>(requireWithin(
                        coordinateBounds, path, displacement[axis], "a displacement"));
            }
    return {{}, std::move(field), false, false, std::move(description)};
}

} // namespace systole::transforms
