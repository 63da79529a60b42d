// Warnings about an outcome that is probably wrong, and none about a sound one.
#include "compute/measures/local_gain.h"
#include "compute/measures/outcome.h"
#include "tests/support/volume_of.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

namespace systole {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

SimilarityFigures similarity(double nmi, double ncc) {
    SimilarityFigures figures;
    figures.voxels = 1000;
    figures.mutualInformation = nmi;
    figures.correlation = ncc;
    return figures;
}

/// Outcome measured of a sound registration of a heart by clg.
MotionOutcome sound() {
    MotionOutcome outcome;
    outcome.voxels = 100000;
    outcome.meanDeterminant = 0.94;
    outcome.before = similarity(1.149, 0.830);
    outcome.after = similarity(1.220, 0.958);
    outcome.gainBefore = 0.07;
    outcome.gainAfter = 0.043;
    outcome.smallestDeterminant = 0.22;
    outcome.largestDeterminant = 1.75;
    return outcome;
}

std::vector<Figure> landmarks(double tracked, double error) {
    return {{"corners", 263, ""}, {"tracked", tracked, ""}, {"cross-validated error", error, ""}};
}

TEST(MotionDoubts, ThereAreNoneOfASoundOutcome) {
    EXPECT_THAT(doubtsAbout(sound()), IsEmpty());
    EXPECT_THAT(doubtsAbout({}), IsEmpty()) << "nothing is known";
    MotionOutcome tracked = sound();
    tracked.figures = landmarks(194, 0.49);
    EXPECT_THAT(doubtsAbout(tracked), IsEmpty());
    MotionOutcome same = sound();
    same.before = same.after = similarity(2, 1);
    EXPECT_THAT(doubtsAbout(same), IsEmpty()) << "the images were alike before";
    MotionOutcome larger = sound();
    larger.affineAlone = true;
    larger.meanDeterminant = 1.6;
    EXPECT_THAT(doubtsAbout(larger), IsEmpty()) << "an organ may be larger";
}

TEST(MotionDoubts, FoldsAreToldWithTheirShare) {
    MotionOutcome outcome = sound();
    outcome.folded = 7400;
    outcome.meanDeterminant = 0.46;
    EXPECT_THAT(doubtsAbout(outcome), ElementsAre(AllOf(HasSubstr("7.4 %"), HasSubstr("0.46"))));
    outcome.folded = 90;
    outcome.meanDeterminant = 0.99;
    EXPECT_THAT(doubtsAbout(outcome), IsEmpty()) << "a few voxels";
}

TEST(MotionDoubts, AFewVoxelsThatGrowOrTurnBeyondAllTissue) {
    MotionOutcome outcome = sound();
    outcome.folded = 90;
    outcome.smallestDeterminant = -0.11;
    outcome.largestDeterminant = 4.0;
    EXPECT_THAT(doubtsAbout(outcome), IsEmpty());
    outcome.smallestDeterminant = -12.92;
    outcome.largestDeterminant = 34.74;
    EXPECT_THAT(doubtsAbout(outcome), ElementsAre(HasSubstr("from -12.9 to 34.7")));
    outcome.affineAlone = true;
    EXPECT_THAT(doubtsAbout(outcome), IsEmpty()) << "an organ may be larger";
    outcome = sound();
    outcome.largestDeterminant = 14.1;
    EXPECT_THAT(doubtsAbout(outcome), ElementsAre(HasSubstr("to 14.1")));
}

TEST(MotionDoubts, LandmarksThatDontAgree) {
    MotionOutcome few = sound();
    few.figures = landmarks(23, 2.27);
    EXPECT_THAT(doubtsAbout(few),
                ElementsAre(AllOf(HasSubstr("23 of 263"), HasSubstr("2.3 voxels"))));
}

TEST(MotionDoubts, ASimilarityThatDoesNotRise) {
    MotionOutcome outcome = sound();
    outcome.after = similarity(1.1495, 0.831);
    EXPECT_THAT(doubtsAbout(outcome), ElementsAre(HasSubstr("NMI 1.1490 to 1.1495")));
    outcome.affineAlone = true;
    EXPECT_THAT(doubtsAbout(outcome), ElementsAre(HasSubstr("deformable method")));
    outcome.after = similarity(1.001, 0.05);
    EXPECT_THAT(doubtsAbout(outcome), ElementsAre(HasSubstr("hardly anything in common")));
}

TEST(MotionDoubts, AnAffineMapThatLeavesMostOfWhatDiffers) {
    MotionOutcome lungs = sound();
    lungs.before = similarity(1.2123, 0.8877);
    lungs.after = similarity(1.2266, 0.9280);
    EXPECT_THAT(doubtsAbout(lungs), IsEmpty()) << "a deformable method does what it can";
    lungs.affineAlone = true;
    EXPECT_THAT(doubtsAbout(lungs), ElementsAre(AllOf(HasSubstr("leaves 64 % of what differs"),
                                                      HasSubstr("NCC 0.8877 to 0.9280"))));
    lungs.after = similarity(1.3, 0.96);
    EXPECT_THAT(doubtsAbout(lungs), IsEmpty());
}

TEST(MotionDoubts, BrightnessThatDiffersFromPlaceToPlace) {
    MotionOutcome outcome = sound();
    outcome.gainBefore = 0.12;
    EXPECT_THAT(doubtsAbout(outcome), IsEmpty()) << "parts that have moved";
    outcome.gainBefore = 0.22;
    EXPECT_THAT(doubtsAbout(outcome),
                ElementsAre(AllOf(HasSubstr("22 %"), HasSubstr("self-similarity"))));
    outcome.comparesGrayValues = false;
    EXPECT_THAT(doubtsAbout(outcome), IsEmpty());
}

TEST(LocalGainSpread, IsThatOfABiasFieldAndNoneOfAFactorOrAMovingPart) {
    ExecResources resources(1);
    const Geometry grid({48, 40, 32}, {1, 1, 1});
    const auto tissue = [](int x, int y, int z) {
        return 100 + 20 * std::sin(x / 2.0) * std::cos(y / 2.0 + z / 3.0);
    };
    const auto volume = [&](auto value) { return test::volumeOf(grid, resources.pool(), value); };
    const Volume fixed = volume(
        [&](int x, int y, int z) { return static_cast<float>(x == 0 ? 0 : tissue(x, y, z)); });
    const Volume factor = volume([&](int x, int y, int z) {
        return static_cast<float>(x == 0 ? 0 : 1.7 * tissue(x, y, z));
    });
    const Volume part = volume([&](int x, int y, int z) {
        return static_cast<float>(x == 0 ? 0 : (x > 30 && y > 20 ? 1.5 : 1) * tissue(x, y, z));
    });
    // Brighter on one half, darker on the other.
    const Volume bias = volume([&](int x, int y, int z) {
        return static_cast<float>(x == 0 ? 0 : (x < 24 ? 0.8 : 1.25) * tissue(x, y, z));
    });
    const auto spread = [&](const Volume& moved) {
        return localGainSpread(fixed.view(), moved.view(), {});
    };
    EXPECT_NEAR(spread(factor), 0, 1e-3);
    EXPECT_NEAR(spread(part), 0, 1e-3);
    EXPECT_NEAR(spread(bias), std::log(1.25 / 0.8), 0.1) << "from the median, that of one half";
}

} // namespace
} // namespace systole
