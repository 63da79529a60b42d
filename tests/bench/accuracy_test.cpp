// Figures that `systole bench accuracy` computes from fields whose errors are known, and its
// reports of figures that got worse.
#include "app/base/error.h"
#include "bench/accuracy_comparison.h"
#include "bench/accuracy_figures.h"
#include "bench/chosen_cases.h"
#include "bench/real_tables.h"
#include "compute/core/motion_start.h"
#include "io/formats/writer.h"
#include "io/phantom/family.h"
#include "tests/support/program.h"
#ifdef SYSTOLE_VIEWER
#include "bench/accuracy_page.h"
#endif

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <cmath>
#include <filesystem>

namespace systole {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

class Accuracy : public ::testing::Test {
protected:
    PhantomPair member(std::uint64_t seed) {
        return {{"echo", "echo", familyMember("echo", 32, seed)}, resources_.context()};
    }
    /// The true field times a factor.
    VectorField scaled(const PhantomPair& pair, float factor) {
        VectorField field = fieldAtRest(pair.fixed.geometry, resources_.pool(), "scaled truth");
        for (std::size_t i = 0; i < field.components.size(); ++i)
            field.components.data()[i] = factor * pair.truth.components.data()[i];
        return field;
    }
    ExecContext ctx() { return resources_.context(); }

