// Hashes that steps before have found, for the commands of a step.
#include "app/base/file_hash.h"
#include "app/base/recorded_hashes.h"
#include "tests/support/program.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <string>

namespace systole {
namespace {

namespace fs = std::filesystem;
using systole::testing::TemporaryFolder;
using systole::testing::writeText;

/// A step "motion" has written m/field.
class RecordedHashesOfAStep : public ::testing::Test {
protected:
    RecordedHashesOfAStep() {
        fs::current_path(folder_.path());
        fs::create_directories("m");
        writeText("m/field", "motion");
        const std::string record = "records/sub-1/motion.json";
        fs::create_directories(fs::path(record).parent_path());
        writeText(record,
                  R"({"outputs": [{"file": "m/field", "sha256": "as recorded", "stamp": ")" +
                      stampsOf("", {"m/field"}).front().stamp + "\"}]}");
        const auto [name, value] = RecordedHashes::environment({record});
        variable_ = name;
        ::setenv(name.c_str(), value.c_str(), 1);
    }
    ~RecordedHashesOfAStep() override {
        ::unsetenv(variable_.c_str());
        fs::current_path(before_);
    }

    TemporaryFolder folder_;
    const fs::path before_ = fs::current_path();
    std::string variable_;
};

TEST_F(RecordedHashesOfAStep, AreTakenOfFilesToWhichNobodyWrote) {
    EXPECT_EQ(RecordedHashes::ofThisProcess().of("m/field"), "as recorded");
    EXPECT_EQ(RecordedHashes({"records/sub-1/segment.json"}).of("m/field").size(),
              64U); // no record
    writeText("m/other", "motion");
    EXPECT_EQ(RecordedHashes::ofThisProcess().of("m/other").size(), 64U);
    writeText("m/field", "other motion");
    EXPECT_EQ(RecordedHashes::ofThisProcess().of("m/field").size(), 64U);
}

TEST_F(RecordedHashesOfAStep, OfAFolderAreOfItsFilesTogether) {
    const auto of = [](const std::string& path) {
        return RecordedHashes::ofThisProcess().of(path);
    };
    fs::create_directories("m/empty");
    EXPECT_EQ(of("m/empty"), sha256Of({"m/empty"}));
    EXPECT_EQ(of("m"), sha256Of({"m"})) << "although one file in it has a record";
    writeText("m/other", "motion");
    EXPECT_EQ(of("m"), sha256Of({"m"}));
}

TEST_F(RecordedHashesOfAStep, AreUnknownElsewhereAndOfAnythingElseInTheEnvironment) {
    for (const char* text : {"", "[", "{}", "[1, 2]", R"(["records/sub-1/segment.json"])",
                             R"([["records/sub-1/motion.json"]])"}) {
        ::setenv(variable_.c_str(), text, 1);
        EXPECT_EQ(RecordedHashes::ofThisProcess().of("m/field").size(), 64U) << text;
    }
    ::unsetenv(variable_.c_str());
    EXPECT_EQ(RecordedHashes::ofThisProcess().of("m/field").size(), 64U);
}

} // namespace
} // namespace systole
