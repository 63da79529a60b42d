// The report of cases whose figures are made up: which come first, and why.
#include "app/features/cardiac/strain_doubts.h"
#include "app/study/cohort_report.h"
#include "app/study/step_record.h"
#include "io/base/text.h"
#include "tests/support/program.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <filesystem>
#include <random>
#include <string>
#include <vector>

namespace systole {
namespace {

namespace fs = std::filesystem;
using systole::testing::readText;
using systole::testing::TemporaryFolder;
using systole::testing::writeText;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::StartsWith;

/// Hearts that differ as hearts do.
class Report : public ::testing::Test {
protected:
    void make(std::size_t count) {
        std::mt19937 generator(7);
        std::normal_distribution<double> normal;
        for (std::size_t i = 0; i < count; ++i) {
            PlannedCase planned;
            planned.entry.subject = fmt::format("{:04}", i);
            planned.entry.id = "sub-" + planned.entry.subject;
            planned.entry.group = i % 2 ? "patients" : "controls";
            planned.entry.references = {{"ef", 60.0}};
            planned.steps = {{qualityStep, {}, {}, planned.entry.id + "/q", {}, 0, 0}};
            figures_.push_back({{"voxel_width", 1.4},
                                {"largest_change", 1.1 + 0.02 * normal(generator)},
                                {"drift", 0.4 + 0.05 * normal(generator)},
                                {"doubtful_segments", static_cast<double>(i % 2)},
                                {"edv", 120 + 20 * normal(generator)},
                                {"ef", 61 + 4 * normal(generator)}});
            plan_.cases.push_back(planned);
        }
    }
    std::vector<ReportedCase> write() {
        for (std::size_t i = 0; i < plan_.cases.size(); ++i) {
            const PlannedCase& planned = plan_.cases[i];
            const std::string folder = folder_ / planned.steps[0].output;
            fs::create_directories(folder);
            nlohmann::json segments;
            for (const char* direction : {"longitudinal", "circumferential", "radial"})
                segments[direction] =
                    std::vector<double>(withSegments_ ? 17 : 0, i % 2 ? -10.0 : -20.0);
            writeText(folder + "/quality.json",
                      nlohmann::json{{"figures", figures_[i]},
                                     {"segments_end_systolic_percent", segments},
                                     {"segments_doubtful", std::vector(3, std::vector<bool>())},
                                     {"doubts", doubts_}}
                          .dump());
            const std::string output = folder_.path().string();
            fs::create_directories(
                fs::path(recordPath(output, planned.entry.id, qualityStep)).parent_path());
            if (planned.refusal.empty())
                writeStepRecord(plan_, output, planned.entry.id, planned.steps[0], {}, {});
        }
        return writeCohortReport(plan_, folder_.path().string());
    }

