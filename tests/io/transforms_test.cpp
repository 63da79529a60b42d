// Transforms on disk: ITK reads what is written and writes what is read; NiftyReg's files are read
// by a small parser of their headers and evaluated as its resampler does.
#include "compute/ops/two_grids.h"
#include "io/field_reader.h"
#include "io/transforms/affine_file.h"
#include "io/transforms/transform_file.h"
#include "io/writer.h"
#include "tests/io/io_support.h"

#include <gmock/gmock.h>
#include <itkAffineTransform.h>
#include <itkCompositeTransform.h>
#include <itkEuler3DTransform.h>
#include <itkTransformFileReader.h>
#include <itkTransformFileWriter.h>
#include <itkTranslationTransform.h>
#include <itkTxtTransformIO.h>
#include <itkVector.h>

#include <cmath>

namespace systole::test {
namespace {

const AffineMap affine{{{{1.05, 0.03, -0.2}, {-0.02, 0.97, 0.04}, {0.01, 0.3, 1.02}}},
                       {2.5, -17.25, 0.123456789012345}};
const Geometry fixedGrid({20, 17, 12}, {1.5, 1.25, 2.5}, {-10, 5, 30}, obliquePermutedDirection());
const Geometry movingGrid({31, 30, 16}, {1, 1.1, 2}, {24, -9, 63},
                          {{{0, -1, 0}, {1, 0, 0}, {0, 0, -1}}});
const FrameGrids grids{fixedGrid, movingGrid};

void expectSame(const AffineMap& a, const AffineMap& b, double tolerance) {
    for (std::size_t row = 0; row < 3; ++row) {
        for (std::size_t column = 0; column < 3; ++column)
            EXPECT_NEAR(a.matrix[row][column], b.matrix[row][column], tolerance);
        EXPECT_NEAR(a.offset[static_cast<int>(row)], b.offset[static_cast<int>(row)],
                    100 * tolerance);
    }
}

template <typename Transform>
void writeWithItk(const std::string& path, const Transform* transform) {
    const auto writer = itk::TransformFileWriterTemplate<double>::New();
    writer->SetTransformIO(itk::TxtTransformIOTemplate<double>::New());
    writer->SetInput(transform);
    writer->SetFileName(path);
    writer->Update();
}

TEST(TransformFiles, ItkReadsTheAffineMapsThatAreWritten) {
    const TemporaryFolder folder;
    const std::string path = folder.file("affine.tfm");
    writeItkAffine(path, affine);
    const auto reader = itk::TransformFileReaderTemplate<double>::New();
    reader->SetTransformIO(itk::TxtTransformIOTemplate<double>::New());
    reader->SetFileName(path);
    reader->Update();
    ASSERT_EQ(reader->GetTransformList()->size(), 1u);
    const auto* read = dynamic_cast<const itk::AffineTransform<double, 3>*>(
        reader->GetTransformList()->front().GetPointer());
    ASSERT_NE(read, nullptr);
    itk::Point<double, 3> point;
    point[0] = 11;
    point[1] = -7;
    point[2] = 3;
    const auto mapped = read->TransformPoint(point);
    const Vec3 expected = affine({11, -7, 3});
    for (unsigned axis = 0; axis < 3; ++axis)
        EXPECT_NEAR(mapped[axis], expected[static_cast<int>(axis)], 1e-12);
    expectSame(readItkAffine(path), affine, 1e-15);
    EXPECT_TRUE(isItkTransform(path));
    EXPECT_FALSE(isMatrixText(path));
}

TEST(TransformFiles, ItkTransformsAboutACenterAndCompositesAreRead) {
    const TemporaryFolder folder;
    const auto rotation = itk::Euler3DTransform<double>::New();
    itk::Point<double, 3> center;
    center[0] = 40;
    center[1] = -20;
    center[2] = 5;
    rotation->SetCenter(center);
    rotation->SetRotation(0.1, -0.2, 0.3);
    const auto shift = itk::TranslationTransform<double, 3>::New();
    itk::Vector<double, 3> by;
    by[0] = 3;
    by[1] = 4;
    by[2] = 5;
    shift->Translate(by);
    const auto composite = itk::CompositeTransform<double, 3>::New();
    composite->AddTransform(shift);
    composite->AddTransform(rotation);
    const auto check = [&](const std::string& name, const auto* transform) {
        const std::string path = folder.file(name);
        writeWithItk(path, transform);
        const AffineMap read = readItkAffine(path);
        itk::Point<double, 3> point;
        point[0] = 1;
        point[1] = 2;
        point[2] = -9;
        const auto expected = transform->TransformPoint(point);
        const Vec3 mapped = read({1, 2, -9});
        for (unsigned axis = 0; axis < 3; ++axis)
            EXPECT_NEAR(mapped[static_cast<int>(axis)], expected[axis], 1e-10) << name;
    };
    check("rotation.txt", rotation.GetPointer());
    check("shift.tfm", shift.GetPointer());
    check("composite.tfm", composite.GetPointer());
}

TEST(TransformFiles, WhatIsNoUsableTransformIsRefusedInOneSentence) {
    const TemporaryFolder folder;
    const auto expectRefused = [&](const std::string& text, const std::string& why) {
        const std::string path = folder.file("bad.tfm");
        writeBytes(path, text);
        BufferPool pool;
        try {
            readTransform(path, MatrixFormat::Lps, grids, pool);
            ADD_FAILURE() << text;
        } catch (const FileError& error) {
            EXPECT_NE(std::string(error.what()).find(why), std::string::npos) << error.what();
            EXPECT_EQ(std::string(error.what()).find('\n'), std::string::npos);
        }
    };
    const std::string begin = "#Insight Transform File V1.0\n";
    expectRefused(begin, "transform");
    expectRefused(begin + "Transform: NoSuchTransform_double_3_3\nParameters: 1\n",
                  "isn't a linear transform");
    // ITK alone reads beyond the end of these.
    expectRefused(begin + "Transform: AffineTransform_double_3_3\nParameters: 1 0 0\n",
                  "has 12 parameters; the file gives 3");
    expectRefused(begin + "Transform: AffineTransform_double_3_3\n", "the file gives 0");
    expectRefused(begin + "Transform: Euler3DTransform_double_3_3\nParameters: 1 0 0 0 0 x\n",
                  "is no number");
    expectRefused(begin + "Transform: AffineTransform_double_2_2\nParameters: 1 0 0 1 5 5\n"
                          "FixedParameters: 0 0\n",
                  "3D");
    expectRefused(begin + "Transform: AffineTransform_double_3_3\n"
                          "Parameters: 1 0 0 0 1 0 0 0 0 5 5 5\nFixedParameters: 0 0 0\n",
                  "inverted");
    expectRefused(begin + "Transform: TranslationTransform_double_3_3\nParameters: 1 2 3\n"
                          "Transform: TranslationTransform_double_3_3\nParameters: 1 2 3\n",
                  "holds 2 transforms");
    expectRefused("1 0 0 0\n0 1 0 0\n0 0 1 0\n0 0 1 1\n", "last row");
    expectRefused("1 0 0 0\n0 1 0 0\n0 0 nan 0\n0 0 0 1\n", "finite");
    expectRefused("1e39 0 0 0\n0 1 0 0\n0 0 1 0\n0 0 0 1\n", "is 1e+39; finite numbers from");
    expectRefused("1 0 0 0\n0 1 0 -2e6\n0 0 1 0\n0 0 0 1\n", "an offset of its map is -2e+06");
    expectRefused("1 0 0 0\n0 1 0 0\n0 0 0 0\n0 0 0 1\n", "inverted");
    expectRefused("1 0 0 0\n0 1 0 0\n", "not an image");
}

TEST(TransformFiles, DisplacementsBeyondAnyBodyAreRefused) {
    const TemporaryFolder folder;
    BufferPool pool;
    MillimeterField field{Geometry({2, 2, 2}, {1, 1, 1}), pool.acquire<float>(24, "field")};
    std::ranges::fill(field.vectors.span(), 1.0f);
    field.vectors.span()[7] = -1.5e6f;
    writeField(folder.file("field.mha"), field, FieldFormat::MetaImage);
    EXPECT_THAT([&] { readField(folder.file("field.mha"), pool); },
                testing::ThrowsMessage<FileError>(
                    testing::HasSubstr("a displacement is -1.5e+06; finite numbers from")));
}

TEST(TransformFiles, MatricesOfEachFormatComeBack) {
    const TemporaryFolder folder;
    const std::string path = folder.file("matrix.txt");
    for (const MatrixFormat format :
         {MatrixFormat::Lps, MatrixFormat::NiftyReg, MatrixFormat::Fsl}) {
        writeMatrix(path, affine, format, grids);
        EXPECT_TRUE(isMatrixText(path));
        expectSame(readMatrix(path, format, grids), affine, 1e-12);
    }
}

TEST(TransformFiles, NiftyRegsMatricesAreInRas) {
    const TemporaryFolder folder;
    const std::string path = folder.file("aladin.txt");
    // RAS (10, 20, 30) goes to RAS (15, 14, 37).
    writeBytes(path, "1 0 0 5\n0 1 0 -6\n0 0 1 7\n0 0 0 1\n");
    const AffineMap map = readMatrix(path, MatrixFormat::NiftyReg, grids);
    EXPECT_LT(length(map({-10, -20, 30}) - Vec3{-15, -14, 37}), 1e-12);
    // As LPS the same numbers mean another shift.
    EXPECT_LT(length(readMatrix(path, MatrixFormat::Lps, grids)({0, 0, 0}) - Vec3{5, -6, 7}),
              1e-12);
}

TEST(TransformFiles, FslsMatricesGoFromMovingToFixedInScaledVoxels) {
    const TemporaryFolder folder;
    const std::string path = folder.file("flirt.mat");
    // RAS axes of the first grid are right-handed (FSL mirrors x), those of the second left-handed.
    const Geometry right({10, 8, 6}, {2, 3, 4}, {5, 6, 7}, {{{-1, 0, 0}, {0, -1, 0}, {0, 0, 1}}});
    const Geometry left({12, 9, 7}, {1, 2, 3}, {-4, 8, 1}, {{{1, 0, 0}, {0, -1, 0}, {0, 0, 1}}});
    writeBytes(path, "1 0 0 0\n0 1 0 0\n0 0 1 0\n0 0 0 1\n");
    const AffineMap map = readMatrix(path, MatrixFormat::Fsl, {right, left});
    // Fixed voxel (7, 2, 3) is (9 − 7) · 2, 2 · 3, 3 · 4 mm in FSL: moving voxel (4, 3, 4).
    EXPECT_LT(length(map(right.indexToPhysical({7, 2, 3})) - left.indexToPhysical({4, 3, 4})),
              1e-10);
    // A shift from moving to fixed is taken back.
    writeBytes(path, "1 0 0 2\n0 1 0 0\n0 0 1 0\n0 0 0 1\n");
    EXPECT_LT(length(readMatrix(path, MatrixFormat::Fsl,
                                {right, left})(right.indexToPhysical({7, 2, 3})) -
                     left.indexToPhysical({2, 3, 4})),
              1e-10);
}

/// The header fields that NiftyReg looks at, and the vectors as they stand in the file.
struct NiftyRegFile {
    std::array<std::int16_t, 8> dim{};
    std::int16_t intentCode = 0;
    float kind = -1;
    std::string intentName;
    std::array<float, 8> pixdim{};
    std::array<std::array<float, 4>, 3> sform{};
    std::vector<float> affine; ///< of the extension; without one, empty
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
    const std::string path = folder.file("displacement.nii.gz");
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

/// Where NiftyReg's resampler takes a voxel: the sum over the positions of 64 control points,
/// found through the header's sform (reg_spline_getDeformationField with composition).
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
    const std::string path = folder.file("control_points.nii.gz");
    writeControlPoints(path, affineField(points, pool), true);
    const NiftyRegFile file(path);
    // So that the header's place counts, which isn't that of NiftyReg's own grids.
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
        const std::string path = folder.file(niftyReg ? "theirs.nii.gz" : "ours.nii.gz");
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
    const auto image = readWithItk<Image>(folder.file("ours.nii.gz"));
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
    writeBytes(folder.file("positions.nii"), header.with(positions));
    const MillimeterField field = readField(folder.file("positions.nii"), pool);
    // Voxel (1, 0, 1) lies at RAS (1, 0, 1): displaced by (4, 6, 6), in LPS (−4, −6, 6).
    const float* d = field.vectors.data() + 3 * 5;
    EXPECT_NEAR(static_cast<double>(d[0]), -4, 1e-6);
    EXPECT_NEAR(static_cast<double>(d[1]), -6, 1e-6);
    EXPECT_NEAR(static_cast<double>(d[2]), 6, 1e-6);
    // A velocity field is none.
    header.put<float>(56, 3);
    writeBytes(folder.file("velocities.nii"), header.with(positions));
    EXPECT_THROW(readField(folder.file("velocities.nii"), pool), FileError);
}

} // namespace
} // namespace systole::test
