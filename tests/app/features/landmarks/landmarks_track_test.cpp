// systole landmarks detect and track from outside: a breathing lung whose motion is known, what is
// written, and what is said of bad input.
#include "compute/core/volume.h"
#include "io/formats/writer.h"
#include "io/landmarks/landmark_file.h"
#include "io/phantom/lungs.h"
#include "tests/support/program.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <memory>

namespace systole {
namespace {

namespace fs = std::filesystem;
using systole::testing::Outcome;
using systole::testing::readText;
using systole::testing::run;
using systole::testing::TemporaryFolder;
using systole::testing::writeText;
using ::testing::HasSubstr;
using Json = nlohmann::json;

class LandmarkCommands : public ::testing::Test {
protected:
    static void SetUpTestSuite() {
        folder_ = std::make_unique<TemporaryFolder>();
        LungOptions options;
        options.grid = Geometry({64, 64, 48}, {4, 4, 5});
        options.frames = 4;
        phantom_ = std::make_unique<LungPhantom>(options);
        ExecResources resources(2);
        for (int frame = 0; frame < 4; ++frame) {
            Volume volume(options.grid, resources.pool(), "frame");
            phantom_->image(frame, volume.view(), resources.context());
            writeVolume(phase(frame), options.grid, volume.view());
        }
        Volume mask(options.grid, resources.pool(), "mask");
        const std::vector<std::uint8_t> lungs = phantom_->lungs(0, resources.context());
        std::ranges::copy(lungs, mask.voxels.data());
        writeVolume(fresh("lungs.nrrd"), options.grid, mask.view());
        const Outcome made = detect(points(), {"--json", fresh("detect.json")});
        ASSERT_EQ(made.exitCode, 0) << made.errors;
    }
    static void TearDownTestSuite() {
        phantom_.reset();
        folder_.reset();
    }

    static std::string fresh(const std::string& name) { return *folder_ / name; }
    static std::string phase(int frame) { return fresh("T" + std::to_string(frame) + ".nrrd"); }
    static std::string points() { return fresh("points.csv"); }
    static Outcome detect(const std::string& output, std::vector<std::string> more = {}) {
        std::vector<std::string> arguments{
            "landmarks",         "detect",   phase(0), "-o",        output, "--mask",
            fresh("lungs.nrrd"), "--number", "150",    "--spacing", "10"};
        arguments.insert(arguments.end(), more.begin(), more.end());
        return run(arguments);
    }
    static Outcome track(const std::string& from, const std::string& output,
                         std::vector<std::string> more = {}) {
        std::vector<std::string> arguments{"landmarks", "track",  phase(0),   phase(1),
                                           phase(2),    phase(3), "--points", from,
                                           "-o",        output,   "--reach",  "28"};
        arguments.insert(arguments.end(), more.begin(), more.end());
        return run(arguments);
    }