    CohortPlan plan_;
    std::vector<std::map<std::string, double>> figures_;
    std::vector<std::string> doubts_; ///< doubts of each case
    bool withSegments_ = true;
    TemporaryFolder folder_;
};

TEST_F(Report, SpoiltCasesComeFirstWithTheReason) {
    make(24);
    figures_[5]["voxel_width"] = 14;     // wrong spacing
    figures_[5]["edv"] = 120000;         // and so the volume
    figures_[11]["largest_change"] = 12; // a frame of noise
    figures_[17]["largest_change"] = 2;  // two frames in the wrong order
    figures_[17]["drift"] = 1.5;
    figures_[18]["doubtful_segments"] = 6; // an uncertain motion
    plan_.cases[20].refusal = "heart.nii: is no image";
    const std::vector<ReportedCase> cases = write();
    EXPECT_EQ(cases[0].failures.at(0).sentence, "heart.nii: is no image");
    EXPECT_EQ(cases[1].planned->entry.id, "sub-0005");
    EXPECT_THAT(cases[1].reasons.at(0), StartsWith("voxel width 14.000 mm (median 1.400 mm)"));
    EXPECT_EQ(cases[2].planned->entry.id, "sub-0011");
    EXPECT_THAT(cases[2].reasons.at(0), StartsWith("largest change between frames 12.00"));
    EXPECT_EQ(cases[3].planned->entry.id, "sub-0017");
    EXPECT_EQ(cases[3].reasons.size(), 2U);
    EXPECT_EQ(cases[4].planned->entry.id, "sub-0018");
    EXPECT_THAT(cases[4].reasons.at(0), StartsWith("doubtful segments 6"));
    for (std::size_t i = 5; i < cases.size(); ++i)
        EXPECT_TRUE(cases[i].reasons.empty()) << cases[i].planned->entry.id;

    const std::string page = readText(folder_ / "report.html");
    EXPECT_LT(page.find("sub-0020"), page.find("sub-0005"));
    EXPECT_LT(page.find("sub-0005"), page.find("sub-0000"));
    EXPECT_THAT(page, AllOf(HasSubstr("24 cases: 1 failed, 4 outliers"),
                            HasSubstr("ejection fraction: 23 cases with a reference")));
    EXPECT_THAT(page, HasSubstr("-15")); // the mean bull's-eye: 12 of -20 and 11 of -10
}

TEST_F(Report, ACaseWhoseResultsHaveChangedIsNotDone) {
    make(2);
    write();
    writeText(folder_ / "sub-0001/q/quality.json", "{}");
    const std::vector<ReportedCase> cases = reportedCases(plan_, folder_.path().string());
    ASSERT_EQ(cases[0].failures.size(), 1U);
    EXPECT_EQ(cases[0].planned->entry.id, "sub-0001");
    EXPECT_THAT(cases[0].failures[0].sentence, StartsWith("isn't done"));
    EXPECT_TRUE(cases[1].failures.empty());
}

TEST_F(Report, EveryColumnIsDescribedInTheSidecar) {
    make(2);
    write();
    for (const std::string table : {"phenotype/measures", "group_costs", "participants"}) {
        const std::string text = readText(folder_ / (table + ".tsv"));
        const auto sidecar = nlohmann::json::parse(readText(folder_ / (table + ".json")));
        const std::vector<std::string> columns = words(text.substr(0, text.find('\n')), "\t");
        EXPECT_EQ(columns.size(), sidecar.size());
        for (const std::string& column : columns)
            EXPECT_TRUE(sidecar.contains(column)) << column;
    }
}

TEST_F(Report, FewCasesHaveNoOutliers) {
    make(4);
    figures_[0]["drift"] = 100;
    EXPECT_EQ(write().front().reasons.size(), 0U);
}

TEST_F(Report, OnANarrowScreenEveryFigureHasTheTitleOfItsColumn) {
    make(2);
    write();
    const std::string page = readText(folder_ / "report.html");
    const std::size_t head = page.find("<tr><th>case</th>");
    const std::string cells = page.substr(head, page.find("</tr>", head) - head);
    int column = 0;
    for (std::size_t at = cells.find("<th"); at != std::string::npos;
         at = cells.find("<th", at + 1)) {
        const std::size_t begin = cells.find('>', at) + 1;
        const std::string title = cells.substr(begin, cells.find("</th>", begin) - begin);
        if (++column <= 3)
            continue; // they need none
        EXPECT_THAT(page, HasSubstr(fmt::format(".cases td:nth-child({})::before{{content:\"{}\"}}",
                                                column, title)));
    }
    EXPECT_EQ(column, 11); // six measures that a case has, and what comes before and after
    EXPECT_EQ(page.find(fmt::format("nth-child({})::before", column + 1)), std::string::npos);
}

/// The titles of the columns, those that the switch hides in brackets.
std::vector<std::string> columnsOf(const std::string& page) {
    const std::size_t head = page.find("<tr><th>case</th>");
    const std::string cells = page.substr(head, page.find("</tr>", head) - head);
    std::vector<std::string> titles;
    for (std::size_t at = cells.find("<th"); at != std::string::npos;
         at = cells.find("<th", at + 1)) {
        const std::size_t begin = cells.find('>', at) + 1;
        const std::string title = cells.substr(begin, cells.find("</th>", begin) - begin);
        const bool hidden = cells.substr(at, begin - at).find("technical") != std::string::npos;
        titles.push_back(hidden ? "[" + title + "]" : title);
    }
    return titles;
}

TEST_F(Report, TheHeartComesFirstAndTheRestIsBehindASwitch) {
    make(6);
    for (auto& figures : figures_)
        figures["gls"] = -18;
    write();
    const std::string page = readText(folder_ / "report.html");
    EXPECT_THAT(columnsOf(page),
                ::testing::ElementsAre("case", "", "what to look at", "group",
                                       "ejection fraction, %", "end-diastolic volume, ml", "GLS, %",
                                       "[voxel width, mm]", "[largest change between frames]",
                                       "[drift over the cycle, mm]", "[doubtful segments]",
                                       "[seconds]"));
    EXPECT_THAT(page, AllOf(HasSubstr("<input type=\"checkbox\" id=\"technical\">"),
                            HasSubstr("#technical:not(:checked)~* .technical{display:none}")));
    EXPECT_LT(page.find("id=\"technical\""), page.find("class=\"wide cases")); // a later sibling
    const std::string table = readText(folder_ / "phenotype/measures.tsv");
    EXPECT_LT(table.find("\tef\t"), table.find("\tvoxel_width\t"));
}

std::size_t countOf(const std::string& text, const std::string& part) {
    std::size_t count = 0;
    for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1))
        ++count;
    return count;
}

TEST_F(Report, StatisticsOfOneGroupStandOnce) {
    const std::string row = "<tr><td>ejection fraction, %</td>";
    make(6);
    write();
    std::string page = readText(folder_ / "report.html");
    EXPECT_EQ(countOf(page, row), 3U); // all, controls, patients
    EXPECT_THAT(page, HasSubstr(row + "<td class=\"left\">controls</td><td>3</td>"));
    for (const char* group : {"controls", ""}) {
        for (PlannedCase& each : plan_.cases)
            each.entry.group = group;
        write();
        page = readText(folder_ / "report.html");
        EXPECT_EQ(countOf(page, row), 1U) << group;
        EXPECT_THAT(page, HasSubstr(row + "<td>6</td>"));
    }
    EXPECT_THAT(columnsOf(page), ::testing::Not(::testing::Contains("group")));
}

