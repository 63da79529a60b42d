// `systole snapshot` from outside: pictures and films of motion that was written before.
#include "io/base/png_chunk.h"
#include "tests/app/pictures/snapshot_command_fixture.h"

#include <QColorSpace>
#include <QImage>
#include <gtest/gtest.h>

#include <cstdlib>
#include <string>
#include <vector>

namespace systole {
namespace {

using testing::SnapshotCommandTest;

TEST_F(SnapshotCommandTest, FieldsOfAnotherProgramAreShown) {
    const std::string folder = folder_ / "m";
    ASSERT_EQ(
        testing::run({"motion", path_, "-o", folder, "--reference", "first", "--backend", "cpu"})
            .exitCode,
        0);
    std::vector<std::string> options{"--frame", "2", "--fields"};
    for (int frame = 1; frame < 6; ++frame)
        options.push_back(folder + "/displacement_000" + std::to_string(frame) + ".mha");
    std::vector<std::string> carrying = options;
    options.insert(options.end(), {"--overlay", "arrows", "--size", "600x400"});
    const QImage given = picture(options);
    // The given motion since the first frame, estimated here.
    const QImage estimated = picture({"--frame", "2", "--reference", "first", "--backend", "cpu",
                                      "--overlay", "arrows", "--size", "600x400"});
    ASSERT_EQ(given.size(), estimated.size());
    const QImage bare = picture({"--frame", "2", "--overlay", "bare", "--size", "600x400"});
    int arrows = 0, different = 0;
    for (int y = 0; y < given.height(); ++y)
        for (int x = 0; x < given.width(); ++x) {
            arrows += given.pixel(x, y) != bare.pixel(x, y);
            different += given.pixel(x, y) != estimated.pixel(x, y);
        }
    EXPECT_GT(arrows, 500);
    EXPECT_LT(different, arrows / 4);
    expectUsageError(
        {"--overlay", "arrows", "--fields", folder + "/displacement_0001.mha", "--field", folder},
        "--fields");
    // Fields carry a surface if no overlay is on.
    carrying.insert(carrying.end(), {"--surface-threshold", "150", "--size", "600x400"});
    EXPECT_EQ(picture(carrying).size(), QSize(600, 400));
    for (const char* option : {"--fields", "--field"})
        expectUsageError({option, folder + "/displacement_0001.mha"}, "no overlay is on");
}

/// The pictures of an animated PNG, each as a PNG file of its own.
std::vector<QImage> picturesOf(const std::string& film) {
    const auto number = [&](std::size_t at) {
        std::size_t value = 0;
        for (std::size_t k = 0; k < 4; ++k)
            value = value << 8 | static_cast<unsigned char>(film[at + k]);
        return value;
    };
    std::string head = film.substr(0, 8);
    std::vector<std::string> files;
    for (std::size_t at = 8; at + 12 <= film.size(); at += 12 + number(at)) {
        const std::string type = film.substr(at + 4, 4), content = film.substr(at + 8, number(at));
        if (type == "IHDR")
            head += film.substr(at, 12 + content.size());
        if (type == "fcTL")
            files.push_back(head);
        if (type == "IDAT")
            files.back() += film.substr(at, 12 + content.size());
        if (type == "fdAT")
            files.back() += pngChunk("IDAT", content.substr(4));
    }
    std::vector<QImage> images;
    for (std::string& file : files)
        images.push_back(
            QImage::fromData(QByteArray::fromStdString(file + pngChunk("IEND", {})), "PNG"));
    return images;
}

TEST_F(SnapshotCommandTest, AFilmIsThePicturesOfItsFramesWithTheirMotion) {
    const std::string motion = folder_ / "motion", film = folder_ / "film.png";
    ASSERT_EQ(
        testing::run({"motion", path_, "-o", motion, "--close-cycle", "--levels", "1"}).exitCode,
        0);
    const std::vector<std::string> looks{
        "--field",        motion,   "--layout", "three",           "--overlay",
        "bare,magnitude", "--size", "180x60",   "--color-maximum", "3"};
    std::vector<std::string> words{"snapshot", path_, "-o", film, "--no-caption", "--film", "3:5"};
    words.insert(words.end(), looks.begin(), looks.end());
    const testing::Outcome outcome = testing::run(words);
    ASSERT_EQ(outcome.exitCode, 0) << outcome.errors;
    const std::vector<QImage> images = picturesOf(testing::readText(film));
    ASSERT_EQ(images.size(), 3U);
    EXPECT_NE(images[0], images[1]);
    for (int k = 0; k < 3; ++k) { // the last one's motion leads to the first frame
        std::vector<std::string> alone = looks;
        alone.insert(alone.end(), {"--frame", std::to_string(3 + k)});
        QImage still = picture(alone).convertToFormat(QImage::Format_ARGB32);
        still.setColorSpace({}); // sRGB, which the frames of a film don't say
        EXPECT_EQ(images[static_cast<std::size_t>(k)].convertToFormat(QImage::Format_ARGB32), still)
            << k;
    }
    expectUsageError({"--film", "3:9"}, "--film");
    expectUsageError({"--film", ":", "--live", "1"}, "--film and --also can't be combined");
}

TEST_F(SnapshotCommandTest, AWrittenMotionBringsTheFramesTogether) {
    const std::string motion = folder_ / "m", before = folder_ / "before.png";
    ASSERT_EQ(testing::run({"motion", path_, "-o", motion, "--backend", "cpu"}).exitCode, 0);
    const QImage after =
        picture({"--field", motion, "--layout", "three", "--size", "600x200", "--overlay",
                 "bare,compare", "--compare-by", "difference", "--also",
                 before + "=bare,compare,compare-by:difference,compare-with:moving"});
    const auto differing = [](const QImage& image) {
        int count = 0;
        for (int y = 0; y < image.height(); ++y)
            for (int x = 0; x < image.width(); ++x)
                count += std::abs(qGray(image.pixel(x, y)) - 128) > 20;
        return count;
    };
    const QImage fixed = picture({"--layout", "three", "--size", "600x200", "--overlay", "bare"});
    EXPECT_LT(differing(after) + 200, differing(QImage(QString::fromStdString(before))));
    EXPECT_LT(differing(after) + 2000, differing(fixed)); // which is what it was without a frame
}

TEST_F(SnapshotCommandTest, OtherPicturesOfAFrameAreThoseMadeAlone) {
    const std::string other = folder_ / "o=1.png";
    const QImage first = picture({"--overlay", "bare", "--layout", "three", "--size", "180x60",
                                  "--also", other + "=magnitude@90x30", "--frame", "2"});
    EXPECT_EQ(first.size(), QSize(180, 60));
    const QImage made(QString::fromStdString(other));
    EXPECT_EQ(made.size(), QSize(90, 30));
    EXPECT_EQ(made, picture({"--overlay", "magnitude", "--layout", "three", "--size", "90x30",
                             "--frame", "2"}));
    ASSERT_EQ(testing::run({"snapshot", path_, "-o", folder_ / "two.png", "--also",
                            folder_ / "three.png=compare,compare-by:none"})
                  .exitCode,
              1);
    expectUsageError({"--also", "x.png"}, "--also");
    expectUsageError({"--also", "x.png=nothing"}, "'nothing' is no overlay");
    expectUsageError({"--also", "x.png=bare@9"}, "--size");
}

} // namespace
} // namespace systole
