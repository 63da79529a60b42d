// Texts of panels at the column's width: nothing covers or cuts them.
#include "app/estimation/registration_methods.h"
#include "app/features/segmentation/segmentation_parts.h"
#include "app/kit/imgui_layer.h"
#include "app/kit/panel_style.h"
#include "app/kit/tool_widgets.h"
#include "app/task/task.h"
#include "compute/motion/methods.h"
#include "tests/app/window/cut_texts.h"
#include "tests/app/window/window_fixture.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <string>
#include <vector>

namespace systole {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;

/// A column of panels without a window.
class ColumnTexts : public ::testing::Test {
protected:
    ColumnTexts() : context_(ImGui::CreateContext()) {
        ImGui::SetCurrentContext(context_);
        applyPanelStyle();
        addPanelFont(1);
        ImGuiIO& io = ImGui::GetIO();
        io.IniFilename = nullptr;
        io.DisplaySize = {ImGuiLayer::columnWidth, 4000};
        unsigned char* pixels = nullptr;
        int width = 0, height = 0;
        io.Fonts->GetTexDataAsAlpha8(&pixels, &width, &height);
    }
    ~ColumnTexts() override { ImGui::DestroyContext(context_); }

    std::vector<std::string> cutIn(const std::function<void()>& content) {
        for (int frame = 0; frame < 2; ++frame) { // tables know their widths after the first
            ImGui::NewFrame();
            ImGui::SetNextWindowPos({0, 0});
            ImGui::SetNextWindowSize({ImGuiLayer::columnWidth, 4000});
            ImGui::Begin("column", nullptr, ImGuiWindowFlags_NoDecoration);
            content();
            ImGui::End();
            ImGui::Render();
        }
        return testing::cutTexts(*ImGui::GetDrawData());
    }

private:
    ImGuiContext* context_;
};

TEST_F(ColumnTexts, ACoveredLabelIsFound) {
    const auto cut = cutIn([] {
        ImGui::TextUnformatted("pyramid levels");
        ImGui::SameLine(60);
        ImGui::Button("over it");
    });
    EXPECT_FALSE(cut.empty());
    EXPECT_THAT(cutIn([] { ImGui::TextUnformatted(std::string(60, 'w').c_str()); }),
                ::testing::Contains(HasSubstr("cut by the edge")));
    EXPECT_THAT(cutIn([] {
                    ImGui::TextUnformatted("pyramid levels");
                    ImGui::Button("below it");
                }),
                IsEmpty());
}

TEST_F(ColumnTexts, ParametersOfEveryMethodHaveRoomInATree) {
    std::vector<MotionMethod> methods = motionMethods();
    for (const MotionMethod& method : registrationMethods())
        methods.push_back(method);
    for (const MotionMethod& method : methods) {
        const ParamSet values(*method.parameters);
        const auto cut = cutIn([&] {
            ImGui::SetNextItemOpen(true);
            parameterTree(values, true, [](const std::string&, ParamValue) {});
        });
        EXPECT_THAT(cut, IsEmpty()) << method.name;
        EXPECT_GT(ImGui::GetDrawData()->TotalVtxCount, 300) << "the branch is open";
    }
}

TEST_F(ColumnTexts, ParametersOfEveryTaskHaveRoom) {
    for (const Task& task : tasks()) {
        if (!task.parameters)
            continue;
        ParamSet values(*task.parameters);
        EXPECT_THAT(cutIn([&] { parameterRows(values); }), IsEmpty()) << task.name;
    }
}

/// How far apart two colors are for the eye, as the web's guidelines count it: 1 to 21.
double contrastOf(const ImVec4& a, const ImVec4& b) {
    const auto linear = [](float part) {
        return part <= 0.04045f ? part / 12.92 : std::pow((part + 0.055) / 1.055, 2.4);
    };
    const auto light = [&](const ImVec4& c) {
        return 0.05 + 0.2126 * linear(c.x) + 0.7152 * linear(c.y) + 0.0722 * linear(c.z);
    };
    return std::max(light(a), light(b)) / std::min(light(a), light(b));
}

TEST_F(ColumnTexts, WordsOnABarAreReadableOnBothOfItsPartsAndFit) {
    const ImVec4 words = ImGui::GetStyleColorVec4(ImGuiCol_Text);
    for (const ImGuiCol ground : {ImGuiCol_PlotHistogram, ImGuiCol_FrameBg})
        EXPECT_GT(contrastOf(words, ImGui::GetStyleColorVec4(ground)), 4.5);
    for (const double fraction : {0.0, 0.5, 1.0})
        EXPECT_THAT(cutIn([&] {
                        progressBar(fraction);
                        progressBar(fraction, -64, "frame 12 of 30: " + std::string(60, 'w'));
                    }),
                    IsEmpty());
}

TEST_F(ColumnTexts, TheComparisonOfManyFramesHasRoomBesideItsScrollBar) {
    for (const int frames : {3, 30})
        EXPECT_THAT(cutIn([&] {
                        ASSERT_TRUE(beginAgreementTable(frames));
                        for (int frame = 0; frame < frames; ++frame) {
                            ImGui::TableNextRow();
                            for (const char* cell : {"29", "0.912", "+12.3", "0.881", "-10.4"}) {
                                ImGui::TableNextColumn();
                                textRight(cell, plainColor());
                            }
                        }
                        ImGui::EndTable();
                    }),
                    IsEmpty())
            << frames;
}

TEST_F(ColumnTexts, LongChoicesAreShortened) {
    const std::string text = "a choice that is much longer than its list is wide, indeed";
    EXPECT_THAT(cutIn([&] {
                    choiceRow(
                        "label", text, std::vector{text}, [](const std::string& t) { return t; },
                        [](const std::string&) {});
                }),
                IsEmpty());
}

TEST(Sliders, ANumberStandsBesideItsKnob) {
    const ImVec2 frame{100, 200};
    EXPECT_EQ(besideKnob(frame, {102, 110}, 40), 130) << "in the middle";
    for (float knob = 102; knob <= 190; ++knob)
        for (const float text : {20.0f, 36.0f}) {
            const float x = besideKnob(frame, {knob, knob + 8}, text);
            EXPECT_TRUE(x + text <= knob || x >= knob + 8) << knob;
            EXPECT_GE(x, frame.x);
            EXPECT_LE(x + text, frame.y);
        }
    EXPECT_EQ(besideKnob(frame, {146, 154}, 96), 102) << "too long for either side";
}

class PanelTexts : public testing::WindowTest {};

TEST_F(PanelTexts, NothingCoversThoseOfAnyPanel) {
    openAndShow(path);
    pauseAt(1);
    for (const auto& panel : window->panels()) {
        openPanels(window->panels(), {panel->title()});
        window->viewport().arrange();
        window->refresh();
        settle();
        drawPanels();
        EXPECT_THAT(testing::cutTexts(*ImGui::GetDrawData()), IsEmpty()) << panel->title();
    }
    for (const MotionMethod& method : motionMethods()) {
        window->session().motion.choose(method);
        openPanels(window->panels(), {"Motion parameters"});
        window->refresh();
        drawPanels();
        EXPECT_THAT(testing::cutTexts(*ImGui::GetDrawData()), IsEmpty()) << method.name;
    }
    window->session().motion.choose(motionMethods().front());
    window->session().display.layout = Layout::SideBySide;
    openPanels(window->panels(), {"Side by side"});
    window->refresh();
    settle();
    drawPanels();
    EXPECT_THAT(testing::cutTexts(*ImGui::GetDrawData()), IsEmpty());
}

} // namespace
} // namespace systole
