// `systole snapshot` from outside, where its pictures come from the live view.
#include "render/overlays/rows.h"
#include "tests/app/pictures/snapshot_command_fixture.h"

#include <QImage>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <regex>

namespace systole {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;
using testing::SnapshotCommandTest;

/// Pixels of bright tissue in some columns.
int bright(const QImage& image, int fromX, int toX) {
    int count = 0;
    for (int y = 0; y < image.height(); ++y)
        for (int x = fromX; x < toX; ++x)
            count += qGray(image.pixel(x, y)) > 150;
    return count;
}

TEST_F(SnapshotCommandTest, SideBySideHasThreeViewsOfTheSamePlace) {
    const QImage image = picture({"--layout", "side", "--overlay", "bare", "--frame", "2", "--size",
                                  "1204x400", "--compare-set", "alpha=5"});
    ASSERT_EQ(image.size(), QSize(1204, 400));
    // Left of where the bars of colors are.
    const int left = bright(image, 0, 270), right = bright(image, 402, 672);
    EXPECT_GT(left, 4000);
    EXPECT_NEAR(right, left, 0.01 * left);
    // The difference is colored where the sides are gray.
    const auto colored = [&](int fromX) {
        int count = 0;
        for (int y = 0; y < 400; ++y)
            for (int x = fromX; x < fromX + 270; ++x) {
                const QRgb pixel = image.pixel(x, y);
                count += std::abs(qRed(pixel) - qBlue(pixel)) > 25;
            }
        return count;
    };
    EXPECT_LT(colored(0), 50);
    EXPECT_LT(colored(402), 50);
    EXPECT_GT(colored(804), 1000);
}

TEST_F(SnapshotCommandTest, SaysHowTheVoxelsCameAndRefusesInteropThatIsNotThere) {
    const std::string png = folder_ / "upload.png";
    const testing::Outcome host = testing::run({"snapshot", path_, "-o", png, "--upload", "host"});
    EXPECT_EQ(host.exitCode, 0) << host.errors;
    EXPECT_THAT(host.output, HasSubstr("voxels by host upload (requested)"));
    expectUsageError({"--upload", "magic"}, "--upload");
    if (std::filesystem::exists("/dev/nvidiactl"))
        GTEST_SKIP() << "this machine has an NVIDIA driver";
    const testing::Outcome interop =
        testing::run({"snapshot", path_, "-o", folder_ / "interop.png", "--upload", "interop"});
    EXPECT_EQ(interop.exitCode, 1);
    EXPECT_THAT(interop.errors, HasSubstr("interop was requested but is unavailable: "));
    EXPECT_EQ(std::count(interop.errors.begin(), interop.errors.end(), '\n'), 1);
    EXPECT_FALSE(std::filesystem::exists(folder_ / "interop.png"));
}

TEST_F(SnapshotCommandTest, AFileThatExistsIsRefusedUnlessRequested) {
    const std::string mine = folder_ / "mine.png";
    testing::writeText(mine, "mine");
    const testing::Outcome refused = testing::run({"snapshot", path_, "-o", mine});
    EXPECT_EQ(refused.exitCode, 1);
    EXPECT_THAT(refused.errors, HasSubstr("mine.png: exists already; --overwrite replaces it"));
    EXPECT_EQ(testing::readText(mine), "mine");
    const testing::Outcome input = testing::run({"snapshot", path_, "-o", path_, "--overwrite"});
    EXPECT_EQ(input.exitCode, 1);
    EXPECT_THAT(input.errors, HasSubstr("is an input"));
    const testing::Outcome replaced =
        testing::run({"snapshot", path_, "-o", mine, "--overwrite", "--size", "200x160"});
    EXPECT_EQ(replaced.exitCode, 0) << replaced.errors;
    EXPECT_NE(testing::readText(mine), "mine");
}

/// Only PNG is written, which another ending would hide.
TEST_F(SnapshotCommandTest, ANameThatIsNoPngIsRefused) {
    const auto refused = [&](std::vector<std::string> more, const char* what) {
        more.insert(more.begin(), {"snapshot", path_});
        testing::expectRefused(testing::run(more), what, 2);
    };
    const std::string png = folder_ / "a.png", jpg = folder_ / "a.jpg";
    refused({"-o", jpg}, "--output: expected a name that ends in .png, found");
    refused({"-o", jpg, "--film", ":"}, "--output: expected a name that ends in .png");
    refused({"-o", png, "--also", jpg + "=bare"}, "--also: expected a name that ends in .png");
    EXPECT_FALSE(std::filesystem::exists(jpg) || std::filesystem::exists(png));
    EXPECT_EQ(
        testing::run({"snapshot", path_, "-o", folder_ / "A.PNG", "--size", "60x60"}).exitCode, 0);
}

TEST_F(SnapshotCommandTest, PanelsTakeTheirColumnAndShowWhatWasPlayed) {
    const std::vector<std::string> sides{"--layout", "side", "--size", "1204x500", "--frame", "1"};
    const auto with = [&](std::vector<std::string> more) {
        more.insert(more.begin(), sides.begin(), sides.end());
        return picture(more);
    };
    const QImage none = with({});
    const QImage panels = with({"--panel", "Side by side", "--panel", "Timing", "--live", "1"});
    ASSERT_EQ(panels.size(), none.size());
    const auto ground = [](const QImage& image) {
        int count = 0; // pixels of the column's own color
        for (int y = 0; y < image.height(); ++y)
            for (int x = image.width() - 300; x < image.width(); ++x) {
                const QRgb p = image.pixel(x, y);
                count += std::abs(qRed(p) - 27) < 3 && std::abs(qGreen(p) - 28) < 3 &&
                         std::abs(qBlue(p) - 32) < 3;
            }
        return count;
    };
    EXPECT_LT(ground(none), 1000);
    EXPECT_GT(ground(panels), 20000);
    int text = 0;
    for (int y = 0; y < panels.height(); ++y)
        for (int x = panels.width() - 300; x < panels.width(); ++x)
            text += qGray(panels.pixel(x, y)) > 180;
    EXPECT_GT(text, 1500);
}

TEST_F(SnapshotCommandTest, TheBiasPanelHasItsMapsWhenThePictureIsMade) {
    const QImage image = picture({"--panel", "Bias", "--bias-repetitions", "2", "--backend", "cpu",
                                  "--frame", "1", "--size", "1204x700"});
    ASSERT_EQ(image.size(), QSize(1204, 700));
    int colored = 0; // growth and shrinkage, in the wide area
    for (int y = 400; y < 700; ++y)
        for (int x = 0; x < 780; ++x)
            colored += std::abs(qRed(image.pixel(x, y)) - qBlue(image.pixel(x, y))) > 40;
    EXPECT_GT(colored, 1000);
}

TEST_F(SnapshotCommandTest, LivePanelsShowWhatWasEstimated) {
    for (const std::string panel : {"Occupancy", "Device memory"}) {
        const QImage image = picture({"--panel", panel, "--frame", "1", "--size", "1004x700"});
        ASSERT_EQ(image.size(), QSize(1004, 700));
        int text = 0;
        for (int y = 40; y < image.height(); ++y) // rows below the heading
            for (int x = 704; x < image.width(); ++x)
                text += qGray(image.pixel(x, y)) > 180;
        EXPECT_GT(text, 500) << panel;
    }
}

TEST_F(SnapshotCommandTest, EveryOptionOfTheDisplayIsOnTheCommandLine) {
    // Its lines are wrapped.
    const auto helpOf = [](const char* command) {
        return std::regex_replace(testing::run({command, "--help-all"}).output, std::regex("\\s+"),
                                  " ");
    };
    const std::string snapshot = helpOf("snapshot"), view = helpOf("view");
    for (const DisplayRow& row : displayRows()) {
        const std::string& id = row.param.id;
        if (!row.isSwitch()) {
            EXPECT_THAT(snapshot, HasSubstr("--" + id + " "));
        }
        if (!row.isSwitch() && !row.grayValue) {
            EXPECT_THAT(view, HasSubstr("--" + id + " "));
        }
        if (row.extra) {
            EXPECT_THAT(snapshot, HasSubstr(id + ": " + row.param.help));
        }
    }
}

TEST_F(SnapshotCommandTest, ModalityWindowCropAndLegendAreOptions) {
    const std::vector<std::string> base{"--size", "600x400", "--layout", "four"};
    const auto with = [&](std::vector<std::string> more) {
        more.insert(more.begin(), base.begin(), base.end());
        return picture(more);
    };
    const QImage plain = with({});
    EXPECT_EQ(plain, with({}));
    for (const std::vector<std::string>& options : {std::vector<std::string>{"--modality", "ct"},
                                                    {"--crop-left", "40"},
                                                    {"--window-preset", "contrast"},
                                                    {"--overlay", "cut", "--cut-plane", "axial"}})
        EXPECT_NE(plain, with(options)) << options[0];
    // A number counts more than a name.
    EXPECT_EQ(with({"--window", "50", "--level", "30"}),
              with({"--window", "50", "--level", "30", "--window-preset", "auto"}));
    const QImage arrows = with({"--overlay", "arrows"});
    EXPECT_EQ(arrows, with({"--overlay", "arrows"})) << "the scale doesn't depend on chance";
    EXPECT_NE(arrows, with({"--overlay", "arrows", "--legend", "top-left"}));
    EXPECT_EQ(with({"--overlay", "arrows", "--arrow-scale", "3"}),
              with({"--overlay", "glyphs", "--glyph-scale", "3"}))
        << "by their former names";
    expectUsageError({"--window-preset", "brain"}, "soft-tissue");
    expectUsageError({"--modality", "pet"}, "echo");
    expectUsageError({"--crop-left", "99"}, "--crop-left");
}

TEST_F(SnapshotCommandTest, AModalityThatIsGivenIsNotCalledUnknown) {
    const auto output = [&](std::vector<std::string> options) {
        options.insert(options.begin(), {"snapshot", path_, "-o", folder_ / "picture.png",
                                         "--overwrite", "--size", "200x200"});
        return testing::run(options).output;
    };
    EXPECT_THAT(output({}), HasSubstr("the modality is unknown"));
    EXPECT_THAT(output({"--modality", "mr"}), Not(HasSubstr("the modality is unknown")));
}

TEST_F(SnapshotCommandTest, ASurfaceThatIsAskedForIsShown) {
    const std::vector<std::string> surface{"--surface-threshold", "60", "--size", "400x300"};
    const auto with = [&](const std::vector<std::string>& more) {
        std::vector<std::string> options = surface;
        options.insert(options.end(), more.begin(), more.end());
        return picture(options);
    };
    const QImage shown = with({});
    EXPECT_EQ(shown, with({"--overlay", "surface,contours"}));
    EXPECT_NE(shown, with({"--overlay", "surface"}));
    EXPECT_NE(shown, picture({"--size", "400x300"}));
}

TEST_F(SnapshotCommandTest, WhatMakesNoSenseIsOneLine) {
    expectUsageError({"--panel", "Weather"}, "Timing, Side by side, Occupancy, Memory");
    expectUsageError({"--layout", "side", "--side-view", "oblique"}, "--side-view");
    expectUsageError({"--layout", "side", "--compare-set", "alpha"}, "NAME=VALUE");
    expectUsageError({"--layout", "four", "--compare-backend", "cpu"}, "--layout side");
    expectUsageError({"--layout", "side", "--moving", "3"}, "--moving");
    expectUsageError({"--layout", "side", "--frame", "6"}, "frames 0 to 5");
    expectUsageError({"--panel", "Timing", "--size", "200x200"}, "--size");
    expectUsageError({"--lab-kernel", "jacobi/magic"}, "jacobi/direct");
    expectUsageError({"--lesson", "99"}, "1");
    expectUsageError({"--landmark-wall", "labels.nii.gz"}, "--landmarks-detect");
    expectUsageError({"--landmarks-detect", "--landmarks-set", "elastic-wall=brick"},
                     "segmentation");
    expectUsageError({"--panel", "Laboratory", "--lesson", "3", "--lab-kernel", "jacobi/direct"},
                     "--lesson");
    expectUsageError({"--motion-preset", "weather"}, "--motion-preset: no preset 'weather'");
    expectUsageError({"--layout", "side", "--compare-preset", "weather"},
                     "--compare-preset: no preset 'weather'");
    const testing::Outcome unknown = testing::run({"view", path_, "--panel", "Weather"});
    EXPECT_EQ(unknown.exitCode, 2);
    EXPECT_THAT(unknown.errors, HasSubstr("Side by side"));
}

TEST_F(SnapshotCommandTest, AnOverlayThatWouldDrawNothingIsRefused) {
    expectUsageError({"--overlay", "certainty", "--method", "demons"},
                     "the method demons doesn't estimate its errors; clg does");
    expectUsageError({"--overlay", "certainty", "--fields", "m.mha"}, "a motion from files");
    expectUsageError({"--surface-threshold", "60", "--surface-color", "standard-error", "--method",
                      "ffd", "--overlay", "surface"},
                     "--surface-color standard-error: the method ffd");
    expectUsageError({"--overlay", "strain"}, "--cardiac");
    expectUsageError({"--also", "x.png=strain"}, "--cardiac");
    expectUsageError({"--moving", "3"}, "no overlay is on");
    for (const char* overlay : {"surface", "contours", "surface,contours"})
        expectUsageError({"--overlay", overlay}, ": needs a surface, by ");
    expectUsageError({"--also", "x.png=contours"}, "--overlay contours: needs a surface");
    expectUsageError({"--overlay", "surface", "--cardiac", "labels.nii.gz"}, "--cardiac-segment");
    expectUsageError({"--overlay", "contours", "--surface-threshold", "60"},
                     "--overlay contours: needs --overlay surface, too");
    for (const char* overlay : {"landmarks", "lost-landmarks"})
        expectUsageError({"--overlay", overlay, "--panel", "Landmarks"},
                         ": needs landmarks, by --landmarks or --landmarks-detect");
    // One of two sides knows them.
    EXPECT_FALSE(picture({"--layout", "side", "--overlay", "certainty", "--compare-method",
                          "demons", "--size", "600x200"})
                     .isNull());
}

TEST_F(SnapshotCommandTest, OneFrameHasNothingToCompare) {
    path_ = testing::writeBall(folder_, "single.nii.gz", 20, 1);
    expectUsageError({"--layout", "side"}, "two frames");
    for (const char* overlay : {"arrows", "streamlines", "pathlines", "grid"}) {
        expectUsageError({"--overlay", overlay}, "has a single frame, so no motion");
        expectUsageError({"--overlay", overlay, "--live", "0.1"},
                         "has a single frame, so no motion");
    }
    EXPECT_FALSE(picture({"--panel", "Timing"}).isNull());
}

TEST_F(SnapshotCommandTest, AFieldThatIsMissingIsNamedAsSuch) {
    const auto refused = [&](const std::string& field, const std::string& why) {
        testing::expectRefused(testing::run({"snapshot", path_, "-o", folder_ / "none.png",
                                             "--overlay", "arrows", "--field", field}),
                               why, 1);
    };
    refused(folder_ / "nope.mha", "nope.mha: there is no such file or folder");
    refused(folder_ / "", "isn't the folder of a complete run");
    // Motion that is estimated in place of some of them would be taken for theirs.
    testing::expectRefused(testing::run({"snapshot", path_, "-o", folder_ / "none.png", "--overlay",
                                         "arrows", "--fields", folder_ / "nope.mha"}),
                           "needs 5 fields, from the first frame to each other one; given: 1", 1);
}

TEST_F(SnapshotCommandTest, SaysThatEndDiastoleHasNoStrainToBeSeen) {
    const std::string heart = folder_ / "heart";
    ASSERT_EQ(testing::run({"phantom", "-o", heart, "--size", "24", "--frames", "4"}).exitCode, 0);
    const auto note = [&](const std::string& frame, std::vector<std::string> options) {
        options.insert(options.begin(),
                       {"snapshot", heart + "/sequence.nii.gz", "-o", folder_ / "strain.png",
                        "--overwrite", "--size", "300x300", "--backend", "cpu", "--cardiac",
                        heart + "/labels.nii.gz", "--frame", frame});
        const testing::Outcome outcome = testing::run(options);
        EXPECT_EQ(outcome.exitCode, 0) << outcome.errors;
        return outcome.output;
    };
    EXPECT_THAT(
        note("0", {"--overlay", "strain"}),
        HasSubstr("note: frame 0 is end diastole: strain is zero, without a map. End systole: "
                  "frame 2.\n"));
    EXPECT_THAT(note("2", {"--overlay", "strain"}), Not(HasSubstr("note: frame")));
    EXPECT_THAT(note("0", {}), Not(HasSubstr("note: frame")));
}

TEST_F(SnapshotCommandTest, AParameterOutOfRangeIsAWrongCommandLine) {
    const testing::Outcome outcome =
        testing::run({"snapshot", path_, "-o", folder_ / "none.png", "--layout", "side",
                      "--compare-set", "alpha=-3"});
    EXPECT_EQ(outcome.exitCode, 2);
    EXPECT_THAT(outcome.errors, HasSubstr("alpha"));
}

} // namespace
} // namespace systole
