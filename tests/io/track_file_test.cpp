// Files of tracks: round trips, and what is refused.
#include "tests/io/landmark_support.h"

namespace systole {
namespace {

using ::testing::HasSubstr;

class TrackFiles : public LandmarkFiles {
protected:
    LandmarkTracks tracks() const {
        const auto at = [](double x, double certainty) {
            return std::optional(TrackedPosition{{x, x / 3, -x}, certainty});
        };
        LandmarkTracks all;
        all.reference = 1;
        all.tracks.push_back({"a, b", {at(1, 1), at(1.1, 1), std::nullopt, at(0.1, 0.25)}});
        all.tracks.push_back({"lost", {std::nullopt, std::nullopt, std::nullopt, std::nullopt}});
        all.tracks.push_back({"3", {at(7, 1.0 / 3), at(8, 0), at(9, 1), std::nullopt}});
        return all;
    }
    std::string trackRefusal(const std::string& rows) {
        const std::string path = file("t.csv", "track,frame,x,y,z,certainty\n" + rows);
        try {
            readTracks(path);
        } catch (const FileError& error) {
            return error.what();
        }
        ADD_FAILURE() << "read: " << rows;
        return {};
    }
};

TEST_F(TrackFiles, ComeBackToTheBitWithWhatWasLost) {
    for (const char* name : {"t.csv", "t.mrk.json"}) {
        const LandmarkTracks all = tracks();
        writeTracks(folder / name, all);
        EXPECT_TRUE(isTracksFile(folder / name));
        const LandmarkTracks back = readTracks(folder / name);
        EXPECT_EQ(back.reference, 1);
        ASSERT_EQ(back.tracks.size(), 3u);
        for (std::size_t i = 0; i < 3; ++i) {
            EXPECT_EQ(back.tracks[i].name, all.tracks[i].name);
            ASSERT_EQ(back.tracks[i].frames.size(), 4u);
            for (std::size_t frame = 0; frame < 4; ++frame) {
                const auto& expected = all.tracks[i].frames[frame];
                const auto& found = back.tracks[i].frames[frame];
                ASSERT_EQ(found.has_value(), expected.has_value()) << i << " " << frame;
                if (expected) {
                    expectAt(found->position, expected->position);
                    EXPECT_EQ(found->certainty, expected->certainty);
                }
            }
        }
    }
    writeLandmarks(folder / "points.csv", awkwardPoints());
    EXPECT_FALSE(isTracksFile(folder / "points.csv"));
    EXPECT_FALSE(isTracksFile(folder / "missing.csv"));
    EXPECT_THROW(readTracks(folder / "points.csv"), FileError);
    EXPECT_THROW(writeTracks(folder / "t.txt", tracks()), FileError);
}

TEST_F(TrackFiles, DamagedOnesAreRefusedWithTheirLine) {
    EXPECT_THAT(trackRefusal("a,0,1,2,3,1\na,2,1,2,3,1\n"),
                HasSubstr("line 3: frame 2 of the track 'a' follows its frame 0"));
    EXPECT_THAT(trackRefusal("a,1000000,1,2,3,1\n"), HasSubstr("line 2"));
    EXPECT_THAT(trackRefusal("a,-1,1,2,3,1\n"), HasSubstr("frame is '-1'"));
    EXPECT_THAT(trackRefusal("a,0,1,2,3,1.5\n"), HasSubstr("certainty is '1.5'"));
    EXPECT_THAT(trackRefusal("a,0,1,,3,1\n"), HasSubstr("line 2: '' is no number"));
    EXPECT_THAT(trackRefusal("a,0,1,2,nan,1\n"), HasSubstr("finite"));
    EXPECT_THAT(trackRefusal("a,0,1,2\n"), HasSubstr("line 2: has 4 columns"));
    EXPECT_THAT(trackRefusal(""), HasSubstr("holds no tracks"));
    EXPECT_THAT(trackRefusal("# reference: 4\na,0,1,2,3,1\n"), HasSubstr("reference frame 4"));
    EXPECT_THAT(trackRefusal("# frames: 1\na,0,1,2,3,1\na,1,1,2,3,1\n"),
                HasSubstr("announces 1 frames"));
    EXPECT_THAT(trackRefusal("# frames: 1000000\na,0,1,2,3,1\nb,0,1,2,3,1\n"),
                HasSubstr("2 tracks of 1000000 frames, too many"));
    EXPECT_THAT(trackRefusal("# frames: 1000000\n# units: cm\na,0,1,2,3,1\n"), HasSubstr("'cm'"));
}

} // namespace
} // namespace systole
