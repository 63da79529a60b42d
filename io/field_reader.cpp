#include "io/field_reader.h"

#include "compute/core/points.h"
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

RawField readRawField(const std::string& path, BufferPool& pool) {
    StoredImage image = readStoredImage(path, OpenOptions{});
    if (image.samples() != 3)
        throw fileError(path,
                        "is not a displacement field: three numbers per voxel are expected, it "
                        "holds {} in {} frames",
                        image.components, image.frames);
    const std::size_t voxels = image.geometry.voxels();
    RawField raw{image.geometry, pool.acquire<float>(3 * voxels, "field of a file"), image.vectors};
    if (raw.stated.noField)
        throw fileError(path, raw.stated.noField);
    const Size3 size = raw.geometry.size();
    if (raw.stated.isSpline && (size.x < 4 || size.y < 4 || size.z < 4))
        throw fileError(
            path,
            "a cubic spline has at least four control points along each axis, not {} × {} × {}",
            size.x, size.y, size.z);
    float* const vectors = raw.vectors.data();
    SampleReader reader(std::move(image), {.acceptUnknown = true});
    std::vector<float> component(voxels);
    std::vector<bool> unknown(voxels);
    for (std::size_t axis = 0; axis < 3; ++axis) {
        reader.read(static_cast<int>(axis), {component.data(), size});
        const std::span<const std::uint8_t> known = reader.known();
        for (std::size_t i = 0; i < known.size(); ++i)
            unknown[i] = unknown[i] || known[i] == 0;
        for (std::size_t i = 0; i < voxels; ++i)
            vectors[3 * i + axis] = component[i];
    }
    requireAll(path, unknown, size);
    return raw;
}

MillimeterField displacementsOf(const std::string& path, RawField raw,
                                const FieldConvention& convention, const Geometry& other) {
    const ConventionMap map(convention, raw.geometry, other);
    const Size3 size = raw.geometry.size();
    float* vector = raw.vectors.data();
    for (int z = 0; z < size.z; ++z)
        for (int y = 0; y < size.y; ++y)
            for (int x = 0; x < size.x; ++x) {
                const Vec3 moved =
                    map.displacement(voxelPoint(x, y, z), {vector[0], vector[1], vector[2]});
                for (int axis = 0; axis < 3; ++axis, ++vector)
                    *vector = static_cast<float>(
                        requireWithin(coordinateBounds, path, moved[axis], "a displacement"));
            }
    return {raw.geometry, std::move(raw.vectors)};
}

void requireVoxels(const std::string& path, bool isSpline) {
    if (isSpline)
        throw fileError(path,
                        "holds the control points of a spline, not a displacement for every voxel; "
                        "'systole register --transform', or NiftyReg's 'reg_transform -ref FIXED "
                        "-def FILE FIELD', makes a field of them");
}

StoredVectors readVectors(const std::string& path, BufferPool& pool, const Geometry* other) {
    RawField raw = readRawField(path, pool);
    const FieldConvention* const convention = statedConvention(raw);
    if (!convention)
        throw UnknownConvention(
            fileError(path, "has three numbers per voxel, but doesn't say what they are: "
                            "displacements or positions, in which frame and unit")
                .what());
    const bool isSpline = raw.stated.isSpline;
    const Geometry moving = other ? *other : raw.geometry;
    return {displacementsOf(path, std::move(raw), *convention, moving), isSpline};
}

MillimeterField readField(const std::string& path, BufferPool& pool) {
    StoredVectors stored = readVectors(path, pool);
    requireVoxels(path, stored.isSpline);
    return std::move(stored.field);
}

} // namespace systole
