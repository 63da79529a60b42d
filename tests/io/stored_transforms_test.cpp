// Transforms as ITK's programs, ANTs and elastix leave them, against ITK's own writers and classes.
#include "io/transforms/transform_file.h"
#include "tests/io/refusal.h"
#include "tests/io/transform_support.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <itkAffineTransform.h>
#include <itkBSplineTransform.h>
#include <itkCompositeTransform.h>
#include <itkDisplacementFieldTransform.h>
#include <itkEuler3DTransform.h>
#include <itkHDF5TransformIO.h>
#include <itkMatlabTransformIO.h>
#include <itkSimilarity3DTransform.h>
#include <itkTransformFileWriter.h>
#include <itkTxtTransformIO.h>

#include <random>

namespace systole::test {
namespace {

using ::testing::HasSubstr;
using Transform = itk::Transform<double, 3, 3>;

template <typename Io>
void writeWith(const std::string& path, const Transform* transform, bool compressed = false) {
    const auto writer = itk::TransformFileWriterTemplate<double>::New();
    writer->SetTransformIO(Io::New());
    writer->SetUseCompression(compressed);
    writer->SetInput(transform);
    writer->SetFileName(path);
    writer->Update();
}

Vec3 through(const Transform& transform, Vec3 p) {
    itk::Point<double, 3> point;
    for (unsigned axis = 0; axis < 3; ++axis)
        point[axis] = p[static_cast<int>(axis)];
    const auto moved = transform.TransformPoint(point);
    return {moved[0], moved[1], moved[2]};
}

Transform::Pointer shearedAffine() {
    const auto map = itk::AffineTransform<double, 3>::New();
    itk::Matrix<double, 3, 3> matrix;
    const double rows[3][3] = {{1.05, 0.03, -0.2}, {-0.02, 0.97, 0.04}, {0.01, 0.3, 1.02}};
    for (unsigned row = 0; row < 3; ++row)
        for (unsigned column = 0; column < 3; ++column)
            matrix[row][column] = rows[row][column];
    itk::Point<double, 3> center;
    center[0] = 12;
    center[1] = -7;
    center[2] = 40;
    map->SetCenter(center);
    map->SetMatrix(matrix);
    itk::Vector<double, 3> by;
    by[0] = 2;
    by[1] = -1;
    by[2] = 0.5;
    map->SetTranslation(by);
    return map.GetPointer();
}

Transform::Pointer rotation(bool zyx) {
    const auto euler = itk::Euler3DTransform<double>::New();
    euler->SetComputeZYX(zyx);
    itk::Point<double, 3> center;
    center[0] = 4;
    center[1] = 5;
    center[2] = 6;
    euler->SetCenter(center);
    euler->SetRotation(0.3, -0.2, 0.5);
    itk::Vector<double, 3> by;
    by[0] = 7;
    by[1] = 8;
    by[2] = -9;
    euler->SetTranslation(by);
    return euler.GetPointer();
}

/// A field on its own oblique grid: displacements that differ in every voxel.
Transform::Pointer waves() {
    using Field = itk::Image<itk::Vector<double, 3>, 3>;
    const auto image = Field::New();
    Field::SizeType size;
    const Geometry& grid = movingGrid;
    Field::DirectionType direction;
    for (unsigned row = 0; row < 3; ++row) {
        size[row] = static_cast<unsigned>(grid.size()[static_cast<int>(row)]);
        for (unsigned column = 0; column < 3; ++column)
            direction[row][column] = grid.direction()[row][column];
    }
    image->SetRegions(size);
    image->SetDirection(direction);
    const double spacing[3] = {grid.spacing().x, grid.spacing().y, grid.spacing().z};
    const double origin[3] = {grid.origin().x, grid.origin().y, grid.origin().z};
    image->SetSpacing(spacing);
    image->SetOrigin(origin);
    image->Allocate();
    Field::PixelType* const voxels = image->GetBufferPointer();
    for (std::size_t i = 0; i < grid.voxels(); ++i)
        for (unsigned axis = 0; axis < 3; ++axis)
            voxels[i][axis] = 3 * std::sin(0.01 * static_cast<double>(i * (axis + 1)));
    const auto field = itk::DisplacementFieldTransform<double, 3>::New();
    field->SetDisplacementField(image);
    return field.GetPointer();
}

Transform::Pointer spline() {
    const auto bspline = itk::BSplineTransform<double, 3, 3>::New();
    const double fixed[] = {7, 6, 8, -20, -15, 10, 9, 8, 7, 0, 1, 0, -1, 0, 0, 0, 0, 1};
    itk::OptimizerParameters<double> grid(18);
    std::copy(std::begin(fixed), std::end(fixed), grid.begin());
    bspline->SetFixedParameters(grid);
    itk::OptimizerParameters<double> values(3 * 7 * 6 * 8);
    for (unsigned i = 0; i < values.size(); ++i)
        values[i] = 4 * std::cos(0.7 * i);
    bspline->SetParametersByValue(values);
    return bspline.GetPointer();
}

Transform::Pointer composite(const std::vector<Transform::Pointer>& parts) {
    const auto all = itk::CompositeTransform<double, 3>::New();
    for (const Transform::Pointer& part : parts)
        all->AddTransform(part);
    return all.GetPointer();
}

/// Expects the file's map to equal ITK's in every voxel of the fixed grid.
void expectAs(const Transform& expected, const std::string& path) {
    BufferPool pool;
    const StoredTransform stored = readTransform(path, MatrixFormat::Lps, grids, pool);
    double worst = 0;
    std::size_t voxel = 0;
    for (int z = 0; z < fixedGrid.size().z; ++z)
        for (int y = 0; y < fixedGrid.size().y; ++y)
            for (int x = 0; x < fixedGrid.size().x; ++x, ++voxel) {
                const Vec3 p = fixedGrid.indexToPhysical({1.0 * x, 1.0 * y, 1.0 * z});
                Vec3 found = p;
                if (stored.affine)
                    found = (*stored.affine)(p);
                else
                    for (int axis = 0; axis < 3; ++axis)
                        found[axis] += stored.vectors->vectors
                                           .data()[3 * voxel + static_cast<std::size_t>(axis)];
                worst = std::max(worst, length(found - through(expected, p)));
            }
    EXPECT_LT(worst, stored.affine ? 1e-9 : 1e-4) << path;
}

TEST(StoredTransforms, OfAntsInMatlabsFormatAreThoseOfItk) {
    const TemporaryFolder folder;
    using Matlab = itk::MatlabTransformIOTemplate<double>;
    for (const Transform::Pointer& transform : {shearedAffine(), rotation(false)}) {
        const std::string path = folder / "0GenericAffine.mat";
        writeWith<Matlab>(path, transform);
        expectAs(*transform, path);
        BufferPool pool;
        EXPECT_TRUE(readTransform(path, MatrixFormat::Lps, {}, pool).affine);
    }
}

TEST(StoredTransforms, InHdf5AreThoseOfItkAloneAndComposed) {
    const TemporaryFolder folder;
    using Hdf5 = itk::HDF5TransformIOTemplate<double>;
    const std::vector<Transform::Pointer> all{
        shearedAffine(),
        rotation(true),
        waves(),
        spline(),
        composite({shearedAffine(), rotation(false)}),
        composite({shearedAffine(), waves()}), // as antsRegistration writes it
        composite({waves(), shearedAffine()}),
        composite({rotation(false), spline(), shearedAffine()})};
    for (const bool compressed : {false, true})
        for (std::size_t i = 0; i < all.size(); ++i) {
            const std::string path = folder / fmt::format("{}{}.h5", i, compressed);
            writeWith<Hdf5>(path, all[i], compressed);
            SCOPED_TRACE(i);
            expectAs(*all[i], path);
        }
}

TEST(StoredTransforms, InTextMayBeSplinesToo) {
    const TemporaryFolder folder;
    using Text = itk::TxtTransformIOTemplate<double>;
    for (const Transform::Pointer& transform :
         {spline(), composite({shearedAffine(), spline()}), composite({rotation(true)})}) {
        writeWith<Text>(folder / "a.tfm", transform);
        expectAs(*transform, folder / "a.tfm");
    }
}

TEST(StoredTransforms, WithoutImagesLieOnTheirOwnGrid) {
    const TemporaryFolder folder;
    const Transform::Pointer transform = waves();
    writeWith<itk::HDF5TransformIOTemplate<double>>(folder / "a.h5", transform);
    BufferPool pool;
    const StoredTransform stored = readTransform(folder / "a.h5", MatrixFormat::Lps, {}, pool);
    ASSERT_TRUE(stored.vectors);
    EXPECT_TRUE(stored.vectors->geometry.matches(movingGrid));
    for (std::size_t i = 0; i < 3 * movingGrid.voxels(); i += 7)
        EXPECT_NEAR(stored.vectors->vectors.data()[i],
                    3 * std::sin(0.01 * static_cast<double>(i / 3 * (i % 3 + 1))), 1e-5);
}

/// elastix' parameters, with the lines of the transform.
std::string elastixText(const std::string& lines, const std::string& initial = "NoInitialTransform",
                        const std::string& how = "Compose") {
    return "// a comment\n" + lines + "(InitialTransformParametersFileName \"" + initial +
           "\")\n(HowToCombineTransforms \"" + how +
           "\")\n\n// Image specific\n(FixedImageDimension 3)\n(MovingImageDimension 3)\n"
           "(Size 20 17 12)\n(Index 0 0 0)\n(Spacing 1.5 1.25 2.5)\n(Origin -10 5 30)\n"
           "(Direction 1 0 0 0 1 0 0 0 1)\n(UseDirectionCosines \"true\")\n";
}
const std::string eulerLines =
    "(Transform \"EulerTransform\")\n(NumberOfParameters 6)\n"
    "(TransformParameters 0.3 -0.2 0.5 7 8 -9)\n(CenterOfRotationPoint 4 5 6)\n";
const std::string affineLines =
    "(Transform \"AffineTransform\")\n(NumberOfParameters 12)\n(TransformParameters 1.05 0.03 -0.2 "
    "-0.02 0.97 0.04 0.01 0.3 1.02 2 -1 0.5)\n(CenterOfRotationPoint 12 -7 40)\n";

std::string splineLines() {
    std::string lines =
        "(Transform \"BSplineTransform\")\n(NumberOfParameters 1008)\n(TransformParameters";
    for (int i = 0; i < 3 * 7 * 6 * 8; ++i)
        lines += fmt::format(" {:.17g}", 4 * std::cos(0.7 * i));
    // elastix has the columns of a direction behind each other.
    return lines + ")\n(GridSize 7 6 8)\n(GridIndex 0 0 0)\n(GridSpacing 9 8 7)\n(GridOrigin -20 "
                   "-15 10)\n(GridDirection 0 -1 0 1 0 0 0 0 1)\n(BSplineTransformSplineOrder 3)\n"
                   "(UseCyclicTransform \"false\")\n";
}

TEST(StoredTransforms, OfElastixAreThoseOfItk) {
    const TemporaryFolder folder;
    const std::string path = folder / "TransformParameters.0.txt";
    const auto expect = [&](const std::string& text, const Transform::Pointer& expected) {
        writeBytes(path, text);
        expectAs(*expected, path);
    };
    expect(elastixText(affineLines), shearedAffine());
    // Editors write a byte order mark.
    expect("\xEF\xBB\xBF" + elastixText(affineLines), shearedAffine());
    expect(elastixText(eulerLines), rotation(false));
    expect(elastixText(eulerLines + "(ComputeZYX \"true\")\n"), rotation(true));
    expect(elastixText(splineLines()), spline());
    const auto similarity = itk::Similarity3DTransform<double>::New();
    itk::OptimizerParameters<double> numbers(7), center(3);
    const double values[] = {0.1, 0.2, -0.3, 1, 2, 3, 1.1};
    std::copy(std::begin(values), std::end(values), numbers.begin());
    center[0] = 4;
    center[1] = 5;
    center[2] = 6;
    similarity->SetFixedParameters(center);
    similarity->SetParameters(numbers);
    expect(elastixText("(Transform \"SimilarityTransform\")\n(NumberOfParameters 7)\n"
                       "(TransformParameters 0.1 0.2 -0.3 1 2 3 1.1)\n(CenterOfRotationPoint 4 5 "
                       "6)\n"),
           similarity.GetPointer());
}

TEST(StoredTransforms, OfElastixGoOnFromTheFileThatTheyName) {
    const TemporaryFolder folder;
    writeBytes(folder / "TransformParameters.0.txt", elastixText(affineLines));
    const std::string path = folder / "TransformParameters.1.txt";
    // A path of the computer where elastix ran; the file lies beside this one.
    const std::string initial = "/home/nobody/out/TransformParameters.0.txt";
    writeBytes(path, elastixText(splineLines(), initial));
    expectAs(*composite({spline(), shearedAffine()}), path); // ITK applies the last one first
    writeBytes(path, elastixText(eulerLines, initial));
    expectAs(*composite({rotation(false), shearedAffine()}), path);

    // "Add" adds displacements of the same point.
    for (const auto& [lines, second] :
         {std::pair(splineLines(), spline()), {eulerLines, rotation(false)}}) {
        writeBytes(path, elastixText(lines, initial, "Add"));
        BufferPool pool;
        const StoredTransform stored = readTransform(path, MatrixFormat::Lps, grids, pool);
        const Vec3 p = fixedGrid.indexToPhysical({3, 2, 1});
        Vec3 found = p;
        if (stored.affine)
            found = (*stored.affine)(p);
        else
            for (int axis = 0; axis < 3; ++axis)
                found[axis] += stored.vectors->vectors.data()[3 * (3 + 20 * (2 + 17)) + axis];
        const Vec3 expected = through(*shearedAffine(), p) + (through(*second, p) - p);
        EXPECT_LT(length(found - expected), 1e-4);
    }
}

class TransformRefusals : public ::testing::Test {
protected:
    std::string refusal(const std::string& name, const std::string& content) {
        writeBytes(folder / name, content);
        return refusalSentence(folder / name, [](const std::string& path) {
            BufferPool pool;
            readTransform(path, MatrixFormat::Lps, grids, pool);
        });
    }
    TemporaryFolder folder;
};

TEST_F(TransformRefusals, OfElastixSayWhatIsWrong) {
    EXPECT_THAT(refusal("a.txt", elastixText("(Transform \"SplineKernelTransform\")\n")),
                HasSubstr("SplineKernelTransform"));
    EXPECT_THAT(refusal("a.txt", elastixText(eulerLines + "(Transform \"AffineTransform\")\n")),
                HasSubstr("more than once"));
    EXPECT_THAT(refusal("a.txt", elastixText(eulerLines, "b.txt")),
                HasSubstr("'b.txt', which isn't there"));
    EXPECT_THAT(refusal("a.txt", elastixText("(Transform \"EulerTransform\")\n(TransformParameters "
                                             "0 0 0 1 2)\n(CenterOfRotationPoint 0 0 0)\n")),
                HasSubstr("has 5 numbers; 6 are expected"));
    EXPECT_THAT(refusal("a.txt", elastixText("(Transform \"TranslationTransform\")\n"
                                             "(TransformParameters 1 2 nan)\n")),
                HasSubstr("finite"));
    std::string flat = elastixText(eulerLines);
    flat.replace(flat.find("Dimension 3"), 11, "Dimension 2");
    EXPECT_THAT(refusal("a.txt", flat), HasSubstr("FixedImageDimension is '2'"));
    // Two files that go on from each other.
    writeBytes(folder / "one.txt", elastixText(eulerLines, "two.txt"));
    EXPECT_THAT(refusal("two.txt", elastixText(eulerLines, "one.txt")), HasSubstr("has no end"));
}

TEST_F(TransformRefusals, OfDamagedBinaryFilesAreOneSentence) {
    writeWith<itk::MatlabTransformIOTemplate<double>>(folder / "a.mat", shearedAffine());
    writeWith<itk::HDF5TransformIOTemplate<double>>(folder / "a.h5",
                                                    composite({shearedAffine(), spline()}), true);
    std::mt19937 random(7);
    for (const char* name : {"a.mat", "a.h5"}) {
        const Bytes sound = readBytes(folder / name);
        int refused = 0;
        for (int i = 0; i < 1500; ++i) {
            Bytes bytes = sound;
            for (std::size_t k = 0, count = 1 + random() % 4; k < count; ++k) {
                const std::size_t at = random() % bytes.size();
                bytes[at] = static_cast<std::byte>(random() % 3 == 0 ? 0xff : random());
            }
            if (random() % 8 == 0)
                bytes.resize(random() % bytes.size());
            const std::string path = folder / "damaged";
            writeBytes(path, bytes);
            BufferPool pool;
            try {
                readTransform(path, MatrixFormat::Lps, grids, pool);
            } catch (const FileError& error) {
                ++refused;
                ASSERT_NE(std::string(error.what()).find(path), std::string::npos) << error.what();
                ASSERT_EQ(std::string(error.what()).find('\n'), std::string::npos);
            }
        }
        EXPECT_GT(refused, 50) << name;
    }
    EXPECT_THAT(refusal("b.h5", "\x89HDF\r\n\x1a\n"), HasSubstr("ends early"));
}

/// Changes every node of a tree of chunks in a file of HDF5, which begins at the place that
/// `change` gets.
template <typename Change>
std::string withChunkTrees(const Bytes& sound, const Change& change) {
    std::string file(reinterpret_cast<const char*>(sound.data()), sound.size());
    const std::string beginning("TREE\x01", 5);
    int trees = 0;
    for (std::size_t at = file.find(beginning); at != file.npos;
         at = file.find(beginning, at + 1)) {
        change(file, at);
        ++trees;
    }
    EXPECT_GT(trees, 0);
    return file;
}

TEST_F(TransformRefusals, OfTreesOfChunksThatLeadBackOrRepeatComeAtOnce) {
    writeWith<itk::HDF5TransformIOTemplate<double>>(folder / "sound.h5", shearedAffine(), true);
    const Bytes sound = readBytes(folder / "sound.h5");
    constexpr std::size_t level = 5, entries = 6, entry = 24, entryBytes = 32, child = 24;
    const auto pointToItself = [&](std::string& file, std::size_t node) {
        for (std::size_t byte = 0; byte < 8; ++byte)
            file[node + entry + child + byte] = static_cast<char>(node >> (8 * byte) & 0xff);
    };
    EXPECT_THAT(refusal("loop.h5", withChunkTrees(sound,
                                                  [&](std::string& file, std::size_t node) {
                                                      file[node + level] = 1;
                                                      pointToItself(file, node);
                                                  })),
                HasSubstr("blocks of an array are damaged"));
    EXPECT_THAT(refusal("deep.h5", withChunkTrees(sound,
                                                  [&](std::string& file, std::size_t node) {
                                                      file[node + level] = 100;
                                                      pointToItself(file, node);
                                                  })),
                HasSubstr("blocks of an array are damaged"));
    // A tree that contains the same chunk twice.
    EXPECT_THAT(refusal("twice.h5", withChunkTrees(sound,
                                                   [&](std::string& file, std::size_t node) {
                                                       file[node + entries] = 2;
                                                       file.replace(
                                                           node + entry + entryBytes, entryBytes,
                                                           file.substr(node + entry, entryBytes));
                                                   })),
                HasSubstr("blocks of an array are damaged"));
}

} // namespace
} // namespace systole::test
