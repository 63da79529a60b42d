// A folder that becomes a study, and the cases that are found in it.
#pragma once

#include "app/study/cohort_case.h"
#include "io/base/error.h"
#include "tests/support/program.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <string>
#include <vector>

namespace systole::testing {

class StudyFolder : public ::testing::Test {
protected:
    void put(const std::string& file, const std::string& text = "") const {
        std::filesystem::create_directories((folder_.path() / file).parent_path());
        writeText(folder_.path() / file, text);
    }
    CohortCases find(const CohortSelection& selection = {}) const {
        return findCases(folder_.path().string(), folder_ / "out", selection);
    }
    CohortCases table(const std::string& text, const std::string& name = "cases.csv") const {
        put(name, text);
        return findCases(folder_ / name, folder_ / "out", {});
    }
    std::string refusal(const std::string& text) const {
        try {
            table(text);
        } catch (const FileError& error) {
            return error.what();
        }
        return "";
    }
    static std::vector<std::string> ids(const CohortCases& found) {
        std::vector<std::string> names;
        for (const CohortCase& each : found.cases)
            names.push_back(each.id);
        return names;
    }

    TemporaryFolder folder_;
};

} // namespace systole::testing
