// `systole view` from outside, under a virtual display.
#include "app/base/lessons.h"
#include "tests/app/window/window_support.h"
#include "tests/support/appearing_file.h"
#include "tests/support/program.h"

#include <QImage>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <thread>

namespace systole {
namespace {

using ::testing::HasSubstr;

class ViewCommandTest : public ::testing::Test {
protected:
    void SetUp() override {
        if (!testing::displayProblem().empty())
            GTEST_SKIP() << testing::displayProblem();
        path = testing::writeBall(folder, "ball.nii.gz", 24, 6);
    }

    /// False when it doesn't, however busy the machine is.
    static bool endsByItself(testing::Program& program) {
        const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(150);
        while (program.running() && std::chrono::steady_clock::now() < end)
            std::this_thread::sleep_for(std::chrono::milliseconds(20));
        return !program.running();
    }

    testing::TemporaryFolder folder;
    std::string path;
};

TEST_F(ViewCommandTest, TheCommandTakesAPictureAndMeasures) {
    const std::string png = folder / "view.png", report = folder / "view.json";
    const testing::Outcome outcome =
        testing::run({"view", path, "--layout", "three", "--size", "800x600", "--after", "2.5",
                      "--screenshot", png, "--report", report});
    EXPECT_EQ(outcome.exitCode, 0) << outcome.errors;
    const QImage image(QString::fromStdString(png));
    EXPECT_EQ(image.size(), QSize(800, 600));
    const auto json = nlohmann::json::parse(testing::readText(report));
    EXPECT_EQ(json["layout"], "three");
    EXPECT_GT(json["display"]["pictures"], 0);
    EXPECT_GT(json["estimation"]["estimated"], 0);
}

TEST_F(ViewCommandTest, AFileAfterAPanelIsNoPanel) {
    const testing::Outcome outcome =
        testing::run({"view", "--panel", "Register", "--panel", "Bias", path, "--after", "0"});
    EXPECT_EQ(outcome.exitCode, 0) << outcome.errors;
}

TEST_F(ViewCommandTest, PicturesAndReportsThatExistAreRefusedUnlessRequested) {
    const std::string mine = folder / "mine.png";
    for (const char* option : {"--screenshot", "--report"}) {
        const testing::Outcome appeared =
            testing::runWhile(mine, {"view", path, option, mine, "--after", "0"});
        EXPECT_EQ(appeared.exitCode, 1);
        EXPECT_THAT(appeared.errors, HasSubstr("mine.png: has appeared in the meantime"));
        EXPECT_EQ(testing::readText(mine), "mine");
        const testing::Outcome refused = testing::run({"view", path, option, mine, "--after", "0"});
        EXPECT_EQ(refused.exitCode, 1);
        EXPECT_THAT(refused.errors, HasSubstr("mine.png: exists already"));
        EXPECT_EQ(testing::readText(mine), "mine");
        // Files need no command.
        const testing::Outcome replaced =
            testing::run({path, option, mine, "--after", "0", "--overwrite"});
        EXPECT_EQ(replaced.exitCode, 0) << replaced.errors;
        EXPECT_NE(testing::readText(mine), "mine");
        std::filesystem::remove(mine);
    }
}

TEST_F(ViewCommandTest, AScreenshotIsAPng) {
    testing::expectRefused(
        testing::run({"view", path, "--screenshot", folder / "a.jpg", "--after", "0"}),
        "--screenshot: expected a name that ends in .png, found", 2);
    EXPECT_FALSE(std::filesystem::exists(folder / "a.jpg"));
}

TEST_F(ViewCommandTest, LessonsThatThereAreNotEndWithTwo) {
    for (const char* none : {"77", "0", "-1", "one"}) {
        const testing::Outcome outcome = testing::run({"view", "--lesson", none});
        EXPECT_EQ(outcome.exitCode, 2);
        EXPECT_THAT(outcome.errors, HasSubstr("--lesson: there is no lesson '"));
        EXPECT_THAT(outcome.errors,
                    HasSubstr("available: 1 to " + std::to_string(lessons().size()) + " "));
    }
}

TEST_F(ViewCommandTest, TheReportHoldsBothSides) {
    const std::string report = folder / "view.json";
    const testing::Outcome outcome =
        testing::run({"view",          path,      "--layout",          "side",
                      "--side-view",   "coronal", "--frame",           "2",
                      "--backend",     "cpu",     "--compare-backend", "cpu-reference",
                      "--compare-set", "rho=2",   "--panel",           "Side by side",
                      "--size",        "900x640", "--after",           "4",
                      "--report",      report});
    EXPECT_EQ(outcome.exitCode, 0) << outcome.errors;
    const auto json = nlohmann::json::parse(testing::readText(report));
    EXPECT_EQ(json["layout"], "side");
    const auto& sides = json["sides"];
    EXPECT_EQ(sides["shows"], "Coronal");
    EXPECT_EQ(sides["left"]["backend"], "cpu");
    EXPECT_EQ(sides["right"]["backend"], "cpu-reference");
    EXPECT_EQ(sides["differingParameters"]["rho"][1], "2");
    EXPECT_GT(sides["left"]["lastSeconds"], 0);
    EXPECT_GT(sides["rightOverLeft"], 0);
    EXPECT_EQ(sides["difference"]["fixedFrame"], 2);
    EXPECT_GT(sides["difference"]["maximumMillimeters"], 0);
}

TEST_F(ViewCommandTest, TheCommandEndsWhereInteropCannotBeHad) {
    const testing::Outcome asked =
        testing::run({"view", path, "--upload", "interop", "--after", "0"});
    if (asked.exitCode == 0)
        GTEST_SKIP() << "interop is available here";
    EXPECT_EQ(asked.exitCode, 1);
    EXPECT_THAT(asked.errors, HasSubstr("interop was requested"));
}

TEST_F(ViewCommandTest, TheCommandEndsWithOneLineWhereItCannotShow) {
    const testing::Outcome missing =
        testing::run({"view", folder / "missing.nii", "--screenshot", folder / "a.png"});
    EXPECT_EQ(missing.exitCode, 1);
    EXPECT_THAT(missing.errors, HasSubstr("missing.nii"));
    // A window that nobody ends isn't opened for it.
    testing::writeText(folder / "broken.nii", "no image");
    for (const char* name : {"missing.nii", "broken.nii"}) {
        testing::Program program({"view", folder / name});
        ASSERT_TRUE(endsByItself(program)) << name;
        const testing::Outcome refused = program.wait();
        EXPECT_EQ(refused.exitCode, 1);
        EXPECT_THAT(refused.errors, HasSubstr(name));
    }

    const std::string own = std::getenv("DISPLAY");
    setenv("DISPLAY", ":987", 1);
    const testing::Outcome unreachable = testing::run({"view", path});
    unsetenv("DISPLAY");
    const testing::Outcome none = testing::run({"view", path});
    setenv("DISPLAY", own.c_str(), 1);
    for (const testing::Outcome& outcome : {unreachable, none}) {
        EXPECT_EQ(outcome.exitCode, 1);
        EXPECT_EQ(std::count(outcome.errors.begin(), outcome.errors.end(), '\n'), 1)
            << outcome.errors;
        EXPECT_THAT(outcome.errors, HasSubstr("display"));
    }
}

} // namespace
} // namespace systole
