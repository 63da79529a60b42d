// The Cardiac panel in the window: a phantom with exact labels, its numbers beside the command's.
#include "app/features/cardiac/strain_doubts.h"
#include "app/features/cardiac/strain_table.h"
#include "compute/cardiac/aha.h"
#include "render/overlays/rows.h"
#include "tests/app/window/window_cardiac_fixture.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

namespace systole {
namespace {

using ::testing::HasSubstr;

using CardiacPanelTest = testing::CardiacPanelTest;

TEST_F(CardiacPanelTest, NumbersAreTheCommands) {
    ASSERT_NO_FATAL_FAILURE(measure());
    const testing::Outcome motion =
        testing::run({"motion", folder / "p/sequence.nii.gz", "-o", folder / "m", "--reference",
                      "first", "--backend", "cpu"});
    ASSERT_EQ(motion.exitCode, 0) << motion.errors;
    const testing::Outcome strain = testing::run(
        {"strain", folder / "m", "--labels", folder / "p/labels.nii.gz", "-o", folder / "s"});
    ASSERT_EQ(strain.exitCode, 0) << strain.errors;
    EXPECT_EQ(segmentsCsv(*cardiac().outcome(), cardiac().model()),
              testing::readText(folder / "s/segments.csv"));
    EXPECT_EQ(curvesCsv(*cardiac().outcome()), testing::readText(folder / "s/curves.csv"));
    EXPECT_THAT(text(), HasSubstr("not for diagnosis"));
}

TEST_F(CardiacPanelTest, StrainCountsFromTheFrameMarkedAsEndDiastole) {
    ASSERT_NO_FATAL_FAILURE(measure());
    session().marks.endDiastole = 3;
    window->refresh();
    ASSERT_TRUE(becomes([&] { return cardiac().outcome()->motion.frame.front() == 3; }));
    EXPECT_EQ(cardiac().outcome()->motion.frame, (std::vector<int>{3, 0, 1, 2}));
    EXPECT_EQ(cardiac().placeOf(0), 1u);
    EXPECT_EQ(cardiac().placeOf(3), 0u);
    const std::string table = segmentsCsv(*cardiac().outcome(), cardiac().model());
    const testing::Outcome motion =
        testing::run({"motion", folder / "p/sequence.nii.gz", "-o", folder / "m", "--reference",
                      "first", "--backend", "cpu"});
    ASSERT_EQ(motion.exitCode, 0) << motion.errors;
    const testing::Outcome strain =
        testing::run({"strain", folder / "m", "--labels", folder / "p/labels.nii.gz", "-o",
                      folder / "s", "--end-diastole", "3"});
    ASSERT_EQ(strain.exitCode, 0) << strain.errors;
    EXPECT_EQ(table, testing::readText(folder / "s/segments.csv"));
    session().marks.endDiastole.reset();
    window->refresh();
    EXPECT_TRUE(becomes([&] { return cardiac().outcome()->motion.frame.front() == 0; }));
    cardiac().parameters.set("end-diastole", 2); // as --cardiac-set does
    cardiac().markAsNamed();
    EXPECT_EQ(session().marks.endDiastole, 2);
}

TEST_F(CardiacPanelTest, AClickOnASegmentLightsUpItsPlace) {
    ASSERT_NO_FATAL_FAILURE(measure());
    EXPECT_EQ(cardiac().selected(), 0);
    const QRect disc = discIn(window->viewport().grabFramebuffer());
    ASSERT_GT(disc.width(), 150);
    ASSERT_NEAR(disc.width(), disc.height(), 4);
    const double radius = disc.width() / 2.0;
    const QPoint lateral = disc.center() + QPoint(static_cast<int>(0.85 * 0.87 * radius),
                                                  static_cast<int>(-0.85 * 0.5 * radius));
    QTest::mouseMove(&window->viewport(), lateral);
    drawPanels();
    QTest::mouseClick(&window->viewport(), Qt::LeftButton, Qt::NoModifier, lateral);
    ASSERT_TRUE(becomes([&] { return cardiac().selected() == 6; })); // basal anterolateral
    settle();
    const QImage lit = picture();
    // The slices go through it: its voxels around the crosshair are those of the segment.
    SceneContribution scene;
    cardiac().show(scene);
    ASSERT_TRUE(scene.surface);
    const cardiac::Ventricle& ventricle = *cardiac().outcome()->ventricle;
    for (const auto& p : scene.surface->mesh->points) {
        const Vec3 at{p[0], p[1], p[2]};
        EXPECT_GT(ventricle.axis().share(at), 0.55);
    }
    EXPECT_EQ(cardiac::segmentAt(ventricle, session().figures.crosshair, cardiac().model()), 6);
    cardiac().select(0);
    window->refresh();
    settle();
    EXPECT_GT(differingPixels(lit, picture()), 500);
}

TEST_F(CardiacPanelTest, ALowWindowShowsTheWholeBullsEyeAndItStaysWhileItIsMeasuredAgain) {
    ASSERT_NO_FATAL_FAILURE(measure());
    window->resize(900, 600);
    openPanels(window->panels(), {"Cardiac"});
    window->refresh();
    ASSERT_TRUE(becomes([&] { return window->width() == 900; }));
    settle();
    const QRect disc = discIn(window->viewport().grabFramebuffer());
    ASSERT_GT(disc.width(), 150);
    EXPECT_NEAR(disc.width(), disc.height(), 4);
    EXPECT_LT(disc.bottom(), window->viewport().height() - 20);
    cardiac().parameters.set("segments", std::string("16"));
    window->refresh();
    const auto isMeasured = [&] { return cardiac().model() == cardiac::AhaModel::Sixteen; };
    ASSERT_TRUE(becomes([&] { return cardiac().busy() || isMeasured(); }));
    drawPanels();
    EXPECT_NEAR(discIn(window->viewport().grabFramebuffer()).bottom(), disc.bottom(), 2);
    ASSERT_TRUE(becomes(isMeasured));
    settle();
    EXPECT_NEAR(discIn(window->viewport().grabFramebuffer()).bottom(), disc.bottom(), 2);
}

TEST_F(CardiacPanelTest, ThePanelSaysWhyEndDiastoleHasNoMapOfStrain) {
    ASSERT_NO_FATAL_FAILURE(measure());
    const auto dimPixels = [&](bool strain) { // pixels of the column's texts in half the brightness
        displayRow("strain").set(session().display, strain);
        window->refresh();
        settle();
        const QImage all = window->viewport().grabFramebuffer();
        int count = 0;
        for (int y = 0; y < all.height(); ++y)
            for (int x = all.width() - ImGuiLayer::columnWidth; x < all.width(); ++x)
                count += std::abs(qRed(all.pixel(x, y)) - 128) < 3;
        return count;
    };
    for (const int frame : {2, 0}) {
        ASSERT_NO_FATAL_FAILURE(seek(frame));
        const bool hasMap = frame > 0;
        EXPECT_EQ(whyNoStrainMap(*cardiac().outcome(), frame).empty(), hasMap);
        EXPECT_EQ(dimPixels(true) > dimPixels(false) + 50, !hasMap) << frame;
    }
}

TEST_F(CardiacPanelTest, StrainIsOnTheSlicesOfEveryFrameButTheReference) {
    ASSERT_NO_FATAL_FAILURE(measure());
    displayRow("strain").set(session().display, true);
    for (const int frame : {2, 0}) {
        ASSERT_NO_FATAL_FAILURE(seek(frame));
        SceneContribution scene;
        ASSERT_TRUE(becomes([&] {
            window->refresh();
            scene = {};
            cardiac().show(scene);
            return scene.strain && (scene.strain->motion != nullptr) == (frame > 0);
        }));
        if (frame == 0)
            continue;
        EXPECT_EQ(scene.strain->motion->movingFrame, frame);
        settle();
        const QImage with = picture();
        displayRow("strain").set(session().display, false);
        window->refresh();
        settle();
        EXPECT_GT(differingPixels(with, picture()), 3000);
        displayRow("strain").set(session().display, true);
    }
    // Strain counts from the frame marked as end diastole, where nothing is strained then.
    session().marks.endDiastole = 3;
    for (const int frame : {0, 3}) {
        ASSERT_NO_FATAL_FAILURE(seek(frame));
        SceneContribution scene;
        ASSERT_TRUE(becomes([&] {
            window->refresh();
            scene = {};
            cardiac().show(scene);
            return scene.strain && scene.strain->diastole;
        }));
        EXPECT_EQ(scene.strain->diastole->movingFrame, 3);
        EXPECT_EQ(scene.strain->motion == scene.strain->diastole, frame == 3);
    }
}

TEST_F(CardiacPanelTest, WhatRemainsAfterTheCycleIsShownAndTakenOff) {
    ++session().motion.revision; // forgets the pairs estimated while it played, which may be all
    ASSERT_NO_FATAL_FAILURE(pauseAt(0));
    ASSERT_NO_FATAL_FAILURE(measure());
    EXPECT_TRUE(std::isnan(cardiac().outcome()->residual.measured));
    session().cycle.on = true;
    window->refresh();
    ASSERT_TRUE(becomes([&] {
        return cardiac().outcome() && std::isfinite(cardiac().outcome()->residual.measured);
    }));
    const CycleResidual open = cardiac().outcome()->residual;
    EXPECT_GT(open.measured, 0);
    EXPECT_LT(open.measured, 1);
    EXPECT_GT(open.steps, open.measured);
    cardiac().parameters.set("close-cycle", true);
    window->refresh();
    ASSERT_TRUE(becomes([&] { return cardiac().outcome()->residual.closed; }));
    EXPECT_EQ(cardiac().outcome()->residual.measured, open.measured);
}

TEST_F(CardiacPanelTest, OnlyADragOfTheLineOfEndSystoleMarksIt) {
    ASSERT_NO_FATAL_FAILURE(measure());
    ASSERT_EQ(cardiac().outcome()->summary.endSystole, 2);
    const QPoint line = systoleLineIn(window->viewport().grabFramebuffer());
    ASSERT_FALSE(line.isNull());
    QTest::mouseMove(&window->viewport(), line);
    drawPanels();
    QTest::mousePress(&window->viewport(), Qt::LeftButton, Qt::NoModifier, line);
    drawPanels();
    QTest::mouseMove(&window->viewport(), line + QPoint(2, 0)); // a hand isn't still
    drawPanels();
    QTest::mouseRelease(&window->viewport(), Qt::LeftButton, Qt::NoModifier, line + QPoint(2, 0));
    drawPanels();
    EXPECT_EQ(session().playback.frame(), 2) << "as a click elsewhere";
    EXPECT_EQ(session().marks.endSystole, std::nullopt);

    constexpr int oneFrame = -85; // pixels, about
    QTest::mousePress(&window->viewport(), Qt::LeftButton, Qt::NoModifier, line);
    drawPanels();
    QTest::mouseMove(&window->viewport(), line + QPoint(oneFrame, 0));
    drawPanels();
    QTest::mouseRelease(&window->viewport(), Qt::LeftButton, Qt::NoModifier,
                        line + QPoint(oneFrame, 0));
    drawPanels();
    EXPECT_EQ(session().marks.endSystole, 1);
    EXPECT_EQ(session().playback.frame(), 2) << "it stays";
}

TEST_F(CardiacPanelTest, EndSystoleCanBeMarkedAndTakenBack) {
    ASSERT_NO_FATAL_FAILURE(measure());
    const StrainOutcome& outcome = *cardiac().outcome();
    const int found = outcome.summary.endSystole;
    ASSERT_EQ(found, 2);
    const std::string before = text();
    cardiac().markEndSystole(1);
    EXPECT_EQ(outcome.summary.endSystole, 1);
    EXPECT_EQ(session().marks.endSystole, 1);
    const auto& volume = outcome.measures.frames;
    EXPECT_DOUBLE_EQ(outcome.summary.ejectionPercent.midWall,
                     100 * (volume[0].cavity.midWall - volume[1].cavity.midWall) /
                         volume[0].cavity.midWall);
    EXPECT_NE(text(), before);
    cardiac().markEndSystole(std::nullopt);
    EXPECT_EQ(outcome.summary.endSystole, found);
    EXPECT_EQ(text(), before);
}

TEST_F(CardiacPanelTest, DefinitionAndSegmentsAreSwitched) {
    ASSERT_NO_FATAL_FAILURE(measure());
    const double midwall = cardiac().outcome()->measures.frames[2].strain.radial;
    cardiac().parameters.set("definition", std::string("deepstrain"));
    cardiac().parameters.set("segments", std::string("18"));
    window->refresh();
    ASSERT_TRUE(becomes([&] { return cardiac().model() == cardiac::AhaModel::Eighteen; }));
    settle();
    EXPECT_STREQ(cardiac().definition().name, "deepstrain");
    EXPECT_EQ(cardiac().outcome()->measures.segmentVoxels.size(), 18u);
    EXPECT_NE(cardiac().outcome()->measures.frames[2].strain.radial, midwall);
    EXPECT_EQ(cardiac().outcome()->motion.frame.size(), std::size_t{frames});
}

TEST_F(CardiacPanelTest, AllParametersButTheMarksAreSettings) {
    std::vector<std::string> names;
    for (const ToolSetting& setting : cardiac().settings())
        names.push_back(setting.name);
    for (const ParamRow& row : strainTable().rows())
        EXPECT_EQ(std::ranges::count(names, "cardiac: " + row.label()),
                  row.id.starts_with("end-") ? 0 : 1)
            << row.id;
}

} // namespace
} // namespace systole
