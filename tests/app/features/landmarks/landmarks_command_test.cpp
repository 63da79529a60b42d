// systole landmarks tre from outside: errors of fields, tracks and whole folders of cases, and what
// is refused.
#include "compute/core/buffer.h"
#include "io/formats/writer.h"
#include "io/landmarks/landmark_file.h"
#include "tests/support/program.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <vector>

namespace systole {
namespace {

namespace fs = std::filesystem;
using systole::testing::Outcome;
using systole::testing::readText;
using systole::testing::run;
using systole::testing::TemporaryFolder;
using systole::testing::writeText;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using Json = nlohmann::json;

class LandmarksTre : public ::testing::Test {
protected:
    std::string file(const std::string& name, const std::string& text) {
        writeText(folder / name, text);
        return folder / name;
    }
    /// A field of the same displacement everywhere on a grid of 10 mm cubed.
    std::string field(const std::string& name, Vec3 displacement) {
        const Geometry grid({11, 11, 6}, {1, 1, 2});
        BufferPool pool;
        MillimeterField constant{grid, pool.acquire<float>(3 * grid.voxels(), "field")};
        for (std::size_t i = 0; i < 3 * grid.voxels(); ++i)
            constant.vectors.data()[i] = static_cast<float>(displacement[static_cast<int>(i % 3)]);
        writeField(folder / name, constant, FieldFormat::MetaImage);
        return folder / name;
    }
    /// An image on the same grid.
    std::string image(const std::string& name) {
        const Geometry grid({11, 11, 6}, {1, 1, 2});
        const std::vector<float> voxels(grid.voxels());
        writeVolume(folder / name, grid, {voxels.data(), grid.size()});
        return folder / name;
    }
    Json tre(std::vector<std::string> arguments) {
        arguments.insert(arguments.begin(), {"landmarks", "tre"});
        arguments.insert(arguments.end(), {"-o", folder / "tre.json", "--overwrite"});
        outcome = run(arguments);
        EXPECT_EQ(outcome.exitCode, 0) << outcome.errors;
        return outcome.exitCode == 0 ? Json::parse(readText(folder / "tre.json"))["cases"] : Json();
    }
    void expectRefusal(std::vector<std::string> arguments, int code, const std::string& says) {
        arguments.insert(arguments.begin(), {"landmarks", "tre"});
        testing::expectRefused(run(arguments), says, code);
    }

