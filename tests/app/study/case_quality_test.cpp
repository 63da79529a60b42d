// Figures of a case from what its steps have written.
#include "app/features/cardiac/strain_doubts.h"
#include "app/study/case_quality.h"
#include "tests/support/program.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <filesystem>
#include <vector>

namespace systole {
namespace {

using systole::testing::readText;
using systole::testing::TemporaryFolder;
using systole::testing::writeText;

struct Pair {
    double before, after; ///< mean squared differences
};

CaseQuality qualityOf(const std::vector<Pair>& pairs) {
    const TemporaryFolder folder;
    const auto output = folder.path().string();
    nlohmann::json fields;
    for (const Pair& pair : pairs)
        fields.push_back(
            {{"kind", "displacement"},
             {"mean_squared_difference", {{"before", pair.before}, {"after", pair.after}}}});
    for (const char* name : {"m", "q"})
        std::filesystem::create_directories(folder / name);
    writeText(folder / "m/run.json",
              nlohmann::json{{"fields", fields},
                             {"doubts", nlohmann::json::array()},
                             {"intensity_scale", {{"low", 0}, {"high", 100}}}}
                  .dump());
    PlannedCase planned;
    planned.entry.id = "sub-1";
    planned.size = planned.spacing = {"1", "1", "1"};
    planned.steps = {{motionStep, {}, {}, "m", {}, 0, 0}, {qualityStep, {}, {}, "q", {}, 0, 0}};
    writeCaseQuality(planned, output, folder / "q");
    return readCaseQuality(planned, output);
}

TEST(CaseQuality, NoiseOfFramesThatHardlyMoveIsNoMotionLeft) {
    const CaseQuality heart = qualityOf({{100, 9}, {120, 12}, {8, 8}});
    EXPECT_DOUBLE_EQ(heart.figures.at("difference_left"), 100 * 29. / 228);
    EXPECT_DOUBLE_EQ(heart.figures.at("largest_change"), 1.2);
    const CaseQuality spoilt = qualityOf({{100, 9}, {120, 90}, {8, 8}});
    EXPECT_DOUBLE_EQ(spoilt.figures.at("difference_left"), 100 * 107. / 228);
}

/// The page shows bull's-eyes of a strain that counts its segments from a guess.
TEST(CaseQuality, DoubtsOfTheStrainStepAreThoseOfTheCase) {
    const TemporaryFolder folder;
    const auto output = folder.path().string();
    for (const char* name : {"s", "q"})
        std::filesystem::create_directories(folder / name);
    PlannedCase planned;
    planned.entry.id = "sub-1";
    planned.size = planned.spacing = {"1", "1", "1"};
    planned.steps = {{strainStep, {}, {}, "s", {}, 0, 0}, {qualityStep, {}, {}, "q", {}, 0, 0}};
    const auto doubtsWith = [&](bool insertionKnown) {
        writeText(folder / "s/summary.json",
                  nlohmann::json{{"segments", nlohmann::json::array()},
                                 {"long_axis", {{"insertion_known", insertionKnown}}},
                                 {"doubts", {"The motion folds."}}}
                      .dump());
        writeCaseQuality(planned, output, folder / "q");
        return readCaseQuality(planned, output).doubts;
    };
    EXPECT_EQ(doubtsWith(true), std::vector<std::string>{"The motion folds."});
    EXPECT_EQ(doubtsWith(false), (std::vector<std::string>{turnedSegments, "The motion folds."}));
    EXPECT_NE(readText(folder / "q/report.html").find(turnedSegments), std::string::npos);
}

TEST(CaseQuality, WithoutStrainTheCaseSaysSo) {
    EXPECT_EQ(qualityOf({{100, 9}}).doubts, std::vector<std::string>{noStrain});
}

} // namespace
} // namespace systole
