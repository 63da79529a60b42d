// The laboratory's page, drawn without a display.
#include "app/base/units.h"
#include "app/features/laboratory/lab_picture.h"
#include "app/features/laboratory/lab_plots.h"
#include "app/features/laboratory/summary.h"
#include "tests/app/live/opengl_test.h"
#include "tests/support/lab_answer_support.h"
#include "tests/support/program.h"

#include <QImage>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace systole {
namespace {

using ::testing::HasSubstr;

/// Number of pixels within a few steps of the color: lines are smoothed at their edges.
int pixelsOf(const QImage& image, const QRect& part, int red, int green, int blue) {
    int count = 0;
    for (int y = part.top(); y <= part.bottom(); ++y)
        for (int x = part.left(); x <= part.right(); ++x) {
            const QRgb p = image.pixel(x, y);
            count += std::abs(qRed(p) - red) < 12 && std::abs(qGreen(p) - green) < 12 &&
                     std::abs(qBlue(p) - blue) < 12;
        }
    return count;
}

class LabPictureTest : public testing::OpenGlTest {
protected:
    QImage picture(const lab::LabAnswer& answer, int width = labPictureWidth,
                   int height = labPictureHeight) {
        const std::string path = folder_ / "lab.png";
        writeLaboratoryPicture(answer, path, width, height);
        return QImage(QString::fromStdString(path));
    }
    testing::TemporaryFolder folder_;
};

TEST_F(LabPictureTest, HasEveryCurveInItsColor) {
    const QImage image = picture(testing::madeUpAnswer());
    ASSERT_EQ(image.size(), QSize(labPictureWidth, labPictureHeight));
    const QRect times(0, 60, 700, 560);
    EXPECT_GT(pixelsOf(image, times, 86, 180, 233), 700);  // measured
    EXPECT_GT(pixelsOf(image, times, 230, 159, 0), 250);   // Wu
    EXPECT_GT(pixelsOf(image, times, 214, 132, 178), 100); // Hong and Kim
    EXPECT_GT(pixelsOf(image, times, 0, 178, 130), 200);   // ours
    // Occupancy in the color of what was measured, at the right.
    EXPECT_GT(pixelsOf(image, {730, 60, 540, 260}, 86, 180, 233), 300);
}

TEST_F(LabPictureTest, TheCurveIsWhereItsValuesAre) {
    // Twice the time is twice as high over the ground: the measured curve has its least at 256
    // threads, left of the middle, and rises to the right.
    lab::LabAnswer answer = testing::madeUpAnswer();
    for (lab::LabRow& row : answer.curves[0].rows)
        row.predicted = {};
    answer.curves[0].bestPredicted = {-1, -1, -1};
    const QImage image = picture(answer);
    const auto lowest = [&](int fromX, int toX) {
        int found = -1;
        for (int y = 80; y < 600; ++y)
            for (int x = fromX; x < toX; ++x) {
                const QRgb p = image.pixel(x, y);
                if (std::abs(qRed(p) - 86) < 12 && std::abs(qBlue(p) - 233) < 12)
                    found = y;
            }
        return found;
    };
    const int atBest = lowest(150, 250), atEnd = lowest(640, 690);
    ASSERT_GT(atBest, 0);
    ASSERT_GT(atEnd, 0);
    EXPECT_LT(atEnd, atBest - 80);
}

TEST_F(LabPictureTest, WithoutMeasurementsItSaysSoInAnotherColor) {
    const QImage measured = picture(testing::madeUpAnswer());
    const QImage sheet = picture(testing::madeUpAnswer({"jacobi/direct"}, false));
    const QRect source(0, 20, 600, 24);
    EXPECT_EQ(pixelsOf(measured, source, 255, 191, 76), 0);
    EXPECT_GT(pixelsOf(sheet, source, 255, 191, 76), 5);
    EXPECT_EQ(pixelsOf(sheet, {100, 100, 560, 480}, 86, 180, 233), 0); // no measured curve
}

TEST_F(LabPictureTest, SeveralKernelsAndSmallPicturesAreDrawn) {
    const QImage image =
        picture(testing::madeUpAnswer({"jacobi/direct", "jacobi/shared", "jacobi/register"}));
    for (const auto& [red, green, blue] :
         std::vector<std::array<int, 3>>{{86, 180, 233}, {230, 159, 0}, {0, 178, 130}})
        EXPECT_GT(pixelsOf(image, {0, 60, 700, 560}, red, green, blue), 500);
    EXPECT_EQ(picture(testing::madeUpAnswer(), 320, 200).size(), QSize(320, 200));
    EXPECT_THROW(writeLaboratoryPicture(testing::madeUpAnswer(), folder_ / "none/lab.png"),
                 std::exception);
}

TEST_F(LabPictureTest, ModelsAreShownOfFewKernelsAndOfSeveralTasks) {
    const auto models = [](const std::vector<std::string>& kernels) {
        return shownModels(testing::madeUpAnswer(kernels), {});
    };
    constexpr std::array<bool, 3> all{true, true, true}, none{};
    EXPECT_EQ(models({"jacobi/direct"}), all);
    EXPECT_EQ(models({"jacobi/direct", "jacobi/shared"}), all);
    EXPECT_EQ(models({"sest/shared", "tps/global", "tps/shared", "trilinear/direct"}), all);
    EXPECT_EQ(models({"tps/global", "tps/shared", "tps/constant"}), none);
    // The kernels of a lesson on models, each in its color: more of it than the measured curve.
    lab::LabAnswer answer =
        testing::madeUpAnswer({"tps/global", "trilinear/direct", "sest/shared"});
    const QImage with = picture(answer);
    for (lab::LabCurve& curve : answer.curves)
        for (lab::LabRow& row : curve.rows)
            row.predicted = {};
    for (lab::LabCurve& curve : answer.curves)
        curve.bestPredicted = {-1, -1, -1};
    const QImage without = picture(answer);
    const QRect times(0, 100, 700, 500);
    for (const auto& [red, green, blue] :
         std::vector<std::array<int, 3>>{{86, 180, 233}, {230, 159, 0}, {0, 178, 130}})
        EXPECT_GT(pixelsOf(with, times, red, green, blue),
                  pixelsOf(without, times, red, green, blue) + 100);
}

TEST_F(LabPictureTest, OfACallWithCopiesTheKernelAloneIsUnderTheRoofline) {
    lab::LabAnswer answer = testing::madeUpAnswer();
    answer.question.withTransfers = true;
    const auto whereCopiesTake = [&](double times) {
        for (lab::LabRow& row : answer.curves[0].rows)
            row.measured = row.point.callSeconds = times * row.point.seconds;
        return picture(answer);
    };
    // However long the copies take, the points stay.
    const QImage resident = whereCopiesTake(30), call = whereCopiesTake(60);
    const QRect roofline(740, 380, 530, 260);
    int differing = 0;
    for (int y = roofline.top(); y <= roofline.bottom(); ++y)
        for (int x = roofline.left(); x <= roofline.right(); ++x)
            differing += resident.pixel(x, y) != call.pixel(x, y);
    EXPECT_EQ(differing, 0);
}

TEST(LabSummary, OfACallWithCopiesTheRatesAreThoseOfTheKernel) {
    lab::LabAnswer answer = testing::madeUpAnswer();
    answer.question.withTransfers = true;
    lab::LabRow& row = answer.curves[0].rows[7];
    row.measured = row.point.callSeconds = 0.05;
    std::string all;
    for (const std::string& line : figuresOf(answer, answer.curves[0], row))
        all += plainSpaces(line) + "\n";
    EXPECT_THAT(all, HasSubstr("measured 50 ms with copies; kernel only 1 ms, 2000 GB/s, 50 % of "
                               "memory bandwidth; 1000 GFLOP/s\n"));
}

TEST(LabSummary, SaysWhatEachModelChoosesAndWhatItCosts) {
    const lab::LabAnswer answer = testing::madeUpAnswer();
    std::string all;
    for (const std::string& line : summaryOf(answer, answer.curves[0]))
        all += plainSpaces(line) + "\n";
    EXPECT_THAT(all, HasSubstr("best measured: 256 threads, 1 ms\n"));
    // 2 GB in 1 ms of 4 TB/s; 1 GFLOP in 1 ms.
    EXPECT_THAT(all, HasSubstr("2000 GB/s, 50 % of memory bandwidth; 1000 GFLOP/s\n"));
    EXPECT_THAT(all, HasSubstr("Wu chooses 256, the fastest\n"));
    EXPECT_THAT(all, HasSubstr("Hong & Kim chooses 512, 16 % slower\n"));
    EXPECT_THAT(all, HasSubstr("mean error: Wu 30 %, Hong & Kim 20 %, ours 10 %\n"));
}

TEST(LabSummary, WithoutMeasurementsModelsOnlyPredict) {
    const lab::LabAnswer answer = testing::madeUpAnswer({"jacobi/direct"}, false);
    std::string all;
    for (const std::string& line : summaryOf(answer, answer.curves[0]))
        all += plainSpaces(line) + "\n";
    EXPECT_THAT(all, HasSubstr("Wu chooses 256, predicts 1.3 ms\n"));
    EXPECT_THAT(all, HasSubstr("Hong & Kim chooses 512, predicts 800 µs\n"));
    EXPECT_THAT(all, HasSubstr("no measurements"));
    EXPECT_THAT(all, ::testing::Not(HasSubstr("best measured")));
}

TEST(LabSummary, TheBlockIsSaidOfEachKernelWhereTheyDiffer) {
    lab::LabQuestion question;
    question.axis = lab::LabAxis::Side;
    question.kernels = {"jacobi/direct", "jacobi/fused"};
    EXPECT_THAT(conditionsText(question), HasSubstr("256, 992 threads per block, in this order"));
    question.kernels = {"jacobi/direct", "jacobi/register"};
    EXPECT_THAT(conditionsText(question), HasSubstr("256 threads per block"));
    question.threads = 128;
    EXPECT_THAT(conditionsText(question), HasSubstr("128 threads per block"));
}

TEST(LabSummary, OverSidesNothingIsChosen) {
    lab::LabAnswer answer = testing::madeUpAnswer();
    answer.question.axis = lab::LabAxis::Side;
    for (const std::string& line : summaryOf(answer, answer.curves[0]))
        EXPECT_THAT(line, ::testing::Not(HasSubstr("chooses")));
}

TEST(LabSummary, ARowSaysAllThatIsKnownOfIt) {
    const lab::LabAnswer answer = testing::madeUpAnswer();
    std::string all;
    for (const std::string& line : figuresOf(answer, answer.curves[0], answer.curves[0].rows[7]))
        all += plainSpaces(line) + "\n";
    EXPECT_THAT(all, HasSubstr("jacobi/direct, side 200, 256 threads per block\n"));
    EXPECT_THAT(all, HasSubstr("measured 1 ms"));
    EXPECT_THAT(all, HasSubstr("predicted: Wu 1.3 ms, Hong & Kim 928 µs, ours 1.1 ms\n"));
    // 40 registers: 65536 / (40 · 256) = 6 blocks, 48 of 64 warps.
    EXPECT_THAT(all, HasSubstr("occupancy 75 %: 6 blocks, 48 warps; limited by registers\n"));
    // 31250 blocks over 6 · 100 places: 52.08 waves.
    EXPECT_THAT(all, HasSubstr("52.1 waves, last wave 8 % filled, wave efficiency 98 %\n"));
    EXPECT_THAT(all, HasSubstr("40 registers and 0 B local per thread, 0 B shared per block"));
    EXPECT_THAT(all, HasSubstr("0.5 FLOP per byte"));
}

} // namespace
} // namespace systole
