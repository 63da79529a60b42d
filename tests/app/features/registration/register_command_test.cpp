// systole register from outside: known maps between images on different grids are found.
#include "tests/app/features/registration/register_fixture.h"

#include <gmock/gmock.h>
#include <nlohmann/json.hpp>

#include <filesystem>
#include <string>
#include <utility>

namespace systole {
namespace {

namespace fs = std::filesystem;
using namespace systole::testing;
using ::testing::HasSubstr;
using Json = nlohmann::json;

TEST_F(Register, ADemonsMotionFollowsAnInitialMapBetweenGrids) {
    const std::string out = path("demons");
    const Outcome done = reg({path("fixed.nii.gz"), path("shifted.nii.gz"), "-o", out, "--method",
                              "demons", "--initial", path("shift.txt"), "--backend", "cpu"});
    ASSERT_EQ(done.exitCode, 0) << done.errors;
    const Json record = registration(out);
    EXPECT_EQ(record["method"], "demons");
    EXPECT_EQ(record["command"], "register");
    // The initial map is the truth: nothing is left for demons.
    EXPECT_GT(record["similarity"]["initial"]["ncc"], 0.999);
    EXPECT_GT(record["similarity"]["after"]["ncc"], 0.999);
    EXPECT_LT(record["similarity"]["before"]["ncc"], 0.95);
    EXPECT_GT(record["similarity"]["after"]["nmi"], record["similarity"]["before"]["nmi"]);
    EXPECT_GT(record["iterations"].size(), 0u);
    EXPECT_EQ(record["iterations"][0]["part"], "demons");
    EXPECT_LT(errorOf(readField(out + "/displacement.mha", pool), shift), 0.3);
}

/// Ten of the pairs are wrong, and the grids differ.
TEST_F(Register, PairsOfPointsAreAStart) {
    std::string fixed = "x,y,z\n", moving = fixed;
    for (int i = 0; i < 60; ++i) {
        const Vec3 p{4.0 * (i % 5) - 8, 4.0 * (i / 5 % 4) - 6, 7.0 * (i / 20) - 7};
        Vec3 q = shift(p);
        if (i % 6 == 0)
            q.y += 15;
        for (auto [text, point] : {std::pair(&fixed, p), std::pair(&moving, q)})
            *text += std::to_string(point.x) + "," + std::to_string(point.y) + "," +
                     std::to_string(point.z) + "\n";
    }
    writeText(path("f.csv"), fixed);
    writeText(path("m.csv"), moving);
    const std::string out = path("points");
    const Outcome done = reg({path("fixed.nii.gz"), path("shifted.nii.gz"), "-o", out, "--method",
                              "demons", "--fixed-points", path("f.csv"), "--moving-points",
                              path("m.csv"), "--backend", "cpu"});
    ASSERT_EQ(done.exitCode, 0) << done.errors;
    const Json record = registration(out);
    EXPECT_THAT(record["start"], HasSubstr("through 50 of 60 pairs"));
    EXPECT_GT(record["similarity"]["initial"]["ncc"], 0.999);
    EXPECT_EQ(record["fixed_points"], path("f.csv"));
}

TEST_F(Register, AMethodOnOneGridFindsAShiftBetweenGrids) {
    const std::string out = path("clg");
    const Outcome done = reg({path("fixed.nii.gz"), path("shifted.nii.gz"), "-o", out, "--method",
                              "clg", "--backend", "cpu"});
    ASSERT_EQ(done.exitCode, 0) << done.errors;
    EXPECT_LT(errorOf(readField(out + "/displacement.mha", pool), shift), 0.7);
    const Json record = registration(out);
    EXPECT_LT(record["similarity"]["after"]["mae"],
              0.3 * record["similarity"]["before"]["mae"].get<double>());
    EXPECT_TRUE(record["affine"].is_null());
    EXPECT_FALSE(fs::exists(out + "/affine.tfm"));
    EXPECT_FALSE(fs::exists(out + "/control_points.nii.gz"));
}

TEST_F(Register, TheAffineMapBetweenTurnedImagesIsFound) {
    const std::string out = path("affine");
    const Outcome done = reg({path("fixed.nii.gz"), path("turned.mha"), "-o", out, "--method",
                              "affine", "--backend", "cpu"});
    ASSERT_EQ(done.exitCode, 0) << done.errors;
    EXPECT_LT(errorOf(readField(out + "/displacement.mha", pool), turned), 0.5);
    const Json record = registration(out);
    for (std::size_t row = 0; row < 3; ++row)
        for (std::size_t column = 0; column < 3; ++column)
            EXPECT_NEAR(record["affine"]["matrix_lps"][row][column].get<double>(),
                        turned.matrix[row][column], 0.03);
    EXPECT_GT(record["similarity"]["after"]["ncc"], 0.99);
    EXPECT_EQ(record["iterations"][0]["part"], "affine");
    EXPECT_GT(record["affine"]["levels"].size(), 0u);
    EXPECT_TRUE(record["deformation"].is_null());
}

TEST_F(Register, TheSplineFollowsTheAffineMapAndItsControlPointsAreTheWholeTransform) {
    for (const std::string format : {"itk", "niftyreg"}) {
        const std::string out = path("ffd_" + format);
        const Outcome done = reg({path("deformed.nii.gz"), path("organ.nii.gz"), "-o", out,
                                  "--method", "ffd", "--backend", "cpu", "--format", format});
        ASSERT_EQ(done.exitCode, 0) << done.errors;
        const std::string field =
            out + (format == "itk" ? "/displacement.mha" : "/displacement.nii.gz");
        const Json record = registration(out);
        EXPECT_LT(errorOf(readField(field, pool), deformed), 1.0);
        EXPECT_GT(record["similarity"]["after"]["ncc"], record["similarity"]["affine"]["ncc"]);
        EXPECT_GT(record["similarity"]["after"]["ncc"], 0.99);
        EXPECT_EQ(record["jacobian"]["folded_percent"], 0);
        EXPECT_EQ(record["iterations"].back()["part"], "ffd");
        EXPECT_TRUE(fs::exists(out + "/affine.tfm"));
        const std::string again = path("again_" + format);
        const Outcome applied =
            reg({path("deformed.nii.gz"), path("organ.nii.gz"), "-o", again, "--transform",
                 out + "/control_points.nii.gz", "--warp", path("organ.nii.gz")});
        ASSERT_EQ(applied.exitCode, 0) << applied.errors;
        const MillimeterField found = readField(field, pool),
                              expanded = readField(again + "/displacement.mha", pool);
        for (std::size_t i = 0; i < found.vectors.size(); ++i)
            ASSERT_NEAR(static_cast<double>(found.vectors.data()[i]),
                        static_cast<double>(expanded.vectors.data()[i]), 2e-3);
    }
}

TEST_F(Register, AStartMayBeAFieldOrLeaveOutTheAffineMap) {
    const std::string first = path("start");
    ASSERT_EQ(reg({path("fixed.nii.gz"), path("shifted.nii.gz"), "-o", first, "--transform",
                   path("shift.txt")})
                  .exitCode,
              0);
    const std::string out = path("from_field");
    const Outcome done = reg({path("fixed.nii.gz"), path("shifted.nii.gz"), "-o", out, "--method",
                              "ffd", "--backend", "cpu", "--initial", first + "/displacement.mha"});
    ASSERT_EQ(done.exitCode, 0) << done.errors;
    EXPECT_LT(errorOf(readField(out + "/displacement.mha", pool), shift), 0.5);
    EXPECT_TRUE(registration(out)["affine"].is_null());
    // Images on one grid: the start is applied after the remaining motion.
    const std::string demons = path("demons_from_field");
    ASSERT_EQ(reg({path("fixed.nii.gz"), path("shifted.nii.gz"), "-o", demons, "--method", "demons",
                   "--backend", "cpu", "--initial", first + "/displacement.mha"})
                  .exitCode,
              0);
    EXPECT_LT(errorOf(readField(demons + "/displacement.mha", pool), shift), 0.3);
    const std::string plain = path("no_affine");
    ASSERT_EQ(reg({path("fixed.nii.gz"), path("shifted.nii.gz"), "-o", plain, "--method", "ffd",
                   "--backend", "cpu", "--no-affine"})
                  .exitCode,
              0);
    EXPECT_TRUE(registration(plain)["affine"].is_null());
    EXPECT_TRUE(fs::exists(plain + "/control_points.nii.gz"));
    EXPECT_LT(errorOf(readField(plain + "/displacement.mha", pool), shift), 1.5);
}

TEST_F(Register, MasksLimitWhatIsCompared) {
    // A bright block that only the moving image has, masked out.
    const Geometry moving = gridAround({3, -2, 4}, {30, 40, 38}, {2, 1.6, 1.7}, sagittal);
    std::vector<float> gray =
        sampled(moving, [](Vec3 p) { return p.x > 20 ? 400.0 : organAt((*shift.inverse())(p)); });
    writeVolume(path("blocked.nii.gz"), moving, {gray.data(), moving.size()});
    const std::vector<float> mask = sampled(moving, [](Vec3 p) { return p.x > 19 ? 0.0 : 1.0; });
    writeVolume(path("mask.nii.gz"), moving, {mask.data(), moving.size()});
    const std::string out = path("masked");
    const Outcome done = reg({path("fixed.nii.gz"), path("blocked.nii.gz"), "-o", out, "--method",
                              "affine", "--backend", "cpu", "--moving-mask", path("mask.nii.gz")});
    ASSERT_EQ(done.exitCode, 0) << done.errors;
    EXPECT_LT(errorOf(readField(out + "/displacement.mha", pool), shift), 0.6);
}

TEST_F(Register, AnUnbiasedMotionIsReportedWithItsVolumeChangeAndTheWayBack) {
    const std::string out = path("unbiased");
    const Outcome done =
        reg({path("organ.nii.gz"), path("shifted.nii.gz"), "-o", out, "--method", "unbiased",
             "--backend", "cpu", "--inverse", "--inverse-consistency"});
    ASSERT_EQ(done.exitCode, 0) << done.errors;
    EXPECT_THAT(done.output, HasSubstr("there and back"));
    const Json record = registration(out);
    EXPECT_EQ(record["deformation"]["method"], "unbiased");
    EXPECT_GT(record["similarity"]["after"]["ncc"], record["similarity"]["before"]["ncc"]);
    const Json& jacobian = record["jacobian"];
    EXPECT_GT(jacobian["smallest"], 0);
    EXPECT_EQ(jacobian["voxels"], 30 * 40 * 38);
    EXPECT_GT(jacobian["mean"], jacobian["smallest"]);
    EXPECT_LT(jacobian["mean"], jacobian["largest"]);
    EXPECT_LE(jacobian["mean_log"].get<double>(), std::log(jacobian["mean"].get<double>()));
    EXPECT_LT(record["inverse"]["mean_error_mm"], 0.01);
    EXPECT_GT(record["inverse_consistency"]["voxels_inside"], 10000);
    EXPECT_LT(record["inverse_consistency"]["mean_error_mm"], 2);
    EXPECT_GT(record["inverse_consistency"]["mean_error_mm"], 0);
    EXPECT_EQ(reg({path("organ.nii.gz"), path("shifted.nii.gz"), "-o", path("refused"),
                   "--transform", path("shift.txt"), "--inverse-consistency"})
                  .exitCode,
              2);
}

TEST_F(Register, FramesOfASequenceAreNamedWithAnAt) {
    const std::string sequence = path("sequence.nii.gz");
    const Geometry grid = gridAround({0, 0, 0}, {24, 24, 24}, {2, 2, 2});
    writeSequence(sequence, grid, 3, 0.04, [&](int frame, VolumeView<float> voxels) {
        const std::vector<float> gray = sampled(grid, [&](Vec3 p) {
            return organAt(p - Vec3{1.0 * frame, 0, 0});
        });
        std::copy(gray.begin(), gray.end(), voxels.data);
    });
    const std::string out = path("frames");
    const Outcome done = reg(
        {sequence + "@0", sequence + "@2", "-o", out, "--method", "demons", "--backend", "cpu"});
    ASSERT_EQ(done.exitCode, 0) << done.errors;
    EXPECT_EQ(registration(out)["moving"]["frame"], 2);
    EXPECT_LT(errorOf(readField(out + "/displacement.mha", pool), AffineMap{identity3, {2, 0, 0}}),
              0.4);
    const std::string same = path("same_frames");
    ASSERT_EQ(reg({sequence, sequence, "--fixed-frame", "0", "--moving-frame", "2", "-o", same,
                   "--method", "demons", "--backend", "cpu"})
                  .exitCode,
              0);
    EXPECT_EQ(readText(out + "/displacement.mha"), readText(same + "/displacement.mha"));
}

/// The affine part aside, a body whose surface moves linearly moves so inside, whatever was found
/// there. Label 1 is a ball of 20 mm with a hole.
TEST_F(Register, AnElasticWallFollowsItsSurface) {
    BufferPool pool;
    const Geometry grid = gridAround({0, 0, 0}, {36, 34, 30}, {1.8, 1.8, 2});
    const auto linear = [](Vec3 p) {
        return p + Vec3{1 + 0.05 * p.x, 0.04 * p.z, -0.03 * p.y - 1};
    };
    const auto fieldWith = [&](const std::string& name, double spoilt) {
        MillimeterField field{grid, pool.acquire<float>(3 * grid.voxels(), "field")};
        std::size_t i = 0;
        for (int z = 0; z < grid.size().z; ++z)
            for (int y = 0; y < grid.size().y; ++y)
                for (int x = 0; x < grid.size().x; ++x, ++i) {
                    const Vec3 p = grid.indexToPhysical(
                        {static_cast<double>(x), static_cast<double>(y), static_cast<double>(z)});
                    const Vec3 fromHole = p - Vec3{12, 5, -4};
                    const bool deep = dot(p, p) < 14 * 14 && dot(fromHole, fromHole) > 13 * 13;
                    const Vec3 d = linear(p) - p + (deep ? spoilt : 0.0) * Vec3{1, 1, 1};
                    for (int axis = 0; axis < 3; ++axis)
                        field.vectors.data()[3 * i + static_cast<std::size_t>(axis)] =
                            static_cast<float>(d[axis]);
                }
        writeField(path(name), field, FieldFormat::MetaImage);
        return path(name);
    };
    const std::string out = path("wall");
    const std::vector<std::string> arguments{path("fixed.nii.gz"),
                                             path("organ.nii.gz"),
                                             "-o",
                                             out,
                                             "--transform",
                                             fieldWith("spoilt.mha", 3),
                                             "--elastic-wall",
                                             path("fixed_labels.nii.gz"),
                                             "--elastic-length",
                                             "0"};
    const Outcome unclear = reg(arguments);
    EXPECT_EQ(unclear.exitCode, 1);
    EXPECT_THAT(unclear.errors, HasSubstr("--elastic-label"));
    std::vector<std::string> named = arguments;
    named.insert(named.end(), {"--elastic-label", "1"});
    const Outcome outcome = reg(named);
    ASSERT_EQ(outcome.exitCode, 0) << outcome.errors;
    EXPECT_THAT(outcome.output, HasSubstr("elastic wall, label 1"));
    EXPECT_GT(errorOf(readField(path("spoilt.mha"), pool), linear), 0.5);
    EXPECT_LT(errorOf(readField(out + "/displacement.mha", pool), linear), 1e-3);
    const Json wall = registration(out)["elastic_wall"];
    EXPECT_EQ(wall["label"], 1);
    EXPECT_NEAR(wall["largest_change_mm"].get<double>(), 3 * std::sqrt(3.0), 0.01);
    EXPECT_GT(wall["iterations"], 0);
}

} // namespace
} // namespace systole
