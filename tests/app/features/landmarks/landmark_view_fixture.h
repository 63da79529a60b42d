// Fixture for tests of landmarks in the live view.
#pragma once

#include "app/features/landmarks/landmark_tool.h"
#include "io/landmarks/landmark_file.h"
#include "tests/app/live/live_view_fixture.h"

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

namespace systole {

inline constexpr int landmarkFrames = 4;

/// One small phantom for all tests.
class LandmarkViewTest : public LiveViewFixture {
protected:
    static void SetUpTestSuite() {
        phantom_ = std::make_unique<testing::TemporaryFolder>();
        const testing::Outcome made =
            testing::run({"phantom", "-o", *phantom_ / "p", "--size", "40", "--frames",
                          std::to_string(landmarkFrames)});
        ASSERT_EQ(made.exitCode, 0) << made.errors;
    }
    static void TearDownTestSuite() { phantom_.reset(); }
    static std::string sequence() { return *phantom_ / "p/sequence.nii.gz"; }
    static std::string labels() { return *phantom_ / "p/labels.nii.gz"; }

    void SetUp() override {
        makeView(400);
        if (IsSkipped())
            return;
        session_.motion.setBackend(Backend::Cpu);
        session_.motion.enabled = false;
        live_->open({sequence()});
        ASSERT_TRUE(becomes([&] { return session_.opened && session_.shownFrame >= 0; }));
        session_.playback.pause();
        showFrame(1);
        wantPoints(60, 6);
    }
    void wantPoints(int number, int spacing) {
        number_ = number;
        spacing_ = spacing;
        landmarks().parameters.set("number", number);
        landmarks().parameters.set("spacing", double(spacing));
    }
    void showFrame(int frame) {
        session_.playback.seek(frame);
        ASSERT_TRUE(becomes([&] { return session_.shownFrame == frame; }));
    }
    LandmarkTool& landmarks() { return tools_.get<LandmarkTool>(); }
    void point(SlicePointer::Event event, Vec3 position = {}, int axis = 2) {
        landmarks().pointer({event, position, axis});
        tick();
    }
    bool finished() {
        return becomes([&] { return !landmarks().unfinished(); });
    }
    void findAndFollow() {
        landmarks().find();
        ASSERT_TRUE(finished());
        ASSERT_EQ(landmarks().failure, "");
        ASSERT_GT(landmarks().tracks.tracks.size(), 10U);
    }
    /// Tracks that `systole landmarks detect` and `landmarks track` write for frame 1.
    LandmarkTracks ofCommands(const std::vector<std::string>& more = {}) {
        const std::string points = folder_ / "points.csv", tracks = folder_ / "tracks.csv";
        const testing::Outcome found = testing::run(
            {"landmarks", "detect", sequence(), "--frame", "1", "--number", std::to_string(number_),
             "--spacing", std::to_string(spacing_), "-o", points, "--overwrite"});
        EXPECT_EQ(found.exitCode, 0) << found.errors;
        std::vector<std::string> arguments{"landmarks", "track",      sequence(), "--points",
                                           points,      "--frame",    "1",        "-o",
                                           tracks,      "--overwrite"};
        arguments.insert(arguments.end(), more.begin(), more.end());
        const testing::Outcome tracked = testing::run(arguments);
        EXPECT_EQ(tracked.exitCode, 0) << tracked.errors;
        return readTracks(tracks);
    }
    void expectSame(const LandmarkTracks& a, const LandmarkTracks& b) {
        ASSERT_EQ(a.tracks.size(), b.tracks.size());
        EXPECT_EQ(a.reference, b.reference);
        for (std::size_t i = 0; i < a.tracks.size(); ++i)
            for (std::size_t t = 0; t < std::size_t{landmarkFrames}; ++t) {
                const auto &one = a.tracks[i].frames[t], &other = b.tracks[i].frames[t];
                ASSERT_EQ(one.has_value(), other.has_value()) << i << ", frame " << t;
                if (!one)
                    continue;
                EXPECT_EQ(one->position.x, other->position.x);
                EXPECT_EQ(one->position.y, other->position.y);
                EXPECT_EQ(one->position.z, other->position.z);
                EXPECT_EQ(one->certainty, other->certainty);
            }
    }

    inline static std::unique_ptr<testing::TemporaryFolder> phantom_;
    int number_ = 0, spacing_ = 0;
};

} // namespace systole