    TemporaryFolder folder;
    Outcome outcome;
    const std::string threePoints = "name,l,p,s\na,1,2,3\nb,4,4.25,5\nc,100,2,3\n";
};

TEST_F(LandmarksTre, AFieldMovesThePointsInsideItAndNamesTheOthers) {
    const std::string fixed = file("fixed.csv", threePoints);
    // The points are in another order: they are paired by name.
    const std::string moving = file("moving.csv", "name,l,p,s\nc,100,2,3\nb,6,4,5\na,3,2,3\n");
    const Json errors =
        tre({field("w.mha", {2, 0, 0.25}), "--fixed", fixed, "--moving", moving})[0];
    EXPECT_THAT(errors["names"], ElementsAre("a", "b", "c"));
    EXPECT_THAT(errors["outside"], ElementsAre("c"));
    EXPECT_EQ(errors["before"]["points"], 3);
    EXPECT_DOUBLE_EQ(errors["before"]["errors_mm"][0], 2);
    EXPECT_DOUBLE_EQ(errors["before"]["largest_mm"], std::hypot(2, 0.25));
    EXPECT_EQ(errors["before"]["largest_point"], "b");
    EXPECT_EQ(errors["after"]["points"], 2);
    EXPECT_NEAR(errors["after"]["errors_mm"][0].get<double>(), 0.25, 1e-6);
    EXPECT_NEAR(errors["after"]["errors_mm"][1].get<double>(), std::hypot(0.25, 0.25), 1e-6);
    EXPECT_TRUE(errors["after"]["errors_mm"][2].is_null());
    EXPECT_FALSE(errors.contains("after_snapped"));
    EXPECT_THAT(outcome.output, HasSubstr("1 of 3 points lie outside the motion and are left out: "
                                          "c"));
    EXPECT_THAT(outcome.output, HasSubstr("--grid names one"));
    // Voxels of 1 × 1 × 2 mm: the moved points go to (3, 2, 4) and (6, 4, 6).
    const Json snapped = tre(
        {folder / "w.mha", "--fixed", fixed, "--moving", moving, "--grid", image("grid.mha")})[0];
    EXPECT_NEAR(snapped["after_snapped"]["errors_mm"][0].get<double>(), 1, 1e-6);
    EXPECT_NEAR(snapped["after_snapped"]["errors_mm"][1].get<double>(), 1, 1e-6);
}

TEST_F(LandmarksTre, AFieldThatDoesntSayHowItsAxesLieIsNoted) {
    std::string vtk = "# vtk DataFile Version 3.0\nby hand\nASCII\nDATASET STRUCTURED_POINTS\n"
                      "DIMENSIONS 11 11 6\nSPACING 1 1 2\nORIGIN 0 0 0\nPOINT_DATA 726\n"
                      "VECTORS field float\n";
    for (int voxel = 0; voxel < 726; ++voxel)
        vtk += "2 0 0.25\n";
    const std::string points = file("p.csv", "name,l,p,s\na,1,2,3\n"),
                      moved = file("q.csv", "name,l,p,s\na,3,2,3.25\n");
    const Json errors = tre({file("w.vtk", vtk), "--fixed", points, "--moving", moved})[0];
    EXPECT_THAT(errors["notes"].get<std::vector<std::string>>(),
                ::testing::Contains(HasSubstr("w.vtk: VTK states no direction of the axes")));
}

TEST_F(LandmarksTre, AnAffineMapReachesEverywhere) {
    const std::string fixed = file("fixed.csv", threePoints);
    const std::string map = file("shift.txt", "1 0 0 -3\n0 1 0 0\n0 0 1 0\n0 0 0 1\n");
    const std::string moving = file("moving.csv", "l,p,s\n-2,2,3\n1,4.25,5\n97,2,4\n");
    const Json errors = tre({map, "--fixed", fixed, "--moving", moving})[0];
    EXPECT_EQ(errors["after"]["points"], 3);
    EXPECT_NEAR(errors["after"]["mean_mm"].get<double>(), 1.0 / 3, 1e-12);
    EXPECT_EQ(errors["after"]["largest_point"], "c");
    EXPECT_TRUE(errors["outside"].empty());
}

TEST_F(LandmarksTre, TracksMoveThePointsThatStartOnThem) {
    LandmarkTracks tracks;
    tracks.tracks.push_back({"t1",
                             {TrackedPosition{{1, 2, 3}, 1}, TrackedPosition{{2, 2, 3}, 1},
                              TrackedPosition{{3, 2, 3.5}, 1}}});
    tracks.tracks.push_back({"t2", {TrackedPosition{{4, 4.25, 5}, 1}, std::nullopt, std::nullopt}});
    writeTracks(folder / "tracks.csv", tracks);
    const std::string fixed = file("fixed.csv", threePoints);
    const std::string moving = file("moving.csv", "name,l,p,s\na,3,2,3\nb,6,4,5\nc,1,2,3\n");
    const Json errors = tre(
        {folder / "tracks.csv", "--fixed", fixed, "--moving", moving, "--moving-frame", "2"})[0];
    EXPECT_EQ(errors["after"]["errors_mm"][0], 0.5);
    EXPECT_THAT(errors["outside"], ElementsAre("b", "c")) << "one is lost, one on no track";
    expectRefusal({folder / "tracks.csv", "--fixed", fixed, "--moving", moving}, 2,
                  "--moving-frame");
    expectRefusal(
        {folder / "tracks.csv", "--fixed", fixed, "--moving", moving, "--moving-frame", "3"}, 2,
        "no frame 3");
}

TEST_F(LandmarksTre, IndicesOfAnUnnamedFileAreThoseOfTheField) {
    const std::string fixed = file("a.txt", "1 1 1\n11 11 6\n");
    const std::string moving = file("b.txt", "3 1 1\n11 11 6\n");
    const Json errors = tre({field("w.mha", {2, 0, 0}), "--fixed", fixed, "--moving", moving})[0];
    EXPECT_THAT(errors["after"]["errors_mm"], ElementsAre(0, 2));
    EXPECT_THAT(errors["before"]["errors_mm"], ElementsAre(2, 0));
    EXPECT_TRUE(errors.contains("after_snapped"));
}

TEST_F(LandmarksTre, EachImageHasItsOwnVoxels) {
    const Geometry half({22, 22, 6}, {0.5, 0.5, 2});
    const std::vector<float> voxels(half.voxels());
    writeVolume(folder / "half.mha", half, {voxels.data(), half.size()});
    const std::string fixed = file("a.csv", "i,j,k\n1,2,3\n");
    const std::string moving = file("b.csv", "i,j,k\n6,4,3\n");
    const Json errors = tre({field("w.mha", {2.125, 0, 0}), "--fixed", fixed, "--moving", moving,
                             "--grid", image("grid.mha"), "--moving-grid", folder / "half.mha"})[0];
    EXPECT_DOUBLE_EQ(errors["before"]["mean_mm"], 2);
    EXPECT_NEAR(errors["after"]["mean_mm"].get<double>(), 0.125, 1e-6);
    EXPECT_NEAR(errors["after_snapped"]["mean_mm"].get<double>(), 0, 1e-6);
}

TEST_F(LandmarksTre, CasesOfCopdArePairedByBreath) {
    fs::create_directories(folder / "sets/copd3");
    fs::create_directories(folder / "sets/Case4Pack/ExtremePhases");
    file("sets/copd3/copd3_300_iBH_xyz_r1.txt", "1 1 1\n2 2 2\n");
    file("sets/copd3/copd3_300_eBH_xyz_r1.txt", "1 1 2\n2 2 1\n");
    file("sets/Case4Pack/ExtremePhases/Case4_300_T00_xyz.txt", "1 1 1\n");
    file("sets/Case4Pack/ExtremePhases/case4_dirLab300_T50_xyz.txt", "1 2 1\n");
    file("sets/Case4Pack/ExtremePhases/case4_4D-75_T00.txt", "9 9 9\n");
    file("sets/case5_300_T00_xyz.txt", "1 1 1\n"); // a file that has no partner
    const Json cases = tre({folder / "sets"});
    ASSERT_EQ(cases.size(), 2u);
    EXPECT_EQ(cases[0]["name"], "case4");
    EXPECT_NEAR(cases[0]["before"]["mean_mm"].get<double>(), 1.13, 1e-9);
    EXPECT_EQ(cases[1]["name"], "copd3");
    EXPECT_NEAR(cases[1]["before"]["mean_mm"].get<double>(), 2.5, 1e-9);
    EXPECT_EQ(tre({folder / "sets", "--case", "COPD3"}).size(), 1u);
}

TEST_F(LandmarksTre, WritesATableThatOtherProgramsRead) {
    const std::string fixed = file("a.csv", "l,p,s\n1,2,3\n"),
                      moving = file("b.csv", "l,p,s\n1,2,5\n");
    const Outcome made =
        run({"landmarks", "tre", "--fixed", fixed, "--moving", moving, "-o", folder / "tre.csv"});
    ASSERT_EQ(made.exitCode, 0) << made.errors;
    EXPECT_EQ(readText(folder / "tre.csv"),
              "case,measure,points,outside,mean_mm,sd_mm,quartile_mm,median_mm,upper_quartile_mm,"
              "percentile_95_mm,largest_mm,largest_point\na.csv,before,1,0,2,0,2,2,2,2,2,1\n");
    expectRefusal({"--fixed", fixed, "--moving", moving, "-o", folder / "tre.csv"}, 1, "tre.csv");
}

TEST_F(LandmarksTre, RefusesWhatItCantMeasure) {
    const std::string fixed = file("fixed.csv", threePoints);
    expectRefusal({}, 2, "--fixed and --moving");
    expectRefusal({"--fixed", fixed}, 2, "--fixed and --moving");
    expectRefusal({"--fixed", fixed, "--moving", folder / "missing.csv"}, 1, "missing.csv");
    expectRefusal({"--fixed", fixed, "--moving", file("two.csv", "l,p,s\n1,2,3\n4,5,6\n")}, 1,
                  "has 2 points");
    expectRefusal({"--fixed", fixed, "--moving",
                   file("other.csv", "name,l,p,s\na,1,2,3\nb,1,2,4\nd,5,6,7\n")},
                  1, "has no point 'd'");
    expectRefusal({"--fixed", fixed, "--moving", fixed, "--method", "clg"}, 2, "folder of cases");
    expectRefusal({"--fixed", fixed, "--moving", fixed, "-o", folder / "a.txt"}, 2,
                  ".csv or .json");
    expectRefusal({fixed, "--fixed", fixed, "--moving", fixed}, 1, "fixed.csv");
    expectRefusal({folder.path().string()}, 1, "is not a folder of DIR-Lab's cases");
    expectRefusal({folder / "missing.mha"}, 1, "there is no such file or folder");
    expectRefusal({folder.path().string(), "--fixed", fixed}, 2, "found by their names");
    EXPECT_EQ(run({"landmarks"}).exitCode, 2);
    EXPECT_THAT(run({"landmarks"}).errors, HasSubstr("name what to do"));
    EXPECT_THAT(run({"landmarks", "--help"}).output, HasSubstr("tre"));
}

TEST_F(LandmarksTre, PointsGoThroughEveryFormat) {
    const auto convert = [](std::vector<std::string> arguments) {
        arguments.insert(arguments.begin(), {"landmarks", "convert"});
        return run(arguments);
    };
    const std::string grid = image("grid.mha");
    std::string last = file("start.csv", "name,r,a,s\na,-1,-2,4\nb,-10,-0,10\n");
    for (const char* next : {"a.mrk.json", "b.fcsv", "c.csv", "d.txt"}) {
        const Outcome made = convert({last, "-o", folder / next});
        ASSERT_EQ(made.exitCode, 0) << made.errors;
        last = folder / next;
    }
    ASSERT_EQ(
        convert({last, "-o", folder / "e.txt", "--format", "dirlab", "--grid", grid}).exitCode, 0);
    EXPECT_EQ(readText(folder / "e.txt"), "2\t3\t3\n11\t1\t6\n");
    ASSERT_EQ(convert({folder / "e.txt", "-o", folder / "f.csv", "--grid", grid}).exitCode, 0);
    EXPECT_EQ(readText(folder / "f.csv"),
              "# coordinateSystem: LPS\n# units: mm\nname,x,y,z\n,1,2,4\n,10,0,10\n");
    EXPECT_EQ(convert({folder / "e.txt", "-o", folder / "f.csv", "--grid", grid}).exitCode, 1)
        << "it is there already";
    EXPECT_EQ(convert({folder / "e.txt", "-o", folder / "g.csv"}).exitCode, 1) << "no grid";

    LandmarkTracks tracks;
    tracks.tracks.push_back({"t", {TrackedPosition{{1, 2, 3}, 1}, TrackedPosition{{4, 5, 6}, 1}}});
    tracks.tracks.push_back({"u", {TrackedPosition{{1, 2, 9}, 1}, std::nullopt}});
    writeTracks(folder / "tracks.csv", tracks);
    ASSERT_EQ(convert({folder / "tracks.csv", "-o", folder / "tracks.mrk.json"}).exitCode, 0);
    const Outcome frame =
        convert({folder / "tracks.mrk.json", "--frame", "1", "-o", folder / "h.csv"});
    ASSERT_EQ(frame.exitCode, 0) << frame.errors;
    EXPECT_THAT(frame.output, HasSubstr("1 of 2 tracks are lost"));
    EXPECT_THAT(readText(folder / "h.csv"), HasSubstr("t,4,5,6\n"));
    EXPECT_EQ(convert({folder / "tracks.csv", "--frame", "2", "-o", folder / "i.csv"}).exitCode, 2);
}

/// The phantom in DIR-Lab's format, and what one command says of a folder with it.
class LungCases : public LandmarksTre {
protected:
    void SetUp() override {
        const Outcome made =
            run({"phantom", "--lungs", "--size", "56x56x40", "--frames", "2", "--noise", "5",
                 "--truth-field", "-o", folder / "cases/case2", "--dirlab-case", "case2"});
        ASSERT_EQ(made.exitCode, 0) << made.errors;
    }
};

TEST_F(LungCases, TheTruthHasNoErrorAndARegistrationLowersIt) {
    const std::string cases = folder / "cases";
    const Json before = tre({cases});
    ASSERT_EQ(before.size(), 1u);
    EXPECT_EQ(before[0]["name"], "case2");
    const double initial = before[0]["before"]["mean_mm"];
    EXPECT_GT(initial, 5);
    EXPECT_FALSE(before[0].contains("after"));

    // The expert's points are whole voxels of 5 × 5 × 7 mm; snapped to them the truth is exact.
    fs::create_directory(folder / "fields");
    fs::copy_file(folder / "cases/case2/case2_T00_T50_displacement.mha",
                  folder / "fields/case2.mha");
    const Json truth = tre({cases, "--fields", folder / "fields"});
    EXPECT_LT(truth[0]["after_snapped"]["mean_mm"].get<double>(), 0.1);
    EXPECT_LT(truth[0]["after"]["largest_mm"].get<double>(), 0.5 * std::hypot(5.4, 5.4, 7.1));

    const Json exact = tre({folder / "cases/case2/case2_tracks.csv", "--fixed",
                            folder / "cases/case2/case2_300_T00_xyz.txt", "--moving",
                            folder / "cases/case2/case2_300_T50_xyz.txt", "--grid",
                            folder / "cases/case2/case2_T50.mhd"});
    EXPECT_NEAR(exact[0]["after_snapped"]["largest_mm"].get<double>(), 0, 1e-6);

    // The file's name stands for the published grid if --grid is missing, and the field has another
    // one.
    const Json published =
        tre({folder / "fields/case2.mha", "--fixed", folder / "cases/case2/case2_300_T00_xyz.txt",
             "--moving", folder / "cases/case2/case2_300_T50_xyz.txt"});
    EXPECT_THAT(published[0]["notes"].dump(), HasSubstr("the field has 56×56×40"));

    const Json registered = tre({cases, "--method", "affine"});
    EXPECT_LT(registered[0]["after"]["mean_mm"].get<double>(), 0.7 * initial);
    EXPECT_THAT(registered[0]["motion"].get<std::string>(), HasSubstr("method affine"));
    EXPECT_GT(registered[0]["registration_seconds"].get<double>(), 0);
    EXPECT_THAT(outcome.output, HasSubstr("case2"));
}

TEST_F(LungCases, SayWhatIsMissing) {
    const std::string cases = folder / "cases";
    expectRefusal({cases, "--case", "case3"}, 1, "holds no file of 'case3'");
    fs::remove(folder / "cases/case2/case2_T50.mhd");
    fs::remove(folder / "cases/case2/case2_T50.img");
    expectRefusal({cases, "--method", "affine"}, 1, "case2 lacks case2_T50.img");
    const Json none = tre({cases, "--fields", folder.path().string()});
    EXPECT_THAT(none[0]["notes"][0].get<std::string>(), HasSubstr("no motion of this case"));
}

TEST_F(LungCases, OpenAsImages) {
    const Outcome info = run({"info", folder / "cases/case2", "--json"});
    ASSERT_EQ(info.exitCode, 0) << info.errors;
    const Json described = Json::parse(info.output);
    EXPECT_EQ(described["frames"], 2);
    EXPECT_THAT(described["size"], ElementsAre(56, 56, 40));
    const Outcome wrong = run({"info", folder / "cases/case2/case2_T00.img"});
    EXPECT_EQ(wrong.exitCode, 1);
    EXPECT_THAT(wrong.errors, HasSubstr("256 × 256 × 112 voxels of int16"));
    EXPECT_EQ(
        run({"info", "--dirlab-case", "case12", folder / "cases/case2/case2_T00.img"}).exitCode, 2);
    // Any name will do where the case is given.
    fs::copy_file(folder / "cases/case2/case2_T00.img", folder / "scan.raw");
    fs::resize_file(folder / "scan.raw", 256ull * 256 * 94 * 2);
    const Outcome named = run({"info", "--dirlab-case", "case1", folder / "scan.raw", "--json"});
    ASSERT_EQ(named.exitCode, 0) << named.errors;
    EXPECT_THAT(Json::parse(named.output)["spacing_mm"], ElementsAre(0.97, 0.97, 2.5));
}

/// Mean and standard deviation that DIR-Lab publishes, reproduced from the points alone.
TEST_F(LandmarksTre, InitialErrorsOfTheTenCasesAreThePublishedOnes) {
    const char* data = std::getenv("SYSTOLE_DATA_DIR");
    if (!data || !fs::is_directory(fs::path(data) / "dirlab_landmarks"))
        GTEST_SKIP() << "SYSTOLE_DATA_DIR names no folder with dirlab_landmarks";
    const Json cases = tre({(fs::path(data) / "dirlab_landmarks").string()});
    const std::vector<std::pair<double, double>> published{
        {3.89, 2.78},  {4.34, 3.90},  {6.94, 4.05},  {9.83, 4.86}, {7.48, 5.51},
        {10.89, 6.97}, {11.03, 7.43}, {14.99, 9.01}, {7.92, 3.98}, {7.30, 6.35}};
    ASSERT_EQ(cases.size(), published.size());
    for (std::size_t i = 0; i < published.size(); ++i) {
        EXPECT_EQ(cases[i]["name"], "case" + std::to_string(i + 1));
        EXPECT_EQ(cases[i]["pairs"], 300);
        EXPECT_NEAR(cases[i]["before"]["mean_mm"].get<double>(), published[i].first, 0.005001);
        EXPECT_NEAR(cases[i]["before"]["sd_mm"].get<double>(), published[i].second, 0.005001);
    }
}

} // namespace
} // namespace systole
