// systole denoise from outside: what it makes of labels, thresholds and meshes, and what it
// refuses.
#include "compute/surface/mesh_measures.h"
#include "io/formats/writer.h"
#include "io/meshes/mesh_file.h"
#include "io/source.h"
#include "tests/support/program.h"
#include "tests/support/surface_distance.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <numbers>

namespace systole {
namespace {

namespace fs = std::filesystem;
using systole::testing::Outcome;
using systole::testing::readText;
using systole::testing::run;
using systole::testing::TemporaryFolder;
using ::testing::HasSubstr;
using Json = nlohmann::json;

const Geometry grid({32, 28, 12}, {1, 1, 2.5}, {-40, 12, 7});
constexpr double ballVolume = 4.0 / 3 * std::numbers::pi * 9 * 9 * 9 / 1000; // ml

double toCenter(int x, int y, int z) { return std::hypot((x - 15.5), (y - 13.2), (z - 5.6) * 2.5); }

class Denoise : public ::testing::Test {
protected:
    template <typename Value>
    std::string image(const std::string& name, const Value& value,
                      const Geometry& geometry = grid) {
        std::vector<float> voxels(geometry.voxels());
        const Size3 size = geometry.size();
        const VolumeView<float> view(voxels.data(), size);
        for (int z = 0; z < size.z; ++z)
            for (int y = 0; y < size.y; ++y)
                for (int x = 0; x < size.x; ++x)
                    view(x, y, z) = static_cast<float>(value(x, y, z));
        writeVolume(folder / name, geometry, view);
        return folder / name;
    }
    std::string ballLabels() {
        return image("labels.nii.gz", [](int x, int y, int z) {
            return toCenter(x, y, z) < 9 ? 2 : x == 0 && y == 0 && z < 3 ? 5 : 0;
        });
    }
    void expectRefusal(std::vector<std::string> arguments, int code, const std::string& says) {
        arguments.insert(arguments.begin(), "denoise");
        arguments.insert(arguments.end(), {"-o", folder / "never.vtp"});
        testing::expectRefused(run(arguments), says, code);
        EXPECT_FALSE(fs::exists(folder / "never.vtp"));
    }

