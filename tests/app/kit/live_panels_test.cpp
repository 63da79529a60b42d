// Texts of panels, from records made up by hand.
#include "app/feature/panel.h"
#include "app/feature/tools.h"
#include "app/features/bias/bias_tool.h"
#include "app/features/cardiac/bulls_eye.h"
#include "app/features/laboratory/laboratory_tool.h"
#include "app/features/registration/value_colors.h"
#include "app/kit/kernel_figures.h"
#include "app/kit/map_slice.h"
#include "app/kit/treemap.h"
#include "app/session/memory_report.h"
#include "app/session/session.h"
#include "compute/model/prediction.h"
#include "compute/motion/methods.h"
#include "render/overlays/rows.h"
#include "render/overlays/surface_colors.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

namespace systole {
namespace {

using ::testing::HasSubstr;

TEST(ViewPanel, CopiesEveryOptionOfTheDisplay) {
    Session session;
    session.figures.activePreset = "mr";
    setOption(session.display, "arrow-spacing", 7.5);
    Session none;
    const Tools tools(none);
    Panels panels = makePanels(tools);
    const std::string text = findPanel(panels, "View").text(session);
    for (const DisplayRow& row : displayRows())
        EXPECT_THAT("\n" + text, HasSubstr("\n" + row.param.id));
    EXPECT_THAT(text, HasSubstr("arrow-spacing mm\t7.5\n"));
    EXPECT_THAT(text, HasSubstr("preset\tauto (mr)\n"));
    EXPECT_THAT(text, HasSubstr("magnitude\toff\n"));
}

TEST(ViewPanel, EverySwitchStandsUnderAHeadingAndIsExplained) {
    for (const DisplayRow& row : displayRows())
        if (row.isSwitch()) {
            EXPECT_NE(std::ranges::find(switchSections, row.section), std::end(switchSections))
                << row.param.id;
            EXPECT_GT(row.param.help.size(), 10u) << row.param.id;
        }
}

TEST(Panels, WhatIsShownComesBeforeWhatIsDoneAndWhatItCosts) {
    Session none;
    const Tools tools(none);
    const Panels panels = makePanels(tools);
    EXPECT_TRUE(std::ranges::is_sorted(panels, {}, [](const auto& one) { return one->group(); }));
    EXPECT_STREQ(panels.front()->title(), "View");
    EXPECT_EQ(panelTitles().rfind("View, Motion parameters, ", 0), 0u);
}

TEST(Panels, TheWideAreaIsOfThePanelThatWasOpenedLast) {
    Session none;
    const Tools tools(none);
    Panels panels = makePanels(tools);
    EXPECT_EQ(widePanel(panels), nullptr);
    Panel &bias = findPanel(panels, "Bias"), &laboratory = findPanel(panels, "Laboratory");
    bias.open = laboratory.open = true;
    EXPECT_EQ(widePanel(panels), nullptr) << "neither has anything to show";
    tools.get<BiasTool>().status.run = 1;
    tools.get<LaboratoryTool>().asked = 1;
    for (Panel* const last : {&laboratory, &bias, &laboratory}) {
        last->open = true;
        last->opened = bias.opened + laboratory.opened + 1;
        EXPECT_EQ(widePanel(panels), last);
    }
    laboratory.open = false;
    EXPECT_EQ(widePanel(panels), &bias);
}

TEST(ColorsOfValues, AFoldedPlaceIsNoSmallDeterminant) {
    const auto text = [](RegistrationView view, double gray) {
        return valueColorsOf(view, {100, 300})->text(gray);
    };
    EXPECT_EQ(text(RegistrationView::Jacobian, 100), "|J| 0 or less, folded");
    EXPECT_EQ(text(RegistrationView::Jacobian, 200), "|J| 1.000");
    EXPECT_EQ(text(RegistrationView::LogJacobian, 100), "|J| 1/2 or less, or folded");
}

TEST(ContractionsColor, IsRedInEveryPicture) {
    const auto isRed = [](ColorMap map, double part) {
        const Color color = colorAt(map, part);
        return color.red > color.blue;
    };
    // Half of the volume is left, or the length has shrunk by a tenth.
    for (const RegistrationView view :
         {RegistrationView::Jacobian, RegistrationView::LogJacobian}) {
        const auto colors = valueColorsOf(view, {100, 300});
        const auto place = [&](double gray) {
            return (gray - colors->low) / (colors->high - colors->low);
        };
        EXPECT_TRUE(isRed(colors->scale.map, place(150)));
        EXPECT_FALSE(isRed(colors->scale.map, place(250)));
        EXPECT_EQ(colors->scale.highest, volumeContracts.name);
    }
    BufferPool pool;
    Volume map(Geometry({2, 2, 2}, {1, 1, 1}), pool, "map");
    for (const float change : {-0.1f, 0.1f}) {
        std::ranges::fill(map.voxels.span(), change);
        const RgbaImage picture = pictureOf(map, {ViewKind::Axial, 0}, 0.2);
        EXPECT_EQ(picture.at(0, 0)[0] > picture.at(0, 0)[2], change < 0) << "Bias";
    }
    for (const Deformation quantity : deformations) {
        const ColorScale scale = deformationScale(quantity, 0, false).colors;
        EXPECT_LT(std::stod(scale.ticks.back().label), std::stod(scale.ticks.front().label));
        EXPECT_TRUE(isRed(scale.map, 1));
    }
    for (const BullsEyeQuantity& quantity : bullsEyeQuantities()) {
        const double contracted = quantity.direction == 2 ? 20 : -20;
        const double place = colorPlace(quantity, rangeOf(quantity, {}), contracted);
        EXPECT_TRUE(!quantity.contraction || isRed(ColorMap::Diverging, place)) << quantity.name;
    }
}

FrameResult motionOf(int fixedFrame) {
    FrameResult result;
    result.fixedFrame = fixedFrame;
    result.movingFrame = fixedFrame + 1;
    ProfileSpan solve;
    solve.stage = "solve";
    solve.seconds = 0.1 * (fixedFrame + 1);
    result.profile.spans = {solve};
    return result;
}

TEST(TimingPanel, NamesThePairWhoseTimesItShows) {
    Session session;
    Session none;
    const Tools tools(none);
    Panels panels = makePanels(tools);
    const auto text = [&] { return findPanel(panels, "Timing").text(session); };
    EXPECT_THAT(text(), HasSubstr("motion shown\tnone\n"));
    for (const int fixed : {0, 1, 2})
        session.timing.add(timingSample(motionOf(fixed), {"solve"}, {}));
    session.result = std::make_shared<FrameResult>(motionOf(1));
    session.shownFrame = 1;
    // Paused: that of the shown motion, though another one is newer.
    EXPECT_THAT(text(), HasSubstr("motion shown\tframe 1 to 2\n"));
    EXPECT_THAT(text(),
                HasSubstr("frame 1 to 2: 200 ms, estimation 0.00 ms\nsolve\t200 ms\t100 %\n"));
    // Estimated too long ago: the newest, under its own name.
    session.result = std::make_shared<FrameResult>(motionOf(7));
    EXPECT_THAT(text(), HasSubstr("motion shown\tframe 7 to 8, over 1\n"));
    EXPECT_THAT(text(),
                HasSubstr("frame 2 to 3: 300 ms, estimation 0.00 ms\nsolve\t300 ms\t100 %\n"));
}

BufferPool::Usage usage(std::size_t used, std::size_t idle, std::size_t budget) {
    return {budget, used, idle, used + idle, {{"motion of a frame", used}}};
}

TEST(MemoryReport, TellsTheDeviceFromTheHostAndWhatNobodyNames) {
    EstimationMemory estimation;
    estimation.host = usage(10, 5, BufferPool::unlimited);
    MemoryReport hostAlone;
    hostAlone.hostTotal = 1000;
    hostAlone.add("estimation", estimation);
    hostAlone.add("never used", MemorySpace::Host, {});
    EXPECT_EQ(hostAlone.device, "");
    ASSERT_EQ(hostAlone.pools.size(), 1u);
    EXPECT_EQ(hostAlone.takenOf(MemorySpace::Host), 15u);
    EXPECT_THAT(hostAlone.text(), HasSubstr("estimation (host)\tbudget\tnone\n"));
    EXPECT_THAT(hostAlone.text(), HasSubstr("estimation (host)\tmotion of a frame\t10\n"));

    CudaDevice device;
    device.name = "made up";
    device.memoryBytes = 2000;
    estimation.device = device;
    estimation.freeBytes = 1200;
    estimation.onDevice = usage(300, 100, 900);
    estimation.pinned = usage(20, 0, 50);
    MemoryReport report = hostAlone;
    report.pools.clear();
    report.add("estimation", estimation);
    report.add("frames", MemorySpace::Device, usage(150, 0, 400));
    report.textures = {{"frames", 30}};
    EXPECT_EQ(report.otherOnDevice(), 2000u - 1200 - 400 - 150);
    report.texturesOnDevice = true;
    EXPECT_EQ(report.otherOnDevice(), 2000u - 1200 - 400 - 150 - 30);
    ASSERT_EQ(report.pools.size(), 4u);
    EXPECT_EQ(report.pools[0].space, MemorySpace::Device);
    EXPECT_EQ(report.pools[0].owner, "estimation");
    EXPECT_EQ(report.pools[1].owner, "frames");
    EXPECT_EQ(report.pools[2].space, MemorySpace::Pinned);
    const std::string text = report.text();
    EXPECT_THAT(text, HasSubstr("device\tmade up\ntotal bytes\t2000\nfree bytes\t1200\n"
                                "other bytes\t220\n"));
    EXPECT_THAT(text, HasSubstr("estimation (device)\tidle\t100\n"));
    EXPECT_THAT(text, HasSubstr("estimation (pinned)\tbudget\t50\n"));
    EXPECT_THAT(text, HasSubstr("OpenGL textures (device)\tframes\t30\n"));
    // Figures of the driver and of the pools are of two moments.
    report.deviceFree = 1990;
    EXPECT_EQ(report.otherOnDevice(), 0u);

    Session session;
    session.memory = report;
    Session none;
    const Tools tools(none);
    Panels panels = makePanels(tools);
    EXPECT_EQ(findPanel(panels, "Memory").text(session), report.text());
}

TEST(MemoryPanel, ItsBarShowsWhatIsTaken) {
    EXPECT_EQ(zoomedLength(250 << 20, std::size_t{23} << 30), std::size_t{512} << 20);
    EXPECT_EQ(zoomedLength(std::size_t{12} << 30, std::size_t{23} << 30), std::size_t{23} << 30);
    EXPECT_EQ(zoomedLength(0, 1000), 1000u);
    EXPECT_EQ(zoomedLength(1, 16), 2u);
    EXPECT_EQ(zoomedLength(2, 16), 16u) << "an eighth";
    for (std::size_t taken = 1; taken < 5000; ++taken) {
        EXPECT_GE(zoomedLength(taken, 5000), taken);
        EXPECT_LE(zoomedLength(taken, 5000), 5000u);
        EXPECT_GE(8 * taken, zoomedLength(taken, 5000)) << "an eighth of the bar at least";
    }
}

TEST(Panels, AreFoundByTheirFormerTitles) {
    Session none;
    const Tools tools(none);
    Panels panels = makePanels(tools);
    EXPECT_STREQ(findPanel(panels, "Device memory").title(), "Memory");
}

TEST(Treemap, IsTheOneOfThePaper) {
    // Bruls, Huizing and van Wijk, figure 5: 6, 6, 4, 3, 2, 2, 1 in a rectangle of 6 by 4.
    const std::vector<double> sizes{6, 6, 4, 3, 2, 2, 1};
    const std::vector<Tile> tiles = treemap(sizes, 6, 4);
    ASSERT_EQ(tiles.size(), sizes.size());
    const auto isAt = [&](std::size_t i, double x, double y, double width, double height) {
        EXPECT_NEAR(tiles[i].x, x, 1e-12) << i;
        EXPECT_NEAR(tiles[i].y, y, 1e-12) << i;
        EXPECT_NEAR(tiles[i].width, width, 1e-12) << i;
        EXPECT_NEAR(tiles[i].height, height, 1e-12) << i;
    };
    isAt(0, 0, 0, 3, 2);
    isAt(1, 0, 2, 3, 2);
    isAt(2, 3, 0, 12 / 7.0, 7 / 3.0);
    isAt(3, 3 + 12 / 7.0, 0, 9 / 7.0, 7 / 3.0);
    isAt(4, 3, 7 / 3.0, 1.2, 5 / 3.0);
    double area = 0;
    for (const Tile& tile : tiles) {
        area += tile.width * tile.height;
        EXPECT_LE(tile.x + tile.width, 6 + 1e-9);
        EXPECT_LE(tile.y + tile.height, 4 + 1e-9);
    }
    EXPECT_NEAR(area, 24, 1e-9);
}

TEST(Treemap, TakesSizesOfAnyRatio) {
    EXPECT_TRUE(treemap({}, 10, 10).empty());
    const std::vector<double> sizes{1e12, 1e9, 1, 1, 1e-3};
    for (const Tile& tile : treemap(sizes, 288, 132)) {
        EXPECT_TRUE(std::isfinite(tile.x + tile.y + tile.width + tile.height));
        EXPECT_GE(tile.width, 0);
        EXPECT_GE(tile.height, 0);
    }
}

} // namespace
} // namespace systole
