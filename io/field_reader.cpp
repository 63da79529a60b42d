#include "io/field_reader.h"

#include "io/bounds.h"
#include "io/image_reader.h"
#include "io/messages.h"
#include "io/writer.h"

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

namespace systole {
namespace {

/// Turns positions into displacements.
void subtractGrid(MillimeterField& field) {
    const Size3 size = field.geometry.size();
    float* vector = field.vectors.data();
    for (int z = 0; z < size.z; ++z)
        for (int y = 0; y < size.y; ++y)
            for (int x = 0; x < size.x; ++x) {
                const Vec3 at = field.geometry.indexToPhysical(
                    {static_cast<double>(x), static_cast<double>(y), static_cast<double>(z)});
                for (int axis = 0; axis < 3; ++axis, ++vector)
                    *vector = static_cast<float>(static_cast<double>(*vector) - at[axis]);
            }
}

/// There is no motion where a field has none, unlike the rest of an image around a probe's sector.
void requireAll(const std::string& path, const std::vector<bool>& unknown, Size3 size) {
    const auto first = std::ranges::find(unknown, true);
    if (first == unknown.end())
        return;
    const auto at = static_cast<int>(first - unknown.begin());
    throw fileError(path,
                    "holds no displacement (NaN or infinite) in {} of {} voxels, the first at "
                    "({}, {}, {})",
                    std::ranges::count(unknown, true), unknown.size(), at % size.x,
                    at / size.x % size.y, at / size.x / size.y);
}

} // namespace

StoredVectors readVectors(const std::string& path, BufferPool& pool) {
    StoredImage image = readStoredImage(path, OpenOptions{});
    if (image.components != 3)
        throw fileError(path,
                        "is not a displacement field: three numbers per voxel are expected, it "
                        "holds {} in {} frames",
                        image.components, image.frames);
    const std::size_t voxels = image.geometry.voxels();
    const VectorMeaning meaning = image.vectors;
    StoredVectors stored{{image.geometry, pool.acquire<float>(3 * voxels, "field in mm")},
                         meaning == VectorMeaning::SplineDisplacement ||
                             meaning == VectorMeaning::SplinePositions};
    const Size3 size = stored.field.geometry.size();
    if (stored.isSpline && (size.x < 4 || size.y < 4 || size.z < 4))
        throw fileError(
            path,
            "a cubic spline has at least four control points along each axis, not {} × {} × {}",
            size.x, size.y, size.z);
    float* vectors = stored.field.vectors.data();
    const bool ras = image.componentsAreRas;
    SampleReader reader(std::move(image), {.acceptUnknown = true});
    std::vector<float> component(voxels);
    std::vector<bool> unknown(voxels);
    for (std::size_t axis = 0; axis < 3; ++axis) {
        reader.read(static_cast<int>(axis), {component.data(), size});
        const std::span<const std::uint8_t> known = reader.known();
        for (std::size_t i = 0; i < known.size(); ++i)
            unknown[i] = unknown[i] || known[i] == 0;
        const float sign = ras && axis < 2 ? -1.0F : 1.0F;
        for (std::size_t i = 0; i < voxels; ++i)
            vectors[3 * i + axis] = sign * component[i];
    }
    requireAll(path, unknown, size);
    if (meaning == VectorMeaning::Positions || meaning == VectorMeaning::SplinePositions)
        subtractGrid(stored.field);
    for (const float value : stored.field.vectors.span())
        requireWithin(coordinateBounds, path, static_cast<double>(value), "a displacement");
    return stored;
}

MillimeterField readField(const std::string& path, BufferPool& pool) {
    StoredVectors stored = readVectors(path, pool);
    if (stored.isSpline)
        throw fileError(path,
                        "holds the control points of a spline, not a displacement for every voxel");
    return std::move(stored.field);
}

} // namespace systole
