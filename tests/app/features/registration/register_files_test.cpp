// Files that systole register writes: other programs read them and apply them alike.
#include "tests/app/features/registration/register_fixture.h"

#include <gmock/gmock.h>
#include <itkAffineTransform.h>
#include <itkImage.h>
#include <itkImageFileReader.h>
#include <itkMetaImageIO.h>
#include <itkNiftiImageIO.h>
#include <itkTransformFileReader.h>
#include <itkTxtTransformIO.h>
#include <itkVector.h>
#include <nlohmann/json.hpp>

#include <filesystem>
#include <string>

namespace systole {
namespace {

namespace fs = std::filesystem;
using namespace systole::testing;
using ::testing::HasSubstr;
using Json = nlohmann::json;

template <typename Image, typename Io>
typename Image::Pointer readWithItk(const std::string& path) {
    const auto reader = itk::ImageFileReader<Image>::New();
    reader->SetImageIO(Io::New());
    reader->SetFileName(path);
    reader->Update();
    return reader->GetOutput();
}

TEST_F(Register, AppliedTransformsWriteWhatItkReads) {
    const std::string out = path("applied");
    const Outcome done =
        reg({path("fixed.nii.gz"), path("shifted.nii.gz"), "-o", out, "--transform",
             path("shift.txt"), "--fixed-labels", path("fixed_labels.nii.gz"), "--moving-labels",
             path("shifted_labels.nii.gz"), "--warp", path("turned.mha"), "--warp-labels",
             path("shifted_labels.nii.gz"), "--interpolation", "cubic", "--inverse"});
    ASSERT_EQ(done.exitCode, 0) << done.errors;
    EXPECT_THAT(done.output, HasSubstr("4 × 4 matrix (LPS)"));

    const auto warped =
        readWithItk<itk::Image<float, 3>, itk::NiftiImageIO>(out + "/warped.nii.gz");
    const auto fixed = readWithItk<itk::Image<float, 3>, itk::NiftiImageIO>(path("fixed.nii.gz"));
    EXPECT_EQ(warped->GetLargestPossibleRegion(), fixed->GetLargestPossibleRegion());
    itk::Index<3> middle{{18, 17, 15}};
    EXPECT_NEAR(warped->GetPixel(middle), fixed->GetPixel(middle), 0.5);

    using Field = itk::Image<itk::Vector<float, 3>, 3>;
    const auto field = readWithItk<Field, itk::MetaImageIO>(out + "/displacement.mha");
    EXPECT_NEAR(field->GetPixel(middle)[0], 3, 1e-4);
    EXPECT_NEAR(field->GetPixel(middle)[1], -2, 1e-4);
    EXPECT_NEAR(field->GetPixel(middle)[2], 4, 1e-4);
    const auto inverse = readWithItk<Field, itk::MetaImageIO>(out + "/inverse_displacement.mha");
    EXPECT_EQ(inverse->GetLargestPossibleRegion().GetSize()[0], 30u); // the moving grid
    EXPECT_NEAR(inverse->GetPixel({{10, 10, 10}})[2], -4, 1e-3);

    const auto reader = itk::TransformFileReaderTemplate<double>::New();
    reader->SetTransformIO(itk::TxtTransformIOTemplate<double>::New());
    reader->SetFileName(out + "/affine.tfm");
    reader->Update();
    const auto* affine = dynamic_cast<const itk::AffineTransform<double, 3>*>(
        reader->GetTransformList()->front().GetPointer());
    ASSERT_NE(affine, nullptr);
    EXPECT_EQ(affine->GetTranslation()[1], -2);

    const Json record = registration(out);
    EXPECT_TRUE(record["method"].is_null());
    EXPECT_EQ(record["labels"].size(), 2u);
    for (const Json& label : record["labels"]) {
        EXPECT_GT(label["dice"], 0.9);
        EXPECT_LT(label["dice_before"], label["dice"]);
        EXPECT_LT(label["surface_distance_mm"], 0.8);
    }
    EXPECT_LT(record["inverse"]["largest_error_mm"], 1.1e-3);
    EXPECT_GT(record["inverse"]["voxels_converged"], 0);
    for (const char* file : {"warped_labels.nii.gz", "turned_warped.nii.gz",
                             "shifted_labels_warped.nii.gz", "affine.txt"})
        EXPECT_TRUE(fs::exists(out + "/" + file)) << file;
    EXPECT_EQ(readText(out + "/warped_labels.nii.gz"),
              readText(out + "/shifted_labels_warped.nii.gz"));
    EXPECT_NEAR(record["jacobian"]["smallest"].get<double>(), 1, 1e-3);
    EXPECT_NEAR(record["jacobian"]["largest"].get<double>(), 1, 1e-3);
    EXPECT_EQ(record["jacobian"]["folded_percent"], 0);
}

TEST_F(Register, EveryWrittenTransformIsAppliedAlike) {
    const std::string first = path("first");
    ASSERT_EQ(reg({path("fixed.nii.gz"), path("turned.mha"), "-o", first, "--transform",
                   path("shift.txt")})
                  .exitCode,
              0);
    for (const char* name : {"affine.tfm", "affine.txt", "displacement.mha"}) {
        const std::string out = path(std::string("again_") + name);
        const Outcome done = reg({path("fixed.nii.gz"), path("turned.mha"), "-o", out,
                                  "--transform", first + "/" + name});
        ASSERT_EQ(done.exitCode, 0) << done.errors;
        EXPECT_NEAR(registration(out)["similarity"]["after"]["ncc"].get<double>(),
                    registration(first)["similarity"]["after"]["ncc"].get<double>(), 1e-6)
            << name;
    }
}

TEST_F(Register, NiftyRegsFormatHasItsFiles) {
    const std::string out = path("niftyreg");
    const Outcome done = reg({path("fixed.nii.gz"), path("shifted.nii.gz"), "-o", out,
                              "--transform", path("shift.txt"), "--format", "niftyreg"});
    ASSERT_EQ(done.exitCode, 0) << done.errors;
    EXPECT_LT(errorOf(readField(out + "/displacement.nii.gz", pool), shift), 1e-3);
    EXPECT_EQ(readText(out + "/affine_niftyreg.txt"), "1 0 0 -3\n0 1 0 2\n0 0 1 4\n0 0 0 1\n");
    // Its matrix and its field are read again.
    for (const std::string transform : {"affine_niftyreg.txt", "displacement.nii.gz"}) {
        const std::string again = path("from_" + transform);
        ASSERT_EQ(reg({path("fixed.nii.gz"), path("shifted.nii.gz"), "-o", again, "--transform",
                       out + "/" + transform, "--initial-format", "niftyreg"})
                      .exitCode,
                  0);
        EXPECT_LT(errorOf(readField(again + "/displacement.mha", pool), shift), 1e-3);
    }
}

TEST_F(Register, ResultsAreReplacedOnlyOnRequest) {
    const std::string out = path("twice");
    const std::vector<std::string> arguments{
        path("fixed.nii.gz"), path("shifted.nii.gz"), "-o", out, "--transform", path("shift.txt")};
    ASSERT_EQ(reg(arguments).exitCode, 0);
    const Outcome refused = reg(arguments);
    EXPECT_EQ(refused.exitCode, 1);
    EXPECT_THAT(refused.errors, HasSubstr("--overwrite"));
    std::vector<std::string> again = arguments;
    again.emplace_back("--overwrite");
    const Outcome replaced = reg(again);
    EXPECT_EQ(replaced.exitCode, 0) << replaced.errors;
    EXPECT_THAT(replaced.output, HasSubstr("replaced"));
    // A file of other origin under the name of a result is left alone.
    const std::string other = path("other");
    fs::create_directories(other);
    writeText(other + "/warped.nii.gz", "mine");
    std::vector<std::string> elsewhere = again;
    elsewhere[3] = other;
    EXPECT_EQ(reg(elsewhere).exitCode, 1);
    EXPECT_EQ(readText(other + "/warped.nii.gz"), "mine");
}

} // namespace
} // namespace systole
