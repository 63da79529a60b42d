// The Register panel in the window.
#include "app/estimation/registration_methods.h"
#include "app/feature/panel.h"
#include "app/features/registration/registration_tool.h"
#include "tests/app/window/window_fixture.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <set>
#include <string>
#include <vector>

namespace systole {
namespace {

using ::testing::HasSubstr;

class RegisterPanelTest : public testing::WindowTest {
protected:
    Panel& show() {
        Panel& panel = openPanels(window->panels(), {"Register"});
        window->viewport().arrange();
        window->refresh();
        return panel;
    }
    RegistrationTool& registration() { return window->tools().get<RegistrationTool>(); }
    /// Runs it to its end.
    void runToTheEnd(const std::string& method, bool affineFirst = false) {
        const auto& methods = registrationMethods();
        const auto found = std::ranges::find(methods, method, &MotionMethod::name);
        ASSERT_NE(found, methods.end());
        registration().choose(*found);
        registration().affineFirst = affineFirst;
        registration().choice.setBackend(Backend::Cpu);
        registration().fixedFrame = 1;
        registration().movingFrame = 4;
        registration().start();
        window->refresh();
        ASSERT_TRUE(becomes([&] {
            const RegistrationTool& now = registration();
            return !now.unfinished() && now.status.name.ends_with(method) &&
                   (!now.status.failure.empty() ||
                    (now.picture && now.picture->number == now.status.best && now.figures &&
                     now.figures->number == now.status.best));
        }));
    }
    void registerWith(const std::string& method, bool affineFirst = false) {
        runToTheEnd(method, affineFirst);
        EXPECT_EQ(registration().status.failure, "");
        settle();
    }
};

TEST_F(RegisterPanelTest, EveryMethodBringsTheImagesCloserAndFillsTheCurves) {
    openAndShow(path);
    pauseAt(1);
    Panel& panel = show();
    for (const MotionMethod& method : registrationMethods()) {
        SCOPED_TRACE(method.name);
        if (method.name == "landmarks") { // smooth balls have no corners, and the panel says so
            runToTheEnd(method.name);
            EXPECT_THAT(registration().status.failure, HasSubstr("corners"));
            continue;
        }
        registerWith(method.name);
        EXPECT_GT(registration().status.points.size(), 1u);
        const double after = registration().figures->figures->correlation;
        const QImage last = picture();
        registration().iteration = 1;
        window->refresh();
        ASSERT_TRUE(becomes([&] { return registration().figures->number == 1; }));
        settle();
        if (method.name != "affine") { // which finds nothing to do: only the balls' sizes differ
            EXPECT_GT(after, 0.95);
            EXPECT_GT(after, registration().figures->figures->correlation);
            EXPECT_GT(differingPixels(last, picture()), 20);
        }
        EXPECT_THAT(
            panel.text(window->session()),
            HasSubstr(method.name +
                      "\nnumber\tpart\tlevel\titeration\tenergy\tpenalty\tsmallest |J|\n1\t"));
    }
    EXPECT_EQ(message(), "");
}

TEST_F(RegisterPanelTest, EachViewIsAPictureOfItsOwn) {
    openAndShow(path);
    pauseAt(1);
    show();
    window->session().display.layout = Layout::ThreeSlices;
    registerWith("demons");
    std::set<std::string> seen;
    for (const RegistrationView view : registrationViews) {
        if (view == RegistrationView::Flicker)
            continue;
        registration().view = view;
        registration().picture.reset();
        window->refresh();
        ASSERT_TRUE(becomes([&] { return registration().picture != nullptr; }));
        settle();
        const QImage shown = picture();
        seen.insert(std::string(reinterpret_cast<const char*>(shown.constBits()),
                                static_cast<std::size_t>(shown.sizeInBytes())));
    }
    EXPECT_EQ(seen.size(), std::size(registrationViews) - 1);
    // Flicker shows one after the other by itself: a picture comes back after another one.
    registration().view = RegistrationView::Flicker;
    window->refresh();
    std::vector<QImage> distinct;
    std::size_t last = 0;
    EXPECT_TRUE(becomes([&] {
        const QImage now = picture();
        const auto found = std::ranges::find(distinct, now);
        const auto index = static_cast<std::size_t>(found - distinct.begin());
        if (found == distinct.end())
            distinct.push_back(now);
        const bool cameBack = index < last;
        last = index;
        return cameBack;
    }));
}

TEST_F(RegisterPanelTest, AFinishedOneHasTheFiguresOfTheRecordAndCanBeSaved) {
    openAndShow(path);
    pauseAt(1);
    Panel& panel = show();
    EXPECT_NE(registration().whyNotSaved(), "");
    registerWith("demons");
    ASSERT_TRUE(registration().status.measures);
    const RegistrationMeasures& measures = *registration().status.measures;
    EXPECT_GT(measures.after.correlation, measures.before.correlation);
    EXPECT_NEAR(registration().figures->figures->correlation, measures.after.correlation, 1e-6)
        << "one figure for the picture and the outcome";
    EXPECT_THAT(panel.text(window->session()), HasSubstr("NCC "));
    EXPECT_EQ(registration().whyNotSaved(), "");
    EXPECT_THAT(registration().whyNoTransform(), HasSubstr("the field is its transform"));
}

TEST_F(RegisterPanelTest, ValuesThatAreNoGrayValuesHaveColorsAndAMeaningUnderThePointer) {
    openAndShow(path);
    pauseAt(1);
    show();
    window->session().display.layout = Layout::ThreeSlices;
    registerWith("demons");
    registration().view = RegistrationView::Jacobian;
    registration().picture.reset();
    window->refresh();
    ASSERT_TRUE(becomes([&] { return registration().picture != nullptr; }));
    settle();
    const SceneContribution scene = window->tools().contribution();
    ASSERT_TRUE(scene.picture && scene.picture->values);
    const ValueColors& colors = *scene.picture->values.colors;
    EXPECT_EQ(colors.scale.map, ColorMap::Diverging);
    EXPECT_EQ(colors.text((colors.low + colors.high) / 2), "|J| 1.000");
    EXPECT_EQ(scene.picture->volume->voxels.data(),
              registration().figures->figures->motion->fixed->voxels.data())
        << "over the fixed image";
    registration().view = RegistrationView::Warped;
    registration().picture.reset();
    window->refresh();
    ASSERT_TRUE(becomes([&] { return registration().picture != nullptr; }));
    EXPECT_FALSE(window->tools().contribution().picture->values);
}

} // namespace
} // namespace systole
