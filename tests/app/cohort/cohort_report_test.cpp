// The report of cases whose figures are made up: which come first, and why.
#include "app/cohort/cohort_report.h"
#include "app/cohort/step_record.h"
#include "io/text.h"
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
                segments[direction] = std::vector<double>(17, i % 2 ? -10.0 : -20.0);
            writeText(folder + "/quality.json",
                      nlohmann::json{{"figures", figures_[i]},
                                     {"segments_end_systolic_percent", segments},
                                     {"segments_doubtful", std::vector(3, std::vector<bool>())},
                                     {"doubts", nlohmann::json::array()}}
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
    EXPECT_THAT(page, HasSubstr("-15")); // of the mean bull's-eye: 12 of -20 and 11 of -10
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
    EXPECT_GT(column, 20);
    EXPECT_EQ(page.find(fmt::format("nth-child({})::before", column + 1)), std::string::npos);
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
