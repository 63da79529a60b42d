// The Cardiac panel in the window: a phantom with exact labels, its numbers beside the command's.
#include "app/cardiac/strain_table.h"
#include "app/panels/panel.h"
#include "app/tools/cardiac/cardiac_page.h"
#include "app/tools/cardiac/cardiac_tool.h"
#include "io/phantom/phantom.h"
#include "render/overlays/rows.h"
#include "tests/app/window/window_fixture.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <map>
#include <sstream>
#include <string>
#include <vector>

namespace systole {
namespace {

using ::testing::HasSubstr;

/// The cells of a table by column; empty cells aren't numbers.
std::map<std::string, std::vector<double>> numbersOf(const std::string& csv) {
    std::istringstream lines(csv);
    std::string line, cell;
    std::getline(lines, line); // the comment
    std::vector<std::string> names;
    std::map<std::string, std::vector<double>> columns;
    std::getline(lines, line);
    for (std::istringstream heads(line); std::getline(heads, cell, ',');)
        names.push_back(cell);
    while (std::getline(lines, line)) {
        std::istringstream cells(line + ",");
        for (const std::string& name : names) {
            std::getline(cells, cell, ',');
            columns[name].push_back(std::atof(cell.c_str()));
        }
    }
    return columns;
}

/// Answers each question with a file, and writes at once.
struct FileHost : ToolHost {
    FileHost(ToolHost& usual, std::string file) : usual(usual), file(std::move(file)) {}
    void chooseOpen(const FileQuestion&, Use use) override { use(file); }
    void chooseSave(const FileQuestion&, Use use) override { use(file); }
    void write(const std::string&, const std::string&, std::function<void()> write,
               std::function<void()>) override {
        write();
    }
    RgbaImage picture(const std::function<RgbaImage(double)>& draw) override {
        return usual.picture(draw);
    }
    ToolHost& usual;
    std::string file;
};

class CardiacPanelTest : public testing::WindowTest {
protected:
    static constexpr int frames = 4;

