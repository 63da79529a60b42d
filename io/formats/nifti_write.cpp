#include "io/formats/nifti_write.h"

#include "io/base/messages.h"
#include "io/base/output_file.h"

#include <Eigen/Geometry>

#include <cstring>
#include <limits>

namespace systole {
namespace {

constexpr std::size_t headerBytes = 348;
constexpr std::size_t extensionBegins = 352;
/// Its size, its code (0), a matrix of 4 × 4 floats, and zeros up to a multiple of 16 bytes.
constexpr std::size_t affineExtensionBytes = 80;
constexpr std::int16_t scannerCoordinates = 1;
constexpr std::int16_t intentVector = 1007;

class HeaderBytes {
public:
    explicit HeaderBytes(std::size_t count) : bytes_(count) {}
    template <typename T>
    void put(std::size_t offset, T value) {
        std::memcpy(bytes_.data() + offset, &value, sizeof(T));
    }
    void put(std::size_t offset, const std::string& text) {
        std::memcpy(bytes_.data() + offset, text.data(), text.size());
    }
    std::vector<std::byte> take() { return std::move(bytes_); }

private:
    std::vector<std::byte> bytes_;
};

std::int16_t datatypeOf(VoxelType type) {
    return type == VoxelType::UInt8    ? 2
           : type == VoxelType::Int16  ? 4
           : type == VoxelType::UInt16 ? 512
                                       : 16;
}

void putPlacement(HeaderBytes& header, const Geometry& geometry) {
    Eigen::Matrix3d ras;
    for (int row = 0; row < 3; ++row)
        for (int column = 0; column < 3; ++column)
            ras(row, column) =
                (row < 2 ? -1 : 1) *
                geometry
                    .direction()[static_cast<std::size_t>(row)][static_cast<std::size_t>(column)];
    const Vec3 origin{-geometry.origin().x, -geometry.origin().y, geometry.origin().z};
    for (int row = 0; row < 3; ++row) {
        const std::size_t srow = 280 + 16 * static_cast<std::size_t>(row);
        for (int column = 0; column < 3; ++column)
            header.put(srow + 4 * static_cast<std::size_t>(column),
                       static_cast<float>(ras(row, column) * geometry.spacing()[column]));
        header.put(srow + 12, static_cast<float>(origin[row]));
    }
    header.put(254, scannerCoordinates);

    const float handedness = ras.determinant() < 0 ? -1.0F : 1.0F;
    header.put(76, handedness);
    if (!geometry.isOrthonormal())
        return;
    ras.col(2) *= handedness;
    Eigen::Quaterniond quaternion(ras);
    quaternion.normalize();
    if (quaternion.w() < 0)
        quaternion.coeffs() *= -1;
    header.put(252, scannerCoordinates);
    header.put(256, static_cast<float>(quaternion.x()));
    header.put(260, static_cast<float>(quaternion.y()));
    header.put(264, static_cast<float>(quaternion.z()));
    for (int axis = 0; axis < 3; ++axis)
        header.put(268 + 4 * static_cast<std::size_t>(axis), static_cast<float>(origin[axis]));
}

void putAffineExtension(HeaderBytes& header) {
    header.put(headerBytes, std::uint8_t{1});
    header.put(extensionBegins, static_cast<std::int32_t>(affineExtensionBytes));
    for (std::size_t diagonal = 0; diagonal < 4; ++diagonal)
        header.put(extensionBegins + 8 + 20 * diagonal, 1.0F);
}

} // namespace

std::vector<std::byte> niftiBeginning(const std::string& path, const Geometry& geometry,
                                      const NiftiContents& contents) {
    const Size3 size = geometry.size();
    constexpr int maxExtent = std::numeric_limits<std::int16_t>::max();
    if (size.x > maxExtent || size.y > maxExtent || size.z > maxExtent ||
        contents.frames > maxExtent)
        throw fileError(path,
                        "a NIfTI-1 file holds at most {} voxels or frames along an axis, but there "
                        "are {} × {} × {} × {}",
                        maxExtent, size.x, size.y, size.z, contents.frames);
    const bool withAffine = contents.vectors && contents.vectors->withAffine;
    const std::size_t voxelsBegin = extensionBegins + (withAffine ? affineExtensionBytes : 0);
    HeaderBytes header(voxelsBegin);
    header.put(0, static_cast<std::int32_t>(headerBytes));
    const int dimensions = contents.vectors ? 5 : contents.frames > 1 ? 4 : 3;
    const int dim[8] = {
        dimensions, size.x, size.y, size.z, contents.frames, contents.vectors ? 3 : 1, 1, 1};
    for (std::size_t i = 0; i < 8; ++i)
        header.put(40 + 2 * i, static_cast<std::int16_t>(dim[i]));
    if (contents.vectors) {
        header.put(56, contents.vectors->intentParameter);
        header.put(68, intentVector);
        header.put(328, std::string(contents.vectors->intentName));
    }
    header.put(70, datatypeOf(contents.type));
    header.put(72, static_cast<std::int16_t>(8 * bytesOf(contents.type)));
    for (int axis = 0; axis < 3; ++axis)
        header.put(80 + 4 * static_cast<std::size_t>(axis),
                   static_cast<float>(geometry.spacing()[axis]));
    const bool timed = contents.frameSeconds > 0;
    header.put(92, timed ? static_cast<float>(contents.frameSeconds) : 1.0F);
    for (std::size_t axis = 5; axis < 8; ++axis)
        header.put(76 + 4 * axis, 1.0F);
    header.put(108, static_cast<float>(voxelsBegin));
    header.put(112, 1.0F); // slope
    constexpr std::uint8_t millimeters = 2, seconds = 8;
    header.put(123, static_cast<std::uint8_t>(timed ? millimeters | seconds : millimeters));
    putPlacement(header, geometry);
    header.put(344, std::string("n+1"));
    if (withAffine)
        putAffineExtension(header);
    return header.take();
}

void writeNiftiVectors(const std::string& path, const MillimeterField& field,
                       const NiftiVectors& vectors) {
    NiftiContents contents;
    contents.vectors = vectors;
    const Size3 size = field.geometry.size();
    const float* const values = field.vectors.data();
    writeAtomically(path, [&](const std::string& temporary) {
        OutputFile file(temporary, OutputFile::Compression::Gzip, path);
        file.write(niftiBeginning(path, field.geometry, contents));
        std::vector<float> plane(static_cast<std::size_t>(size.x) *
                                 static_cast<std::size_t>(size.y));
        for (std::size_t axis = 0; axis < 3; ++axis) {
            const double sign = vectors.ras && axis < 2 ? -1 : 1;
            std::size_t voxel = 0;
            for (int z = 0; z < size.z; ++z) {
                for (std::size_t i = 0; i < plane.size(); ++i, ++voxel) {
                    double value = static_cast<double>(values[3 * voxel + axis]);
                    if (vectors.positions) {
                        const int x = static_cast<int>(i) % size.x,
                                  y = static_cast<int>(i) / size.x;
                        value += field.geometry.indexToPhysical(
                            {static_cast<double>(x), static_cast<double>(y),
                             static_cast<double>(z)})[static_cast<int>(axis)];
                    }
                    plane[i] = static_cast<float>(sign * value);
                }
                file.write(plane);
            }
        }
        file.close();
    });
}

} // namespace systole
