// ITK's transform files: of every kind the same map as ITK's own reader makes of it, to the bit,
// and none of the files that make that reader take numbers which aren't there.
#include "io/transforms/affine_file.h"
#include "tests/io/io_support.h"
#include "tests/io/refusal.h"

#include <gmock/gmock.h>
#include <itkAffineTransform.h>
#include <itkComposeScaleSkewVersor3DTransform.h>
#include <itkCompositeTransform.h>
#include <itkScaleSkewVersor3DTransform.h>
#include <itkTransformFileReader.h>
#include <itkTxtTransformIO.h>

namespace systole::test {
namespace {

const std::string beginning = "#Insight Transform File V1.0\n";

std::string transform(const std::string& kind, const std::string& parameters,
                      const std::string& fixed) {
    return "Transform: " + kind + "_double_3_3\nParameters: " + parameters +
           "\nFixedParameters: " + fixed + "\n";
}
const std::string euler =
    transform("Euler3DTransform", "0.01 0.02 -0.03 0.5 -0.3 0.2", "-1 25 12 0");
const std::string shift = transform("TranslationTransform", "3 -4.25 5", "");

struct Kind {
    const char* name;
    std::string text;
};

class ItkTransformFile : public ::testing::TestWithParam<Kind> {};

TEST_P(ItkTransformFile, IsTheMapThatItkReads) {
    const TemporaryFolder folder;
    const std::string path = folder / "a.tfm";
    writeBytes(path, beginning + GetParam().text);
    const auto reader = itk::TransformFileReaderTemplate<double>::New();
    reader->SetTransformIO(itk::TxtTransformIOTemplate<double>::New());
    reader->SetFileName(path);
    reader->Update();
    ASSERT_EQ(reader->GetTransformList()->size(), 1u);
    using Transform = itk::Transform<double, 3, 3>;
    const auto* expected =
        dynamic_cast<const Transform*>(reader->GetTransformList()->front().GetPointer());
    ASSERT_NE(expected, nullptr);
    const AffineMap map = readItkAffine(path);
    for (const Vec3 at : {Vec3{0, 0, 0}, Vec3{11, -7, 3}, Vec3{-90, 41, 260}}) {
        Transform::InputPointType point;
        for (unsigned axis = 0; axis < 3; ++axis)
            point[axis] = at[static_cast<int>(axis)];
        const auto mapped = expected->TransformPoint(point);
        const Vec3 ours = map(at);
        for (unsigned axis = 0; axis < 3; ++axis)
            EXPECT_NEAR(ours[static_cast<int>(axis)], mapped[axis], 1e-10);
    }
    if (const auto* matrix =
            dynamic_cast<const itk::MatrixOffsetTransformBase<double, 3, 3>*>(expected))
        for (unsigned row = 0; row < 3; ++row) {
            for (unsigned column = 0; column < 3; ++column)
                EXPECT_EQ(map.matrix[row][column], matrix->GetMatrix()[row][column]);
            EXPECT_EQ(map.offset[static_cast<int>(row)], matrix->GetOffset()[row]);
        }
}

const std::string matrix =
    "1.05 0.03 -0.2 -0.02 0.97 0.04 0.01 0.3 1.02 2.5 -17.25 0.1234567890123";

INSTANTIATE_TEST_SUITE_P(
    Each, ItkTransformFile,
    ::testing::Values(
        Kind{"Affine", transform("AffineTransform", matrix, "1 -20.5 3")},
        Kind{"OfFloats", "\n# a comment\r\nTransform: AffineTransform_float_3_3\r\nParameters: " +
                             matrix + "\r\nFixedParameters: 1 -20.5 3\r\n"},
        Kind{"FixedFirst", "Transform: AffineTransform_double_3_3\nFixedParameters: 1 2 3\n"
                           "Parameters: " +
                               matrix + "\n"},
        Kind{"CenteredAffine",
             transform("CenteredAffineTransform",
                       "1.05 0.03 -0.2 -0.02 0.97 0.04 0.01 0.3 1.02 4 5 6 1 2 3", "0 0 0")},
        Kind{"ScalableAffine", transform("ScalableAffineTransform", matrix, "1 2 3")},
        Kind{"Euler", euler},
        Kind{"EulerZyx", transform("Euler3DTransform", "0.1 0.2 -0.3 0.5 -0.3 +0.2", "-1 25 12 1")},
        Kind{"EulerWithoutOrder", transform("Euler3DTransform", "0.1 0.2 -.3 5 -3 2", "-1 25 12")},
        Kind{"CenteredEuler",
             transform("CenteredEuler3DTransform", "0.1 0.2 -0.3 7 8 9 0.5 -0.3 0.2", "0 0 0 0")},
        Kind{"Versor", transform("VersorTransform", "0.1 0.2 -0.3", "4 5 6")},
        Kind{"VersorRigid", transform("VersorRigid3DTransform", "0.1 0.2 -0.3 5 6 7", "4 5 6")},
        Kind{"Quaternion",
             transform("QuaternionRigidTransform", "0.1 0.2 -0.3 0.9 5 6 7", "4 5 6")},
        Kind{"Similarity", transform("Similarity3DTransform", "0.1 0.2 -0.3 5 6 7 1.1", "4 5 6")},
        Kind{"Scale", transform("ScaleTransform", "0.9 1.1 1.3", "4 5 6")},
        Kind{"Translation", shift}, Kind{"Identity", transform("IdentityTransform", "", "")},
        Kind{"Composite",
             "Transform: CompositeTransform_double_3_3\n" + shift + "#Transform 2\n" + euler}),
    [](const auto& info) { return std::string(info.param.name); });

TEST(ItkTransformFiles, OfTheBaseClassAreAffineMaps) { // ITK writes it but can't read it
    const TemporaryFolder folder;
    writeBytes(folder / "a.tfm", beginning + transform("AffineTransform", matrix, "1 2 3"));
    writeBytes(folder / "b.tfm",
               beginning + transform("MatrixOffsetTransformBase", matrix, "1 2 3"));
    EXPECT_EQ(readItkAffine(folder / "a.tfm").matrix, readItkAffine(folder / "b.tfm").matrix);
}

TEST(ItkTransformFiles, MayBeginWithAByteOrderMark) {
    const TemporaryFolder folder;
    writeBytes(folder / "a.tfm", "\xEF\xBB\xBF" + beginning + shift);
    ASSERT_TRUE(isItkTransform(folder / "a.tfm"));
    EXPECT_EQ(readItkAffine(folder / "a.tfm").offset.y, -4.25);
}

/// Expects the map that ITK's class makes of the parameters, without ITK's reader.
template <typename Transform>
void expectAsClass(const std::string& kind, const std::vector<double>& values) {
    const TemporaryFolder folder;
    std::string text;
    typename Transform::ParametersType parameters(values.size());
    for (std::size_t i = 0; i < values.size(); ++i) {
        text += std::to_string(values[i]) + " ";
        parameters[static_cast<unsigned>(i)] = values[i];
    }
    const auto expected = Transform::New();
    typename Transform::InputPointType center;
    center[0] = 4;
    center[1] = -5;
    center[2] = 6;
    expected->SetCenter(center);
    expected->SetParameters(parameters);
    writeBytes(folder / "a.tfm", beginning + transform(kind, text, "4 -5 6"));
    const AffineMap map = readItkAffine(folder / "a.tfm");
    for (unsigned row = 0; row < 3; ++row) {
        for (unsigned column = 0; column < 3; ++column)
            EXPECT_NEAR(map.matrix[row][column], expected->GetMatrix()[row][column], 1e-12);
        EXPECT_NEAR(map.offset[static_cast<int>(row)], expected->GetOffset()[row], 1e-12);
    }
}

TEST(ItkTransformFiles, OfScalesAndSkewsAreTheMapsOfTheirClasses) {
    expectAsClass<itk::ScaleSkewVersor3DTransform<double>>(
        "ScaleSkewVersor3DTransform",
        {0.1, 0.2, -0.3, 5, 6, 7, 1.2, 0.9, 1.1, 0.01, 0.02, 0.03, 0.04, 0.05, 0.06});
    expectAsClass<itk::ComposeScaleSkewVersor3DTransform<double>>(
        "ComposeScaleSkewVersor3DTransform",
        {0.1, 0.2, -0.3, 5, 6, 7, 1.2, 0.9, 1.1, 0.01, 0.02, 0.03});
}

struct Refusal {
    const char* name;
    std::string text;
    const char* says;
};

class HostileItkTransform : public ::testing::TestWithParam<Refusal> {};

TEST_P(HostileItkTransform, IsRefusedInOneSentence) {
    const TemporaryFolder folder;
    const std::string path = folder / "a.tfm";
    writeBytes(path, beginning + GetParam().text);
    const std::string sentence = refusalSentence(path, readItkAffine);
    EXPECT_THAT(sentence, ::testing::HasSubstr(GetParam().says));
    EXPECT_EQ(sentence.find("0x"), std::string::npos) << "an address in memory: " << sentence;
    EXPECT_EQ(sentence.find("..."), std::string::npos) << "cut off: " << sentence;
}

const std::string eulerLine = "Transform: Euler3DTransform_double_3_3\n";

INSTANTIATE_TEST_SUITE_P(
    Each, HostileItkTransform,
    ::testing::Values(
        Refusal{"TwoSigns",
                transform("Euler3DTransform", "0.01 0.02 -0.03 +-1 -0.3 0.2", "-1 25 12 0"),
                "'+-1' is no number"},
        Refusal{"TwoLinesOfParameters",
                eulerLine + "Parameters: 0.01\nFixedParameters: -1 25 12 0\nParameters: 0.01 0.02 "
                            "-0.03 0.5 -0.3 0.2\nFixedParameters: -1 25 12 0\n",
                "more than once"},
        Refusal{"TwoLinesOfFixedParameters", euler + "FixedParameters: -1 25 12 0\n",
                "more than once"},
        Refusal{"TooFewFixedParameters", transform("Euler3DTransform", "0 0 0 1 2 3", "1 2"),
                "has 3 fixed parameters; the file gives 2"},
        Refusal{"TooManyFixedParameters", transform("AffineTransform", matrix, "1 2 3 4"),
                "the file gives 4"},
        // ITK leaves such a transform the identity, without a word.
        Refusal{"NoFixedParameters", eulerLine + "Parameters: 0 0 0 1 2 3\n", "the file gives 0"},
        Refusal{"ParametersOfNothing", "Parameters: 1 2 3\n", "belongs to no transform"},
        Refusal{"ParametersOfAComposite",
                "Transform: CompositeTransform_double_3_3\nParameters: 1\n" + euler,
                "belongs to no transform"},
        Refusal{"CompositeWithinAComposite",
                "Transform: CompositeTransform_double_3_3\n"
                "Transform: CompositeTransform_double_3_3\n" +
                    euler,
                "a composite that isn't its first"},
        Refusal{"EmptyComposite", "Transform: CompositeTransform_double_3_3\n", "0 transforms"},
        Refusal{"AnotherFile",
                "Transform: CompositeTransform_double_3_3\nComponentTransformFile: b.tfm\n",
                "'ComponentTransformFile: b.tfm'"},
        Refusal{"NoColon", euler + "and more\n", "'and more'"},
        Refusal{"FarCenter", transform("Euler3DTransform", "0 0 0 1 2 3", "1e39 0 0 0"),
                "a parameter is 1e+39; finite numbers from -1e+06 to 1e+06"},
        Refusal{"FarOffsetByItsCenter",
                transform("AffineTransform", "1000 0 0 0 1 0 0 0 1 0 0 0", "1e6 0 0"),
                "an offset of its map is -9.99e+08"},
        Refusal{"UnknownPrecision",
                "Transform: AffineTransform_half_3_3\nParameters: " + matrix +
                    "\nFixedParameters: 0 0 0\n",
                "3D space"}),
    [](const auto& info) { return std::string(info.param.name); });

} // namespace
} // namespace systole::test