TEST_F(Report, OfOneCaseThereAreNoStatistics) {
    make(1);
    write();
    const std::string page = readText(folder_ / "report.html");
    EXPECT_EQ(countOf(page, "robust deviation"), 0U);
    EXPECT_EQ(countOf(page, "Statistics"), 0U);
    EXPECT_EQ(countOf(page, "mean of"), 0U);
    EXPECT_THAT(page, HasSubstr("Strain at end systole"));
}

TEST_F(Report, SegmentsThatMayBeTurnedAreSaidInTheRowAndBelowTheMean) {
    make(2);
    doubts_ = {turnedSegments};
    write();
    const std::string page = readText(folder_ / "report.html");
    EXPECT_EQ(countOf(page, turnedSegments), 2U);
    EXPECT_THAT(page, HasSubstr("2 cases whose segments may be turned are among them."));
    doubts_.clear();
    write();
    EXPECT_EQ(countOf(readText(folder_ / "report.html"), "may be turned"), 0U);
}

/// Figures of a study without strain appear only while the switch is on.
TEST_F(Report, StatisticsWithoutTheHeartAreHiddenWithTheirHeading) {
    make(3);
    for (auto& figures : figures_)
        figures = {{"voxel_width", 1.4}};
    withSegments_ = false;
    write();
    const std::string page = readText(folder_ / "report.html");
    EXPECT_EQ(countOf(page, "<div class=\"technical\"><h2"), 1U);
    EXPECT_EQ(countOf(page, "are below"), 0U);
    EXPECT_THAT(page, HasSubstr("Each case has a page of its own"));
    figures_[0]["ef"] = figures_[1]["ef"] = 60;
    write();
    const std::string whole = readText(folder_ / "report.html");
    EXPECT_EQ(countOf(whole, "<div class=\"technical\">"), 0U);
    EXPECT_THAT(whole, HasSubstr("All cases together</a> are below"));
}

TEST_F(Report, OnlyCasesThatAreDoneHaveAPage) {
    make(2);
    plan_.cases[0].refusal = "heart.nii: is no image";
    write();
    EXPECT_THAT(readText(folder_ / "report.html"), HasSubstr("Each case that is done has a page"));
    plan_.cases[1].refusal = "heart.nii: is no image";
    write();
    const std::string page = readText(folder_ / "report.html");
    EXPECT_EQ(countOf(page, "page of its own"), 0U);
    EXPECT_EQ(countOf(page, "are below"), 0U);
}

TEST_F(Report, AGroupOfOneCaseHasNoDeviation) {
    make(3);
    write();
    EXPECT_THAT(readText(folder_ / "report.html"),
                ::testing::ContainsRegex("patients</td><td>1</td><td>[0-9.]+</td><td>–</td>"));
}

TEST_F(Report, GroupsThatASpreadsheetWouldRunAreText) {
    struct Group {
        const char *given, *written;
    };
    const std::vector<Group> groups{{"=cmd|' /C calc'!A0", "'=cmd|' /C calc'!A0"},
                                    {"+1+1", "'+1+1"},
                                    {"-2+3", "'-2+3"},
                                    {"@SUM(1)", "'@SUM(1)"},
                                    {"\"=1+1\"", "'\"=1+1\""},
                                    {"\"open", "'\"open"},
                                    {"\uff1d1", "'\uff1d1"},
                                    {"-1", "-1"},
                                    {"+2.5", "+2.5"},
                                    {"a=b", "a=b"},
                                    {"NYHA II", "NYHA II"}};
    make(groups.size());
    for (std::size_t i = 0; i < groups.size(); ++i)
        plan_.cases[i].entry.group = groups[i].given;
    write();
    for (const char* table : {"participants.tsv", "phenotype/measures.tsv"}) {
        const std::string text = readText(folder_ / table);
        for (const Group& group : groups)
            EXPECT_THAT(text, HasSubstr(std::string("\t") + group.written)) << table;
        for (const char* cell : {"\t=", "\t@", "\t\""})
            EXPECT_EQ(text.find(cell), std::string::npos) << table;
    }
}

TEST_F(Report, WhatCouldNotBeReadIsSaid) {
    make(2);
    plan_.unread = {"/study/sub-9: can't be read: Input/output error"};
    write();
    EXPECT_THAT(readText(folder_ / "report.html"),
                AllOf(HasSubstr("/study/sub-9: can&#39;t be read"),
                      HasSubstr("A part of the study couldn't be read: cases may be missing")));
}

TEST_F(Report, AThousandCasesAreOneSmallPage) {
    make(1000);
    write();
    const std::string page = readText(folder_ / "report.html");
    EXPECT_LT(page.size(), 2000000U);
    const std::string table = readText(folder_ / "phenotype/measures.tsv");
    EXPECT_EQ(std::ranges::count(table, '\n'), 1001);
}

} // namespace
} // namespace systole