    static std::unique_ptr<TemporaryFolder> folder_;
    static std::unique_ptr<LungPhantom> phantom_;
};
std::unique_ptr<TemporaryFolder> LandmarkCommands::folder_;
std::unique_ptr<LungPhantom> LandmarkCommands::phantom_;

TEST_F(LandmarkCommands, DetectsInsideTheMask) {
    const StoredLandmarks stored = readLandmarks(points());
    ASSERT_EQ(stored.set.points.size(), 150u);
    EXPECT_EQ(stored.set.frame, 0);
    ExecResources resources(1);
    const std::vector<std::uint8_t> lungs = phantom_->lungs(0, resources.context());
    const Geometry& grid = phantom_->geometry();
    const VolumeView<const std::uint8_t> mask(lungs.data(), grid.size());
    for (const Landmark& point : stored.set.points) {
        const Vec3 v = grid.physicalToIndex(point.position);
        EXPECT_EQ(mask(static_cast<int>(std::lround(v.x)), static_cast<int>(std::lround(v.y)),
                       static_cast<int>(std::lround(v.z))),
                  1);
    }
    const Json record = Json::parse(readText(fresh("detect.json")));
    EXPECT_EQ(record["points"], 150);
    EXPECT_EQ(record["parameters"]["spacing_mm"], 10);
}

/// Breathed in, out and in again: the mean error is half a voxel.
TEST_F(LandmarkCommands, FollowTheBreath) {
    for (const std::string name : {"tracks.csv", "tracks.mrk.json"}) {
        const Outcome done = track(points(), fresh(name), {"--json", fresh(name + ".json")});
        ASSERT_EQ(done.exitCode, 0) << done.errors;
        EXPECT_THAT(done.output, HasSubstr("frame 2: "));
        const LandmarkTracks tracks = readTracks(fresh(name));
        const StoredLandmarks stored = readLandmarks(points());
        ASSERT_EQ(tracks.tracks.size(), stored.set.points.size());
        EXPECT_EQ(tracks.reference, 0);
        for (const int frame : {1, 2, 3}) {
            double sum = 0;
            int count = 0;
            for (std::size_t i = 0; i < tracks.tracks.size(); ++i) {
                const auto& at = tracks.tracks[i].frames[static_cast<std::size_t>(frame)];
                if (!at)
                    continue;
                sum += length(at->position - phantom_->forward(stored.set.points[i].position,
                                                               phantom_->exhalation(frame)));
                ++count;
                EXPECT_GT(at->certainty, 0);
            }
            EXPECT_GT(count, 90) << frame;
            EXPECT_LT(sum / count, 2) << frame;
        }
        const Json record = Json::parse(readText(fresh(name + ".json")));
        EXPECT_EQ(record["tracks"], 150);
        EXPECT_THAT(record["backend"], ::testing::AnyOf("cpu", "cuda"));
        EXPECT_THAT(done.output, HasSubstr(std::string(record["backend_reason"])));
        ASSERT_EQ(record["frames"].size(), 3u);
        int counted = 0;
        for (const auto& [fate, count] : record["frames"][1]["points"].items())
            counted += count.get<int>();
        EXPECT_EQ(counted, 150);
    }
}

TEST_F(LandmarkCommands, FewAndDuplicatePointsOfALaterFrame) {
    const StoredLandmarks stored = readLandmarks(points());
    const Vec3 p = stored.set.points[3].position;
    const std::string row =
        std::to_string(p.x) + "," + std::to_string(p.y) + "," + std::to_string(p.z) + "\n";
    writeText(fresh("few.csv"), "name,x,y,z\na," + row + "b," + row);
    const Outcome done = track(fresh("few.csv"), fresh("few_tracks.csv"),
                               {"--frame", "2", "--from", "previous", "--levels", "2"});
    ASSERT_EQ(done.exitCode, 0) << done.errors;
    const LandmarkTracks tracks = readTracks(fresh("few_tracks.csv"));
    EXPECT_EQ(tracks.reference, 2);
    ASSERT_EQ(tracks.tracks.size(), 2u);
    for (std::size_t frame = 0; frame < 4; ++frame) {
        const auto &a = tracks.tracks[0].frames[frame], &b = tracks.tracks[1].frames[frame];
        ASSERT_EQ(a.has_value(), b.has_value());
        if (a) {
            EXPECT_EQ(a->position, b->position);
        }
    }
}

/// One point in mm and as a voxel counted from 0.
TEST_F(LandmarkCommands, TakesVoxels) {
    const Geometry& grid = phantom_->geometry();
    const Vec3 v = grid.physicalToIndex(readLandmarks(points()).set.points[0].position);
    writeText(fresh("voxel.csv"),
              std::to_string(v.x) + "," + std::to_string(v.y) + "," + std::to_string(v.z) + "\n");
    const Outcome done = track(fresh("voxel.csv"), fresh("voxel_tracks.csv"),
                               {"--coordinates", "index0", "--levels", "2"});
    ASSERT_EQ(done.exitCode, 0) << done.errors;
    const LandmarkTracks tracks = readTracks(fresh("voxel_tracks.csv"));
    ASSERT_EQ(tracks.tracks.size(), 1u);
    EXPECT_LT(length(tracks.tracks[0].frames[0]->position -
                     readLandmarks(points()).set.points[0].position),
              1e-3);
}

TEST_F(LandmarkCommands, SayWhatIsWrong) {
    const auto refused = [](const Outcome& outcome, const std::string& why) {
        EXPECT_NE(outcome.exitCode, 0);
        EXPECT_THAT(outcome.errors, HasSubstr(why));
    };
    writeText(fresh("outside.csv"), "name,x,y,z\nfar,2000,0,0\n");
    refused(track(fresh("outside.csv"), fresh("none.csv")),
            "point far at 2000.00, 0.00, 0.00 mm (LPS) lies outside the image");
    refused(track(points(), fresh("none.txt")), "must end with .csv or .mrk.json");
    refused(track(points(), fresh("none.csv"), {"--frame", "4"}), "has no frame 4");
    refused(track(points(), points()), "is an input of this command");
    refused(detect(points()), "exists already");
    refused(track(points(), fresh("none.csv"), {"--patch", "5,5"}), "--patch");
    refused(run({"landmarks", "track", phase(0), "--points", points(), "-o", fresh("none.csv")}),
            "has only one frame");
    refused(run({"landmarks", "detect", phase(0), "-o", fresh("none.csv"), "--frame", "1"}),
            "has no frame 1");
    writeText(fresh("broken.csv"), "name,x,y,z\na,1,2\n");
    refused(track(fresh("broken.csv"), fresh("none.csv")), "broken.csv");
    EXPECT_FALSE(fs::exists(fresh("none.csv")));
}

} // namespace
} // namespace systole
