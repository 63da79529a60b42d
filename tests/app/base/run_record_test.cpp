// The run.json of a folder of fields, whole and damaged.
#include "app/base/run_record.h"
#include "io/base/error.h"
#include "tests/support/program.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>

namespace systole {
namespace {

using ::testing::HasSubstr;

class RunRecord : public ::testing::Test {
protected:
    /// Message of the reader about this record.
    std::string complaint(const std::string& record) const {
        testing::writeText(folder_ / "run.json", record);
        return complaintOf(folder_.path().string());
    }
    static std::string complaintOf(const std::string& folder) {
        try {
            recordedFields(folder);
        } catch (const FileError& error) {
            return error.what();
        }
        return "";
    }
    static std::string field(const std::string& file, const std::string& moving) {
        return R"({"fields": [{"file": )" + file +
               R"(, "kind": "displacement", "fixed": 0, "moving": )" + moving + "}]}";
    }
    testing::TemporaryFolder folder_;
};

TEST_F(RunRecord, ListsFieldsWithTheirTimes) {
    testing::writeText(folder_ / "run.json", R"({"fields": [
        {"file": "a.mha", "kind": "displacement", "fixed": 2, "moving": 3,
         "fixed_time_ms": 80, "moving_time_ms": 120},
        {"file": "b.mha", "kind": "lagrangian", "fixed": 0, "moving": 3,
         "fixed_time_ms": null, "moving_time_ms": 120}]})");
    const std::vector<RecordedField> fields = recordedFields(folder_.path().string());
    ASSERT_EQ(fields.size(), 2u);
    EXPECT_EQ(fields[0].file, "a.mha");
    EXPECT_EQ(fields[0].fixed, 2);
    EXPECT_EQ(fields[0].moving, 3);
    EXPECT_DOUBLE_EQ(fields[0].seconds, 0.04);
    EXPECT_EQ(fields[1].kind, "lagrangian");
    EXPECT_TRUE(std::isnan(fields[1].seconds));
}

TEST_F(RunRecord, WhatIsDamagedIsRefused) {
    EXPECT_EQ(complaint(field("\"a.mha\"", "1")), "");
    for (const char* moving : {"-1", "1.5", "true", "null", "\"1\"", "1e300", "4294967297"})
        EXPECT_THAT(complaint(field("\"a.mha\"", moving)),
                    HasSubstr("run.json: expected the list of fields"))
            << moving;
    for (const char* record : {"", "x", "[]", "{}", R"({"fields": 5})", R"({"fields": [5]})"})
        EXPECT_THAT(complaint(record), HasSubstr("run.json: expected the list of fields"))
            << record;
    for (const char* name :
         {"\"../a.mha\"", "\"/a.mha\"", "\"..\"", "\".\"", "\"\"", "\"a.mha\\u0000\""})
        EXPECT_THAT(complaint(field(name, "1")), HasSubstr("is no name of a field")) << name;
    EXPECT_THAT(complaint(R"({"fields": []})"), HasSubstr("run.json: lists no field"));
}

TEST_F(RunRecord, FieldsInAnotherFrameUnitOrDirectionAreRefused) {
    const auto record = [](const std::string& ofAll, const std::string& ofField) {
        return "{" + ofAll + R"("fields": [{"file": "a.mha", "kind": "displacement", )" + ofField +
               R"("fixed": 0, "moving": 1}]})";
    };
    EXPECT_EQ(complaint(record(R"("frame_of_reference": "LPS", "units": "mm", )",
                               R"("direction": "fixed to moving", )")),
              "");
    for (const char* ofAll : {R"("frame_of_reference": "RAS", )", R"("frame_of_reference": 0, )",
                              R"("units": "voxels", )", R"("units": "cm", )", R"("units": null, )"})
        EXPECT_THAT(complaint(record(ofAll, "")), HasSubstr("is what 'systole motion' writes"))
            << ofAll;
    for (const char* direction : {"\"moving to fixed\"", "\"\"", "1", "[]"})
        EXPECT_THAT(complaint(record("", R"("direction": )" + std::string(direction) + ", ")),
                    HasSubstr("direction"))
            << direction;
    // Unlike a record that is none, it counts beside files that are named.
    EXPECT_THROW(recordedFields(folder_.path().string()), UnknownMeaning);
}

TEST_F(RunRecord, WhatIsNoFolderOfARunIsSaid) {
    EXPECT_THAT(complaintOf(folder_ / "none"), HasSubstr("none: there is no such file or folder"));
    EXPECT_THAT(complaintOf(folder_.path().string()), HasSubstr("has no run.json"));
    testing::writeText(folder_ / "file", "");
    EXPECT_THAT(complaintOf(folder_ / "file"), HasSubstr("file: has no run.json"));
}

} // namespace
} // namespace systole
