// A fixture for tests of commands: a small phantom for the whole suite, an empty folder for each
// test.
#pragma once

#include "tests/support/program.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

namespace systole::testing {

/// The names in a folder, sorted.
inline std::vector<std::string> namesIn(const std::string& folder) {
    std::vector<std::string> names;
    for (const auto& entry : std::filesystem::directory_iterator(folder))
        names.push_back(entry.path().filename().string());
    std::ranges::sort(names);
    return names;
}

class SmallPhantom : public ::testing::Test {
protected:
    /// 16³ voxels, three frames, no noise.
    static void SetUpTestSuite() { makePhantom({"--size", "16", "--frames", "3", "--noise", "0"}); }
    static void TearDownTestSuite() { phantom_.reset(); }
    static void makePhantom(const std::vector<std::string>& options) {
        phantom_ = std::make_unique<TemporaryFolder>();
        std::vector<std::string> arguments{"phantom", "-o", *phantom_ / "p"};
        arguments.insert(arguments.end(), options.begin(), options.end());
        const Outcome made = run(arguments);
        ASSERT_EQ(made.exitCode, 0) << made.errors;
        ASSERT_EQ(made.errors, "");
    }

    static std::string phantom(const std::string& name = {}) { return *phantom_ / ("p/" + name); }
    static std::string sequence() { return phantom("sequence.nii.gz"); }
    static std::string labels() { return phantom("labels.nii.gz"); }
    std::string in(const std::string& name) const { return folder_ / name; }
    std::vector<std::string> names() const { return namesIn(folder_.path().string()); }

private:
    TemporaryFolder folder_;
    inline static std::unique_ptr<TemporaryFolder> phantom_;
};

} // namespace systole::testing
