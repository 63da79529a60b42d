// landmarks track --elastic-wall from outside: the wall of the heart phantom, whose motion is
// known.
#include "compute/core/voxel.h"
#include "io/formats/writer.h"
#include "io/landmarks/landmark_file.h"
#include "tests/support/program.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <cmath>
#include <memory>

namespace systole {
namespace {

using systole::testing::Outcome;
using systole::testing::readText;
using systole::testing::run;
using systole::testing::TemporaryFolder;
using ::testing::HasSubstr;
using Json = nlohmann::json;

class TrackWall : public ::testing::Test {
protected:
    static void SetUpTestSuite() {
        folder_ = std::make_unique<TemporaryFolder>();
        ASSERT_EQ(
            run({"phantom", "--size", "48", "--frames", "6", "-o", *folder_ / "heart"}).exitCode,
            0);
        const Outcome made =
            run({"landmarks", "detect", sequence(), "--mask", labels(), "--spacing", "3", "-o",
                 *folder_ / "points.csv", "--backend", "cpu"});
        ASSERT_EQ(made.exitCode, 0) << made.errors;
    }
    static void TearDownTestSuite() { folder_.reset(); }
    static std::string sequence() { return *folder_ / "heart/sequence.nii.gz"; }
    static std::string labels() { return *folder_ / "heart/labels.nii.gz"; }
    static std::string file(const std::string& name) { return *folder_ / name; }
    static Outcome track(const std::string& output, std::vector<std::string> more = {}) {
        std::vector<std::string> arguments{
            "landmarks", "track", sequence(),  "--points", file("points.csv"),
            "-o",        output,  "--backend", "cpu"};
        arguments.insert(arguments.end(), more.begin(), more.end());
        return run(arguments);
    }
    static std::unique_ptr<TemporaryFolder> folder_;
};
std::unique_ptr<TemporaryFolder> TrackWall::folder_;

TEST_F(TrackWall, BringsTracksNearerToTheTruthAndLostPointsBack) {
    ASSERT_EQ(track(file("plain.csv")).exitCode, 0);
    const Outcome made =
        track(file("wall.csv"), {"--elastic-wall", labels(), "--json", file("wall.json")});
    ASSERT_EQ(made.exitCode, 0) << made.errors;
    EXPECT_THAT(made.output, HasSubstr("elastic wall, label 1"));
    const LandmarkTracks plain = readTracks(file("plain.csv")), wall = readTracks(file("wall.csv"));
    // The field that the phantom wrote next to its frames tells where a point went.
    BufferPool pool;
    const MillimeterField truth = readField(file("heart/truth_0003.mha"), pool);
    const auto motionAt = [&](Vec3 from) {
        const Vec3 at = truth.geometry.physicalToIndex(from);
        const Voxel nearest{static_cast<int>(std::lround(at.x)),
                            static_cast<int>(std::lround(at.y)),
                            static_cast<int>(std::lround(at.z))};
        const std::size_t voxel = static_cast<std::size_t>(truth.geometry.size().x) *
                                      (static_cast<std::size_t>(truth.geometry.size().y) *
                                           static_cast<std::size_t>(nearest.z) +
                                       static_cast<std::size_t>(nearest.y)) +
                                  static_cast<std::size_t>(nearest.x);
        const float* const u = truth.vectors.data() + 3 * voxel;
        return Vec3{double{u[0]}, double{u[1]}, double{u[2]}};
    };
    const auto missed = [&](const LandmarkTracks::Track& track) {
        const Vec3 from = track.frames[0]->position;
        return length(track.frames[3]->position - (from + motionAt(from)));
    };
    double before = 0, after = 0, back = 0, went = 0;
    int moved = 0, found = 0;
    for (std::size_t i = 0; i < plain.tracks.size(); ++i) {
        const auto &was = plain.tracks[i].frames[3], &is = wall.tracks[i].frames[3];
        if (!is)
            continue;
        if (!was) {
            EXPECT_EQ(is->certainty, 0); // it says that it wasn't tracked
            back += missed(wall.tracks[i]);
            went += length(motionAt(wall.tracks[i].frames[0]->position));
            ++found;
        } else if (length(was->position - is->position) > 0) {
            EXPECT_EQ(is->certainty, was->certainty);
            before += missed(plain.tracks[i]);
            after += missed(wall.tracks[i]);
            ++moved;
        }
    }
    ASSERT_GT(moved, 10);
    ASSERT_GT(found, 0);
    EXPECT_LT(after, 0.9 * before);
    EXPECT_LT(back, 0.4 * went);
    const Json recorded = Json::parse(readText(file("wall.json")))["elastic_wall"];
    EXPECT_EQ(recorded["label"], 1);
    EXPECT_EQ(recorded["frames"].size(), 5U);
    EXPECT_GT(recorded["frames"][2]["iterations"], 0);
}

TEST_F(TrackWall, RefusesWhatIsNoWall) {
    const Outcome none =
        track(file("none.csv"), {"--elastic-wall", labels(), "--elastic-label", "9"});
    EXPECT_EQ(none.exitCode, 1);
    EXPECT_THAT(none.errors, HasSubstr("no label 9"));
    EXPECT_EQ(track(file("none.csv"), {"--elastic-length", "3"}).exitCode, 2);
    const Outcome own = track(labels(), {"--elastic-wall", labels(), "--overwrite"});
    EXPECT_NE(own.exitCode, 0);
}

} // namespace
} // namespace systole
