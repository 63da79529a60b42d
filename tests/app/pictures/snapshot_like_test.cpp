// Pictures of `systole snapshot` that are made again from what their files say.
#include "app/live/picture_json.h"
#include "app/live/saved_picture.h"
#include "io/base/png_text.h"
#include "tests/app/live/opengl_test.h"
#include "tests/support/ball_sequence.h"
#include "tests/support/program.h"

#include <QImage>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>

namespace systole {
namespace {

using ::testing::HasSubstr;
namespace fs = std::filesystem;

class SnapshotLikeTest : public testing::OpenGlTest {
protected:
    void SetUp() override {
        OpenGlTest::SetUp();
        path_ = testing::writeBall(folder_, "ball.nii.gz", 24, 6);
    }

    static QImage image(const std::string& png) { return QImage(QString::fromStdString(png)); }

    std::string snapshot(std::vector<std::string> options, const std::string& name = "a.png") {
        const std::string png = folder_ / name;
        options.insert(options.begin(), {"snapshot", path_, "-o", png, "--overwrite"});
        const testing::Outcome outcome = testing::run(options);
        EXPECT_EQ(outcome.exitCode, 0) << outcome.errors;
        return png;
    }
    testing::Outcome like(const std::string& png, std::vector<std::string> options = {}) {
        options.insert(options.begin(),
                       {"snapshot", "--like", png, "-o", folder_ / "b.png", "--overwrite"});
        return testing::run(options);
    }
    void expectSamePixelsAgain(const std::string& png) {
        const testing::Outcome outcome = like(png);
        EXPECT_EQ(outcome.exitCode, 0) << outcome.errors;
        EXPECT_EQ(outcome.errors, "");
        EXPECT_EQ(image(png), image(folder_ / "b.png"));
        // The new one is as good as the old one.
        EXPECT_EQ(toJson(readPictureRecord(png)), toJson(readPictureRecord(folder_ / "b.png")));
    }
    void expectRefusal(const testing::Outcome& outcome, int code, const std::string& mentioned) {
        testing::expectRefused(outcome, mentioned, code);
        EXPECT_FALSE(fs::exists(folder_ / "b.png"));
    }

