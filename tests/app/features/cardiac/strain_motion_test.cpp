// systole strain by what the record of systole motion says: the cycle closed, and whose errors.
#include "tests/support/small_phantom.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <filesystem>
#include <string>
#include <vector>

namespace systole {
namespace {

using systole::testing::expectRefused;
using systole::testing::Outcome;
using systole::testing::readText;
using systole::testing::run;
using systole::testing::writeText;
using ::testing::HasSubstr;
using Json = nlohmann::json;

class StrainOfMotion : public testing::SmallPhantom {
protected:
    static void SetUpTestSuite() { makePhantom({"--size", "32", "--frames", "3"}); }

    Outcome strain(std::vector<std::string> more, const std::string& to) const {
        std::vector<std::string> arguments{"strain"};
        arguments.insert(arguments.end(), more.begin(), more.end());
        for (const std::string& part : {std::string("--labels"), labels(), std::string("-o"),
                                        in(to), std::string("--overwrite")})
            arguments.push_back(part);
        return run(arguments);
    }
    Json summary(const std::string& folder) const {
        return Json::parse(readText(in(folder + "/summary.json")));
    }
    void estimate(std::vector<std::string> more) const {
        std::vector<std::string> arguments{"motion",       sequence(),      "-o",        in("m"),
                                           "--lagrangian", "--close-cycle", "--backend", "cpu"};
        arguments.insert(arguments.end(), more.begin(), more.end());
        const Outcome done = run(arguments);
        ASSERT_EQ(done.exitCode, 0) << done.errors;
    }
};

TEST_F(StrainOfMotion, WhatRemainsAfterTheCycleIsSaidAndTakenOff) {
    ASSERT_NO_FATAL_FAILURE(estimate({}));
    ASSERT_EQ(strain({in("m")}, "s").exitCode, 0);
    const Json open = summary("s")["cycle_residual_mm"];
    EXPECT_GT(open["before"], 0);
    EXPECT_LT(open["before"], 1);
    EXPECT_EQ(open["after"], open["before"]);
    const Outcome closed = strain({in("m"), "--close-cycle"}, "c");
    ASSERT_EQ(closed.exitCode, 0) << closed.errors;
    EXPECT_THAT(closed.output, HasSubstr("After the cycle the wall is"));
    EXPECT_EQ(summary("c")["cycle_residual_mm"]["before"], open["before"]);
    EXPECT_EQ(summary("c")["cycle_residual_mm"]["after"], 0);
    EXPECT_NE(readText(in("c/curves.csv")), readText(in("s/curves.csv")));
    EXPECT_THAT(readText(in("c/report.html")), HasSubstr("taken off"));
}

TEST_F(StrainOfMotion, StandardErrorsAreOfTheMethodThatTheRecordNames) {
    ASSERT_NO_FATAL_FAILURE(estimate({"--alpha", "0.4"}));
    const std::vector<std::string> asked{"--certainty", "--images", sequence()};
    const auto errors = [&](std::vector<std::string> fields, const std::string& to) {
        fields.insert(fields.end(), asked.begin(), asked.end());
        const Outcome done = strain(fields, to);
        EXPECT_EQ(done.exitCode, 0) << done.errors;
        EXPECT_THAT(done.output, HasSubstr("standard errors are by " +
                                           summary(to)["standard_errors_by"].get<std::string>()));
        return summary(to);
    };
    const std::vector<std::string> files{in("m/lagrangian_0001.mha"), in("m/lagrangian_0002.mha")};
    const Json folder = errors({in("m")}, "s"), named = errors(files, "n");
    EXPECT_THAT(folder["standard_errors_by"].get<std::string>(),
                HasSubstr("clg with the parameters"));
    EXPECT_EQ(named["segments"], folder["segments"]) << "by the record beside the fields";
    // The settings are unknown if the record is missing: the defaults are used, which is noted.
    std::filesystem::rename(in("m/run.json"), in("run.json"));
    const Json unknown = errors(files, "u");
    EXPECT_THAT(unknown["standard_errors_by"].get<std::string>(),
                HasSubstr("not those of the fields"));
    EXPECT_NE(unknown["segments"][0]["standard_error_percent"],
              folder["segments"][0]["standard_error_percent"]);
    EXPECT_THAT(readText(in("u/report.html")), HasSubstr("not those of the fields"));
    // Motion of a method that doesn't estimate its errors.
    Json record = Json::parse(readText(in("run.json")));
    record["method"] = "demons";
    record["parameters"] = Json::object();
    writeText(in("m/run.json"), record.dump());
    expectRefused(strain({in("m"), "--certainty", "--images", sequence()}, "d"),
                  "the fields are of demons", 2);
}

} // namespace
} // namespace systole
