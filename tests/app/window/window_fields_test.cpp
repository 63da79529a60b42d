// Fields of another program in the window: shown and measured in place of estimated motion.
#include "app/feature/panel.h"
#include "app/features/cardiac/cardiac_tool.h"
#include "app/features/fields/fields_tool.h"
#include "tests/app/window/window_fixture.h"

#include <gmock/gmock.h>
#include <nlohmann/json.hpp>

namespace systole {
namespace {

using ::testing::HasSubstr;

class FieldsPanelTest : public testing::WindowTest {
protected:
    void SetUp() override {
        WindowTest::SetUp();
        if (IsSkipped())
            return;
        ASSERT_EQ(
            testing::run({"phantom", "-o", folder / "p", "--size", "40", "--frames", "3"}).exitCode,
            0);
        const testing::Outcome motion =
            testing::run({"motion", folder / "p/sequence.nii.gz", "-o", folder / "m", "--reference",
                          "first", "--backend", "cpu", "--format", "mha"});
        ASSERT_EQ(motion.exitCode, 0) << motion.errors;
        openPanels(window->panels(), {fieldsTitle});
        session().motion.setBackend(Backend::Cpu);
        openAndShow(folder / "p/sequence.nii.gz");
        session().playback.pause();
    }
    Session& session() { return window->session(); }
    FieldsTool& fields() { return window->tools().get<FieldsTool>(); }
    std::string text() { return findPanel(window->panels(), fieldsTitle).text(session()); }
    std::vector<std::string> made() {
        return {folder / "m/displacement_0001.mha", folder / "m/displacement_0002.mha"};
    }
    void read() {
        window->refresh();
        ASSERT_TRUE(becomes([&] {
            return !fields().unfinished() && (fields().reading() || !fields().failure.empty());
        }));
    }
    void seek(int frame) {
        session().playback.seek(frame);
        window->refresh();
        ASSERT_TRUE(becomes([&] { return session().shownFrame == frame; }));
    }
};

TEST_F(FieldsPanelTest, AreShownAndMeasuredInPlaceOfEstimatedMotion) {
    fields().files = made();
    ASSERT_NO_FATAL_FAILURE(read());
    ASSERT_EQ(fields().failure, "");
    EXPECT_STREQ(fields().reading()->convention->name, "lps");
    EXPECT_THAT(text(), HasSubstr("proved by the images"));
    for (const int frame : {1, 2, 0}) {
        ASSERT_NO_FATAL_FAILURE(seek(frame));
        ASSERT_TRUE(
            becomes([&] { return session().result && session().result->pictureFrame() == frame; }));
        EXPECT_EQ(session().result->fixedFrame, 0);
        EXPECT_EQ(window->scene().motionNotes().left, "");
    }
    // The panel measures the fields as the command does.
    auto& cardiac = window->tools().get<CardiacTool>();
    cardiac.openFile(folder / "p/labels.nii.gz");
    window->refresh();
    ASSERT_TRUE(becomes([&] {
        return !cardiac.failure.empty() || (!cardiac.unfinished() && cardiac.outcome() &&
                                            cardiac.outcome()->motion.frame.size() == 3);
    }));
    ASSERT_EQ(cardiac.failure, "");
    std::vector<std::string> command{"strain"};
    for (const std::string& file : made())
        command.push_back(file);
    for (const std::string& word :
         {std::string("--labels"), folder / "p/labels.nii.gz", std::string("-o"), folder / "s"})
        command.push_back(word);
    ASSERT_EQ(testing::run(command).exitCode, 0);
    const auto summary = nlohmann::json::parse(testing::readText(folder / "s/summary.json"));
    EXPECT_NEAR(summary["global"]["circumferential"]["peak_percent"].get<double>(),
                100 * cardiac.outcome()->summary.global[1].peak, 1e-3);
    // The motion is estimated if there are no fields.
    fields().remove();
    window->refresh();
    ASSERT_TRUE(becomes([&] {
        return session().result && session().result->movingFrame == session().shownFrame + 1;
    }));
}

TEST_F(FieldsPanelTest, AWrongConventionIsRefusedWithItsNumbers) {
    fields().files = made();
    fields().convention = "ras";
    ASSERT_NO_FATAL_FAILURE(read());
    EXPECT_THAT(fields().failure, HasSubstr("isn't what the convention ras says"));
    EXPECT_THAT(fields().failure, HasSubstr("correlat"));
    EXPECT_EQ(fields().reading(), nullptr);
    // Another one is taken at once; one field less waits for the rest.
    fields().convention = "lps";
    ASSERT_NO_FATAL_FAILURE(read());
    EXPECT_EQ(fields().failure, "");
    fields().files.pop_back();
    window->refresh();
    EXPECT_EQ(fields().reading(), nullptr);
    EXPECT_FALSE(fields().unfinished());
    fields().files = made();
    fields().files.push_back(made().front());
    ASSERT_NO_FATAL_FAILURE(read());
    EXPECT_THAT(fields().failure, HasSubstr("has 3 frames and needs 2 fields"));
}

} // namespace
} // namespace systole
