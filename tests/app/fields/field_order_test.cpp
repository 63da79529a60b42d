// The order of fields by the run.json beside them.
#include "app/fields/field_order.h"
#include "io/base/error.h"
#include "tests/support/program.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace systole {
namespace {

using ::testing::ElementsAre;
using testing::TemporaryFolder;
using testing::writeText;

/// Frames 0 to 2 and back, as `systole motion --lagrangian --close-cycle` records them.
class FieldOrder : public ::testing::Test {
protected:
    void SetUp() override {
        writeText(folder_ / "run.json", R"({"fields": [
            {"file": "displacement_0001.mha", "kind": "displacement", "fixed": 0, "moving": 1},
            {"file": "lagrangian_0001.mha", "kind": "lagrangian", "fixed": 0, "moving": 1},
            {"file": "displacement_0002.mha", "kind": "displacement", "fixed": 1, "moving": 2},
            {"file": "lagrangian_0002.mha", "kind": "lagrangian", "fixed": 0, "moving": 2},
            {"file": "lagrangian_0000.mha", "kind": "lagrangian", "fixed": 0, "moving": 0}]})");
    }
    std::string of(const char* name) const { return folder_ / name; }
    void expectSinceTheFirst(const OrderedFields& ordered) const {
        EXPECT_THAT(ordered.files,
                    ElementsAre(of("lagrangian_0001.mha"), of("lagrangian_0002.mha")));
        EXPECT_THAT(ordered.frames, ElementsAre(1, 2));
        EXPECT_EQ(ordered.around, of("lagrangian_0000.mha"));
    }
    TemporaryFolder folder_;
};

TEST_F(FieldOrder, FollowsTheFramesOfTheRecordAndNotTheNames) {
    expectSinceTheFirst(inOrderOfFrames(
        {of("lagrangian_0000.mha"), of("lagrangian_0002.mha"), of("lagrangian_0001.mha")}));
    expectSinceTheFirst(inOrderOfFrames({folder_.path().string()}));
}

TEST_F(FieldOrder, FilesThatNoRecordListsAreAsGiven) {
    const OrderedFields given = inOrderOfFrames({of("b.mha"), of("a.mha")});
    EXPECT_THAT(given.files, ElementsAre(of("b.mha"), of("a.mha")));
    EXPECT_TRUE(given.frames.empty());
}

TEST_F(FieldOrder, FilesOfAShellsPatternFollowTheirNumbers) {
    const OrderedFields ordered = inOrderOfFrames({of("f1.mha"), of("f10.mha"), of("f2.mha")});
    EXPECT_THAT(ordered.files, ElementsAre(of("f1.mha"), of("f2.mha"), of("f10.mha")));
    EXPECT_NE(ordered.note, "");
}

TEST_F(FieldOrder, ARecordOfAnotherMeaningIsNotLeftOut) {
    writeText(of("run.json"), R"({"frame_of_reference": "RAS", "fields": [
        {"file": "lagrangian_0001.mha", "kind": "lagrangian", "fixed": 0, "moving": 1}]})");
    EXPECT_THROW(inOrderOfFrames({of("lagrangian_0001.mha")}), FileError);
}

TEST_F(FieldOrder, StepsAndFoldersWithoutARecordAreRefused) {
    EXPECT_THROW(inOrderOfFrames({of("lagrangian_0001.mha"), of("displacement_0002.mha")}),
                 FileError);
    EXPECT_THROW(inOrderOfFrames({of("lagrangian_0001.mha"), of("displacement_0001.mha")}),
                 FileError);
    writeText(of("run.json"), "{}");
    EXPECT_THROW(inOrderOfFrames({folder_.path().string()}), FileError);
}

} // namespace
} // namespace systole