    testing::TemporaryFolder folder_;
    std::string path_;
};

TEST_F(SnapshotLikeTest, PicturesAreMadeAgainPixelForPixel) {
    for (const std::vector<std::string>& options : std::vector<std::vector<std::string>>{
             {"--frame", "2", "--size", "500x400", "--overlay", "arrows,magnitude"},
             {"--layout", "single", "--overlay", "arrows,slices,cut", "--rotate", "40,-20",
              "--pixel-ratio", "1.5", "--size", "300x200", "--preset", "ct"},
             {"--layout", "three", "--size", "620x300", "--crosshair", "20.3,25,18", "--overlay",
              "magnitude", "--set", "levels=2", "--method", "demons", "--frame", "1", "--moving",
              "4", "--color-map", "cividis"},
             {"--layout", "four", "--window", "90", "--level", "120", "--size", "300x300"},
             {"--no-caption", "--overlay", "bare", "--size", "200x200", "--frame-time", "33"}})
        expectSamePixelsAgain(snapshot(options));
}

TEST_F(SnapshotLikeTest, PicturesSideBySideAndAfterPlayingAreMadeAgain) {
    expectSamePixelsAgain(snapshot({"--layout", "side", "--overlay", "arrows,magnitude", "--frame",
                                    "2", "--size", "904x300", "--compare-set", "alpha=20"}));
    for (const char* frame : {"0", "2", "5"})
        expectSamePixelsAgain(
            snapshot({"--reference", "window", "--window-frames", "5", "--overlay",
                      "arrows,magnitude", "--frame", frame, "--size", "500x400"}));
    // While it plays, estimations start from the field of the pair before.
    expectSamePixelsAgain(snapshot(
        {"--live", "2", "--overlay", "arrows,magnitude", "--frame", "4", "--size", "500x400"}));
}

TEST_F(SnapshotLikeTest, APictureOfAWrittenFieldIsMadeAgain) {
    ASSERT_EQ(testing::run({"motion", path_, "-o", folder_ / "run", "--frames", "0:2"}).exitCode,
              0);
    const std::string png = snapshot(
        {"--field", folder_ / "run", "--frame", "1", "--overlay", "arrows", "--size", "300x300"});
    expectSamePixelsAgain(png);
    fs::copy_file(folder_ / "run/displacement_0001.mha", folder_ / "run/displacement_0002.mha",
                  fs::copy_options::overwrite_existing);
    fs::remove(folder_ / "b.png");
    EXPECT_THAT(like(png).errors, HasSubstr("the displacement field isn't the one"));
    fs::remove_all(folder_ / "run");
    fs::remove(folder_ / "b.png");
    expectRefusal(like(png), 1, "displacement_0002.mha");
}

TEST_F(SnapshotLikeTest, TheCaptionIsBelowThePictureAndChangesNothingInIt) {
    const std::vector<std::string> options{"--overlay", "arrows", "--frame",
                                           "3",         "--size", "420x300"};
    std::vector<std::string> bare = options;
    bare.push_back("--no-caption");
    const QImage with = image(snapshot(options)), without = image(snapshot(bare, "bare.png"));
    EXPECT_EQ(without.size(), QSize(420, 300));
    EXPECT_EQ(with.width(), 420);
    EXPECT_GT(with.height(), 300 + 19);
    EXPECT_EQ(with.copy(0, 0, 420, 300), without);
    int text = 0;
    for (int y = 300; y < with.height(); ++y)
        for (int x = 0; x < with.width(); ++x)
            text += qGray(with.pixel(x, y)) > 150;
    EXPECT_GT(text, 300);
    // A caption can be taken away afterwards.
    EXPECT_EQ(like(folder_ / "a.png", {"--no-caption"}).exitCode, 0);
    EXPECT_EQ(image(folder_ / "b.png"), without);
}

TEST_F(SnapshotLikeTest, ThePngSaysWhatItShows) {
    const std::string png = snapshot({"--overlay", "arrows", "--frame", "3", "--size", "420x300"});
    const std::vector<PngText> texts = readPngTexts(png);
    const auto text = [&](const std::string& keyword) {
        const auto found = std::ranges::find(texts, keyword, &PngText::keyword);
        return found == texts.end() ? std::string() : found->text;
    };
    EXPECT_EQ(text("Title"), "ball.nii.gz, frame 3");
    EXPECT_THAT(text("Software"), HasSubstr("Systole "));
    EXPECT_THAT(text("Description"), HasSubstr("motion 3 to 4"));
    EXPECT_THAT(text("Disclaimer"), HasSubstr("not for diagnosis"));
    const PictureRecord record = readPictureRecord(png);
    EXPECT_EQ(record.files, std::vector<std::string>{path_});
    EXPECT_EQ(record.sha256.size(), 64u);
    EXPECT_EQ(record.frame, 3);
    EXPECT_EQ(record.left->movingFrame, 4);
    EXPECT_EQ(record.left->method, "clg");
    EXPECT_FALSE(record.left->parameters.empty());
    // Qt and others read it too.
    EXPECT_EQ(image(png).text("systole").toStdString(), toJson(record));
}

TEST_F(SnapshotLikeTest, AnImageThatMovedOrChangedIsAWarning) {
    const std::string png = snapshot({"--overlay", "arrows", "--size", "300x300"});
    const std::string late = snapshot({"--frame", "5", "--size", "100x100"}, "late.png");
    const QImage before = image(png);
    const fs::path elsewhere = folder_.path() / "elsewhere";
    fs::create_directory(elsewhere);
    fs::rename(path_, elsewhere / "heart.nii.gz");
    expectRefusal(like(png), 1, "ball.nii.gz' isn't there any more");

    const testing::Outcome named = like(png, {(elsewhere / "heart.nii.gz").string()});
    EXPECT_EQ(named.exitCode, 0);
    EXPECT_EQ(named.errors, "");
    EXPECT_EQ(image(folder_ / "b.png").copy(0, 0, 300, 300), before.copy(0, 0, 300, 300));

    // The image is found next to the picture.
    fs::rename(elsewhere / "heart.nii.gz", elsewhere / "ball.nii.gz");
    fs::copy_file(png, elsewhere / "a.png");
    const testing::Outcome moved = like((elsewhere / "a.png").string());
    EXPECT_EQ(moved.exitCode, 0);
    EXPECT_THAT(moved.errors, HasSubstr("has moved"));
    EXPECT_EQ(std::ranges::count(moved.errors, '\n'), 1);
    EXPECT_EQ(image(folder_ / "b.png"), before);

    const std::string other = testing::writeBall(folder_, "other.nii.gz", 20, 6);
    const testing::Outcome changed = like(png, {other});
    EXPECT_EQ(changed.exitCode, 0);
    EXPECT_THAT(changed.errors, HasSubstr("its SHA-256 differs"));
    EXPECT_EQ(std::ranges::count(changed.errors, '\n'), 1);

    fs::remove(folder_ / "b.png");
    expectRefusal(like(late, {testing::writeBall(folder_, "short.nii.gz", 20, 3)}), 1,
                  "frames 0 to 2");
}

TEST_F(SnapshotLikeTest, WithoutANameTheNewPictureIsBesideTheOldOne) {
    const std::string png = snapshot({"--size", "100x100"});
    EXPECT_EQ(testing::run({"snapshot", "--like", png}).exitCode, 0);
    EXPECT_EQ(image(png), image(folder_ / "a_again.png"));
    const testing::Outcome again = testing::run({"snapshot", "--like", png});
    EXPECT_EQ(again.exitCode, 1);
    EXPECT_THAT(again.errors, HasSubstr("a_again.png: exists already"));
}

TEST_F(SnapshotLikeTest, PanelsAreNotMadeAgainAndItSaysSo) {
    const std::string png =
        snapshot({"--panel", "View", "--overlay", "arrows", "--size", "700x300", "--no-caption"});
    const testing::Outcome outcome = like(png);
    EXPECT_EQ(outcome.exitCode, 0) << outcome.errors;
    EXPECT_THAT(outcome.errors, HasSubstr("only its views"));
    const QImage again = image(folder_ / "b.png");
    EXPECT_LT(again.width(), 700);
    EXPECT_EQ(image(png).copy(0, 0, again.width(), again.height()), again);
}

TEST_F(SnapshotLikeTest, HostilePicturesAndOptionsThatDoNotFitAreOneSentence) {
    const std::string png = snapshot({"--overlay", "arrows", "--size", "100x100"});
    expectRefusal(like(path_), 1, "this is no PNG file");
    expectRefusal(like(folder_ / "none.png"), 1, "none.png");
    image(png).copy().save(QString::fromStdString(folder_ / "plain.png"));
    expectRefusal(like(png, {"--frame", "2"}), 2, "--frame doesn't go with --like");
    expectRefusal(testing::run({"snapshot", "-o", folder_ / "b.png"}), 2, "FILE is required");
    expectRefusal(testing::run({"snapshot", path_}), 2, "--output is required");

    const PictureRecord good = readPictureRecord(png);
    const auto spoilt = [&](auto change) {
        PictureRecord record = good;
        change(record);
        RgbaImage one{1, 1, {0, 0, 0, 255}};
        testing::writeText(folder_ / "bad.png", encodePicture(one, record));
        return like(folder_ / "bad.png");
    };
    expectRefusal(spoilt([](PictureRecord& r) { r.left->method = "magic"; }), 1, "magic");
    expectRefusal(spoilt([](PictureRecord& r) { r.left->backend = "abacus"; }), 1, "abacus");
    expectRefusal(spoilt([](PictureRecord& r) { r.left->parameters["alpha"] = -1.0; }), 1, "alpha");
    expectRefusal(spoilt([](PictureRecord& r) { r.left->parameters["spell"] = 1.0; }), 1, "spell");
    expectRefusal(spoilt([](PictureRecord& r) { r.preset = "pet"; }), 1, "pet");
    expectRefusal(spoilt([](PictureRecord& r) { r.files = {"/dev/zero"}; }), 1, "/dev/zero");
    expectRefusal(spoilt([](PictureRecord& r) { r.files = {"/none\n/x"}; }), 1, "isn't there");
    testing::writeText(folder_ / "text.png",
                       withPngTexts(testing::readText(folder_ / "plain.png"),
                                    {{"systole", "{\"format\":1,\"input\":[[[]]]}"}}));
    expectRefusal(like(folder_ / "text.png"), 1, "damaged");
}

} // namespace
} // namespace systole
