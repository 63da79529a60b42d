// `systole bench` from outside, for its tests: on sizes so small that it takes moments. No time is
// held against a limit.
#pragma once

#include "tests/support/small_phantom.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <string>
#include <vector>

namespace systole::testing {

class BenchCommand : public ::testing::Test {
protected:
    nlohmann::json record(std::vector<std::string> arguments) {
        arguments.insert(arguments.begin(), "bench");
        if (std::find(arguments.begin(), arguments.end(), "--repeat") == arguments.end())
            arguments.insert(arguments.end(), {"--repeat", "1"});
        arguments.insert(arguments.end(), {"--json", folder_ / "record.json", "--overwrite"});
        outcome_ = run(arguments);
        EXPECT_EQ(outcome_.exitCode, 0) << outcome_.errors;
        return nlohmann::json::parse(readText(folder_ / "record.json"), nullptr, false);
    }

    TemporaryFolder folder_;
    Outcome outcome_;
};

} // namespace systole::testing