    TemporaryFolder folder;
};

TEST_F(Denoise, MakesTheSurfaceOfALabelInEveryFormat) {
    const std::string labels = ballLabels();
    for (const char* name : {"a.vtp", "a.stl", "a.ply", "a.obj"}) {
        const Outcome made = run({"denoise", labels, "--label", "2", "--method", "none", "-o",
                                  folder / name, "--json", folder / "run.json", "--overwrite",
                                  "--distance", folder / "phi.nii.gz"});
        ASSERT_EQ(made.exitCode, 0) << made.errors;
        const MeshMeasures m = measure(readMesh(folder / name));
        EXPECT_TRUE(m.closed()) << name;
        EXPECT_EQ(m.components, 1u);
        EXPECT_NEAR(m.volumeCubicMillimeters / 1000, ballVolume, 0.05 * ballVolume) << name;
        const Json record = Json::parse(readText(folder / "run.json"));
        EXPECT_EQ(record["source"]["label"], 2);
        EXPECT_EQ(record["method"], "none");
        EXPECT_NEAR(record["frames"][0]["volume_ml"].get<double>(), m.volumeCubicMillimeters / 1000,
                    1e-4);
        EXPECT_EQ(record["frames"][0]["euler_characteristic"], 2);
        EXPECT_EQ(record["frames"][0]["touches_edge"], false);
    }
    // The distance lies on the grid of the labels, negative inside.
    const Sequence phi = openSequence({folder / "phi.nii.gz"});
    EXPECT_TRUE(phi.geometry.matches(grid));
    BufferPool pool;
    Volume volume(grid, pool, "phi");
    phi.source->read(0, volume.view());
    EXPECT_NEAR(volume.view()(15, 13, 6), -8, 2);
    EXPECT_GT(volume.view()(0, 0, 0), 9);
}

TEST_F(Denoise, SmoothsTheStairsOfLabelsUnasked) {
    const std::string labels = ballLabels();
    const auto area = [&](const std::vector<std::string>& options) {
        std::vector<std::string> arguments{
            "denoise",        labels,   "--label",         "2",          "-o",
            folder / "a.vtp", "--json", folder / "a.json", "--overwrite"};
        arguments.insert(arguments.end(), options.begin(), options.end());
        const Outcome made = run(arguments);
        EXPECT_EQ(made.exitCode, 0) << made.errors;
        return Json::parse(readText(folder / "a.json"))["frames"][0]["area_cm2"].get<double>();
    };
    const double stairs = area({"--method", "none"});
    EXPECT_LT(area({}), 0.95 * stairs);
    EXPECT_EQ(Json::parse(readText(folder / "a.json"))["method"], "nonlocal");
    EXPECT_LT(area({"--method", "semi-local"}), stairs);
}

TEST_F(Denoise, FollowsAThresholdBetweenVoxels) {
    const std::string gray =
        image("gray.mha", [](int x, int y, int z) { return 50 - 4 * (toCenter(x, y, z) - 9); });
    ASSERT_EQ(
        run({"denoise", gray, "--threshold", "50", "--method", "none", "-o", folder / "a.vtp"})
            .exitCode,
        0);
    const TriangleMesh mesh = readMesh(folder / "a.vtp");
    // Flat between slices 2.5 mm apart, so that the surface lies a little inside the ball.
    EXPECT_NEAR(measure(mesh).volumeCubicMillimeters / 1000, ballVolume, 0.04 * ballVolume);
    const Vec3 center = grid.indexToPhysical({15.5, 13.2, 5.6});
    for (const auto& p : mesh.points)
        EXPECT_NEAR(length(Vec3{p[0], p[1], p[2]} - center), 9, 0.25);
}

TEST_F(Denoise, SamplesAClosedMesh) {
    const std::string labels = ballLabels();
    ASSERT_EQ(run({"denoise", labels, "--label", "2", "--method", "none", "-o", folder / "a.ply"})
                  .exitCode,
              0);
    const Outcome again = run({"denoise", folder / "a.ply", "--spacing", "0.7", "--method", "none",
                               "-o", folder / "b.stl"});
    ASSERT_EQ(again.exitCode, 0) << again.errors;
    const TriangleMesh before = readMesh(folder / "a.ply"), after = readMesh(folder / "b.stl");
    EXPECT_NEAR(measure(after).volumeCubicMillimeters, measure(before).volumeCubicMillimeters,
                0.01 * measure(before).volumeCubicMillimeters);
    ExecResources resources(2);
    EXPECT_LT(distanceBetween(after, before, resources.context()).mean, 0.05);
}

TEST_F(Denoise, NumbersTheFramesOfASequenceAndListsVolumes) {
    const std::string path = folder / "beating.nii.gz";
    writeSequence(path, grid, 3, 0.04, [](int frame, VolumeView<float> voxels) {
        for (int z = 0; z < 12; ++z)
            for (int y = 0; y < 28; ++y)
                for (int x = 0; x < 32; ++x)
                    voxels(x, y, z) = toCenter(x, y, z) < 9 - frame ? 1.0f : 0.0f;
    });
    const Outcome made = run({"denoise", path, "--method", "none", "-o", folder / "out.heart.vtp"});
    ASSERT_EQ(made.exitCode, 0) << made.errors;
    std::ifstream table(folder / "volumes.csv");
    std::string line;
    std::getline(table, line);
    EXPECT_EQ(line, "frame,time_s,volume_ml,area_cm2,parts,handles");
    for (int frame = 0; frame < 3; ++frame) {
        std::getline(table, line);
        int number = -1;
        double time = -1, volume = -1, area = -1;
        ASSERT_EQ(std::sscanf(line.c_str(), "%d,%lf,%lf,%lf", &number, &time, &volume, &area), 4);
        EXPECT_EQ(number, frame);
        EXPECT_NEAR(time, 0.04 * frame, 1e-6);
        const MeshMeasures m =
            measure(readMesh(folder / ("out.heart_000" + std::to_string(frame) + ".vtp")));
        EXPECT_NEAR(volume, m.volumeCubicMillimeters / 1000, 1e-4);
        EXPECT_NEAR(area, m.areaSquareMillimeters / 100, 1e-3);
        EXPECT_NEAR(volume, ballVolume * std::pow((9.0 - frame) / 9, 3), 0.08 * ballVolume);
    }
    // Again: nothing is replaced unasked.
    const Outcome again =
        run({"denoise", path, "--method", "none", "-o", folder / "out.heart.vtp"});
    EXPECT_EQ(again.exitCode, 1);
    EXPECT_THAT(again.errors, HasSubstr("--overwrite"));
}

/// Every other frame is larger by a voxel all around: a flicker, which neighbors in time take away,
/// but not where a folder says that it is motion.
TEST_F(Denoise, TakesNeighborsInTime) {
    const std::string path = folder / "flicker.nii.gz";
    writeSequence(path, grid, 6, 0.04, [](int frame, VolumeView<float> voxels) {
        for (int z = 0; z < 12; ++z)
            for (int y = 0; y < 28; ++y)
                for (int x = 0; x < 32; ++x)
                    voxels(x, y, z) = toCenter(x, y, z) < 8.5 + 0.6 * (frame % 2) ? 1.0f : 0.0f;
    });
    const auto flicker = [&](const std::vector<std::string>& options) {
        std::vector<std::string> arguments{"denoise",          path, "--method",         "none",
                                           "--overwrite",      "-o", folder / "out.vtp", "--json",
                                           folder / "run.json"};
        arguments.insert(arguments.end(), options.begin(), options.end());
        const Outcome made = run(arguments);
        EXPECT_EQ(made.exitCode, 0) << made.errors;
        const Json frames = Json::parse(readText(folder / "run.json"))["frames"];
        return std::abs(frames[2]["volume_ml"].get<double>() -
                        frames[3]["volume_ml"].get<double>());
    };
    const double alone = flicker({});
    EXPECT_LT(flicker({"--in-time", "2", "--motion", "none"}), 0.35 * alone);
    const Json record = Json::parse(readText(folder / "run.json"));
    EXPECT_EQ(record["in_time"]["frames"], 2);
    EXPECT_EQ(record["in_time"]["motion"], "none");
    flicker({"--in-time", "1", "--close-cycle"});

    const Outcome motion = run({"motion", path, "-o", folder / "motion", "--close-cycle"});
    ASSERT_EQ(motion.exitCode, 0) << motion.errors;
    flicker({"--in-time", "2", "--motion", folder / "motion", "--close-cycle"});
    flicker({"--in-time", "1", "--images", path});

    fs::remove(folder / "volumes.csv");
    const auto refused = [&](const std::vector<std::string>& options, int code, const char* says) {
        std::vector<std::string> arguments{path, "--in-time", "2"};
        arguments.insert(arguments.end(), options.begin(), options.end());
        expectRefusal(arguments, code, says);
    };
    refused({"--motion", folder / "nowhere"}, 1, "nowhere: there is no such file or folder");
    refused({"--motion", "none", "--images", path}, 2, "used only with --motion estimate");
    refused({"--images", ballLabels()}, 2, "--images");
    expectRefusal({ballLabels(), "--label", "2", "--in-time", "1"}, 2, "only one frame");
}

TEST_F(Denoise, ClosesOrOpensAMaskThatTouchesTheEdge) {
    const std::string half = image("half.nii.gz", [](int x, int, int) { return x < 16 ? 1 : 0; });
    const Outcome closed = run({"denoise", half, "--method", "none", "-o", folder / "closed.ply"});
    ASSERT_EQ(closed.exitCode, 0) << closed.errors;
    EXPECT_THAT(closed.output, HasSubstr("reaches the edge of the image"));
    const MeshMeasures m = measure(readMesh(folder / "closed.ply"));
    EXPECT_TRUE(m.closed());
    EXPECT_NEAR(m.volumeCubicMillimeters, 16 * 28 * 12 * 2.5, 0.05 * 16 * 28 * 12 * 2.5);
    const Outcome open =
        run({"denoise", half, "--method", "none", "-o", folder / "open.ply", "--edge", "open"});
    ASSERT_EQ(open.exitCode, 0) << open.errors;
    EXPECT_GT(measure(readMesh(folder / "open.ply")).rimEdges, 0u);
    // An open mesh has no inside.
    expectRefusal({folder / "open.ply"}, 1, "the surface is open");
}

TEST_F(Denoise, KeepsAnIslandOfOneVoxel) {
    const std::string island = image("island.nii.gz", [](int x, int y, int z) {
        return toCenter(x, y, z) < 7 || (x == 1 && y == 1 && z == 1) ? 3 : 0;
    });
    const Outcome made = run({"denoise", island, "--method", "none", "-o", folder / "a.vtp"});
    ASSERT_EQ(made.exitCode, 0) << made.errors;
    EXPECT_THAT(made.output, HasSubstr("2 parts"));
    EXPECT_EQ(measure(readMesh(folder / "a.vtp")).components, 2u);
}

TEST_F(Denoise, SaysWhatIsWrong) {
    const std::string labels = ballLabels();
    const std::string empty = image("empty.nii.gz", [](int, int, int) { return 0; });
    const std::string full = image("full.nii.gz", [](int, int, int) { return 4; });
    const std::string gray = image("gray.mha", [](int x, int, int) { return 0.5 * x; });
    const std::string other = image(
        "other.nii.gz", [](int, int, int) { return 1; },
        Geometry({32, 28, 12}, {1, 1, 2}, {-40, 12, 7}));
    expectRefusal({empty}, 1, "no label but 0");
    expectRefusal({full}, 1, "all voxels have the label 4");
    expectRefusal({labels}, 2, "has the labels 2, 5");
    const std::string ramp = image("ramp.nii.gz", [](int x, int, int) { return x; });
    expectRefusal({ramp}, 2, "has 31 different values, like an image and not a label map");
    expectRefusal({ramp}, 2, "--threshold");
    expectRefusal({labels, "--label", "7"}, 1, "no voxel has the label 7");
    expectRefusal({gray}, 1, "--threshold");
    expectRefusal({gray, "--threshold", "99"}, 1, "the gray values are 0 to 15.5");
    expectRefusal({labels, other, "--label", "2"}, 1, "other.nii.gz");
    expectRefusal({labels, "--label", "2", "--threshold", "1"}, 2, "--threshold");
    expectRefusal({labels, "--label", "2", "--spacing", "1"}, 2, "--spacing");
    expectRefusal({labels, "--label", "2", "--method", "magic"}, 2, "magic");
    expectRefusal({labels, "--label", "2", "--distance", folder / "phi.png"}, 2, ".nii.gz");
    expectRefusal({folder / "missing.nii.gz"}, 1, "missing.nii.gz");
    const Outcome unknown = run({"denoise", labels, "--label", "2", "-o", folder / "a.png"});
    EXPECT_EQ(unknown.exitCode, 2);
    EXPECT_THAT(unknown.errors, HasSubstr(".vtp, .stl, .ply or .obj"));
}

} // namespace
} // namespace systole