    ExecResources resources_{2};
};

TEST_F(Accuracy, AFieldThatFallsShortHasItsShareAsAmplitudeAndTheRestAsError) {
    const PhantomPair pair = member(2); // high voxels
    const VectorField field = scaled(pair, 0.8f);
    const MemberFigures figures = memberFigures(2, pair, field.view(), ctx());
    EXPECT_NEAR(figures.amplitude, 0.8, 1e-6);
    EXPECT_NEAR(figures.error, 0.2 * wallError(pair, field.view()).motion, 1e-5);
    EXPECT_EQ(figures.folded, 0);
    EXPECT_EQ(memberFigures(2, pair, scaled(pair, 0).view(), ctx()).amplitude, 0);
}

TEST_F(Accuracy, MotionOfNoiseIsWhatTheProgramAnswersInMillimeters) {
    const PhantomPair pair = member(1); // voxels of 4 mm
    bool differ = false;
    const MotionProgram one{
        "one voxel", false, true, [&](const ImagePair& images, const ExecContext& with) {
            differ = images.fixed.view()(5, 5, 5) != images.moving.view()(5, 5, 5);
            VectorField field = fieldAtRest(images.fixed.geometry, *with.pool, "one voxel");
            std::fill_n(field.view().v, field.geometry.voxels(), 1.0f);
            return ProgramRun{0, std::move(field)};
        }};
    EXPECT_NEAR(motionOfNoise(one, pair, ctx()), 4, 1e-6);
    EXPECT_TRUE(differ);
    const MotionProgram none{"none", false, true, [](const ImagePair&, const ExecContext&) {
                                 return ProgramRun{0, std::nullopt};
                             }};
    EXPECT_TRUE(std::isnan(motionOfNoise(none, pair, ctx())));
}

TEST_F(Accuracy, AProgramThatFailsOnARealPairHasNoFiguresInTheRecord) {
    const ::systole::testing::TemporaryFolder folder;
    std::filesystem::create_directories(folder / "fetal_echo");
    const Phantom phantom(phantomPair({16, 16, 16}));
    for (const char* name : {"ed", "es", "ed_labels", "es_labels"})
        writeLabels(folder / ("fetal_echo/" + std::string(name) + ".nii.gz"), phantom.geometry(),
                    phantom.labels(name[1] == 'd' ? 0 : 1, ctx()));
    const std::vector<MotionProgram> programs{
        {"fails", false, true, [](const ImagePair&, const ExecContext&) {
             return ProgramRun{0, std::nullopt};
         }}};
    RealTables tables;
    measureRealPair(tables, folder / "", chosenCases(realCases(), {"fetal-es"}).front(), programs,
                    ctx());
    const Json record = tables.record();
    EXPECT_TRUE(record["fetal-es mean"]["no motion"][RealTables::dice].is_number());
    ASSERT_TRUE(record["fetal-es mean"].contains("fails"));
    EXPECT_TRUE(record["fetal-es mean"]["fails"][RealTables::dice].is_null());
}

std::vector<MemberFigures> withErrors(const std::vector<double>& errors) {
    std::vector<MemberFigures> members;
    for (std::size_t i = 0; i < errors.size(); ++i)
        members.push_back({i + 1, errors[i], 0.9, 0.1, 0, 2});
    return members;
}

TEST(AccuracyOverSeeds, MedianAndWorstTenth) {
    std::vector<double> errors;
    for (int i = 20; i > 0; --i)
        errors.push_back(i);
    const SeedFigures figures = over(withErrors(errors));
    EXPECT_EQ(figures.median, 10.5);
    EXPECT_EQ(figures.worst, 19.5); // mean of the worst two
    EXPECT_EQ(figures.mean, 10.5);
    EXPECT_EQ(figures.seconds, 2);
    EXPECT_EQ(over(withErrors({3, 1, 2})).median, 2);
    EXPECT_EQ(over(withErrors({3, 1, 2})).worst, 3);
    EXPECT_TRUE(std::isnan(over(withErrors({3, NAN})).mean));
    EXPECT_TRUE(std::isnan(over({}).median));
}

/// A record of one look and one program.
Json recordWith(const std::vector<MemberFigures>& members) {
    Json record{{"side", 64}};
    record["family"]["echo"]["Systole test"] = recordOf(members);
    return record;
}

TEST(AccuracyRecord, GivesBackItsMembersToFiveDigits) {
    std::vector<MemberFigures> members = withErrors({0.123456789, NAN});
    const std::vector<MemberFigures> read = membersFrom(Json::parse(recordOf(members).dump()));
    ASSERT_EQ(read.size(), 2u);
    EXPECT_EQ(read[0].error, 0.12346);
    EXPECT_EQ(read[1].seed, 2u);
    EXPECT_TRUE(std::isnan(read[1].error));
    EXPECT_THROW(membersFrom(Json{{"seeds", {1}}}), UsageError);
    Json kept = recordOf(members); // as tools/keep_accuracy.py keeps it
    kept.erase("seconds");
    EXPECT_EQ(membersFrom(kept)[0].error, 0.12346);
    EXPECT_TRUE(std::isnan(membersFrom(kept)[0].seconds));
}

TEST(AccuracyComparison, SaysWhatIsWorseByMoreThanThreePercent) {
    const Json before = recordWith(withErrors({0.2, 0.3, 0.4}));
    EXPECT_THAT(worseThanBefore(before, before, allowedLoss), ElementsAre());
    EXPECT_THAT(worseThanBefore(recordWith(withErrors({0.2, 0.305, 0.4})), before, allowedLoss),
                ElementsAre());
    EXPECT_THAT(worseThanBefore(recordWith(withErrors({0.1, 0.1, 0.1})), before, allowedLoss),
                ElementsAre());
    EXPECT_THAT(worseThanBefore(recordWith(withErrors({0.2, 0.31, 0.4})), before, allowedLoss),
                ElementsAre(HasSubstr("echo, Systole test: median")));
    EXPECT_THAT(worseThanBefore(recordWith(withErrors({0.2, 0.3, 0.44})), before, allowedLoss),
                ElementsAre(HasSubstr("worst tenth"), HasSubstr("mean")));
    // A program that fails now is worse in every figure.
    EXPECT_GE(worseThanBefore(recordWith(withErrors({0.2, NAN, 0.4})), before, allowedLoss).size(),
              3u);
}

TEST(AccuracyComparison, ComparesTheSeedsOfBoth) {
    const Json before = recordWith(withErrors({0.2, 0.3, 9}));
    EXPECT_THAT(worseThanBefore(recordWith(withErrors({0.2, 0.3})), before, allowedLoss),
                ElementsAre());
    EXPECT_EQ(worseThanBefore(recordWith(withErrors({0.4, 0.3})), before, allowedLoss).size(), 3u);
    // A seed on which it failed before hides no other.
    const Json failed = recordWith(withErrors({0.2, NAN, 0.3}));
    EXPECT_EQ(worseThanBefore(recordWith(withErrors({0.4, 9, 0.3})), failed, allowedLoss).size(),
              3u);
}

TEST(AccuracyComparison, NamesWhatTheRecordHasAndThisRunHasNot) {
    const Json now = recordWith(withErrors({0.2}));
    Json before = now;
    before["family"]["echo"]["Systole other"] = before["family"]["ct"]["Systole test"] =
        now["family"]["echo"]["Systole test"];
    before["real"]["acdc-es mean"]["Systole test"][RealTables::dice] = 0.8;
    ::testing::internal::CaptureStdout();
    EXPECT_THAT(worseThanBefore(now, before, allowedLoss), ElementsAre());
    EXPECT_THAT(::testing::internal::GetCapturedStdout(),
                HasSubstr("not measured: echo, Systole other; ct, Systole test; acdc-es mean, "
                          "Systole test\n"));
}

TEST(AccuracyComparison, JudgesAmplitudeNoiseAndFoldsAndNotSeconds) {
    const std::vector<MemberFigures> members = withErrors({0.2});
    const auto changed = [&](double MemberFigures::*figure, double value) {
        std::vector<MemberFigures> others = members;
        others.front().*figure = value;
        return worseThanBefore(recordWith(others), recordWith(members), allowedLoss);
    };
    EXPECT_THAT(changed(&MemberFigures::seconds, 50), ElementsAre());
    EXPECT_THAT(changed(&MemberFigures::amplitude, 0.88), ElementsAre());
    EXPECT_THAT(changed(&MemberFigures::amplitude, 1.05), ElementsAre());
    EXPECT_THAT(changed(&MemberFigures::amplitude, 0.86), ElementsAre(HasSubstr("amplitude")));
    EXPECT_THAT(changed(&MemberFigures::amplitude, 1.14), ElementsAre(HasSubstr("amplitude")));
    EXPECT_THAT(changed(&MemberFigures::noise, 0.11), ElementsAre(HasSubstr("noise")));
    EXPECT_THAT(changed(&MemberFigures::folded, 0.005), ElementsAre());
    EXPECT_THAT(changed(&MemberFigures::folded, 0.5), ElementsAre(HasSubstr("folded")));
}

TEST(AccuracyComparison, JudgesDiceOfRealImages) {
    const auto withDice = [](const Json& dice) {
        Json record{{"side", 64}};
        record["real"]["acdc-es mean"]["Systole test"][RealTables::dice] = dice;
        return record;
    };
    EXPECT_THAT(worseThanBefore(withDice(0.79), withDice(0.8), allowedLoss), ElementsAre());
    EXPECT_THAT(worseThanBefore(withDice(0.76), withDice(0.8), allowedLoss),
                ElementsAre(HasSubstr("acdc-es mean, Systole test: Dice")));
    EXPECT_THAT(worseThanBefore(withDice(nullptr), withDice(0.8), allowedLoss), // it failed
                ElementsAre(HasSubstr("acdc-es mean, Systole test: Dice nan, before 0.8")));
    EXPECT_THAT(worseThanBefore(withDice(0.1), withDice(nullptr), allowedLoss),
                ElementsAre(HasSubstr("no case, seed and program")));
}

TEST(AccuracyComparison, RefusesWhatCannotBeCompared) {
    const Json record = recordWith(withErrors({0.2}));
    Json other = record;
    other["side"] = 48;
    EXPECT_NO_THROW(checkRecord(record, 64));
    EXPECT_THROW(checkRecord(other, 64), UsageError);
    EXPECT_THROW(checkRecord(Json::array(), 64), UsageError);
    EXPECT_THROW(checkRecord(Json(), 64), UsageError);
    other["side"] = 64;
    other["family"]["echo"]["Systole test"] = 3;
    EXPECT_THROW(checkRecord(other, 64), UsageError);
    EXPECT_THAT(worseThanBefore(record, Json{{"side", 64}}, allowedLoss),
                ElementsAre(HasSubstr("no case, seed and program")));
}

#ifdef SYSTOLE_VIEWER
TEST_F(Accuracy, ThePageShowsTheWorstTenthOfEachProgram) {
    AccuracyPage page;
    for (std::uint64_t seed = 1; seed <= 11; ++seed) {
        const PhantomPair pair = member(seed);
        const float share = seed == 3 ? 0.1f : seed == 7 ? -0.5f : 0.9f;
        page.add("echo", "short", pair, scaled(pair, share).view());
    }
    const std::string html = page.html();
    const std::size_t worst = html.find("short, seed 7: mean error"),
                      next = html.find("short, seed 3: mean error");
    ASSERT_NE(next, std::string::npos);
    EXPECT_LT(worst, next);
    for (const int seed : {1, 2, 4, 5, 6, 8, 9, 10, 11})
        EXPECT_EQ(html.find(fmt::format("seed {}:", seed)), std::string::npos);
    // Four panels of both, each a PNG file in the page.
    std::size_t panels = 0;
    for (std::size_t at = html.find("data:image/png;base64,iVBORw0KGgo"); at != std::string::npos;
         at = html.find("data:image/png;base64,iVBORw0KGgo", at + 1))
        ++panels;
    EXPECT_EQ(panels, 8u);
    EXPECT_THAT(html, HasSubstr("stroke=\"orange\""));
}
#endif

} // namespace
} // namespace systole
