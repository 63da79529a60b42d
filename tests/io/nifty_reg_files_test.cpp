// Fields and control points for NiftyReg, read by a small parser of their headers and evaluated as
// its resampler does.
#include "compute/ops/two_grids.h"
#include "io/field_reader.h"
#include "io/formats/writer.h"
#include "io/transforms/affine_file.h"
#include "io/transforms/transform_file.h"
#include "tests/io/transform_support.h"

#include <gtest/gtest.h>
#include <itkVector.h>

#include <cmath>
#include <cstring>
#include <zlib.h>

namespace systole::test {
namespace {

/// The header fields that NiftyReg looks at, and the vectors as they stand in the file.
struct NiftyRegFile {
    std::array<std::int16_t, 8> dim{};
    std::int16_t intentCode = 0;
    float kind = -1;
    std::string intentName;
    std::array<float, 8> pixdim{};
    std::array<std::array<float, 4>, 3> sform{};
    std::vector<float> affine; ///< affine map of the extension; empty if there is none
    std::vector<float> values;

    explicit NiftyRegFile(const std::string& path) {
        const gzFile file = gzopen(path.c_str(), "rb");
        std::array<char, 352> header{};
        EXPECT_EQ(gzread(file, header.data(), header.size()), static_cast<int>(header.size()));
        const auto get = [&](std::size_t offset, auto& into) {
            std::memcpy(&into, header.data() + offset, sizeof(into));
        };
        get(40, dim);
        get(56, kind);
        get(68, intentCode);
        get(76, pixdim);
        get(280, sform);
        intentName = header.data() + 328;
        float voxelsBegin = 0;
        get(108, voxelsBegin);
        if (header[348] != 0) {
            std::array<std::int32_t, 2> sizeAndCode{};
            EXPECT_EQ(gzread(file, sizeAndCode.data(), 8), 8);
            EXPECT_EQ(sizeAndCode, (std::array<std::int32_t, 2>{80, 0}));
            affine.resize(18);
            EXPECT_EQ(gzread(file, affine.data(), 72), 72);
            affine.resize(16);
        }
        EXPECT_EQ(static_cast<int>(voxelsBegin), affine.empty() ? 352 : 432);
        values.resize(3 * points());
        EXPECT_EQ(gzread(file, values.data(), static_cast<unsigned>(4 * values.size())),
                  static_cast<int>(4 * values.size()));
        char beyond = 0;
        EXPECT_EQ(gzread(file, &beyond, 1), 0);
        gzclose(file);
    }
    std::size_t points() const {
        return static_cast<std::size_t>(dim[1]) * static_cast<std::size_t>(dim[2]) *
               static_cast<std::size_t>(dim[3]);
    }
    std::size_t offset(int x, int y, int z) const {
        return static_cast<std::size_t>(x + dim[1] * (y + dim[2] * z));
    }
    Vec3 vector(std::size_t i) const {
        return {static_cast<double>(values[i]), static_cast<double>(values[points() + i]),
                static_cast<double>(values[2 * points() + i])};
    }
    Vec3 world(Vec3 index) const {
        Vec3 at;
        for (std::size_t row = 0; row < 3; ++row)
            at[static_cast<int>(row)] = static_cast<double>(sform[row][0]) * index.x +
                                        static_cast<double>(sform[row][1]) * index.y +
                                        static_cast<double>(sform[row][2]) * index.z +
                                        static_cast<double>(sform[row][3]);
        return at;
    }
};

Vec3 lps(Vec3 ras) { return {-ras.x, -ras.y, ras.z}; }

MillimeterField affineField(const Geometry& grid, BufferPool& pool) {
    MillimeterField field{grid, pool.acquire<float>(3 * grid.voxels(), "test field")};
    std::size_t i = 0;
    for (int z = 0; z < grid.size().z; ++z)
        for (int y = 0; y < grid.size().y; ++y)
            for (int x = 0; x < grid.size().x; ++x) {
                const Vec3 p = grid.indexToPhysical(
                    {static_cast<double>(x), static_cast<double>(y), static_cast<double>(z)});
                const Vec3 d = affine(p) - p;
                for (int axis = 0; axis < 3; ++axis)
                    field.vectors.data()[i++] = static_cast<float>(d[axis]);
            }
    return field;
}

TEST(TransformFiles, ADisplacementForNiftyRegHasItsIntentInRas) {
    const TemporaryFolder folder;
    BufferPool pool;
    const std::string path = folder / "displacement.nii.gz";
    writeField(path, affineField(fixedGrid, pool), FieldFormat::NiftyReg);
    const NiftyRegFile file(path);
    EXPECT_EQ(file.dim, (std::array<std::int16_t, 8>{5, 20, 17, 12, 1, 3, 1, 1}));
    EXPECT_EQ(file.intentCode, 1007);
    EXPECT_EQ(file.intentName, "NREG_TRANS");
    EXPECT_EQ(file.kind, 1);
    const Vec3 at = file.world({3, 5, 7});
    EXPECT_LT(length(lps(at) - fixedGrid.indexToPhysical({3, 5, 7})), 1e-4);
    EXPECT_LT(length(lps(at + file.vector(file.offset(3, 5, 7))) - affine(lps(at))), 1e-4);
    // And read back as displacements in LPS.
    const MillimeterField again = readField(path, pool);
    const MillimeterField field = affineField(fixedGrid, pool);
    for (std::size_t i = 0; i < field.vectors.size(); ++i)
        EXPECT_EQ(again.vectors.data()[i], field.vectors.data()[i]);
}

/// Position to which NiftyReg's resampler takes a voxel: the sum over the positions of 64 control
/// points, found through the header's sform (reg_spline_getDeformationField with composition).
Vec3 splinePosition(const NiftyRegFile& file, Vec3 index) {
    const auto basis = [](double t, int i) {
        switch (i) {
        case 0:
            return (1 - t) * (1 - t) * (1 - t) / 6;
        case 1:
            return (3 * t * t * t - 6 * t * t + 4) / 6;
        case 2:
            return (-3 * t * t * t + 3 * t * t + 3 * t + 1) / 6;
        default:
            return t * t * t / 6;
        }
    };
    Vec3 sum;
    const int x = static_cast<int>(std::floor(index.x)), y = static_cast<int>(std::floor(index.y)),
              z = static_cast<int>(std::floor(index.z));
    for (int k = 0; k < 4; ++k)
        for (int j = 0; j < 4; ++j)
            for (int i = 0; i < 4; ++i)
                sum =
                    sum + (basis(index.x - x, i) * basis(index.y - y, j) * basis(index.z - z, k)) *
                              file.vector(file.offset(x - 1 + i, y - 1 + j, z - 1 + k));
    return sum;
}

TEST(TransformFiles, ControlPointsForNiftyRegAreItsGrid) {
    const TemporaryFolder folder;
    BufferPool pool;
    const ControlGrid grid = ControlGrid::centered(fixedGrid.size(), {5, 4, 3});
    const Geometry points = controlGeometry(fixedGrid, grid);
    const std::string path = folder / "control_points.nii.gz";
    writeControlPoints(path, affineField(points, pool), true);
    const NiftyRegFile file(path);
    // The affine map makes NiftyReg use the header's place, which isn't that of its own grids.
    EXPECT_EQ(file.affine, (std::vector<float>{1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1}));
    EXPECT_EQ(file.dim, (std::array<std::int16_t, 8>{5, 7, 8, 7, 1, 3, 1, 1}));
    EXPECT_EQ(file.intentCode, 1007);
    EXPECT_EQ(file.intentName, "NREG_TRANS");
    EXPECT_EQ(file.kind, 2);
    EXPECT_FLOAT_EQ(file.pixdim[1], 7.5f);
    EXPECT_FLOAT_EQ(file.pixdim[2], 5);
    EXPECT_FLOAT_EQ(file.pixdim[3], 7.5f);
    const Vec3 first = grid.position(0, 0, 0);
    EXPECT_LT(length(lps(file.world({0, 0, 0})) - fixedGrid.indexToPhysical(first)), 1e-4);
    for (const Vec3 voxel : {Vec3{0, 0, 0}, Vec3{19, 16, 11}, Vec3{7, 9, 4}}) {
        const Vec3 index{(voxel.x - first.x) / 5, (voxel.y - first.y) / 4, (voxel.z - first.z) / 3};
        const Vec3 expected = affine(fixedGrid.indexToPhysical(voxel));
        EXPECT_LT(length(lps(splinePosition(file, index)) - expected), 1e-4);
    }
}

TEST(TransformFiles, ControlPointsAreReadBackFromBothFormats) {
    const TemporaryFolder folder;
    BufferPool pool;
    const Geometry points = controlGeometry(fixedGrid, {fixedGrid.size(), {5, 4, 3}});
    const MillimeterField field = affineField(points, pool);
    for (const bool niftyReg : {false, true}) {
        const std::string path = folder / (niftyReg ? "theirs.nii.gz" : "ours.nii.gz");
        writeControlPoints(path, field, niftyReg);
        const StoredTransform stored = readTransform(path, MatrixFormat::Lps, grids, pool);
        ASSERT_TRUE(stored.isSpline);
        EXPECT_TRUE(stored.vectors->geometry.matches(points, 1e-4));
        for (std::size_t i = 0; i < field.vectors.size(); ++i)
            EXPECT_NEAR(static_cast<double>(stored.vectors->vectors.data()[i]),
                        static_cast<double>(field.vectors.data()[i]), 2e-5);
        EXPECT_THROW(readField(path, pool), FileError);
        EXPECT_THROW(openSequence({path}), FileError);
    }
    // Ours is a vector image that ITK reads.
    using Image = itk::Image<itk::Vector<float, 3>, 3>;
    const auto image = readWithItk<Image>(folder / "ours.nii.gz");
    expectSamePlaces(points, *image, 2e-4);
    const float* vectors = image->GetBufferPointer()->GetDataPointer();
    EXPECT_TRUE(std::equal(vectors, vectors + field.vectors.size(), field.vectors.data()));
}

TEST(TransformFiles, PositionsOfNiftyRegAreReadAsDisplacements) {
    const TemporaryFolder folder;
    BufferPool pool;
    // A grid of 2 × 2 × 2 voxels of 1 mm at the origin of RAS; every voxel goes to (5, 6, 7).
    NiftiBytes header;
    header.dim({5, 2, 2, 2, 1, 3, 1, 1}).type(16, 32).intent(1007);
    header.put<float>(56, 0);
    header.put<char>(328, 'N');
    for (std::size_t i = 0; i < 10; ++i)
        header.put<char>(328 + i, "NREG_TRANS"[i]);
    std::vector<float> positions;
    for (const float value : {5.0f, 6.0f, 7.0f})
        positions.insert(positions.end(), 8, value);
    writeBytes(folder / "positions.nii", header.with(positions));
    const MillimeterField field = readField(folder / "positions.nii", pool);
    // Voxel (1, 0, 1) lies at RAS (1, 0, 1): displaced by (4, 6, 6), in LPS (−4, −6, 6).
    const float* d = field.vectors.data() + 3 * 5;
    EXPECT_NEAR(static_cast<double>(d[0]), -4, 1e-6);
    EXPECT_NEAR(static_cast<double>(d[1]), -6, 1e-6);
    EXPECT_NEAR(static_cast<double>(d[2]), 6, 1e-6);
    // A velocity field is none.
    header.put<float>(56, 3);
    writeBytes(folder / "velocities.nii", header.with(positions));
    EXPECT_THROW(readField(folder / "velocities.nii", pool), FileError);
}

} // namespace
} // namespace systole::test
