// Transforms on disk: ITK reads what is written and writes what is read.
#include "io/field_reader.h"
#include "io/formats/writer.h"
#include "io/transforms/affine_file.h"
#include "io/transforms/transform_file.h"
#include "tests/io/transform_support.h"

#include <gmock/gmock.h>
#include <itkAffineTransform.h>
#include <itkCompositeTransform.h>
#include <itkEuler3DTransform.h>
#include <itkTransformFileReader.h>
#include <itkTransformFileWriter.h>
#include <itkTranslationTransform.h>
#include <itkTxtTransformIO.h>
#include <itkVector.h>

namespace systole::test {
namespace {

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
    const std::string path = folder / "affine.tfm";
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
    EXPECT_FALSE(readMatrix(path, MatrixFormat::Lps, grids));
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
        const std::string path = folder / name;
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
        const std::string path = folder / "bad.tfm";
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
    expectRefused("1 0 0 0\n0 1 0 0\n", "holds 8 numbers in 2 lines; the 16");
    expectRefused("1 0 0\n0 1 0\n0 0 1\n2 -1 0.5\n", "holds 12 numbers in 4 lines");
    expectRefused("1 0 0 0 1 0 0 0 1 2 -1 0.5\n", "holds 12 numbers in 1 line;");
    expectRefused("1,0;0;0;0,2\n0;1,0;0;0,5\n0;0;1;2\n", "decimal commas, or one whose");
    expectRefused("type = 1\n1 4 4\n1 0 0 2\n", "is no transform that is read here; an ITK");
    expectRefused("some notes\n", "a 4×4 matrix in text, or a displacement field");
}

TEST(TransformFiles, DisplacementsBeyondAnyBodyAreRefused) {
    const TemporaryFolder folder;
    BufferPool pool;
    MillimeterField field{Geometry({2, 2, 2}, {1, 1, 1}), pool.acquire<float>(24, "field")};
    std::ranges::fill(field.vectors.span(), 1.0f);
    field.vectors.span()[7] = -1.5e6f;
    writeField(folder / "field.mha", field, FieldFormat::MetaImage);
    EXPECT_THAT([&] { readField(folder / "field.mha", pool); },
                ::testing::ThrowsMessage<FileError>(
                    ::testing::HasSubstr("a displacement is -1.5e+06; finite numbers from")));
}

TEST(TransformFiles, MatricesOfEachFormatComeBack) {
    const TemporaryFolder folder;
    const std::string path = folder / "matrix.txt";
    for (const MatrixFormat format :
         {MatrixFormat::Lps, MatrixFormat::NiftyReg, MatrixFormat::Fsl}) {
        writeMatrix(path, affine, format, grids);
        expectSame(readMatrix(path, format, grids).value(), affine, 1e-12);
    }
}

TEST(TransformFiles, MatricesOfOtherSpellingsAreTheSame) {
    const TemporaryFolder folder;
    const AffineMap expected{{{{1, 0.25, 0}, {0, 1, 0}, {0, 0, 1.5}}}, {2, -1, 0.5}};
    for (const char* text : {
             "1 0.25 0 2\n0 1 0 -1\n0 0 1.5 0.5\n0 0 0 1\n",
             "\xEF\xBB\xBF# of an editor\n1 0.25 0 2\n0 1 0 -1\n0 0 1.5 0.5\n0 0 0 1\n",
             "1 0.25 0 2\r0 1 0 -1\r0 0 1.5 0.5\r0 0 0 1\r",
             "1 0.25 0 2\n0 1 0 -1\n0 0 1.5 0.5\n", // the last line is left out
             "1, 0.25, 0, 2\n0, 1, 0, -1\n0, 0, 1.5, 0.5\n",
             // Spreadsheets of some countries write this.
             "1;0,25;0;2\r\n0;1;0;-1\r\n0;0;1,5;0,5\r\n0;0;0;1\r\n",
             "1;0.25;0;2\n0;1;0;-1\n0;0;1.5;0.5\n0;0;0;1\n",
             "1 0,25 0 2\n0 1 0 -1\n0 0 1,5 0,5\n0 0 0 1\n",
             "1 0.25 0 2; 0 1 0 -1; 0 0 1.5 0.5; 0 0 0 1\n",
         }) {
        writeBytes(folder / "a.txt", text);
        const std::optional<AffineMap> map = readMatrix(folder / "a.txt", MatrixFormat::Lps, grids);
        ASSERT_TRUE(map) << text;
        expectSame(*map, expected, 0);
    }
    writeBytes(folder / "a.txt", "1 0 0 2\nan image\n");
    EXPECT_FALSE(readMatrix(folder / "a.txt", MatrixFormat::Lps, grids));
}

TEST(TransformFiles, NiftyRegsMatricesAreInRas) {
    const TemporaryFolder folder;
    const std::string path = folder / "aladin.txt";
    // RAS (10, 20, 30) goes to RAS (15, 14, 37).
    writeBytes(path, "1 0 0 5\n0 1 0 -6\n0 0 1 7\n0 0 0 1\n");
    const AffineMap map = readMatrix(path, MatrixFormat::NiftyReg, grids).value();
    EXPECT_LT(length(map({-10, -20, 30}) - Vec3{-15, -14, 37}), 1e-12);
    // As LPS the same numbers mean another shift.
    EXPECT_LT(
        length(readMatrix(path, MatrixFormat::Lps, grids).value()({0, 0, 0}) - Vec3{5, -6, 7}),
        1e-12);
}

TEST(TransformFiles, FslsMatricesGoFromMovingToFixedInScaledVoxels) {
    const TemporaryFolder folder;
    const std::string path = folder / "flirt.mat";
    // RAS axes of the first grid are right-handed (FSL mirrors x), those of the second left-handed.
    const Geometry right({10, 8, 6}, {2, 3, 4}, {5, 6, 7}, {{{-1, 0, 0}, {0, -1, 0}, {0, 0, 1}}});
    const Geometry left({12, 9, 7}, {1, 2, 3}, {-4, 8, 1}, {{{1, 0, 0}, {0, -1, 0}, {0, 0, 1}}});
    writeBytes(path, "1 0 0 0\n0 1 0 0\n0 0 1 0\n0 0 0 1\n");
    const AffineMap map = readMatrix(path, MatrixFormat::Fsl, {right, left}).value();
    // Fixed voxel (7, 2, 3) is (9 − 7) · 2, 2 · 3, 3 · 4 mm in FSL: moving voxel (4, 3, 4).
    EXPECT_LT(length(map(right.indexToPhysical({7, 2, 3})) - left.indexToPhysical({4, 3, 4})),
              1e-10);
    // A shift from moving to fixed is taken back.
    writeBytes(path, "1 0 0 2\n0 1 0 0\n0 0 1 0\n0 0 0 1\n");
    EXPECT_LT(length(readMatrix(path, MatrixFormat::Fsl, {right, left})
                         .value()(right.indexToPhysical({7, 2, 3})) -
                     left.indexToPhysical({2, 3, 4})),
              1e-10);
}

} // namespace
} // namespace systole::test