    void SetUp() override {
        WindowTest::SetUp();
        if (IsSkipped())
            return;
        const testing::Outcome made =
            testing::run({"phantom", "-o", folder / "p", "--size", "40", "--frames", "4"});
        ASSERT_EQ(made.exitCode, 0) << made.errors;
        openPanels(window->panels(), {"Cardiac"});
        session().motion.setBackend(Backend::Cpu);
        window->resize(1100, 900);
        openAndShow(folder / "p/sequence.nii.gz");
        session().playback.pause();
        seek(0);
        window->viewport().arrange();
    }
    Session& session() { return window->session(); }
    CardiacTool& cardiac() { return window->tools().get<CardiacTool>(); }
    void seek(int frame) {
        session().playback.seek(frame);
        window->refresh();
        ASSERT_TRUE(becomes([&] { return session().shownFrame == frame; }));
    }
    void measure() {
        cardiac().openFile(folder / "p/labels.nii.gz");
        ASSERT_NO_FATAL_FAILURE(becomeMeasured());
    }
    void becomeMeasured() {
        window->refresh();
        ASSERT_TRUE(becomes([&] {
            return !cardiac().failure.empty() ||
                   (!cardiac().unfinished() && cardiac().outcome() &&
                    cardiac().outcome()->motion.frame.size() == std::size_t{frames});
        }));
        ASSERT_EQ(cardiac().failure, "");
        settle();
    }
    /// In the reference nothing is strained: the whole disc has the neutral color.
    static QRect discIn(const QImage& all) {
        const int left = all.width() - ImGuiLayer::columnWidth;
        QRect disc;
        for (int y = 0; y < all.height(); ++y) {
            int first = -1, last = -1, count = 0;
            for (int x = left; x < all.width(); ++x)
                if (all.pixel(x, y) == qRgb(222, 222, 222)) {
                    first = first < 0 ? x : first;
                    last = x;
                    ++count;
                }
            if (count > 20)
                disc = disc.united(QRect(QPoint(first, y), QPoint(last, y)));
        }
        return disc;
    }
    std::string text() { return findPanel(window->panels(), "Cardiac").text(session()); }
};

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
    cardiac().parameters.set("end-diastole", 2); // by --cardiac-set
    cardiac().markAsNamed();
    EXPECT_EQ(session().marks.endDiastole, 2);
}

TEST_F(CardiacPanelTest, ThreePointsAloneMakeAShape) {
    const HeartShape heart;
    const HeartPose pose(heart);
    cardiac().choose(HeartLabels::Points);
    window->refresh();
    EXPECT_THAT(cardiac().waiting(), HasSubstr("three points"));
    cardiac().points = {pose.fromOwn({0, 0, -heart.endocardialHalfLength}),
                        pose.fromOwn({0, 0, heart.baseHeight}),
                        pose.fromOwn({heart.epicardialRadius(), 0, 0})};
    ASSERT_NO_FATAL_FAILURE(becomeMeasured());
    EXPECT_THAT(cardiac().outcome()->ventricle->placement.notes,
                ::testing::Contains(HasSubstr("half an ellipsoid through the three points")));
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

TEST_F(CardiacPanelTest, WithoutLabelsItLeadsToTheSegmentPanel) {
    cardiac().segmentFirst();
    EXPECT_EQ(cardiac().from, HeartLabels::Segmentation);
    EXPECT_TRUE(findPanel(window->panels(), "Segment").open);
    window->refresh();
    settle();
    EXPECT_THAT(cardiac().waiting(), HasSubstr("Segment panel, with the wall"));
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

TEST_F(CardiacPanelTest, AnExportedTableReadBackGivesTheSamePlots) {
    ASSERT_NO_FATAL_FAILURE(measure());
    ToolHost& usual = window->tools().host();
    FileHost host(usual, folder / "segments.csv");
    window->tools().setHost(host);
    cardiac().saveSegments();
    host.file = folder / "curves.csv";
    cardiac().saveCurves();
    window->tools().setHost(usual);
    const auto segments = numbersOf(testing::readText(folder / "segments.csv"));
    const auto curves = numbersOf(testing::readText(folder / "curves.csv"));
    const StrainOutcome& outcome = *cardiac().outcome();
    const char* const columns[] = {"longitudinal_percent", "circumferential_percent",
                                   "radial_percent", "rotation_deg"};
    const char* const wholes[] = {"gls_percent", "gcs_percent", "grs_percent", "twist_deg"};
    const auto expectSame = [](double read, double shown) {
        EXPECT_NEAR(read, std::isnan(shown) ? 0 : shown, 1e-5 * (1 + std::abs(read)));
    };
    for (std::size_t q = 0; q < std::size(columns); ++q) {
        const BullsEyeQuantity& quantity = bullsEyeQuantities()[q];
        for (std::size_t t = 0; t < frames; ++t) {
            for (std::size_t s = 0; s < 17; ++s)
                expectSame(segments.at(columns[q])[17 * t + s], quantity.value(outcome, t, s));
            expectSame(curves.at(wholes[q])[t], wholeWall(quantity, outcome, t));
        }
    }
    for (std::size_t t = 0; t < frames; ++t)
        expectSame(curves.at("cavity_midwall_ml")[t], outcome.measures.frames[t].cavity.midWall);
}

TEST_F(CardiacPanelTest, ThePictureIsAPageWithAllOfIt) {
    ASSERT_NO_FATAL_FAILURE(measure());
    ToolHost& usual = window->tools().host();
    FileHost host(usual, folder / "cardiac.png");
    window->tools().setHost(host);
    cardiac().savePicture();
    window->tools().setHost(usual);
    const QImage page(QString::fromStdString(folder / "cardiac.png"));
    const double ratio = window->devicePixelRatioF();
    ASSERT_EQ(page.width(), std::lround(cardiacPageWidth * ratio));
    // At end systole each strain has its disc: contraction is red in all of them.
    int red[3] = {0, 0, 0};
    for (int y = 0; y < page.height() / 2; ++y)
        for (int x = 0; x < page.width(); ++x) {
            const QRgb pixel = page.pixel(x, y);
            const auto third = static_cast<std::size_t>(3.0 * x / (0.67 * page.width()));
            if (third < 3 && qRed(pixel) > qBlue(pixel) + 60)
                ++red[third];
        }
    for (const int count : red)
        EXPECT_GT(count, 3000 * ratio);
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

TEST_F(CardiacPanelTest, AnotherFileForgetsIt) {
    ASSERT_NO_FATAL_FAILURE(measure());
    cardiac().select(3);
    openAndShow(path);
    EXPECT_EQ(cardiac().outcome(), nullptr);
    EXPECT_EQ(cardiac().from, HeartLabels::None);
    EXPECT_EQ(text(), "");
    SceneContribution scene;
    cardiac().show(scene);
    EXPECT_EQ(scene.surface, nullptr);
}

TEST_F(CardiacPanelTest, LabelsWithoutAWallAreRefusedInASentence) {
    cardiac().openFile(folder / "p/sequence.nii.gz");
    window->refresh();
    ASSERT_TRUE(becomes([&] { return !cardiac().failure.empty(); }));
    EXPECT_EQ(cardiac().outcome(), nullptr);
    EXPECT_FALSE(cardiac().unfinished());
    EXPECT_THAT(window->tools().failure(), HasSubstr("sequence.nii.gz"));
}

TEST_F(CardiacPanelTest, LabelsThatCannotBeReadAreToldOfWithoutMotion) {
    session().motion.enabled = false;
    cardiac().openFile(folder / "p/sequence.nii.gz");
    window->refresh();
    ASSERT_TRUE(becomes([&] { return !cardiac().failure.empty(); }));
    EXPECT_THAT(cardiac().failure, HasSubstr("sequence.nii.gz"));
}

TEST_F(CardiacPanelTest, LabelsAloneAreNoOutcome) {
    session().motion.enabled = false;
    cardiac().openFile(folder / "p/labels.nii.gz");
    window->refresh();
    ASSERT_TRUE(cardiac().busy());
    ASSERT_TRUE(becomes([&] { return !cardiac().busy(); }));
    EXPECT_EQ(cardiac().failure, "");
    EXPECT_EQ(cardiac().outcome(), nullptr);
    EXPECT_EQ(text(), "");
    EXPECT_THAT(cardiac().waiting(), HasSubstr("switched off"));
}

TEST_F(CardiacPanelTest, AFailureEndsWithACorrectedFileOrOtherParameters) {
    const std::string file = folder / "mine.nii.gz";
    const auto put = [&](const char* source) {
        std::filesystem::copy_file(folder / source, file,
                                   std::filesystem::copy_options::overwrite_existing);
    };
    const auto fail = [&] {
        put("p/sequence.nii.gz");
        cardiac().openFile(file);
        window->refresh();
        ASSERT_TRUE(becomes([&] { return !cardiac().failure.empty(); }));
        put("p/labels.nii.gz");
    };
    ASSERT_NO_FATAL_FAILURE(fail());
    cardiac().openFile(file);
    ASSERT_NO_FATAL_FAILURE(becomeMeasured());
    ASSERT_NO_FATAL_FAILURE(fail());
    cardiac().parameters.set("segments", std::string("16"));
    ASSERT_NO_FATAL_FAILURE(becomeMeasured());
    EXPECT_EQ(cardiac().model(), cardiac::AhaModel::Sixteen);
}

TEST_F(CardiacPanelTest, PointsAreThoseOfFrameZero) {
    seek(2);
    session().playback.play();
    cardiac().place();
    EXPECT_FALSE(session().playback.playing());
    EXPECT_EQ(session().playback.frame(), 0);
    const Geometry& grid = session().opened->sequence.geometry;
    const auto press = [&] {
        cardiac().pointer({.event = SlicePointer::Event::Press, .position = grid.center()});
    };
    window->refresh();
    ASSERT_TRUE(becomes([&] { return session().shownFrame == 0; }));
    press();
    EXPECT_EQ(cardiac().points.size(), 1u);
    ASSERT_NO_FATAL_FAILURE(seek(1));
    press();
    EXPECT_EQ(cardiac().points.size(), 1u);
    EXPECT_TRUE(cardiac().placing);
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
