#include "io/field_reader.h"

#include "compute/core/points.h"
#include "io/base/bounds.h"
#include "io/base/image_reader.h"
#include "io/base/messages.h"
#include "io/formats/writer.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

namespace systole {
namespace {

/// The largest magnitude; infinite or NaN if any of them is. The bits of positive numbers have
/// their order, NaN above all.
float largestOf(std::span<const float> numbers) {
    constexpr std::int32_t withoutSign = std::numeric_limits<std::int32_t>::max();
    std::int32_t largest = 0;
    for (const float number : numbers)
        largest = std::max(largest, std::bit_cast<std::int32_t>(number) & withoutSign);
    return std::bit_cast<float>(largest);
}

/// There is no motion where a field has none, unlike the rest of an image around a probe's sector.
void requireAll(const std::string& path, std::span<const float> vectors, Size3 size) {
    if (std::isfinite(largestOf(vectors)))
        return;
    const std::size_t voxels = size.voxels();
    std::size_t unknown = 0, first = voxels;
    for (std::size_t i = voxels; i-- > 0;)
        if (!std::isfinite(largestOf(vectors.subspan(3 * i, 3)))) {
            ++unknown;
            first = i;
        }
    const auto at = static_cast<int>(first);
    throw fileError(path,
                    "holds no displacement (NaN or infinite) in {} of {} voxels, the first at "
                    "({}, {}, {})",
                    unknown, voxels, at % size.x, at / size.x % size.y, at / size.x / size.y);
}

/// The numbers of a voxel behind each other, those of the next behind them. The bytes are read
/// once.
void readInterleaved(StoredImage& image, std::span<float> vectors) {
    const bool asInMemory = image.type == VoxelType::Float32 && image.rescale.isIdentity() &&
                            image.bigEndian == (std::endian::native == std::endian::big);
    if (asInMemory)
        return image.bytes->read(0, std::as_writable_bytes(vectors));
    constexpr std::size_t maxBlock = std::size_t{1} << 18;
    const std::size_t width = bytesOf(image.type);
    std::vector<std::byte> block;
    for (std::size_t done = 0; done < vectors.size();) {
        const std::span<float> out =
            vectors.subspan(done, std::min(maxBlock, vectors.size() - done));
        block.resize(out.size() * width);
        image.bytes->read(std::uint64_t{done} * width, block);
        convertVoxels(block, image.type, image.bigEndian, 1, image.rescale, out);
        done += out.size();
    }
}

/// One sample lies behind the other.
void readPlanes(StoredImage image, std::span<float> vectors) {
    const Size3 size = image.geometry.size();
    std::vector<float> component(size.voxels());
    SampleReader reader(std::move(image), {.acceptUnknown = true});
    for (std::size_t axis = 0; axis < 3; ++axis) {
        reader.read(static_cast<int>(axis), {component.data(), size});
        const std::span<const std::uint8_t> known = reader.known();
        for (std::size_t i = 0; i < component.size(); ++i)
            vectors[3 * i + axis] = known.empty() || known[i] != 0
                                        ? component[i]
                                        : std::numeric_limits<float>::quiet_NaN();
    }
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
    RawField raw{image.geometry,
                 pool.acquire<float>(3 * voxels, "field of a file"),
                 image.vectors,
                 {},
                 image.assumedOrientation};
    // Notes on three frames are also on their times, which a field doesn't have.
    if (image.components == 3)
        raw.notes = image.notes;
    else if (!image.assumedOrientation.empty())
        raw.notes = {image.assumedOrientation};
    const bool isUnsigned = image.type == VoxelType::UInt8 || image.type == VoxelType::UInt16 ||
                            image.type == VoxelType::UInt32 || image.type == VoxelType::UInt64;
    if (isUnsigned && image.rescale.isIdentity() && !raw.stated.noField)
        throw fileError(path,
                        "holds three numbers without a sign per voxel ({}), such as colors; "
                        "displacements have signs",
                        name(image.type));
    if (raw.stated.noField)
        throw fileError(path, raw.stated.noField);
    const Size3 size = raw.geometry.size();
    if (raw.stated.isSpline && (size.x < 4 || size.y < 4 || size.z < 4))
        throw fileError(
            path,
            "a cubic spline has at least four control points along each axis, not {} × {} × {}",
            size.x, size.y, size.z);
    const std::span<float> vectors = raw.vectors.span();
    if (image.interleaving == 1)
        readInterleaved(image, vectors);
    else
        readPlanes(std::move(image), vectors);
    requireAll(path, vectors, size);
    return raw;
}

MillimeterField displacementsOf(const std::string& path, RawField raw,
                                const FieldConvention& convention, const Geometry& other) {
    const bool asTheyStand = convention.frame == VectorFrame::Lps && !convention.positions;
    if (asTheyStand && largestOf(raw.vectors.span()) <= coordinateBounds.max)
        return {raw.geometry, std::move(raw.vectors)};
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

std::string unsaidConvention(const StatedConvention& stated) {
    return fmt::format("doesn't say what its three numbers per voxel are{}: displacements or "
                       "positions, in which frame and unit",
                       stated.unsaid ? fmt::format(" ({})", stated.unsaid) : "");
}

void requireAxesOf(const Geometry& image, const std::string& path, const Geometry& field,
                   const std::string& assumed) {
    if (assumed.empty())
        return;
    constexpr double rounding = 1e-3; // the ends of an axis of 100 mm then lie 0.1 mm apart
    for (std::size_t row = 0; row < 3; ++row)
        for (std::size_t column = 0; column < 3; ++column)
            if (std::abs(image.direction()[row][column] - field.direction()[row][column]) >
                rounding)
                throw fileError(path,
                                "doesn't say how its axes lie ({}), and those of its image run in "
                                "other directions; a field in MetaImage, in NIfTI with a sform, or "
                                "in NRRD with its space says it",
                                assumed);
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
        throw UnknownConvention(fileNote(path, unsaidConvention(raw.stated)));
    const bool isSpline = raw.stated.isSpline;
    const Geometry moving = other ? *other : raw.geometry;
    std::vector<std::string> notes = std::move(raw.notes);
    std::string assumed = std::move(raw.assumedOrientation);
    return {displacementsOf(path, std::move(raw), *convention, moving), isSpline,
            convention->backward, std::move(notes), std::move(assumed)};
}

MillimeterField readField(const std::string& path, BufferPool& pool) {
    StoredVectors stored = readVectors(path, pool);
    requireVoxels(path, stored.isSpline);
    if (stored.backward)
        throw fileError(path, "leads from the moving to the fixed image, as its header says "
                              "(modeling); a field of the other direction is needed");
    return std::move(stored.field);
}

} // namespace systole
