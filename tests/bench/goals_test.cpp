// Goals joined with records of runs, and the page about them.
#include "app/base/error.h"
#include "bench/goals.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

namespace systole {
namespace {

using Record = nlohmann::ordered_json;
using ::testing::HasSubstr;

Goal errorGoal(FigurePlace place, double bar = 0.2) {
    return {.id = "error",
            .group = "Phantoms",
            .sentence = "the error",
            .command = "systole bench accuracy",
            .place = std::move(place),
            .unit = "voxel",
            .bar = bar};
}

Record family(const Record& echo, const Record& ct) {
    return {{"accuracy",
             {{"side", 64}, {"family", {{"echo", {{"error", echo}}}, {"ct", {{"error", ct}}}}}}}};
}

Record dated(Record record, const char* date, const char* machine = "any CPU") {
    record["date"] = date;
    record["machine"] = machine;
    return record;
}

TEST(GoalFigure, IsTheSummaryOfAListAtThePlaceThatIsFarthestFromTheGoal) {
    const Record record = family({0.1, 0.4, 0.2}, {0.3, 0.1, 0.5, 0.4});
    Goal goal = errorGoal({.at = {"/accuracy/family/*/error"}, .summary = Summary::Median});
    EXPECT_DOUBLE_EQ(figureOf(goal, record).value(), 0.35);
    goal.bound = Bound::AtLeast;
    EXPECT_DOUBLE_EQ(figureOf(goal, record).value(), 0.2);
    goal.place = {.at = {"/accuracy/family/echo/error"}, .factor = 10};
    EXPECT_NEAR(figureOf(goal, record).value(), 7.0 / 3, 1e-12);
    goal.place = {.at = {"/accuracy/family/ct/error"}, .summary = Summary::Largest};
    EXPECT_DOUBLE_EQ(figureOf(goal, family({0.1}, {-0.6, 0.5})).value(), 0.6) << "magnitude";
}

TEST(GoalFigure, MayBeDividedByAnotherOfTheSamePlace) {
    const Record record{{"live", {{"echo/128", {{"interop", 6.0}, {"upload", 8.0}}}}}};
    const Goal goal =
        errorGoal({.at = {"/live/echo~1128/interop"}, .over = {"/live/echo~1128/upload"}});
    EXPECT_DOUBLE_EQ(figureOf(goal, record).value(), 0.75);
    EXPECT_FALSE(figureOf(goal, Record{{"live", {{"echo/128", {{"interop", 6.0}}}}}}));
}

TEST(GoalFigure, IsThereOnlyIfTheRunWasTheOneThatTheGoalMeans) {
    Goal goal = errorGoal({.at = {"/accuracy/family/echo/error"}, .where = "/accuracy/side=64"});
    Record record = family({0.1, 0.2}, {0.3});
    EXPECT_TRUE(figureOf(goal, record));
    goal.place.count = 3;
    EXPECT_FALSE(figureOf(goal, record)) << "too few hearts";
    goal.place.count = 2;
    record["accuracy"]["set"] = Record::array();
    EXPECT_TRUE(figureOf(goal, record));
    record["accuracy"]["set"].push_back("alpha=1");
    EXPECT_FALSE(figureOf(goal, record)) << "other parameters";
    EXPECT_FALSE(figureOf(goal, family({0.1, nullptr}, {0.3}))) << "one failed";
    goal.place.where = "/accuracy/side=128";
    EXPECT_FALSE(figureOf(goal, family({0.1, 0.2}, {0.3})));
    EXPECT_FALSE(figureOf(goal, Record{{"pairs", 3}}));
}

TEST(GoalStandings, AreOfTheLatestRecordOfTheRightMachine) {
    std::vector<Goal> all{errorGoal({.at = {"/accuracy/family/echo/error"}})};
    const std::vector<NamedRecord> records{
        {"two.json",
         {{"records",
           {dated(family(0.3, 1), "2026-01-02"), dated(family(0.1, 1), "2026-03-01T10:00:00Z")}}}},
        {"old.json", dated(family(0.5, 1), "2026-02-01", "NVIDIA H200")}};
    const auto latest = standingsOf(all, records).front().value();
    EXPECT_EQ(latest.figure, 0.1);
    EXPECT_EQ(latest.run.date, "2026-03-01");
    EXPECT_TRUE(latest.isMet());
    all.front().machine = "H200";
    EXPECT_FALSE(standingsOf(all, records).front().value().isMet());
    all.front().machine = "H100";
    EXPECT_FALSE(standingsOf(all, records).front());
    EXPECT_THROW(standingsOf(all, {{"list.json", Record::array()}}), UsageError);
}

TEST(GoalStandings, NameTheDeviceThatTheBenchmarkRecords) {
    const std::vector<Goal> all{errorGoal({.at = {"/pairs/rate"}})};
    const Record record{{"processor", "a Xeon"},
                        {"pairs", {{"device", "NVIDIA H200"}, {"rate", 1.0}}}};
    EXPECT_EQ(standingsOf(all, {{"pairs.json", record}}).front().value().run.machine,
              "NVIDIA H200, a Xeon");
}

TEST(ResultsPage, SaysOfEachGoalWhetherItIsMetAndByWhichRun) {
    std::vector<Goal> all{errorGoal({.at = {"/accuracy/family/echo/error"}}),
                          errorGoal({.at = {"/accuracy/family/ct/error"}}),
                          errorGoal({.at = {"/elsewhere"}})};
    Record record = dated(family(0.1, 0.3), "2026-01-02");
    record["command"] = "systole bench accuracy --seeds 4";
    const std::string page = resultsPage(all, standingsOf(all, {{"a.json", record}}));
    EXPECT_THAT(page, HasSubstr("1 goals are met, 1 aren't, 1 are not measured in a record"));
    EXPECT_THAT(page, HasSubstr("|the error|≤ 0.2 voxel|0.100|0.50|yes|1|"));
    EXPECT_THAT(page, HasSubstr("|the error|≤ 0.2 voxel|0.300|1.50|**no**|1|"));
    EXPECT_THAT(page, HasSubstr("not measured in a record (`systole bench accuracy`)"));
    EXPECT_THAT(page, HasSubstr("|1|2026-01-02|any CPU|`systole bench accuracy --seeds 4`|"));
}

TEST(Goals, AreCompleteAndTheirGroupsStandTogether) {
    std::set<std::string> ids, groups;
    std::string group;
    for (const Goal& goal : goals()) {
        EXPECT_TRUE(ids.insert(goal.id).second) << goal.id << " twice";
        if (goal.group != group) {
            EXPECT_TRUE(groups.insert(goal.group).second) << goal.group << " is torn apart";
        }
        group = goal.group;
        EXPECT_FALSE(goal.sentence.empty() || goal.command.empty()) << goal.id;
        EXPECT_EQ(goal.sentence.find('|'), std::string::npos) << "a table's border: " << goal.id;
        ASSERT_FALSE(goal.place.at.empty()) << goal.id;
        EXPECT_TRUE(goal.place.over.empty() || goal.place.over.size() == goal.place.at.size());
        for (const std::string& place : goal.place.at)
            EXPECT_EQ(place.front(), '/') << goal.id;
    }
}

} // namespace
} // namespace systole
